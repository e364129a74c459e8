import { newId } from '#database/new-id.ts'
import type { StoredToolCall } from '#database/schema/chat.ts'
import { type SystemSql, systemSql } from '#database/system-sql.ts'
import { reasonFor } from '#errors'
import { payableUsage } from '#platform/models/index.ts'
import type { ModelMessage } from '#platform/models/types.ts'
import type { Services } from '#platform/services.ts'
import { storedReason } from './failure.ts'
import { textIn } from './reply-events.ts'
import type { ReplyWrites } from './reply-writes-system.ts'
import { cutOffCalls } from './tool-calls.ts'

const LOST = reasonFor('reply.lost')
/**
 * Age in seconds after which a hold of this process without a running reply counts as orphaned. Starting a reply takes
 * less time.
 */
const ORPHAN_SECONDS = 90
const GROUP_MAX = 50

export interface OrphanedHold {
  id: string
  chat_id: string | null
  message_id: string | null
  content: string | null
  reasoning: string | null
  tool_calls: StoredToolCall[] | null
}

/** Returns up to GROUP_MAX holds whose process is dead or, if it is this one, no longer works on their reply. */
export function findOrphanedHolds(
  { database, instance }: Pick<Services, 'database' | 'instance'>,
  liveHoldIds: string[],
): Promise<OrphanedHold[]> {
  const sql = systemSql(database)
  return sql<OrphanedHold[]>`
    select h.id, h.chat_id, h.message_id, m.content, m.reasoning, m.tool_calls
    from open_holds h
    left join server_instances i on i.id = h.instance_id and i.lease_until > now()
    left join chat_messages m on m.id = h.message_id
    where case
      -- The lease of this process has run out during an outage of the database. Its replies go on.
      when h.instance_id = ${instance.id} then h.id <> all(${liveHoldIds}::uuid[])
        and h.created_at < now() - ${ORPHAN_SECONDS} * interval '1 second'
      else i.id is null end
    order by h.id limit ${GROUP_MAX}`
}

/**
 * Ends the replies of orphaned holds with an error, and settles the holds. The text is the stored part or, if Redis
 * has more of the events that clients received, the text of these. It is charged by the server's own token count. A
 * reply without text is free. Every process recovers the replies of all processes, but each hold is settled once.
 * Readers at other processes then read the rest from storage.
 */
export async function recoverReplies(
  { database, sharedLogs }: Pick<Services, 'database' | 'sharedLogs'>,
  writes: ReplyWrites,
  orphans: readonly OrphanedHold[],
): Promise<void> {
  const sql = systemSql(database)
  await Promise.all(
    orphans.map(async (orphan) => {
      const shared = textIn(
        orphan.message_id === null ? '' : ((await sharedLogs?.read(orphan.message_id)) ?? ''),
      )
      const content = longer(orphan.content, shared.content)
      const reasoning = longer(orphan.reasoning, shared.reasoning)
      const calls = orphan.tool_calls ?? []
      const prompt = await promptOf(sql, orphan.message_id)
      const messages = [...prompt, ...calls.flatMap(toolMessageOf)]
      const usage = await payableUsage(null, { content, reasoning, toolCalls: calls }, { messages }, true)
      await writes.end({
        hold_id: orphan.id,
        entry_id: newId(),
        chat_id: orphan.chat_id,
        message_id: orphan.message_id,
        status: 'error',
        content,
        reasoning: reasoning || null,
        media: null,
        upload_ids: null,
        tool_calls: calls.length > 0 ? cutOffCalls(calls) : null,
        ...storedReason(LOST),
        finish_reason: null,
        input_tokens: usage?.inputTokens ?? null,
        output_tokens: usage?.outputTokens ?? null,
      })
      if (orphan.message_id !== null) await sharedLogs?.endAbandoned(orphan.message_id)
    }),
  )
}

const longer = (stored: string | null, shared: string): string =>
  shared.length > (stored ?? '').length ? shared : (stored ?? '')

/** Returns the tool message that the model received for a call, for counting tokens. */
const toolMessageOf = ({ id, name, output, error, ended_event: ended }: StoredToolCall): ModelMessage[] =>
  ended === null
    ? []
    : [{ role: 'tool', toolCallId: id, toolName: name, output: error ?? JSON.stringify(output) }]

/** Returns the branch that a lost reply answered, newest message first, for counting tokens. */
async function promptOf(sql: SystemSql, messageId: string | null): Promise<ModelMessage[]> {
  const rows = await sql<{ role: 'user' | 'assistant'; content: string }[]>`
    with recursive branch (id, parent_message_id, role, content, depth) as (
      select p.id, p.parent_message_id, p.role, p.content, 1 from chat_messages m
      join chat_messages p on p.id = m.parent_message_id where m.id = ${messageId}
      union all
      select p.id, p.parent_message_id, p.role, p.content, depth + 1 from branch
      join chat_messages p on p.id = branch.parent_message_id where depth < 400)
    select role, content from branch`
  return rows.map(({ role, content }) => ({ role, content }))
}
