import { and, desc, eq, type SQL, sql } from '#database/drizzle.ts'
import { HIGHEST_ID } from '#database/new-id.ts'
import { chatMessages } from '#database/schema/chat.ts'
import type { ChatReader, MessageRow } from './schemas.ts'

/** Limits of a page: number of messages and total bytes. */
const PAGE = 50
const PAGE_BYTES = 2_000_000

/** Ids from one down, inclusive or exclusive. */
type Range = { upTo: string } | { below: string }
type StopCondition = (message: MessageRow) => boolean

/** Reads a branch from the message `from` up to the root, newest first. Ends like walkBranch. */
export const readBranch = (
  scope: ChatReader,
  chatId: string,
  from: string | null,
  count: number,
  shouldStop?: StopCondition,
): Promise<MessageRow[]> => walkBranch((upTo) => readDown(scope, chatId, { upTo }), from, count, shouldStop)

/**
 * Extracts a branch from pages of all branches, which `readPage` reads from an id down. Ends after `count`
 * messages, at the root, or after a message for which `shouldStop` returns true.
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
 * Reads the messages of all branches, newest first, starting at the id `from` (null: the newest). Ends like
 * readBranch.
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

/** Reads a page of messages within a range of ids, newest first; at least one message if there is any. */
const readDown = (scope: ChatReader, chatId: string, range: Range): Promise<MessageRow[]> =>
  scope.select(chatMessages, {
    where: and(eq(chatMessages.chatId, chatId), isAmongNewest(scope, chatId, range)),
    orderBy: [desc(chatMessages.id)],
    limit: PAGE,
  })

/**
 * True for the first page of a range, from its highest id down, limited by number and bytes. PostgreSQL knows the
 * length of a stored text without reading it (TOAST), but must read tool calls. Comparing chat and id as a row
 * lets the index return them in order, without touching older messages: with `chat_id = …`, the planner may
 * assume that the chat is short and sort all of it. For the same reason, a subquery and `coalesce` hide the
 * selectivity of the other conditions.
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

/** Returns the size of a message's content in bytes. */
export const bytesOf = ({ content, reasoning, toolCalls }: MessageRow): number =>
  Buffer.byteLength(content) +
  Buffer.byteLength(reasoning ?? '') +
  (toolCalls ? Buffer.byteLength(JSON.stringify(toolCalls)) : 0)
