import { defineErrors } from '#errors/define.ts'

export const CHAT_ERRORS = defineErrors({
  'llm.takes_no_files': [
    400,
    'A model that makes images takes other images, one that makes videos takes nothing but words',
  ],
  'chat.message_not_found': [404, 'Message not found'],
  'chat.parent_not_reply': [400, 'parent_message_id must be null or the id of a reply in this chat'],
  'chat.no_target': [400, 'Either model_id or agent_id must be provided', 'validation'],
  'chat.busy': [409, 'A reply is still being written in this chat. Stop it or wait for its end.'],
  'chat.not_streaming': [409, 'No reply is being written in this chat'],
  'chat.search_empty': [400, 'q must hold a word to look for, beside those that are left out', 'validation'],
  'chat.elsewhere': [
    409,
    'This reply is being written by another server process; set REDIS_URL to follow it from here',
  ],
  'upload.not_audio': [415, 'Send a recording as MP3, WAV, M4A, OGG, FLAC or WebM'],
  'upload.image_too_large': [400, '{name} is too large for a model: an image can have at most {limit} bytes'],
  'upload.images_too_large': [400, 'The images of a message can have at most {limit} bytes together'],
  'upload.too_many_images': [400, 'A message can have at most {limit} images', 'validation'],
  'conversation.session_busy': [409, 'This session is still writing a reply. Stop it or wait for its end.'],

  'chat.two_targets': 'Give either model_id or agent_id, not both',
  'reply.lost': 'The server stopped while this reply was being written. Send the message again to continue.',
  'reply.interrupted':
    'The server was restarted while this reply was being written. Send the message again to continue.',
  'reply.failed': 'Something went wrong while this reply was being written. Please try again.',
  'reply.not_stored': 'The end of this reply could not be stored. The text on screen may be incomplete.',
  'reply.media_not_stored': 'The {kind} could not be stored. Please try again.',
})
