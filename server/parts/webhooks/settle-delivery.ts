import type { PendingQuery, Row, Sql } from 'postgres'
import type { WebhookAttempt } from '#database/schema/webhooks.ts'
import type { Services } from '#platform/services.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

/** How one try has ended. `retryMs`: when it is tried again; null: no more. */
export type Outcome = { attempt: WebhookAttempt } & (
  | { isDelivered: true }
  | { isDelivered: false; retryMs: number | null; isGone: boolean }
)

type Dependencies = Pick<Services, 'config' | 'database' | 'mail'>

const ATTEMPTS_KEPT = 20
const PENDING_FAILED_AT_ONCE = 10_000
const OWNERS_NOTIFIED_MAX = 20
const GONE = 'The endpoint answered with 410 Gone.'
const DISABLED = 'The webhook was disabled before this was delivered.'

/**
 * Notes how a try has ended, and since when nothing has arrived at the endpoint. It is disabled, and the organization's
 * owners are told, when it says that it is gone, and when nothing has arrived for `giveUpMs`.
 */
export async function settleDelivery(
  deps: Dependencies,
  delivery: ClaimedDelivery,
  outcome: Outcome,
  giveUpMs: number,
): Promise<void> {
  const { sql } = deps.database
  const attempts = JSON.stringify([...delivery.attempts, outcome.attempt].slice(-ATTEMPTS_KEPT))
  const tried = sql`attempts = ${attempts}::text::jsonb, tries = ${delivery.tries + 1}, updated_at = now()`
  if (outcome.isDelivered) return noteDelivered(sql, delivery, tried)
  const { retryMs, isGone } = outcome
  // What has lost its claim is somebody else's to judge.
  await sql`
    with endpoint as (${lockedEndpoint(sql, delivery)}), settled as (
      update webhook_deliveries set ${tried}, status = ${retryMs === null ? 'failed' : 'pending'},
        next_attempt_at = now() + ${retryMs}::float8 * interval '1 millisecond'
      from endpoint where id = ${delivery.id} and status = 'pending' and next_attempt_at = ${delivery.claimedUntil})
    update webhook_endpoints set failing_since = now()
    where id = ${delivery.endpointId} and failing_since is null and exists (select from endpoint)`
  if (isGone) await disable(deps, delivery, GONE, sql`true`)
  else if (delivery.failingMs !== null && delivery.failingMs >= giveUpMs) {
    const days = Math.round(giveUpMs / 86_400_000)
    const isLongEnough = sql`failing_since <= now() - ${giveUpMs}::float8 * interval '1 millisecond'`
    await disable(deps, delivery, `Nothing has arrived there for ${days} days.`, isLongEnough)
  }
}

/** Whoever else has it by now: it has arrived. */
async function noteDelivered(sql: Sql, delivery: ClaimedDelivery, tried: PendingQuery<Row[]>): Promise<void> {
  await sql`
    with endpoint as (${lockedEndpoint(sql, delivery)}), settled as (
      update webhook_deliveries set ${tried}, status = 'delivered', next_attempt_at = null
      from endpoint where id = ${delivery.id} and status <> 'delivered')
    update webhook_endpoints set failing_since = null
    where id = ${delivery.endpointId} and failing_since is not null and exists (select from endpoint)`
}

/** Locked before its delivery and before it is changed, as a deletion does: else each could wait for the other. */
const lockedEndpoint = (sql: Sql, { endpointId }: ClaimedDelivery) =>
  sql`select from webhook_endpoints where id = ${endpointId} for key share`

/** Gives a delivery back that was not tried to its end: another process may try it at once. */
export async function releaseDelivery(sql: Sql, { id, claimedUntil }: ClaimedDelivery): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now()
    where id = ${id} and status = 'pending' and next_attempt_at = ${claimedUntil}`
}

/** What waits for endpoints that are disabled, or for this one, has failed: so much of it at once. */
export async function failDisabled(sql: Sql, endpointId: string | null): Promise<void> {
  const at = new Date().toISOString()
  const untried: WebhookAttempt = { at, duration_ms: 0, response_status: null, error: DISABLED }
  await sql`
    with waiting as (
      select d.id from webhook_endpoints e
      join webhook_deliveries d on d.endpoint_id = e.id and d.status = 'pending'
      where not e.is_enabled and (${endpointId}::uuid is null or e.id = ${endpointId})
      limit ${PENDING_FAILED_AT_ONCE} for update of d skip locked)
    update webhook_deliveries d
    set status = 'failed', next_attempt_at = null, updated_at = now(), attempts = case
      when jsonb_array_length(attempts) < ${ATTEMPTS_KEPT} then attempts else attempts - 0 end
        || ${JSON.stringify(untried)}::text::jsonb
    from waiting where d.id = waiting.id`
}

async function disable(
  { database: { sql }, config, mail }: Dependencies,
  { endpointId, organizationId, url }: ClaimedDelivery,
  reason: string,
  condition: PendingQuery<Row[]>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const disabled = await tx`
      update webhook_endpoints set is_enabled = false, disabled_reason = ${reason}, updated_at = now()
      where id = ${endpointId} and is_enabled and url = ${url} and ${condition}`
    if (disabled.count === 0) return
    const owners = await tx<{ email: string; organization: string }[]>`
      select u.email, o.name as organization from memberships m
      join roles r on r.id = m.role_id and r.name = 'owner' and r.is_system_role
      join users u on u.id = m.user_id join organizations o on o.id = m.organization_id
      where m.organization_id = ${organizationId} and m.status = 'active'
      order by u.id limit ${OWNERS_NOTIFIED_MAX}`
    const { host } = new URL(url)
    const link = `${config.frontendUrl}/webhooks?org_id=${organizationId}`
    for (const { email, organization } of owners)
      await mail.send(tx, email, { kind: 'webhook disabled', organization, host, reason, link })
  })
  await failDisabled(sql, endpointId)
}
