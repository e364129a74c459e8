import { defineErrors, notFound } from '#errors/define.ts'

export const CONVERSATION_ERRORS = defineErrors({
  'conversation.not_found': notFound('Conversation not found', 'conversation_id'),
  'conversation.session_not_found': notFound('Conversation chat session not found', 'chat_session_id'),
  'conversation.full': [
    400,
    'A conversation can have at most {limit} sessions. Create another conversation.',
  ],
})
