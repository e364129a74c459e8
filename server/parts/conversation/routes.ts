import Type from 'typebox'
import { idempotencyKeyOf } from '#platform/http/answer-once.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CONVERSATION, MODEL, SESSION } from '#platform/http/example-values.ts'
import { confirms, FailureEvents, idOf, OrgId, PageQuery } from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import {
  type ConversationDependencies,
  createConversation,
  createSession,
  deleteConversation,
  getWithSessions,
  listConversations,
  listMessages,
  stopReply,
  updateConversation,
} from './manage-conversations.ts'
import * as schemas from './schemas.ts'
import { streamChat } from './stream-chat.ts'

const InOrganization = Type.Object({ org_id: OrgId })
const OneConversation = Type.Object({ org_id: OrgId, conversation_id: idOf('the conversation') })

/** Routes of conversations with several models. */
export const conversationRoutes = (deps: ConversationDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/conversation/create',
    summary: 'Create a conversation',
    access: { permission: 'conversation:write', orgOf: 'query' },
    query: InOrganization,
    body: schemas.NewConversation,
    example: { title: 'Names for a new blend' },
    effects: 'database',
    reply: [201, schemas.ConversationView],
    errors: ['org.not_found'],
    handler: ({ scope, body }) => createConversation(deps, scope, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/conversation/create_session',
    summary: 'Add a model to a conversation',
    description: 'Each session sees all messages of its conversation.',
    access: { permission: 'conversation:write', orgOf: 'query' },
    query: InOrganization,
    body: schemas.NewSession,
    example: { conversation_id: CONVERSATION, model_id: MODEL },
    effects: 'database',
    reply: [201, schemas.SessionView],
    errors: [
      'org.not_found',
      'conversation.not_found',
      'conversation.full',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.no_member',
    ],
    handler: ({ scope, body }) => createSession(deps, scope, body),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/conversation/stream_chat',
    summary: "Send a message and stream the reply of a session's model",
    description:
      'Several sessions of a conversation can reply at the same time. Each sees the replies completed before its ' +
      'request. The reply is completed and stored even if the connection is lost.',
    access: { permission: 'conversation:write', orgOf: 'query' },
    query: Type.Object({ ...InOrganization.properties, events: FailureEvents }),
    body: schemas.NewChatMessage,
    example: { chat_session_id: SESSION, message: 'Suggest a name for our spring blend.' },
    effects: 'reply',
    reply: {
      events: schemas.ConversationEvent,
      description: 'The reply, streamed.',
      headers: ['X-Message-Id'],
    },
    errors: [
      'org.not_found',
      'conversation.session_not_found',
      'chat.not_found',
      'conversation.session_busy',
      'llm.not_found',
      'llm.inactive',
      'llm.not_configured',
      'llm.no_member',
      'billing.insufficient_credits',
      ...LIMIT_ERRORS,
      'billing.key_budget_exceeded',
      'billing.member_budget_exceeded',
      'org.daily_chat_limit',
    ],
    handler: ({ scope, query, body, headers }) =>
      streamChat(deps, scope, body, {
        idempotencyKey: idempotencyKeyOf(headers),
        named: query.events === 'all',
      }),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/conversation/stop',
    summary: 'Stop the current replies of a conversation',
    description: 'The text so far is kept and charged.',
    access: { permission: 'conversation:write', orgOf: 'query' },
    query: OneConversation,
    effects: 'outside',
    allowedWhileSuspended: true,
    reply: confirms('The replies were stopped'),
    errors: ['org.not_found', 'conversation.not_found', 'chat.not_found', 'chat.not_streaming'],
    async handler({ scope, query }) {
      await stopReply(deps, scope, query.conversation_id)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/conversation/list',
    summary: 'List your conversations, newest first',
    access: { permission: 'conversation:read', orgOf: 'query' },
    query: Type.Object({ org_id: OrgId, ...PageQuery }),
    reply: [200, schemas.ConversationPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listConversations(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/conversation/get_with_sessions',
    summary: 'Get a conversation with its sessions',
    access: { permission: 'conversation:read', orgOf: 'query' },
    query: OneConversation,
    reply: [200, schemas.ConversationWithSessions],
    errors: ['org.not_found', 'conversation.not_found'],
    handler: ({ scope, query }) => getWithSessions(scope, query.conversation_id),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/conversation/messages',
    summary: 'List the messages of a conversation, newest first',
    access: { permission: 'conversation:read', orgOf: 'query' },
    query: Type.Object({
      ...OneConversation.properties,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 20,
          description: 'Maximum number of messages to return.',
        }),
      ),
      offset: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000,
          default: 0,
          description: 'Number of messages to skip.',
        }),
      ),
    }),
    reply: [200, schemas.MessageList],
    errors: ['org.not_found', 'conversation.not_found'],
    handler: ({ scope, query }) => listMessages(deps, scope, query.conversation_id, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/conversation/update',
    summary: 'Rename or archive a conversation',
    access: { permission: 'conversation:write', orgOf: 'query' },
    query: OneConversation,
    body: schemas.ConversationChange,
    example: { is_archived: false },
    effects: 'database',
    current: ({ scope, query }) => getWithSessions(scope, query.conversation_id),
    reply: [200, schemas.ConversationView],
    errors: ['org.not_found', 'conversation.not_found'],
    handler: ({ scope, query, body }) => updateConversation(scope, query.conversation_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/conversation/delete',
    summary: 'Permanently delete a conversation with its sessions and messages',
    access: { permission: 'conversation:delete', orgOf: 'query' },
    query: OneConversation,
    effects: 'outside',
    reply: confirms('Conversation deleted'),
    errors: ['org.not_found', 'conversation.not_found'],
    async handler({ scope, query }) {
      await deleteConversation(deps, scope, query.conversation_id)
    },
  }),
]
