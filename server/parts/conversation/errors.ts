import { defineErrors } from '#errors/define.ts'

export const CONVERSATION_ERRORS = defineErrors({
  'conversation.not_found': [404, 'Conversation not found'],
  'conversation.session_not_found': [404, 'Conversation chat session not found'],
  'conversation.full': [
    400,
    'A conversation can have at most {limit} sessions. Create another conversation.',
  ],
})
