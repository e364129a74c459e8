import { createHash } from 'node:crypto'
import type { ISql, PendingQuery, Row } from 'postgres'
import type { PostgresJsDatabase } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { auditEntries } from '#database/schema/audit.ts'
import type { Actor } from '#platform/access/scope.ts'
import type { RetentionRule } from '#platform/sweeps/retention.ts'
import type { AuditedTable } from '#platform/tables/owned-tables.ts'

type Values = Record<string, unknown>

/**
 * Entries older than `days`; 0 keeps them. The trigger that protects the audit log accepts the deletion of entries that
 * are older than the setting of the transaction. Ids begin with the time of creation, so the oldest entries are found
 * by id.
 */
export const auditRetention = (days: number): RetentionRule[] => (days === 0 ? [] : [oldEntries(days)])

const oldEntries = (days: number): RetentionRule => ({
  rows: 'audit_entries',
  async deleteSome(tx, limit) {
    await tx`select set_config('parley.audit_days', ${String(days)}, true)`
    const { count } = await tx`
      delete from audit_entries where id in (
        select id from audit_entries
        where id < (lpad(to_hex(((extract(epoch from now()) - ${days} * 86400) * 1000)::bigint), 12, '0')
            || repeat('0', 20))::uuid
          and created_at < now() - ${days} * interval '1 day'
        order by id limit ${limit} for update skip locked)`
    return count
  },
})

/** A change to an organization's record, such as `role.updated`, with the relevant values before and after. */
export interface AuditEvent {
  action: `${string}.${string}`
  recordId: string
  before?: Values | null
  after?: Values | null
}

/** Adds an event to the organization's audit log, inside the transaction of the change. */
export const recordEvent = (
  tx: ISql,
  organizationId: string,
  actor: Actor,
  event: AuditEvent,
): Promise<void> => insertEvents(tx, actor, [{ organizationId, event }], tx`${organizationId}::uuid`)

/** Adds events of one actor to the audit logs of several organizations. */
export const recordEvents = (tx: ISql, actor: Actor, events: readonly OwnedEvent[]): Promise<void> =>
  insertEvents(tx, actor, events, tx`"organizationId"`)

interface OwnedEvent {
  organizationId: string
  event: AuditEvent
}

/**
 * Inserts events into the audit log. `organization` is SQL for the organization's id, because a tenant's statement
 * must name its own organization.
 */
async function insertEvents(
  tx: ISql,
  actor: Actor,
  events: readonly OwnedEvent[],
  organization: PendingQuery<Row[]>,
): Promise<void> {
  const rows = events.map(({ organizationId, event }) => rowOf(organizationId, actor, event))
  await tx`
    insert into audit_entries (id, organization_id, actor_id, api_key_id, action, record_type, record_id, before,
      after, ip_address, request_id)
    select id, ${organization}, "actorId", "apiKeyId", action, "recordType", "recordId", before, after, "ipAddress",
      "requestId"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r (id uuid, "organizationId" uuid, "actorId" uuid,
      "apiKeyId" uuid, action text, "recordType" text, "recordId" text, before jsonb, after jsonb, "ipAddress" text,
      "requestId" uuid)`
}

/** Adds an audit entry for a change made through the scoped database (scoped-database.ts). */
export async function recordChange(
  db: Pick<PostgresJsDatabase, 'insert'>,
  organizationId: string,
  actor: Actor,
  event: AuditEvent,
): Promise<void> {
  await db.insert(auditEntries).values(rowOf(organizationId, actor, event))
}

const rowOf = (organizationId: string, actor: Actor, event: AuditEvent) => ({
  id: newId(),
  organizationId,
  actorId: actor.userId,
  apiKeyId: actor.apiKeyId,
  action: event.action,
  recordType: event.action.split('.')[0] as string,
  recordId: event.recordId,
  before: event.before ?? null,
  after: event.after ?? null,
  ipAddress: actor.client.address,
  requestId: actor.client.requestId,
})

/** Columns that are not recorded, because the audit entry already contains their information. */
const UNINTERESTING = ['id', 'organization_id', 'created_at', 'updated_at']

/**
 * Returns the event for a created row (`before` is null), a changed row, or a deleted row (`after` is null). Returns
 * null if no recorded column changed.
 */
export function eventOf(
  { type, secrets }: AuditedTable,
  before: Values | null,
  after: Values | null,
): AuditEvent | null {
  const names = Object.keys(before ?? after ?? {}).filter((name) => !UNINTERESTING.includes(name))
  const changed = names.filter(
    (name) => !before || !after || JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  if (changed.length === 0) return null
  const recorded = (row: Values | null) =>
    row && Object.fromEntries(changed.map((name) => [name, hide(row[name], secrets.includes(name))]))
  const verb = before === null ? 'created' : after === null ? 'deleted' : 'updated'
  return {
    action: `${type}.${verb}`,
    recordId: String((after ?? before)?.['id']),
    before: recorded(before),
    after: recorded(after),
  }
}

const hide = (value: unknown, isSecret: boolean): unknown =>
  isSecret && value != null ? '(hidden)' : shorten(value)

/**
 * Longer strings are replaced by their length and hash, because a page of the audit log lists up to a hundred entries.
 */
const TEXT_CHARACTERS_MAX = 4_000

function shorten(value: unknown): unknown {
  if (typeof value === 'string' && value.length > TEXT_CHARACTERS_MAX)
    return `(${value.length} characters, SHA-256 ${createHash('sha256').update(value).digest('hex')})`
  if (Array.isArray(value)) return value.map(shorten)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]))
}
