import Type from 'typebox'
import { fail } from '#errors'
import { idempotencyKeyOf } from '#platform/http/answer-once.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { CHAT, HOURS } from '#platform/http/example-values.ts'
import { readPage } from '#platform/http/pagination.ts'
import {
  Body,
  confirms,
  described,
  Enum,
  FailureEvents,
  idOf,
  OrgId,
  PageQuery,
  searchedIn,
  Uuid,
} from '#platform/http/schemas.ts'
import { LIMIT_ERRORS } from '#platform/ledger/refusals.ts'
import type { ChatDependencies } from './dependencies.ts'
import { PromptEvent, PromptRequest, ReplyEvent } from './event-schemas.ts'
import { ExportedChat, exportChat } from './export-chat.ts'
import { generatePrompts } from './generate-prompts.ts'
import { FolderList, listFolders } from './list-folders.ts'
import {
  createChat,
  deleteChats,
  deleteChatsInAll,
  findChat,
  getChat,
  listChats,
  refuseUndeletable,
  updateChat,
} from './manage-chats.ts'
import * as schemas from './schemas.ts'
import { ChatSearch, HitPage, searchChats } from './search-chats.ts'
import { regenerate, sendMessage } from './send-message.ts'
import { streamReply } from './stream-reply.ts'

const inOrganization = <const P extends 'chats:read' | 'chats:write'>(permission: P) =>
  ({ permission, orgOf: 'query' }) as const
const OneChat = Type.Object({ org_id: OrgId, chat_id: idOf('the chat') })
const BULK_MAX = 1_000
export const ANSWER_ERRORS = [
  'org.not_found',
  'chat.no_target',
  'chat.not_found',
  'chat.message_not_found',
  'chat.busy',
  'llm.not_found',
  'llm.inactive',
  'llm.not_configured',
  'llm.no_member',
  'agent.not_found',
  'agent.inactive',
  'instruction.not_found',
  'kb.not_found',
  'upload.not_found',
  'upload.image_too_large',
  'upload.images_too_large',
  'upload.too_many_images',
  'llm.cannot_see',
  'llm.takes_no_files',
  'llm.cannot_chat',
  'billing.insufficient_credits',
  ...LIMIT_ERRORS,
  'billing.key_budget_exceeded',
  'billing.member_budget_exceeded',
  'org.daily_chat_limit',
] as const

export const chatRoutes = (deps: ChatDependencies): Route[] => [
  defineRoute({
    method: 'POST',
    url: '/api/chat',
    summary: 'Create a chat',
    access: inOrganization('chats:write'),
    query: Type.Object({ org_id: OrgId }),
    body: schemas.ChatInput,
    example: { title: 'Opening hours', settings: { temperature: 0.3 } },
    effects: 'database',
    reply: [201, schemas.ChatView],
    errors: ['org.not_found'],
    handler: ({ scope, body }) => createChat(scope, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat',
    summary: 'Get a chat with the newest messages of its active branch',
    description: 'With `branches=all`, returns the messages of all branches; `parent_message_id` links them.',
    access: inOrganization('chats:read'),
    query: Type.Object({
      ...OneChat.properties,
      branches: Type.Optional(
        Enum(['all'], { description: '`all` returns messages of all branches, not only the active one.' }),
      ),
      ...PageQuery,
    }),
    reply: [200, schemas.ChatWithMessages],
    errors: ['org.not_found', 'chat.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => getChat(deps.storage, scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/list',
    summary: 'List your chats, newest first',
    description: 'By default, returns chats of all statuses except DELETED.',
    access: inOrganization('chats:read'),
    query: Type.Object({
      org_id: OrgId,
      status: Type.Optional(Enum(schemas.CHAT_STATUSES, { description: 'Filter by status.' })),
      folder: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Filter by folder.' })),
      pinned: Type.Optional(Type.Boolean({ description: 'Filter by pinned or not pinned.' })),
      ...PageQuery,
    }),
    reply: [200, schemas.ChatPage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) => listChats(scope, query),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/list_folders',
    summary: 'List the folders of your chats, by name',
    description:
      'Returns at most 1,000 folders. A folder exists while it contains a chat that is not deleted.',
    access: inOrganization('chats:read'),
    query: Type.Object({ org_id: OrgId }),
    reply: [200, FolderList],
    errors: ['org.not_found'],
    handler: ({ scope }) => listFolders(scope),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/search',
    summary: 'Search the titles and messages of your chats, newest first',
    description:
      'All words must occur; each matches as a prefix, ignoring case: `plan` finds planning. Quote a "phrase" to ' +
      'match its words in order, and prefix a word with `-` to exclude it. Words are not stemmed. In scripts ' +
      'without spaces, such as Chinese, any sequence of characters matches. Also searches archived chats and ' +
      'inactive branches, but not deleted chats. A message is found a few seconds after it ends, by its first ' +
      '200,000 characters, or for phrases by its first 16,000 words.',
    access: inOrganization('chats:read'),
    query: ChatSearch,
    reply: [200, HitPage],
    errors: ['org.not_found', 'request.invalid_cursor', 'chat.search_empty'],
    handler: ({ scope, query }) => searchChats(scope, query),
  }),
  defineRoute({
    method: 'PUT',
    url: '/api/chat',
    summary: 'Update a chat',
    description:
      'Omitted fields stay unchanged, also those of `settings`. A chat can be sent back as GET /api/chat returns it ' +
      'without `branches` and `cursor`, if it has no new messages. A chat with status DELETED returns 404, except for ' +
      'a change of its status.',
    access: inOrganization('chats:write'),
    query: OneChat,
    body: schemas.ChatChange,
    example: { pinned: true, folder: 'Customers' },
    effects: 'database',
    current: ({ scope, query }) => getChat(deps.storage, scope, query),
    reply: [200, schemas.ChatView],
    errors: ['org.not_found', 'chat.not_found', 'chat.message_not_found', 'chat.parent_not_reply'],
    handler: ({ scope, query, body }) => updateChat(scope, query.chat_id, body),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/export',
    summary: 'Export a chat as Markdown or JSON',
    description: 'The newest 10,000 messages of the active branch, oldest first.',
    access: inOrganization('chats:read'),
    query: Type.Object({
      ...OneChat.properties,
      format: Type.Optional(
        Enum(['markdown', 'json'], { description: 'Format of the file. Default: markdown.' }),
      ),
    }),
    reply: { file: { 'text/markdown': Type.String(), 'application/json': ExportedChat } },
    errors: ['org.not_found', 'chat.not_found'],
    handler: ({ scope, query }) => exportChat(deps.storage, scope, query.chat_id, query.format ?? 'markdown'),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/chat/delete_session',
    summary: 'Permanently delete a chat and its messages',
    access: { permission: 'chats:delete', orgOf: { chat: 'session_id' } },
    query: Type.Object({ session_id: idOf('the chat') }),
    effects: 'outside',
    reply: confirms('Chat session deleted'),
    errors: ['chat.not_found'],
    async handler({ scope, query }) {
      const deleted = await deleteChats(deps.replies, scope, [query.session_id])
      if (deleted.length === 0) throw fail('chat.not_found', { value: query.session_id })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/bulk_delete_sessions',
    summary: 'Permanently delete several chats and their messages',
    access: { permission: 'chats:delete', inEvery: 'organization' },
    body: Body({
      chat_ids: Type.Array(Uuid, {
        minItems: 1,
        maxItems: BULK_MAX,
        description: 'IDs of the chats to delete.',
      }),
    }),
    example: { chat_ids: [CHAT] },
    effects: 'outside',
    reply: [200, schemas.BulkDeleted],
    errors: ['access.missing_permission'],
    async handler({ scopes, lacking, body }) {
      const chatIds = [...new Set(body.chat_ids.map((id) => id.toLowerCase()))]
      await refuseUndeletable(lacking, chatIds, scopes.length === 0)
      const deleted = await deleteChatsInAll(deps.replies, scopes, chatIds)
      return {
        message: `${deleted.size} chat sessions deleted`,
        deleted: deleted.size,
        not_found: chatIds.filter((id) => !deleted.has(id)),
      }
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/send_message',
    summary: 'Send a message and stream the reply',
    description:
      '`model_id` selects a language model, `agent_id` an agent, which also requires agent:execute. The reply ' +
      'continues if the connection is lost: resume it with GET /api/chat/stream. A repeat with the same ' +
      'Idempotency-Key within 24 hours returns the same reply without charge.',
    access: inOrganization('chats:write'),
    query: schemas.SendQuery,
    body: schemas.NewMessage,
    example: { content: HOURS },
    effects: 'reply',
    reply: {
      events: ReplyEvent,
      description: 'The reply, streamed.',
      headers: ['X-Chat-Id', 'X-Message-Id'],
    },
    errors: [...ANSWER_ERRORS, 'chat.parent_not_reply', 'upload.chat_full'],
    handler: ({ scope, query, body, headers }) =>
      sendMessage(deps, scope, query, body, idempotencyKeyOf(headers)),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/regenerate',
    summary: 'Regenerate a reply and stream it',
    description:
      'Adds the new reply beside the previous ones and makes it the active branch. `message_id` is the question ' +
      'or one of its replies. Without `model_id` and `agent_id`, the last model or agent of the chat replies.',
    access: inOrganization('chats:write'),
    query: schemas.RegenerateQuery,
    body: schemas.AnotherAnswer,
    example: { thinking: true },
    effects: 'reply',
    reply: {
      events: ReplyEvent,
      description: 'The reply, streamed.',
      headers: ['X-Chat-Id', 'X-Message-Id'],
    },
    errors: ANSWER_ERRORS,
    handler: ({ scope, query, body, headers }) =>
      regenerate(deps, scope, query, body, idempotencyKeyOf(headers)),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/prompt',
    summary: 'Generate prompts from a text',
    description: 'An empty line separates prompts. Without `org_id`, charges your personal organization.',
    access: { permission: 'chats:write', orgOf: 'query or personal' },
    query: Type.Object({ org_id: Type.Optional(OrgId), events: FailureEvents }),
    body: PromptRequest,
    example: { text: 'A menu for a coffee shop', num_prompts: 2, prompt_type: 'creative' },
    effects: 'outside',
    reply: { events: PromptEvent, description: 'The prompts, streamed.' },
    errors: [
      'org.not_found',
      'llm.none',
      'billing.insufficient_credits',
      ...LIMIT_ERRORS,
      'billing.key_budget_exceeded',
      'billing.member_budget_exceeded',
    ],
    handler: ({ scope, query, body }) => generatePrompts(deps, scope, body, query.events === 'all'),
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/available_knowledge_bases',
    summary: 'List knowledge bases available to chats',
    description:
      'Returns the knowledge bases that `send_message` accepts: none without chats:write and kb:read.',
    access: inOrganization('chats:read'),
    query: Type.Object({ org_id: OrgId, ...searchedIn('the name or description'), ...PageQuery }),
    reply: [200, schemas.KnowledgeBasePage],
    errors: ['org.not_found', 'request.invalid_cursor'],
    handler: ({ scope, query }) =>
      readPage(
        query,
        (below, count) => deps.retriever.listUsable(scope, { q: query.q, below, count }),
        ({ id, name, description }) => ({ id, name, description }),
      ),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/chat/stop',
    summary: 'Stop the current reply of a chat',
    description: 'The text so far is kept and charged.',
    access: inOrganization('chats:write'),
    query: OneChat,
    effects: 'outside',
    allowedWhileSuspended: true,
    reply: confirms('The reply was stopped'),
    errors: ['org.not_found', 'chat.not_found', 'chat.not_streaming'],
    async handler({ scope, query }) {
      const chat = await findChat(scope, query.chat_id)
      const stopped = await deps.replies.stop({ organizationId: scope.organizationId, chatId: chat.id })
      if (!stopped) throw fail('chat.not_streaming')
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/chat/stream',
    summary: 'Follow or resume a reply',
    description:
      'With Last-Event-ID, sends the missed events and then live ones, each exactly once. Without `message_id`, ' +
      'follows the newest reply. Returns 204 if the last event was already delivered.',
    access: inOrganization('chats:read'),
    query: Type.Object({
      ...OneChat.properties,
      message_id: Type.Optional(described(Uuid, 'ID of the reply. Default: the newest reply of the chat.')),
      events: Type.Optional(
        Enum(['all'], {
          description: '`all` also sends named events: meta, citations, tool, finish, usage, failure.',
        }),
      ),
    }),
    headers: { 'Last-Event-ID': 'ID of the last event received.' },
    reply: {
      events: ReplyEvent,
      description: 'The rest of the reply.',
      mayBeEmpty: true,
      headers: ['X-Chat-Id', 'X-Message-Id'],
    },
    errors: ['org.not_found', 'chat.not_found', 'chat.message_not_found', 'chat.elsewhere'],
    async handler({ scope, query, headers }) {
      const chat = await findChat(scope, query.chat_id)
      return streamReply(deps, scope, {
        chatId: chat.id,
        messageId: query.message_id,
        lastEventId: headers['last-event-id'] as string | undefined,
        named: query.events === 'all',
      })
    },
  }),
]
