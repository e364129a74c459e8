import type { Database } from '#database/connect.ts'
import { LOWEST_ID } from '#database/new-id.ts'
import type { WebhookAttempt } from '#database/schema/webhooks.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { Fragment, FragmentSql, TenantSql } from '#database/tenant-sql.ts'
import { sentence } from '#errors'

/*
 * The statements on deliveries that span all organizations: claiming due deliveries, and failing those of disabled
 * endpoints. All other statements are limited to the organization of the delivery.
 */

/** A delivery claimed by this process. No other process attempts the delivery before `claimedUntil`. */
export interface ClaimedDelivery {
  id: string
  organizationId: string
  endpointId: string
  url: string
  /**
   * The encrypted signing secrets: the current secret, and the previous secret while deliveries are still signed with
   * it.
   */
  secrets: string[]
  /** Milliseconds since deliveries to the endpoint began to fail. Null if the last delivery succeeded. */
  failingMs: number | null
  sequence: number
  eventType: string
  /** The event's data as JSON. */
  data: string
  /** When the delivery was created, in ISO 8601. */
  createdAt: string
  /** Number of attempts since the delivery was last queued, excluding the current attempt. */
  tries: number
  /**
   * When the claim expires, as PostgreSQL's text. A Date would lose precision, and the text must match the stored
   * value.
   */
  claimedUntil: string
}

/**
 * Maximum number of concurrent deliveries in a process: in total, per organization and per endpoint. The limits keep
 * unresponsive endpoints from delaying deliveries to other endpoints.
 */
export const UNDER_WAY_MAX = 64
/** @limit concurrent deliveries of an organization per process */
const UNDER_WAY_OF_ORGANIZATION_MAX = 16
/** @limit concurrent deliveries to an endpoint per process */
export const UNDER_WAY_OF_ENDPOINT_MAX = 4
/** Maximum number of concurrent deliveries to an endpoint whose last delivery failed. */
const UNDER_WAY_OF_FAILING_MAX = 1
/** Maximum number of endpoints per look-up. Later look-ups cover the remaining endpoints. */
const ENDPOINTS_MAX = 500
/** Maximum number of attempts stored per delivery. The latest attempts are kept. */
const ATTEMPTS_KEPT = 20
const PENDING_FAILED_AT_ONCE = 10_000
const DISABLED = sentence('webhook.was_disabled')

/**
 * Returns up to ENDPOINTS_MAX endpoints with pending deliveries, including deliveries that aren't due yet. Endpoints
 * are in order of id and start after `after`. Reads one index entry per endpoint.
 */
export async function findWaitingEndpoints(database: Database, after: string): Promise<string[]> {
  const sql = systemSql(database)
  const next = (after: Fragment) => sql`
    select d.endpoint_id from webhook_deliveries d
    where d.status = 'pending' and d.endpoint_id > ${after} order by d.endpoint_id limit 1`
  const rows = await sql<{ endpoint_id: string }[]>`
    with recursive waiting (endpoint_id, ordinal) as (
      select first.endpoint_id, 1 from (${next(sql`${after}::uuid`)}) as first
      union all
      select next.endpoint_id, ordinal + 1 from waiting
      cross join lateral (${next(sql`waiting.endpoint_id`)}) as next
      where ordinal < ${ENDPOINTS_MAX})
    select endpoint_id from waiting order by ordinal`
  return rows.map((row) => row.endpoint_id)
}

/** Returns the endpoint id after which the next look-up starts. Starts over if the look-up was not full. */
export const nextAfter = (endpointIds: readonly string[]): string =>
  endpointIds.length === ENDPOINTS_MAX ? (endpointIds.at(-1) ?? LOWEST_ID) : LOWEST_ID

/**
 * Claims due deliveries of the given endpoints, up to the concurrency limits. Deliveries in `underWay` count toward
 * the limits. Every endpoint receives its first delivery before any endpoint receives a second, and deliveries of an
 * endpoint are claimed in order. A claim expires after `leaseMs` milliseconds. If this process dies, another process
 * then retries the delivery.
 */
export async function claimDue(
  database: Database,
  endpointIds: readonly string[],
  underWay: readonly ClaimedDelivery[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const sql = systemSql(database)
  const busy = underWay.map(({ endpointId, organizationId }) => ({ endpointId, organizationId }))
  const rows = await sql<ClaimedDelivery[]>`
    with busy as (
      select * from json_to_recordset(${JSON.stringify(busy)}::text::json)
        as b ("endpointId" uuid, "organizationId" uuid)),
    due as (
      select d.*, e.organization_id, row_number() over (partition by e.id order by next_attempt_at, sequence) as turn
      from webhook_endpoints e cross join lateral (
        select d.id, d.next_attempt_at, d.sequence from webhook_deliveries d
        where d.endpoint_id = e.id and d.status = 'pending' and d.next_attempt_at <= now()
        order by d.next_attempt_at, d.sequence
        limit greatest(0, case when e.failing_since is null then ${UNDER_WAY_OF_ENDPOINT_MAX}::int
            else ${UNDER_WAY_OF_FAILING_MAX}::int end
          - (select count(*) from busy where "endpointId" = e.id))) as d
      where e.id = any(${endpointIds as string[]}::uuid[]) and e.is_enabled),
    shared as (
      select due.*, row_number() over (partition by organization_id order by turn, next_attempt_at)
        + (select count(*) from busy where "organizationId" = organization_id) as share
      from due),
    chosen as (
      select id from webhook_deliveries
      where id in (
          select id from shared where share <= ${UNDER_WAY_OF_ORGANIZATION_MAX}
          order by share, turn, next_attempt_at limit ${Math.max(0, UNDER_WAY_MAX - busy.length)})
        and status = 'pending' and next_attempt_at <= now()
      for update skip locked)
    ${claim(sql, sql`d.id in (select id from chosen)`, leaseMs)}`
  return rows.sort((a, b) => a.sequence - b.sequence)
}

/** Claims a delivery, whether or not it is due. Returns undefined if the delivery isn't pending. */
export async function claimOne(
  sql: TenantSql,
  { organizationId, id }: { organizationId: string; id: string },
  leaseMs: number,
): Promise<ClaimedDelivery | undefined> {
  const isIt = sql`d.id = ${id} and d.organization_id = ${organizationId}`
  const [row] = await sql<ClaimedDelivery[]>`${claim(sql, isIt, leaseMs)}`
  return row
}

export const sqlOf = (database: Database, { organizationId }: ClaimedDelivery): TenantSql =>
  tenantSql(database, { organizationId, userId: null })

const claim = (sql: FragmentSql, isChosen: Fragment, leaseMs: number) => sql`
  update webhook_deliveries d
  set next_attempt_at = now() + ${leaseMs} * interval '1 millisecond', updated_at = now()
  from webhook_endpoints e
  where ${isChosen} and d.status = 'pending' and e.id = d.endpoint_id and e.is_enabled
  returning d.id, d.organization_id as "organizationId", d.endpoint_id as "endpointId", e.url,
    case when e.previous_secret_until > now() then array[e.secret, e.previous_secret] else array[e.secret] end
      as secrets,
    (extract(epoch from now() - e.failing_since) * 1000)::float8 as "failingMs", d.sequence::float8 as sequence,
    d.event_type as "eventType", d.data::text as data,
    to_char(d.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt", d.tries,
    d.next_attempt_at::text as "claimedUntil"`

/**
 * Marks pending deliveries of a disabled endpoint as failed, up to PENDING_FAILED_AT_ONCE. Sweeps handle the remaining
 * deliveries.
 */
export const failDisabled = (sql: TenantSql, organizationId: string, endpointId: string): Promise<void> =>
  failPending(sql, sql`e.id = ${endpointId} and e.organization_id = ${organizationId}`)

/** Marks pending deliveries to disabled endpoints as failed, up to PENDING_FAILED_AT_ONCE. */
export async function failAllDisabled(database: Database): Promise<void> {
  const sql = systemSql(database)
  await failPending(sql, sql`true`)
}

/**
 * SQL for the attempts of a delivery with one more. The database appends it, because a process whose claim has expired
 * does not know the newest attempts.
 */
export const attemptsWith = (sql: FragmentSql, attempt: WebhookAttempt): Fragment => sql`
  case when jsonb_array_length(attempts) < ${ATTEMPTS_KEPT} then attempts else attempts - 0 end
    || ${JSON.stringify(attempt)}::text::jsonb`

async function failPending(sql: FragmentSql, isChosen: Fragment): Promise<void> {
  const at = new Date().toISOString()
  const untried: WebhookAttempt = { at, duration_ms: 0, response_status: null, error: DISABLED }
  await sql`
    with waiting as (
      select d.id from webhook_endpoints e
      join webhook_deliveries d on d.endpoint_id = e.id and d.status = 'pending'
      where not e.is_enabled and ${isChosen}
      limit ${PENDING_FAILED_AT_ONCE} for update of d skip locked)
    update webhook_deliveries d
    set status = 'failed', next_attempt_at = null, updated_at = now(), attempts = ${attemptsWith(sql, untried)}
    from waiting where d.id = waiting.id`
}
