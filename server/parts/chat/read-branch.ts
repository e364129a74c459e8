import { and, desc, eq, type SQL, sql } from '#database/drizzle.ts'
import { HIGHEST_ID } from '#database/new-id.ts'
import { chatMessages } from '#database/schema/chat.ts'
import type { ChatReader, MessageRow } from './schemas.ts'

/** Limits of a page: number of messages and total bytes. */
const PAGE = 50
const PAGE_BYTES = 2_000_000

/** A range of ids that ends at an id, inclusive (`upTo`) or exclusive (`below`). */
type Range = { upTo: string } | { below: string }
type StopCondition = (message: MessageRow) => boolean

/** Reads a branch from the message `from` up to the root, newest first. Stops under the conditions of walkBranch. */
export const readBranch = (
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  shouldStop?: StopCondition,
): Promise<MessageRow[]> => walkBranch((upTo) => readDown(scope, chatId, { upTo }), from, count, shouldStop)

/**
 * Follows a branch from the message `from` to its ancestors. `readPage` returns messages of all branches from an id
 * down. Stops after `count` messages, at the root, or after a message for which `shouldStop` returns true.
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

/**
 * Reads the messages of all branches from the id `from` down, newest first. Null reads from the newest message. Stops
 * after `count` messages, or after a message for which `shouldStop` returns true.
 */
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

/**
 * Reads a page of messages within a range of ids, newest first. Returns at least one message if the range has any.
 */
const readDown = (scope: ChatReader, chatId: string, range: Range): Promise<MessageRow[]> =>
  scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), isAmongNewest(scope, chatId, range)),
    orderBy: [desc(chatMessages.id)],
    limit: PAGE,
  })

/**
 * True for messages on the first page of a range. The page starts at the highest id, and has limits for the number
 * and bytes of messages. PostgreSQL knows the length of stored text without reading it (TOAST), but must read tool
 * calls.
 *
 * The row comparison of chat and id lets the index return messages in order, without reading older messages. With
 * `chat_id = …`, the planner may assume that the chat is short, and sort all its messages. For the same reason, a
 * subquery and `coalesce` hide the selectivity of the other conditions.
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

/** Returns the size of a message's content, reasoning and tool calls, in bytes. */
export const bytesOf = ({ content, reasoning, toolCalls }: MessageRow): number =>
  Buffer.byteLength(content) +
  Buffer.byteLength(reasoning ?? '') +
  (toolCalls ? Buffer.byteLength(JSON.stringify(toolCalls)) : 0)
