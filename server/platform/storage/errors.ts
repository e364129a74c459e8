import { defineErrors, notFound, prescribedNotFound } from '#errors/define.ts'

export const STORAGE_ERRORS = defineErrors({
  'chat.not_found': prescribedNotFound('Chat session not found', 'chat_id'),
  'upload.not_found': notFound('Upload not found', 'upload_id'),
  'upload.not_audio': [415, 'Send the recording as MP3, WAV, M4A, OGG, FLAC or WebM.'],
  'upload.empty': [400, 'The file is empty. Choose another file.', 'validation'],
  'upload.type': [
    415,
    'Files of this type are not supported. Documents: PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV, MD; images: JPG, PNG, GIF, WebP, SVG; audio: MP3, WAV, M4A, OGG, FLAC; video: MP4, WebM, MOV, AVI.',
  ],
  'upload.old_office': [
    415,
    'Documents of Office 97-2003 (DOC, XLS, PPT) are not supported. Save this one as DOCX, XLSX or PPTX, and upload it again.',
  ],
  'upload.encoding': [
    400,
    'The encoding {encoding} is not supported. Use a name such as utf-8, windows-1251, gbk, shift_jis or big5.',
    'validation',
  ],
  'upload.no_text': [
    415,
    'Files of this type contain no text. Send PDF, TXT, DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, EML, CSV or MD.',
  ],
  'upload.quota': [
    402,
    'The files, texts and stored responses of this organization would exceed its limit of {limit} bytes. Delete some of them, such as chats that have files.',
  ],
  'upload.chat_full': [402, 'A chat can have at most {limit} files. Delete one first.'],
  'file.link_invalid': [403, 'This link is invalid or has expired. Request the file again.'],
  'file.not_found': notFound('File not found', 'file'),

  'storage.disk_full':
    'The disk of the server is full, so nothing can be stored. Ask the operator to free space, then try again.',
  'storage.disk_low':
    'The disk of the {folder} folder has {free} MB free, and the server needs {needed} MB. Free some space.',
  'storage.no_answer': 'The file storage is not responding correctly. Try again later.',
})
