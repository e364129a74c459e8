import { defineErrors, notFound } from '#errors/define.ts'

export const CHAT_ERRORS = defineErrors({
  'llm.takes_no_files': [
    400,
    'Image models accept only images as attachments, and video models accept no attachments. Neither can use knowledge bases. Remove what the model does not accept, or choose a text model.',
  ],
  'chat.message_not_found': notFound('Message not found', 'message_id'),
  'chat.parent_not_reply': [400, 'parent_message_id must be null or the ID of a reply in this chat.'],
  'chat.no_target': [400, 'Either model_id or agent_id must be provided', 'validation'],
  'chat.busy': [409, 'A reply is still being written in this chat. Stop it, or wait until it is complete.'],
  'chat.not_streaming': [409, 'No reply is being written in this chat. Send a message to start one.'],
  'chat.search_empty': [
    400,
    'q contains no word to search for. Add at least one word without a minus sign.',
    'validation',
  ],
  'chat.elsewhere': [
    409,
    'Another server process is writing this reply. Read the chat again when the reply is complete, or ask the operator to set REDIS_URL.',
  ],
  'upload.image_too_large': [
    400,
    '{name} is too large for a model. An image can have at most {limit} bytes. Send a smaller one.',
  ],
  'upload.images_too_large': [
    400,
    'The images of a message can have at most {limit} bytes in total. Send fewer or smaller images.',
  ],
  'upload.too_many_images': [400, 'A message can have at most {limit} images. Remove some.', 'validation'],
  'conversation.session_busy': [
    409,
    'A reply is still being written in this session. Stop it, or wait until it is complete.',
  ],

  'chat.two_targets': 'Send either model_id or agent_id, not both.',
  'reply.lost': 'The server stopped while this reply was being written. Send the message again to continue.',
  'reply.interrupted':
    'The server was restarted while this reply was being written. Send the message again to continue.',
  'reply.failed': 'Something went wrong while this reply was being written. Try again.',
  'reply.not_stored': 'The end of this reply could not be stored. If the reply is incomplete, regenerate it.',
  'reply.media_not_stored': 'The {kind} could not be stored. Try again.',
  'reply.file_not_stored': 'The file could not be stored. Try again.',
})
