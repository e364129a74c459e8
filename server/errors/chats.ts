import type { Catalogue } from './catalogue.ts'

export const CHATS_ERRORS = {
  'chat.not_found': [404, 'Chat session not found'],
  'chat.message_not_found': [404, 'Message not found'],
  'chat.parent_not_reply': [400, 'parent_message_id must be null or the id of a reply in this chat'],
  'chat.no_target': [400, 'Either model_id or agent_id must be provided'],
  'chat.busy': [409, 'A reply is still being written in this chat. Stop it or wait for its end.'],
  'chat.not_streaming': [409, 'No reply is being written in this chat'],
  'chat.search_empty': [400, 'q must hold a word to look for, beside those that are left out'],
  'chat.elsewhere': [
    409,
    'This reply is being written by another server process; set REDIS_URL to follow it from here',
  ],

  'upload.not_found': [404, 'Upload not found'],
  'upload.not_audio': [415, 'Send a recording as MP3, WAV, M4A, OGG, FLAC or WebM'],
  'upload.empty': [400, 'The file is empty'],
  'upload.type': [
    415,
    'Files of this kind are not taken. Documents: PDF, TXT, DOCX, XLSX, CSV, MD; images: JPG, PNG, GIF, WebP, SVG; audio: MP3, WAV, M4A, OGG, FLAC; video: MP4, WebM, MOV, AVI.',
  ],
  'upload.no_text': [415, 'Files of this kind hold no text. Send PDF, TXT, DOCX, XLSX, CSV or MD.'],
  'upload.quota': [
    402,
    'The files of this organization would take more than its {limit} bytes. Delete chats with files.',
  ],
  'upload.chat_full': [402, 'A chat can have at most {limit} files'],
  'upload.image_too_large': [400, '{name} is too large for a model: an image can have at most {limit} bytes'],
  'upload.images_too_large': [400, 'The images of a message can have at most {limit} bytes together'],
  'upload.too_many_images': [400, 'A message can have at most {limit} images'],

  'file.link_invalid': [403, 'This address has expired, or was never given out. Ask for the file again.'],
  'file.not_found': [404, 'File not found'],

  'conversation.not_found': [404, 'Conversation not found'],
  'conversation.session_not_found': [404, 'Conversation chat session not found'],
  'conversation.session_busy': [409, 'This session is still writing a reply. Stop it or wait for its end.'],
  'conversation.full': [400, 'A conversation has at most {limit} sessions'],

  'instruction.not_found': [404, 'Instruction not found'],
  'instruction.name_taken': [409, 'You already have an instruction with this name'],

  'events.no_token': [408, 'No {"type":"auth","token":"…"} came in time'],
  'events.malformed': [400, 'The first message must be {"type":"auth","token":"…"}'],
  'events.too_many': [429, 'You have {limit} live connections already: close one'],
} as const satisfies Catalogue
