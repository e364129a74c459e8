import { setTimeout as sleep } from 'node:timers/promises'
import {
  type SystemSql,
  type SystemStatements,
  type SystemTransaction,
  systemSql,
} from '#database/system-sql.ts'
import type { Fragment } from '#database/tenant-sql.ts'
import type { Services } from '#platform/services.ts'
import type { SharedLogs } from '#platform/streams/shared-logs.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import type { OwnedTables } from '#platform/tables/owned-tables.ts'
import { eraseContents } from '../kb/index.ts'

/** Owner of the rows to delete: an organization, or one user in an organization. */
export interface RowOwner {
  organizationId: string
  userId?: string
}

export interface DeletionDependencies extends Pick<Services, 'database' | 'pacer'> {
  sharedLogs: SharedLogs | null
  tables: OwnedTables
  /** Aborted when the process stops. Another process then continues the deletion. */
  signal: AbortSignal
}

/** Number of rows per statement. */
const ROWS = { least: 50, most: 2_000 }
/** Number of messages per statement that deletes whole chats. */
const MESSAGES_OF_CHATS = { least: 50, most: 2_000 }
/**
 * Number of messages per statement that deletes a part of a chat. Low because each deletion searches the chat for
 * replies to the message.
 */
const MESSAGES = { least: 20, most: 500 }
const CHATS_MAX = 100
/** Number of responses or of their conversations per statement, each with its items. */
const RESPONSES = { least: 5, most: 100 }
/**
 * Replies older than this have no stream in Redis. Assumes that a reply ends within 50 minutes. Its stream expires ten
 * minutes later (streams/shared-logs.ts).
 */
const STREAM_MINUTES = 60

/**
 * Maximum wait for calls to stop, in milliseconds. Processes see a stop request within a second. A process that takes
 * longer is dead or isn't writing a reply.
 */
const WAIT_MS = 5_000
const POLL_MS = 200

/**
 * Requests a stop of calls in progress, and waits up to `WAIT_MS` until they are settled. Must not run in a
 * transaction: it would keep the holds locked, so that the calls could not settle them.
 */
export async function stopCalls(sql: SystemSql, condition: Fragment): Promise<void> {
  await sql`update open_holds set stop_requested = true where ${condition}`
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const [open] = await sql`select from open_holds where ${condition} limit 1`
    if (!open) return
  }
}

/**
 * Deletes chats and their dependent rows in batches. If a chat has too many messages for one statement, deletes its
 * messages first, newest first.
 */
export async function deleteChats(deps: DeletionDependencies, owner: RowOwner): Promise<void> {
  const sql = systemSql(deps.database)
  const size = new BatchSize(MESSAGES_OF_CHATS)
  while (true) {
    const chats = await sql<{ id: string; messages: number; total: string }[]>`
      select id, message_count as messages,
        sum(message_count) over (order by id rows between unbounded preceding and current row) as total
      from (select id, message_count from chats where ${isOwned(sql, owner)} order by id limit ${CHATS_MAX}) as first`
    const [first] = chats
    if (!first) return
    const most = size.now
    const isLong = first.messages > most
    const few = isLong ? [first] : chats.filter(({ total }) => Number(total) <= most)
    const ids = few.map(({ id }) => id)
    await forgetStreams(deps, ids)
    if (isLong) await deleteMessages(deps, first.id)
    await inBatch(deps, owner.organizationId, size, async (tx) => {
      await tx`
        delete from chats where id in (select id from chats where id = any(${ids}::uuid[]) order by id for update)`
      return isLong ? 0 : few.reduce((sum, { messages }) => sum + messages, few.length)
    })
  }
}

/**
 * Deletes a chat's messages, newest first. Replies are newer than their parents, so no remaining message loses its
 * parent.
 */
const deleteMessages = (deps: DeletionDependencies, chatId: string): Promise<void> =>
  inBatches(
    deps,
    chatId,
    MESSAGES,
    (tx, limit) => tx`
    delete from chat_messages where chat_id = ${chatId} and id in (
      select id from chat_messages where chat_id = ${chatId} order by id desc limit ${limit})`,
  )

async function forgetStreams(
  { database, sharedLogs }: DeletionDependencies,
  chatIds: string[],
): Promise<void> {
  if (!sharedLogs) return
  const replies = await systemSql(database)<{ id: string }[]>`
    select id from chat_messages where chat_id = any(${chatIds}::uuid[]) and role = 'assistant'
      and created_at > now() - ${STREAM_MINUTES} * interval '1 minute'`
  await sharedLogs.forget(replies.map(({ id }) => id))
}

/** Deletes uploads with their text. A sweep removes the files from storage later (storage/uploads.ts). */
export const deleteUploads = (deps: DeletionDependencies, owner: RowOwner): Promise<void> =>
  inBatches(
    deps,
    owner.organizationId,
    ROWS,
    (tx, limit) => tx`
    delete from uploads where id in (
      select id from uploads where ${isOwned(tx, owner)} order by id limit ${limit})`,
  )

/** Deletes stored responses and their conversations, with their items. */
export async function deleteResponses(deps: DeletionDependencies, owner: RowOwner): Promise<void> {
  await inBatches(
    deps,
    owner.organizationId,
    RESPONSES,
    (tx, limit) => tx`
    delete from responses where id in (
      select id from responses where ${isOwned(tx, owner)} order by id limit ${limit})`,
  )
  await inBatches(
    deps,
    owner.organizationId,
    RESPONSES,
    (tx, limit) => tx`
    delete from response_conversations where id in (
      select id from response_conversations where ${isOwned(tx, owner)} order by id limit ${limit})`,
  )
}

/** Deletes the contents of an organization's knowledge bases, but keeps the rows of knowledge_bases. */
export async function emptyKnowledgeBases(
  deps: DeletionDependencies,
  { organizationId }: Pick<RowOwner, 'organizationId'>,
): Promise<void> {
  const sql = systemSql(deps.database)
  const kbs = await sql<{ id: string }[]>`
    select id from kb_contents where organization_id = ${organizationId} and kb_id is null order by id`
  for (const { id } of kbs) await eraseContents(deps, id, deps.signal)
}

/** Deletes the large tables of a closed organization in batches, such as ledger, usage and audit log. */
export async function deleteRecords(deps: DeletionDependencies, organizationId: string): Promise<void> {
  for (const [table, { erasure }] of Object.entries(deps.tables)) {
    if (erasure === 'cascade' || 'not' in erasure) continue
    const key = erasure.inPiecesBy
    await inBatches(deps, organizationId, ROWS, (tx, limit) =>
      tx.unsafe(
        `delete from ${table} where organization_id = $1 and ${key} = any(array(
           select ${key} from ${table} where organization_id = $1 order by ${key} limit ${limit}))`,
        [organizationId],
      ),
    )
  }
}

/** Repeats a deletion until no rows are left. */
async function inBatches(
  deps: DeletionDependencies,
  id: string,
  bounds: { least: number; most: number },
  work: (tx: SystemTransaction, limit: number) => Promise<{ count: number }>,
): Promise<void> {
  const size = new BatchSize(bounds)
  const count = async (tx: SystemTransaction, limit: number): Promise<number> => (await work(tx, limit)).count
  while ((await inBatch(deps, id, size, count)) > 0);
}

/** Deletes one batch. An advisory lock on `id` makes concurrent processes take turns. */
const inBatch = (
  { database, pacer, signal }: DeletionDependencies,
  id: string,
  size: BatchSize,
  work: (tx: SystemTransaction, limit: number) => Promise<number>,
): Promise<number> =>
  pacer.pace(
    size,
    (limit, starts) =>
      systemSql(database).begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`
        starts()
        return work(tx, limit)
      }),
    signal,
  )

const isOwned = (sql: SystemStatements, { organizationId, userId }: RowOwner) =>
  userId === undefined
    ? sql`organization_id = ${organizationId}`
    : sql`organization_id = ${organizationId} and user_id = ${userId}`
