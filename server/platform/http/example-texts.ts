import { ANSWER, CALL, ORDER, REPLY, SERVER, SESSION, SOURCES } from './example-values.ts'

/* Examples that do not follow from a schema: confirmations, streams and files. */

/** Confirmations by method and path, as the handlers return them. */
const CONFIRMATIONS: Record<string, string> = {
  'DELETE /api/agent_deploy/delete': 'Deployment deleted',
  'POST /api/agent_deploy/stop': 'The reply was stopped',
  'DELETE /api/agents/delete': 'Agent deleted',
  'DELETE /api/api_keys/delete': 'API key deleted',
  'POST /api/auth/factors/remove': 'Second factor removed',
  'POST /api/auth/logout': 'Signed out',
  'DELETE /api/auth/sessions': 'Sessions ended: 2',
  'POST /api/auth/verify_email': 'Your email address is confirmed',
  'POST /api/auth/resend_verification': 'A mail is on its way if your address is not confirmed yet',
  'POST /api/auth/forgot_password': 'If this email has an account, a mail is on its way',
  'POST /api/auth/reset_password': 'Your password is changed. Sign in with it.',
  'DELETE /api/billing/budgets': 'Budget removed',
  'DELETE /api/chat/delete_upload': 'Upload deleted',
  'DELETE /api/chat/delete_session': 'Chat session deleted',
  'POST /api/chat/stop': 'The reply was stopped',
  'POST /api/conversation/stop': 'The replies were stopped',
  'DELETE /api/conversation/delete': 'Conversation deleted',
  'DELETE /api/org/delete': 'Organization deleted',
  'DELETE /api/users/me': 'Account deleted',
  'DELETE /api/instructions/delete': 'Instruction deleted',
  'DELETE /api/invitations/revoke': 'Invitation revoked',
  'DELETE /api/kb/evaluations/delete': 'Evaluation deleted',
  'DELETE /api/kb/delete': 'Knowledge base deleted',
  'DELETE /api/kb/delete_source': 'Source deleted',
  'DELETE /api/kb/delete_document': 'Document deleted',
  'DELETE /api/llm/delete': 'Language model deleted',
  'DELETE /api/mcp_playground/memory': 'Playground memory cleared',
  'DELETE /api/mcp/instance': 'MCP instance deleted',
  'DELETE /api/mcp/servers': 'MCP server deleted',
  'POST /api/org/add_member': 'Member added',
  'POST /api/org/leave': 'You have left the organization',
  'POST /api/org/leave_link': 'You have left the organization',
  'POST /api/org/transfer_ownership': 'Ownership transferred',
  'DELETE /api/roles/remove': 'Role deleted',
  'DELETE /api/roles/permission': 'Permission removed',
  'DELETE /api/tools/delete_category': 'Tool category deleted',
  'DELETE /api/tools': 'Tool deleted',
  'DELETE /api/users/remove': 'Member removed',
  'DELETE /api/webhooks/delete': 'Webhook deleted',
}

/** Returns the message of an operation that returns a Message; undefined for others. */
export const confirmationOf = (method: string, url: string): string | undefined =>
  CONFIRMATIONS[`${method} ${url}`]

/** The events of a stream by the component of their data, each with a summary. */
const EVENTS: Record<string, readonly (readonly [summary: string, data: object])[]> = {
  ReplyEvent: [
    [`id: ${REPLY}.1`, { message: 'We open at 8:00 on weekdays ' }],
    [`id: ${REPLY}.2`, { message: 'and at 9:00 on weekends [1].' }],
    [`id: ${REPLY}.3`, { message: 'DONE' }],
  ],
  PromptEvent: [
    ['id: 1', { content: 'Write a menu for a rainy day.' }],
    ['id: 2', { content: 'DONE' }],
  ],
  ConversationEvent: [
    ['event: start', { message_id: REPLY, chat_session_id: SESSION }],
    ['event: content', { content: 'How about Morning Fern?' }],
    [
      'event: end',
      { message_id: REPLY, finish_reason: 'stop', usage: { input_tokens: 210, output_tokens: 9 } },
    ],
  ],
  QueryEvent: [
    ['event: sources', { sources: SOURCES }],
    ['event: content', { content: ANSWER }],
    ['event: end', { citations: [1], usage: { input_tokens: 820, output_tokens: 95 } }],
  ],
  PlaygroundEvent: [
    ['A piece of the reply', { message: 'I looked it up: ', tool: null }],
    [
      'A tool call that ended',
      { message: '', tool: { ...CALL, output: ORDER, error: null, successful: true } },
    ],
    ['Recommended servers', { mcp: { server_ids: [SERVER] }, message: '' }],
    ['The end', { message: 'DONE', tool: null }],
  ],
}

/** The streams under /openai, as text: OpenAI's documentation describes their events. */
const STREAMS: Record<string, string> = {
  '/openai/v1/chat/completions':
    'data: {"id":"chatcmpl-0195f3c48a5e7cc3","object":"chat.completion.chunk","created":1772442000,"model":"GPT-5 mini",' +
    '"choices":[{"index":0,"delta":{"content":"We open at 8:00."},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
  '/openai/v1/responses':
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,' +
    '"item_id":"msg_0195f3c48a5e","output_index":0,"content_index":0,"delta":"We open at 8:00."}\n\n',
}

/** Returns the events of a stream, by the component of their data. */
export const eventsOf = (component: string): readonly (readonly [summary: string, data: object])[] =>
  EVENTS[component] ?? []

/** Returns a part of a stream without a component, as it is sent. */
export const streamOf = (url: string): string | undefined => STREAMS[url]

const FILES: Record<string, string> = {
  'text/csv': 'day,messages,input_tokens,output_tokens,credits\r\n2026-03-02,4,820,95,1200\r\n',
  'text/markdown':
    '# Opening hours\n\n**User**: When does the shop open?\n\n**Assistant**: We open at 8:00.\n',
  'application/json': '{"title": "Opening hours", "messages": []}',
  'application/zip': '(the bytes of the ZIP archive)',
}

/** Returns the content of a file of this type, as an example. */
export const exampleOfFile = (type: string): string => FILES[type] ?? '(the bytes of the file)'
