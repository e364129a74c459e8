import { defineErrors } from '#errors/define.ts'

export const STORAGE_ERRORS = defineErrors({
  'chat.not_found': [404, 'Chat session not found'],
  'upload.not_found': [404, 'Upload not found'],
  'upload.not_audio': [415, 'Send the recording as MP3, WAV, M4A, OGG, FLAC or WebM.'],
  'upload.empty': [400, 'The file is empty. Choose another file.', 'validation'],
  'upload.type': [
    415,
    'Files of this type are not supported. Documents: PDF, TXT, DOCX, XLSX, CSV, MD; images: JPG, PNG, GIF, WebP, SVG; audio: MP3, WAV, M4A, OGG, FLAC; video: MP4, WebM, MOV, AVI.',
  ],
  'upload.no_text': [415, 'Files of this type contain no text. Send PDF, TXT, DOCX, XLSX, CSV or MD.'],
  'upload.quota': [
    402,
    'The files of this organization would exceed its limit of {limit} bytes. Delete chats that have files.',
  ],
  'upload.chat_full': [402, 'A chat can have at most {limit} files. Delete one first.'],
  'file.link_invalid': [403, 'This link is invalid or has expired. Request the file again.'],
  'file.not_found': [404, 'File not found'],

  'storage.no_answer': 'The file storage is not responding correctly. Try again later.',
})
