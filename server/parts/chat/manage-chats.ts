import { and, desc, eq, inArray, lt, ne, sql } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { chatMessages, chats } from '#database/schema/chat.ts'
import { chatWords } from '#database/schema/chat-words.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { mergeFields } from '#platform/http/merge-fields.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { LiveReplies } from './live-replies.ts'
import { bytesOf, readAllBranches, readBranch } from './read-branch.ts'
import {
  type ChatChange,
  type ChatInput,
  type ChatReader,
  type ChatRow,
  type ChatView,
  type ChatWriter,
  type MessageRow,
  viewChat,
} from './schemas.ts'
import { DEFAULT_TITLE } from './titles.ts'
import { viewFilesOf, viewMessages } from './view-files.ts'

/** Page limits: number of messages and total bytes. */
const MESSAGES_SHOWN = 100
const MESSAGES_BYTES = 2_000_000

export async function createChat(scope: Scope<'chats:write'>, input: ChatInput): Promise<ChatView> {
  const row = await scope.insert(chats, {
    id: newId(),
    title: input.title ?? DEFAULT_TITLE,
    status: input.status ?? 'ACTIVE',
    settings: input.settings ?? {},
  })
  return viewChat(row)
}

/** Kind of a chat. A conversation's messages are stored in a chat that /api/chat doesn't return. */
export type ChatKind = 'chat' | 'conversation'
const isOf = (kind: ChatKind) => eq(chats.isConversation, kind === 'conversation')

/** Finds a chat of the caller. Throws chat.not_found, also for deleted chats. */
export async function findChat(scope: ChatReader, chatId: string, kind: ChatKind = 'chat'): Promise<ChatRow> {
  const [row] = await scope.select(chats, {
    where: and(eq(chats.id, chatId), isOf(kind), ne(chats.status, 'DELETED')),
  })
  if (!row) throw fail('chat.not_found', { value: chatId })
  return row
}

/** Finds a message in a chat. Throws chat.message_not_found. */
export async function findMessage(scope: ChatReader, chatId: string, messageId: string): Promise<MessageRow> {
  const [row] = await scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), eq(chatMessages.id, messageId)),
  })
  if (!row) throw fail('chat.message_not_found', { value: messageId })
  return row
}

/** Finds the reply that a new message would follow. Throws chat.message_not_found, chat.parent_not_reply. */
async function findParent(scope: ChatWriter, chatId: string, messageId: string): Promise<MessageRow> {
  const message = await findMessage(scope, chatId, messageId)
  if (message.role !== 'assistant') throw fail('chat.parent_not_reply')
  return message
}

/**
 * Returns a chat with a page of its messages, oldest first. The first page contains the newest messages of the active
 * branch or of all branches, and `cursor` selects a page of older messages.
 */
export async function getChat(
  storage: Storage,
  scope: ChatReader,
  query: { chat_id: string; branches?: 'all'; cursor?: string; limit?: number },
) {
  const chat = await findChat(scope, query.chat_id)
  const read = query.branches === 'all' ? readAllBranches : readBranch
  const newest = query.branches === 'all' ? null : chat.leafMessageId
  const { data, pagination } = await readPage(
    { limit: MESSAGES_SHOWN, ...query },
    async (below, count) => {
      if (below === undefined) return read(scope, chat.id, newest, count, fullAt(MESSAGES_BYTES))
      const [, ...older] = await read(scope, chat.id, below, count + 1, fullAt(MESSAGES_BYTES, below))
      return older
    },
    (message) => message,
    { max: MESSAGES_BYTES, of: bytesOf },
  )
  const [messages, files] = await Promise.all([
    viewMessages(storage, scope, data.reverse()),
    viewFilesOf(storage, scope, chat.id),
  ])
  return { ...viewChat(chat), messages, file_uploads: files, pagination }
}

/** Returns the newest messages of a chat's active branch, at most one page, oldest first. */
export const newestMessages = async (
  scope: ChatReader,
  { id, leafMessageId }: Pick<ChatRow, 'id' | 'leafMessageId'>,
): Promise<MessageRow[]> =>
  (await readBranch(scope, id, leafMessageId, MESSAGES_SHOWN, fullAt(MESSAGES_BYTES))).reverse()

/**
 * Returns a stop condition for reading a page of at most `max` bytes, but at least one message. The message with the
 * id `below` ended the previous page, so its size is ignored.
 */
function fullAt(max: number, below?: string): (message: MessageRow) => boolean {
  let bytes = 0
  return (message) => {
    const isFull = bytes >= max
    if (message.id !== below) bytes += bytesOf(message)
    return isFull
  }
}

interface ListQuery {
  status?: ChatRow['status']
  folder?: string
  pinned?: boolean
  limit?: number
  cursor?: string
}

export function listChats(scope: Scope<'chats:read'>, query: ListQuery): Promise<Page<ChatView>> {
  const status = query.status === undefined ? ne(chats.status, 'DELETED') : eq(chats.status, query.status)
  return readPage(
    query,
    (below, count) =>
      scope.select(chats, {
        where: and(
          status,
          isOf('chat'),
          query.folder === undefined ? undefined : eq(chats.folder, query.folder),
          query.pinned === undefined ? undefined : eq(chats.pinned, query.pinned),
          // The predicates of the indexes. The planner cannot derive them from parameters.
          query.pinned ? sql`${chats.pinned}` : undefined,
          query.status !== undefined && query.status !== 'ACTIVE'
            ? sql`${chats.status} <> 'ACTIVE'`
            : undefined,
          below === undefined ? undefined : lt(chats.id, below),
        ),
        orderBy: [desc(chats.id)],
        limit: count,
      }),
    viewChat,
  )
}

/**
 * Updates the given fields of a chat, and the given keys of its settings. Finds a deleted chat only if `change` sets the status. Throws chat.not_found,
 * chat.message_not_found, chat.parent_not_reply.
 */
export async function updateChat(
  scope: Scope<'chats:write'>,
  chatId: string,
  change: ChatChange,
): Promise<ChatView> {
  if (change.active_message_id) await findParent(scope, chatId, change.active_message_id)
  const visible = change.status === undefined ? ne(chats.status, 'DELETED') : undefined
  const isIt = and(eq(chats.id, chatId), isOf('chat'), visible)
  const row = await scope.transaction(async (database) => {
    const [before] = await database.select(chats, { where: isIt, lock: true })
    if (!before) throw fail('chat.not_found', { value: chatId })
    const [after = before] = await database.update(chats, isIt, {
      ...(change.title !== undefined && { title: change.title }),
      ...(change.status !== undefined && { status: change.status }),
      ...(change.settings && { settings: mergeFields(before.settings, change.settings) }),
      ...(change.pinned !== undefined && { pinned: change.pinned }),
      ...(change.folder !== undefined && { folder: change.folder }),
      ...(change.active_message_id !== undefined && { leafMessageId: change.active_message_id }),
      updatedAt: new Date(),
    })
    return after
  })
  if (change.title !== undefined) await scope.update(chatWords, eq(chatWords.id, chatId), { words: null })
  return viewChat(row)
}

/**
 * Permanently deletes chats with their messages. First stops and charges replies in progress. Returns the ids of the
 * deleted chats.
 */
export async function deleteChats(
  replies: LiveReplies,
  scope: Deleter,
  chatIds: string[],
  kind: ChatKind = 'chat',
): Promise<string[]> {
  await stopReplies(replies, scope, chatIds, kind)
  return removeChats(scope, chatIds, kind)
}

/** Deletes chats in several organizations. The deletions commit together with the stored response of the request. */
export async function deleteChatsInAll(
  replies: LiveReplies,
  scopes: Scope<'chats:delete'>[],
  chatIds: string[],
): Promise<Set<string>> {
  for (const scope of scopes) await stopReplies(replies, scope, chatIds, 'chat')
  return commitWithAnswer(async () => {
    const deleted = new Set<string>()
    for (const scope of scopes) for (const id of await removeChats(scope, chatIds, 'chat')) deleted.add(id)
    return deleted
  })
}

/**
 * Throws access.missing_permission if one of the chats is the caller's in an organization where the caller may not
 * delete chats, or if there is no other organization.
 */
export async function refuseUndeletable(
  lacking: Scope<never>[],
  chatIds: string[],
  lackAll: boolean,
): Promise<void> {
  const where = and(inArray(chats.id, chatIds), isOf('chat'))
  for (const scope of lacking)
    if (lackAll || (await scope.select(chats, { where })).length > 0)
      throw fail('access.missing_permission', { permission: 'chats:delete' })
}

type Deleter = Scope<'chats:delete'> | Scope<'conversation:delete'>

async function stopReplies(
  replies: LiveReplies,
  scope: Deleter,
  chatIds: string[],
  kind: ChatKind,
): Promise<void> {
  const found = await scope.select(chats, { where: and(inArray(chats.id, chatIds), isOf(kind)) })
  const busy = found.filter((chat) => chat.isConversation || chat.activeReplyId !== null)
  await Promise.all(
    busy.map((chat) => replies.stop({ organizationId: scope.organizationId, chatId: chat.id })),
  )
}

const removeChats = (scope: Deleter, chatIds: string[], kind: ChatKind): Promise<string[]> =>
  scope.transaction(async (database) => {
    const deleted = await database.delete(chats, and(inArray(chats.id, chatIds), isOf(kind)))
    const ids = deleted.map(({ id }) => id)
    if (kind === 'conversation') await database.announce(ids.map(deletedConversation))
    return ids
  })

const deletedConversation = (id: string) => ({
  type: 'conversation.updated' as const,
  data: { conversation_id: id, change: 'deleted' },
})
