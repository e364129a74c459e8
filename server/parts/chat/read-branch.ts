import { and, desc, eq, type SQL, sql } from '#database/drizzle.ts'
import { HIGHEST_ID } from '#database/new-id.ts'
import { chatMessages } from '#database/schema/chat.ts'
import type { ChatReader, MessageRow } from './schemas.ts'

/** What is read at once: so many messages, and no more once they hold so many bytes. */
const PAGE = 50
const PAGE_BYTES = 2_000_000

/** Ids from one down, with it or without it. */
type Range = { upTo: string } | { below: string }
type StopCondition = (message: MessageRow) => boolean

/** The messages from `from` back along their parents, newest first: a branch of the chat; ends as walkBranch does. */
export const readBranch = (
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  shouldStop?: StopCondition,
): Promise<MessageRow[]> => walkBranch((upTo) => readDown(scope, chatId, { upTo }), from, count, shouldStop)

/**
 * A branch out of pages of all branches, which `readPage` reads from an id down. Ends at `count` messages, at the root,
 * or after the message for which `shouldStop` says so.
 */
export async function walkBranch<Message extends Pick<MessageRow, 'id' | 'parentMessageId'>>(
  readPage: (upTo: string) => Promise<Message[]>,
  from: string | null,
  count: number,
  shouldStop: (message: Message) => boolean = () => false,
): Promise<Message[]> {
  const branch: Message[] = []
  let next = from
  while (next !== null && branch.length < count) {
    const found = branch.length
    for (const message of await readPage(next)) {
      if (message.id !== next || branch.length === count) continue
      branch.push(message)
      next = shouldStop(message) ? null : message.parentMessageId
    }
    if (branch.length === found) break
  }
  return branch
}

/** The messages of all branches from the id `from` on (null: from the newest), newest first; ends as a branch does. */
export async function readAllBranches(
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  shouldStop: StopCondition = () => false,
): Promise<MessageRow[]> {
  const messages: MessageRow[] = []
  let range: Range = { upTo: from ?? HIGHEST_ID }
  for (;;) {
    const page = await readDown(scope, chatId, range)
    for (const message of page) {
      messages.push(message)
      if (messages.length === count || shouldStop(message)) return messages
    }
    const last = page.at(-1)
    if (!last) return messages
    range = { below: last.id }
  }
}

/** One page of messages whose ids are in a range, newest first; at least one message, where there is any. */
const readDown = (scope: ChatReader, chatId: string, range: Range): Promise<MessageRow[]> =>
  scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), isAmongNewest(scope, chatId, range)),
    orderBy: [desc(chatMessages.id)],
    limit: PAGE,
  })

/**
 * The first page of a range, from its highest id down, or less where it holds many bytes. The length of a stored text
 * is known without reading it (TOAST); tool calls are read for it, since little may be stored of much. Chat and id are compared as one, so that the index gives them in order and
 * nothing below is touched: for an equal chat_id PostgreSQL may think the chat short, and read and sort all of it. For
 * the same reason a subquery and `coalesce` hide from its estimates how few rows the other conditions let through.
 */
export const isAmongNewest = (
  { organizationId, userId }: Pick<ChatReader, 'organizationId' | 'userId'>,
  chatId: string,
  range: Range = { upTo: HIGHEST_ID },
): SQL => sql`${chatMessages.id} = any(array(
  select id from (
    select chat_id, id, sum(bytes) over (order by chat_id desc, id desc) - bytes as bytes_before from (
      select chat_id, id, octet_length(content) + coalesce(octet_length(reasoning), 0)
        + coalesce(octet_length(tool_calls::text), 0) as bytes from ${chatMessages}
      where ${'upTo' in range ? sql`(chat_id, id) <= (${chatId}, ${range.upTo})` : sql`(chat_id, id) < (${chatId}, ${range.below})`}
        and chat_id >= (select ${chatId}::uuid) and coalesce((organization_id, user_id) = (${organizationId}, ${userId}), false)
      order by chat_id desc, id desc limit ${PAGE}
    ) newest
  ) measured where chat_id = ${chatId} and bytes_before < ${PAGE_BYTES}))`

/** What a message holds, in bytes. */
export const bytesOf = ({ content, reasoning, toolCalls }: MessageRow): number =>
  Buffer.byteLength(content) +
  Buffer.byteLength(reasoning ?? '') +
  (toolCalls ? Buffer.byteLength(JSON.stringify(toolCalls)) : 0)
