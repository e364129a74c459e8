import { and, desc, eq, inArray, lt, ne } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { chatMessages, chats } from '#database/schema/chat.ts'
import { chatWords } from '#database/schema/chat-words.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { LiveReplies } from './live-replies.ts'
import { readBranch } from './read-branch.ts'
import {
  type ChatChange,
  type ChatInput,
  type ChatReader,
  type ChatRow,
  type ChatView,
  type ChatWriter,
  type MessageRow,
  viewChat,
  viewMessage,
} from './schemas.ts'

export const DEFAULT_TITLE = 'New Chat'
const MESSAGES_SHOWN = 100

export async function createChat(scope: Scope<'chats:write'>, input: ChatInput): Promise<ChatView> {
  const row = await scope.insert(chats, {
    id: newId(),
    title: input.title ?? DEFAULT_TITLE,
    status: input.status ?? 'ACTIVE',
    settings: input.settings ?? {},
  })
  return viewChat(row)
}

/** The messages of a conversation are a chat too, which /api/chat does not show. */
export type ChatKind = 'chat' | 'conversation'
const isOf = (kind: ChatKind) => eq(chats.isConversation, kind === 'conversation')

/** The chat of an id, as long as it is not deleted. Throws chat.not_found. */
export async function findChat(scope: ChatReader, chatId: string, kind: ChatKind = 'chat'): Promise<ChatRow> {
  const [row] = await scope.select(chats, {
    where: and(eq(chats.id, chatId), isOf(kind), ne(chats.status, 'DELETED')),
  })
  if (!row) throw fail('chat.not_found')
  return row
}

/** A message of a chat that is the caller's. Throws chat.message_not_found. */
export async function findMessage(scope: ChatReader, chatId: string, messageId: string): Promise<MessageRow> {
  const [row] = await scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), eq(chatMessages.id, messageId)),
  })
  if (!row) throw fail('chat.message_not_found')
  return row
}

/** The reply that a new message is to follow. Throws chat.message_not_found, chat.parent_not_reply. */
export async function findParent(scope: ChatWriter, chatId: string, messageId: string): Promise<MessageRow> {
  const message = await findMessage(scope, chatId, messageId)
  if (message.role !== 'assistant') throw fail('chat.parent_not_reply')
  return message
}

/** The chat and the newest messages of its active branch, or of all, oldest first; `cursor` leads to older ones. */
export async function getChat(
  scope: Scope<'chats:read'>,
  query: { chat_id: string; branches?: 'all'; cursor?: string; limit?: number },
) {
  const chat = await findChat(scope, query.chat_id)
  const { data, pagination } = await readPage(
    { limit: MESSAGES_SHOWN, ...query },
    async (below, count) => {
      if (query.branches === 'all') return readAll(scope, chat.id, below, count)
      if (below === undefined) return readBranch(scope, chat.id, chat.leafMessageId, count)
      const [, ...older] = await readBranch(scope, chat.id, below, count + 1)
      return older
    },
    viewMessage,
  )
  return { ...viewChat(chat), messages: data.reverse(), pagination }
}

const readAll = (scope: Scope<'chats:read'>, chatId: string, below: string | undefined, count: number) =>
  scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), below === undefined ? undefined : lt(chatMessages.id, below)),
    orderBy: [desc(chatMessages.id)],
    limit: count,
  })

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
          below === undefined ? undefined : lt(chats.id, below),
        ),
        orderBy: [desc(chats.id)],
        limit: count,
      }),
    viewChat,
  )
}

/**
 * Changes what is given. A deleted chat is found only by a change of its status. Throws chat.not_found,
 * chat.message_not_found, chat.parent_not_reply.
 */
export async function updateChat(
  scope: Scope<'chats:write'>,
  chatId: string,
  change: ChatChange,
): Promise<ChatView> {
  if (change.active_message_id) await findParent(scope, chatId, change.active_message_id)
  const visible = change.status === undefined ? ne(chats.status, 'DELETED') : undefined
  const [row] = await scope.update(chats, and(eq(chats.id, chatId), isOf('chat'), visible), {
    ...(change.title !== undefined && { title: change.title }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.settings !== undefined && { settings: change.settings }),
    ...(change.pinned !== undefined && { pinned: change.pinned }),
    ...(change.folder !== undefined && { folder: change.folder }),
    ...(change.active_message_id !== undefined && { leafMessageId: change.active_message_id }),
    updatedAt: new Date(),
  })
  if (!row) throw fail('chat.not_found')
  if (change.title !== undefined) await scope.update(chatWords, eq(chatWords.id, chatId), { words: null })
  return viewChat(row)
}

/** Deletes chats with their messages, for good. A reply that is being written in one is stopped, and paid, first. */
export async function deleteChats(
  replies: LiveReplies,
  scope: Scope<'chats:delete'> | Scope<'conversation:delete'>,
  chatIds: string[],
  kind: ChatKind = 'chat',
): Promise<string[]> {
  const wanted = and(inArray(chats.id, chatIds), isOf(kind))
  const found = await scope.select(chats, { where: wanted })
  const busy = found.filter((chat) => chat.activeReplyId !== null)
  await Promise.all(
    busy.map((chat) => replies.stop({ organizationId: scope.organizationId, chatId: chat.id })),
  )
  const deleted = await scope.delete(chats, wanted)
  return deleted.map((chat) => chat.id)
}
