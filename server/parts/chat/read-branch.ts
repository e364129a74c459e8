import { and, desc, eq, lt, lte, type SQL, sql } from '#database/drizzle.ts'
import { chatMessages } from '#database/schema/chat.ts'
import type { ChatReader, MessageRow } from './schemas.ts'

/** What is read at once: so many messages, and no more once they hold so many bytes. */
const PAGE = 50
const PAGE_BYTES = 2_000_000

type Enough = (message: MessageRow) => boolean

/**
 * The messages from `from` back along their parents, newest first: a branch of the chat. Ends at `count` messages,
 * at the root, or after the message for which `enough` says so.
 */
export async function readBranch(
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  enough: Enough = () => false,
): Promise<MessageRow[]> {
  const branch: MessageRow[] = []
  let next = from
  while (next !== null && branch.length < count) {
    const found = branch.length
    for (const message of await readDown(scope, chatId, lte(chatMessages.id, next))) {
      if (message.id !== next || branch.length === count) continue
      branch.push(message)
      next = enough(message) ? null : message.parentMessageId
    }
    if (branch.length === found) break
  }
  return branch
}

/** The messages of all branches from the id `from` on (null: from the newest), newest first; ends as readBranch does. */
export async function readAllBranches(
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  enough: Enough = () => false,
): Promise<MessageRow[]> {
  const messages: MessageRow[] = []
  let range = from === null ? undefined : lte(chatMessages.id, from)
  for (;;) {
    const page = await readDown(scope, chatId, range)
    for (const message of page) {
      messages.push(message)
      if (messages.length === count || enough(message)) return messages
    }
    const last = page.at(-1)
    if (!last) return messages
    range = lt(chatMessages.id, last.id)
  }
}

/** One page of a range of messages, newest first; at least one message, where there is any. */
const readDown = (scope: ChatReader, chatId: string, range: SQL | undefined): Promise<MessageRow[]> =>
  scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), range, isInFirstBytes(chatId, range)),
    orderBy: [desc(chatMessages.id)],
    limit: PAGE,
  })

/** The length of a stored text is known without reading it (TOAST), so what is left out costs nothing. */
const isInFirstBytes = (chatId: string, range: SQL | undefined): SQL => sql`${chatMessages.id} in (
  select id from (
    select id, sum(bytes) over (order by id desc) - bytes as bytes_before from (
      select id, octet_length(content) + coalesce(octet_length(reasoning), 0) as bytes from ${chatMessages}
      where ${and(eq(chatMessages.chatId, chatId), range)} order by id desc limit ${PAGE}
    ) newest
  ) measured where bytes_before < ${PAGE_BYTES})`

/** What a message holds, in bytes. */
export const bytesOf = ({ content, reasoning }: MessageRow): number =>
  Buffer.byteLength(content) + Buffer.byteLength(reasoning ?? '')
