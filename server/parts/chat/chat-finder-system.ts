import type { Database } from '#database/connect.ts'
import { grouped, toRows } from '#database/grouped.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { ChatKind } from './manage-chats.ts'
import type { ChatRow, ChatWriter } from './schemas.ts'

/** The columns of a chat that are needed to send a message. */
export type OpenChat = Pick<
  ChatRow,
  'id' | 'title' | 'settings' | 'isConversation' | 'visitorId' | 'leafMessageId'
>

/** Finds a chat of the caller. Throws chat.not_found, also for deleted chats. */
export type FindOpenChat = (scope: ChatWriter, chatId: string, kind: ChatKind) => Promise<OpenChat>

/** Maximum number of chats per statement. */
const GROUP_MAX = 100

/**
 * Returns a function that finds chats. Nearly every message needs a look-up, so concurrent look-ups are batched into
 * one statement (see grouped).
 */
export function createChatFinder(database: Database): FindOpenChat {
  const sql = systemSql(database)
  const read = grouped((keys: ChatKey[]) => readChats(sql, keys), GROUP_MAX)
  return async ({ organizationId, userId }, chatId, kind) => {
    const chat = await read({ organization_id: organizationId, user_id: userId, chat_id: chatId })
    if (!chat || chat.isConversation !== (kind === 'conversation'))
      throw fail('chat.not_found', { value: chatId })
    return chat
  }
}

interface ChatKey {
  organization_id: string
  user_id: string
  chat_id: string
}

async function readChats(sql: SystemSql, keys: ChatKey[]): Promise<(OpenChat | undefined)[]> {
  const rows = await sql<(OpenChat & { ordinal: number })[]>`
    select w.ordinal, c.id, c.title, c.settings, c.is_conversation as "isConversation",
      c.visitor_id as "visitorId", c.leaf_message_id as "leafMessageId"
    from json_to_recordset(${toRows(keys)}::text::json)
      as w (ordinal int, organization_id uuid, user_id uuid, chat_id uuid)
    join chats c on c.id = w.chat_id and c.organization_id = w.organization_id and c.user_id = w.user_id
      and c.status <> 'DELETED'`
  const found = new Map(rows.map((row) => [row.ordinal, row]))
  return keys.map((_, ordinal) => found.get(ordinal))
}
