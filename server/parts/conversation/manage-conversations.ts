import { asc, eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { conversationSessions, conversations } from '#database/schema/conversation.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { listRecords } from '#platform/http/list-records.ts'
import type { ListQuery, Page } from '#platform/http/pagination.ts'
import { type ConversationChats, viewFailure, viewMessage } from '../chat/index.ts'
import type { ModelFinder } from '../llm/index.ts'
import {
  type ConversationChange,
  type ConversationMessage,
  type ConversationView,
  type NewConversation,
  type NewSession,
  type SessionView,
  viewConversation,
  viewSession,
} from './schemas.ts'

export interface ConversationDependencies {
  chats: ConversationChats
  models: ModelFinder
}

/** @limit sessions of a conversation */
const SESSIONS_MAX = 100
const MESSAGES_DEFAULT = 20

type Reader = Scope<'conversation:read'> | Scope<'conversation:write'>

export async function createConversation(
  { chats }: ConversationDependencies,
  scope: Scope<'conversation:write'>,
  input: NewConversation,
): Promise<ConversationView> {
  const id = newId()
  const row = await scope.transaction(async (database) => {
    await chats.add(database, id, input.title)
    const made = await database.insert(conversations, {
      id,
      title: input.title,
      isArchived: input.is_archived ?? false,
    })
    await database.announce([updated(id, 'created')])
    return made
  })
  return viewConversation(row)
}

/** Returns the caller's conversations, newest first. */
export const listConversations = (
  scope: Scope<'conversation:read'>,
  query: ListQuery,
): Promise<Page<ConversationView>> => listRecords(scope, conversations, { query, view: viewConversation })

/** Updates the given fields. Throws conversation.not_found. */
export async function updateConversation(
  scope: Scope<'conversation:write'>,
  conversationId: string,
  change: ConversationChange,
): Promise<ConversationView> {
  const isIt = eq(conversations.id, conversationId)
  const row = await scope.transaction(async (database) => {
    const [before] = await database.select(conversations, { where: isIt, lock: true })
    if (!before) throw fail('conversation.not_found', { value: conversationId })
    const [after = before] = await database.update(conversations, isIt, {
      ...(change.title !== undefined && { title: change.title }),
      ...(change.is_archived !== undefined && { isArchived: change.is_archived }),
      updatedAt: new Date(),
    })
    await database.announce(
      [
        after.title !== before.title && updated(conversationId, 'renamed'),
        after.isArchived !== before.isArchived &&
          updated(conversationId, after.isArchived ? 'archived' : 'restored'),
      ].filter((event) => event !== false),
    )
    return after
  })
  return viewConversation(row)
}

/** Builds the event of a changed conversation. A new message causes the same event (chat/reply-writes-system.ts). */
const updated = (conversationId: string, change: 'created' | 'renamed' | 'archived' | 'restored') => ({
  type: 'conversation.updated' as const,
  data: { conversation_id: conversationId, change },
})

/**
 * Adds a model to a conversation, as a session. Throws conversation.not_found, conversation.full, and the errors of
 * ModelFinder.find.
 */
export async function createSession(
  { models }: ConversationDependencies,
  scope: Scope<'conversation:write'>,
  input: NewSession,
): Promise<SessionView> {
  const { sessions } = await getWithSessions(scope, input.conversation_id)
  if (sessions.length >= SESSIONS_MAX) throw fail('conversation.full', { limit: SESSIONS_MAX })
  const model = await models.find(scope.organizationId, input.model_id)
  const row = await scope.insert(conversationSessions, {
    id: newId(),
    conversationId: input.conversation_id,
    modelId: model.id,
  })
  return viewSession(row)
}

/** Returns a conversation with its sessions, oldest first. Throws conversation.not_found. */
export async function getWithSessions(
  scope: Reader,
  conversationId: string,
): Promise<ConversationView & { sessions: SessionView[] }> {
  const [row] = await scope.select(conversations, { where: eq(conversations.id, conversationId) })
  if (!row) throw fail('conversation.not_found', { value: conversationId })
  const sessions = await scope.select(conversationSessions, {
    where: eq(conversationSessions.conversationId, conversationId),
    orderBy: [asc(conversationSessions.id)],
    limit: SESSIONS_MAX,
  })
  return { ...viewConversation(row), sessions: sessions.map(viewSession) }
}

/** Finds a session. Throws conversation.session_not_found. */
export async function findSession(scope: Reader, sessionId: string): Promise<SessionView> {
  const [row] = await scope.select(conversationSessions, { where: eq(conversationSessions.id, sessionId) })
  if (!row) throw fail('conversation.session_not_found', { value: sessionId })
  return viewSession(row)
}

/** Returns one page of a conversation's messages, newest first. Throws conversation.not_found. */
export async function listMessages(
  { chats }: ConversationDependencies,
  scope: Scope<'conversation:read'>,
  conversationId: string,
  { limit = MESSAGES_DEFAULT, offset = 0 }: { limit?: number; offset?: number },
): Promise<{ messages: ConversationMessage[]; total: number; limit: number; offset: number }> {
  await getWithSessions(scope, conversationId)
  const { messages, total } = await chats.messages(scope, conversationId, { limit, offset })
  return { messages: messages.map(viewConversationMessage), total, limit, offset }
}

/**
 * Stops the replies in progress. The text generated so far is kept. Throws conversation.not_found,
 * chat.not_streaming.
 */
export async function stopReply(
  { chats }: ConversationDependencies,
  scope: Scope<'conversation:write'>,
  conversationId: string,
): Promise<void> {
  await getWithSessions(scope, conversationId)
  await chats.stop(scope, conversationId)
}

/** Deletes a conversation permanently, with its sessions and messages. Throws conversation.not_found. */
export async function deleteConversation(
  { chats }: ConversationDependencies,
  scope: Scope<'conversation:delete'>,
  conversationId: string,
): Promise<void> {
  if (!(await chats.delete(scope, conversationId)))
    throw fail('conversation.not_found', { value: conversationId })
}

function viewConversationMessage(row: Parameters<typeof viewMessage>[0]): ConversationMessage {
  const { id, chat_id, parent_message_id, role, content, status, model_id, usage, created_at } =
    viewMessage(row)
  return {
    id,
    conversation_id: chat_id,
    parent_message_id,
    role,
    content,
    status,
    ...viewFailure(row),
    finish_reason: row.finishReason,
    model_id,
    usage,
    created_at,
  }
}
