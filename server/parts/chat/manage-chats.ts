import { and, desc, eq, inArray, lt, ne } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { chats } from '#database/schema/chat.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import type { LiveReplies } from './live-replies.ts'
import { readBranch } from './read-branch.ts'
import { type ChatInput, type ChatRow, type ChatView, viewChat, viewMessage } from './schemas.ts'

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

/** The chat of an id, as long as it is not deleted. Throws chat.not_found. */
export async function findChat(
  scope: Scope<'chats:read'> | Scope<'chats:write'>,
  chatId: string,
): Promise<ChatRow> {
  const [row] = await scope.select(chats, { where: and(eq(chats.id, chatId), ne(chats.status, 'DELETED')) })
  if (!row) throw fail('chat.not_found')
  return row
}

/** The chat and the newest messages of its active branch, oldest first; `cursor` leads to older ones. */
export async function getChat(
  scope: Scope<'chats:read'>,
  query: { chat_id: string; cursor?: string; limit?: number },
) {
  const chat = await findChat(scope, query.chat_id)
  const { data, pagination } = await readPage(
    { limit: MESSAGES_SHOWN, ...query },
    async (below, count) => {
      if (below === undefined) return readBranch(scope, chat.id, chat.leafMessageId, count)
      const [, ...older] = await readBranch(scope, chat.id, below, count + 1)
      return older
    },
    viewMessage,
  )
  return { ...viewChat(chat), messages: data.reverse(), pagination }
}

export function listChats(
  scope: Scope<'chats:read'>,
  query: { status?: ChatRow['status']; limit?: number; cursor?: string },
): Promise<Page<ChatView>> {
  const status = query.status === undefined ? ne(chats.status, 'DELETED') : eq(chats.status, query.status)
  return readPage(
    query,
    (below, count) =>
      scope.select(chats, {
        where: and(status, below === undefined ? undefined : lt(chats.id, below)),
        orderBy: [desc(chats.id)],
        limit: count,
      }),
    viewChat,
  )
}

/** Changes what is given. A deleted chat is found only by a change of its status. */
export async function updateChat(
  scope: Scope<'chats:write'>,
  chatId: string,
  change: ChatInput,
): Promise<ChatView> {
  const visible = change.status === undefined ? ne(chats.status, 'DELETED') : undefined
  const [row] = await scope.update(chats, and(eq(chats.id, chatId), visible), {
    ...(change.title !== undefined && { title: change.title }),
    ...(change.status !== undefined && { status: change.status }),
    ...(change.settings !== undefined && { settings: change.settings }),
    updatedAt: new Date(),
  })
  if (!row) throw fail('chat.not_found')
  return viewChat(row)
}

/** Deletes chats with their messages, for good. A reply that is being written in one is stopped, and paid, first. */
export async function deleteChats(
  replies: LiveReplies,
  scope: Scope<'chats:delete'>,
  chatIds: string[],
): Promise<string[]> {
  const found = await scope.select(chats, { where: inArray(chats.id, chatIds) })
  const busy = found.filter((chat) => chat.activeReplyId !== null)
  await Promise.all(
    busy.map((chat) => replies.stop({ organizationId: scope.organizationId, chatId: chat.id })),
  )
  const deleted = await scope.delete(chats, inArray(chats.id, chatIds))
  return deleted.map((chat) => chat.id)
}
