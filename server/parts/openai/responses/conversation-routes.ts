import Type from 'typebox'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { HOURS } from '#platform/http/example-values.ts'
import { OpenQuery } from '#platform/http/schemas.ts'
import { access, BODY_BYTES_MAX, query } from '../route-options.ts'
import {
  Conversation,
  ConversationItem,
  ConversationItems,
  ConversationMetadata,
  DeletedConversation,
  NewConversation,
} from './conversation-schemas.ts'
import {
  addToHistory,
  createConversation,
  getConversation,
  getHistoryItem,
  listHistory,
  removeConversation,
  removeHistoryItem,
  updateConversation,
} from './conversations.ts'
import { ID_MAX, ItemList, ItemPageQuery } from './schemas.ts'

const ConversationId = Type.String({
  maxLength: ID_MAX,
  description: 'ID of the conversation, such as `conv_…`.',
})
const params = Type.Object({ conversation_id: ConversationId })
const itemParams = Type.Object({
  conversation_id: ConversationId,
  item_id: Type.String({ maxLength: ID_MAX, description: 'ID of the item, such as `msg_…`.' }),
})
const CREATE_ERRORS = ['org.not_found', 'deployment.not_api', 'deployment.paused'] as const
const FIND_ERRORS = [...CREATE_ERRORS, 'openai.conversation_not_found'] as const
const bodyLimits = { bytes: BODY_BYTES_MAX }
const BASE = '/openai/v1/conversations'

/** Routes of OpenAI's Conversations: histories that responses read and continue. */
export const conversationRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    url: BASE,
    summary: 'Create a conversation for responses',
    description:
      'Send its ID as `conversation` with a response: the model receives the items of the conversation, and the input and ' +
      "output are added to it. Stored for the organization's `response_retention_days` after its last use, for the same " +
      'user and key only.',
    access,
    query,
    body: NewConversation,
    example: { metadata: { topic: 'Opening hours' } },
    bodyLimits,
    effects: 'database',
    reply: [200, Conversation],
    errors: [...CREATE_ERRORS, 'openai.stores_nothing', 'openai.item_not_found', 'upload.quota'],
    handler: ({ scope, body }) => createConversation(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: `${BASE}/:conversation_id`,
    summary: 'Get a conversation for responses',
    access,
    params,
    query,
    reply: [200, Conversation],
    errors: FIND_ERRORS,
    handler: ({ scope, params }) => getConversation(scope, params.conversation_id),
  }),
  defineRoute({
    method: 'POST',
    url: `${BASE}/:conversation_id`,
    summary: 'Replace the metadata of a conversation',
    access,
    params,
    query,
    body: ConversationMetadata,
    example: { metadata: { topic: 'Orders' } },
    effects: 'database',
    reply: [200, Conversation],
    errors: [...FIND_ERRORS, 'upload.quota'],
    handler: ({ scope, params, body }) => updateConversation(scope, params.conversation_id, body),
  }),
  defineRoute({
    method: 'DELETE',
    url: `${BASE}/:conversation_id`,
    summary: 'Delete a conversation for responses',
    description: 'Its responses are kept.',
    access,
    params,
    query,
    effects: 'database',
    reply: [200, DeletedConversation],
    errors: FIND_ERRORS,
    handler: ({ scope, params }) => removeConversation(scope, params.conversation_id),
  }),
  defineRoute({
    method: 'GET',
    url: `${BASE}/:conversation_id/items`,
    summary: 'List the items of a conversation',
    access,
    params,
    query: OpenQuery({ ...query.properties, ...ItemPageQuery }),
    reply: [200, ItemList],
    errors: FIND_ERRORS,
    handler: ({ scope, params, query }) => listHistory(scope, params.conversation_id, query),
  }),
  defineRoute({
    method: 'POST',
    url: `${BASE}/:conversation_id/items`,
    summary: 'Add items to a conversation',
    access,
    params,
    query,
    body: ConversationItems,
    example: { items: [{ role: 'user', content: HOURS }] },
    bodyLimits,
    effects: 'database',
    reply: [200, ItemList],
    errors: [...FIND_ERRORS, 'openai.stores_nothing', 'openai.item_not_found', 'upload.quota'],
    handler: ({ scope, params, body }) => addToHistory(scope, params.conversation_id, body),
  }),
  defineRoute({
    method: 'GET',
    url: `${BASE}/:conversation_id/items/:item_id`,
    summary: 'Get an item of a conversation',
    access,
    params: itemParams,
    query,
    reply: [200, ConversationItem],
    errors: [...FIND_ERRORS, 'openai.item_missing'],
    handler: ({ scope, params }) => getHistoryItem(scope, params.conversation_id, params.item_id),
  }),
  defineRoute({
    method: 'DELETE',
    url: `${BASE}/:conversation_id/items/:item_id`,
    summary: 'Delete an item of a conversation',
    access,
    params: itemParams,
    query,
    effects: 'database',
    reply: [200, Conversation],
    errors: [...FIND_ERRORS, 'openai.item_missing'],
    handler: ({ scope, params }) => removeHistoryItem(scope, params.conversation_id, params.item_id),
  }),
]
