import type { Database } from '#database/connect.ts'
import { grouped, toRows } from '#database/grouped.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import type { ChatWriter, MessageRow } from './schemas.ts'

/** The columns of a message that are needed for a prompt. */
export type HistoryMessage = Pick<MessageRow, 'id' | 'parentMessageId' | 'role' | 'content' | 'uploadIds'>

/** Reads one page of a chat's messages across all branches, newest first, from the id `upTo` down. */
export type ReadHistoryPage = (scope: ChatWriter, chatId: string, upTo: string) => Promise<HistoryMessage[]>

/** Limits of a page: number of messages and total bytes. */
const PAGE = 50
const PAGE_BYTES = 2_000_000
/** Maximum number of chats per statement. */
const GROUP_MAX = 20

/**
 * Returns a function that reads pages of messages. Nearly every message needs a page, so concurrent reads are batched
 * into one statement (see grouped).
 */
export function createHistoryReader(database: Database): ReadHistoryPage {
  const sql = systemSql(database)
  const read = grouped((queries: HistoryQuery[]) => readPages(sql, queries), GROUP_MAX)
  return ({ organizationId, userId }, chatId, upTo) =>
    read({ organization_id: organizationId, user_id: userId, chat_id: chatId, up_to: upTo })
}

interface HistoryQuery {
  organization_id: string
  user_id: string
  chat_id: string
  up_to: string
}

/**
 * Reads a page per query. The row comparison of chat and id lets the index return messages in order, without reading
 * older messages (read-branch.ts). PostgreSQL knows the length of stored text without reading it, so only returned
 * text is read.
 */
async function readPages(sql: SystemSql, queries: HistoryQuery[]): Promise<HistoryMessage[][]> {
  const rows = await sql<(HistoryMessage & { ordinal: number })[]>`
    select w.ordinal, m.id, m.parent_message_id as "parentMessageId", m.role, m.content, m.upload_ids as "uploadIds"
    from json_to_recordset(${toRows(queries)}::text::json)
      as w (ordinal int, organization_id uuid, user_id uuid, chat_id uuid, up_to uuid)
    cross join lateral (
      select *, sum(octet_length(content)) over (order by id desc) - octet_length(content) as bytes_before
      from (
        select id, chat_id, organization_id, user_id, parent_message_id, role, content, upload_ids
        from chat_messages where (chat_id, id) <= (w.chat_id, w.up_to)
        order by chat_id desc, id desc limit ${PAGE}) as newest
      where chat_id = w.chat_id and organization_id = w.organization_id and user_id = w.user_id) as m
    where m.bytes_before < ${PAGE_BYTES}
    order by w.ordinal, m.id desc`
  const pages: HistoryMessage[][] = queries.map(() => [])
  for (const { ordinal, ...message } of rows) pages[ordinal]?.push(message)
  return pages
}
