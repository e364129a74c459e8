import type { WebhookAttempt } from '#database/schema/webhooks.ts'
import type { Fragment, TenantSql } from '#database/tenant-sql.ts'
import { sentence } from '#errors'
import type { Services } from '#platform/services.ts'
import { attemptsWith, type ClaimedDelivery, failDisabled } from './claim-deliveries-system.ts'

/**
 * Outcome of one attempt. `retryMs` is the delay before the next attempt, or null if no attempt follows. `isGone` is
 * true if the endpoint responded with 410.
 */
export type Outcome = { attempt: WebhookAttempt } & (
  | { isDelivered: true }
  | { isDelivered: false; retryMs: number | null; isGone: boolean }
)

/** `sql` must be bound to the delivery's organization. */
type Dependencies = Pick<Services, 'config' | 'mail'> & { sql: TenantSql }

const OWNERS_NOTIFIED_MAX = 20

/**
 * Records the outcome of an attempt, and since when the endpoint has been failing. If the endpoint responded with 410
 * or has been failing for `giveUpMs` milliseconds, disables the endpoint and notifies the organization's owners.
 */
export async function settleDelivery(
  deps: Dependencies,
  delivery: ClaimedDelivery,
  outcome: Outcome,
  giveUpMs: number,
): Promise<void> {
  const { sql } = deps
  const tried = sql`attempts = ${attemptsWith(sql, outcome.attempt)}, tries = tries + 1, updated_at = now()`
  if (outcome.isDelivered) return noteDelivered(sql, delivery, tried)
  const { retryMs, isGone } = outcome
  // Leaves the delivery unchanged if this process no longer holds the claim.
  await sql`
    with endpoint as (${lockedEndpoint(sql, delivery)}), settled as (
      update webhook_deliveries set ${tried}, status = ${retryMs === null ? 'failed' : 'pending'},
        next_attempt_at = now() + ${retryMs}::float8 * interval '1 millisecond'
      from endpoint
      where id = ${delivery.id} and organization_id = ${delivery.organizationId} and status = 'pending'
         and next_attempt_at = ${delivery.claimedUntil})
    update webhook_endpoints set failing_since = now()
    where id = ${delivery.endpointId} and organization_id = ${delivery.organizationId} and failing_since is null
      and exists (select from endpoint)`
  if (isGone) await disable(deps, delivery, null, sql`true`)
  else if (delivery.failingMs !== null && delivery.failingMs >= giveUpMs) {
    const days = Math.round(giveUpMs / 86_400_000)
    const isLongEnough = sql`failing_since <= now() - ${giveUpMs}::float8 * interval '1 millisecond'`
    await disable(deps, delivery, days, isLongEnough)
  }
}

/** Records a success even if this process no longer holds the claim, because the event has arrived. */
async function noteDelivered(sql: TenantSql, delivery: ClaimedDelivery, tried: Fragment): Promise<void> {
  await sql`
    with endpoint as (${lockedEndpoint(sql, delivery)}), settled as (
      update webhook_deliveries set ${tried}, status = 'delivered', next_attempt_at = null
      from endpoint
      where id = ${delivery.id} and organization_id = ${delivery.organizationId} and status <> 'delivered')
    update webhook_endpoints set failing_since = null
    where id = ${delivery.endpointId} and organization_id = ${delivery.organizationId} and failing_since is not null
      and exists (select from endpoint)`
}

/** Locks the endpoint before its delivery. Deleting an endpoint uses the same order, which prevents deadlocks. */
const lockedEndpoint = (sql: TenantSql, { endpointId, organizationId }: ClaimedDelivery) =>
  sql`
    select from webhook_endpoints where id = ${endpointId} and organization_id = ${organizationId} for key share`

/** Releases the claim of an aborted attempt, so that another process can attempt the delivery immediately. */
export async function releaseDelivery(
  sql: TenantSql,
  { id, organizationId, claimedUntil }: ClaimedDelivery,
): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now()
    where id = ${id} and organization_id = ${organizationId} and status = 'pending'
      and next_attempt_at = ${claimedUntil}`
}

/**
 * Disables an endpoint, notifies the organization's owners by email, and marks pending deliveries as failed.
 * @param failedDays number of days for which deliveries failed; null if the endpoint responded with 410
 */
async function disable(
  { sql, config, mail }: Dependencies,
  { endpointId, organizationId, url }: ClaimedDelivery,
  failedDays: number | null,
  condition: Fragment,
): Promise<void> {
  const reason =
    failedDays === null ? sentence('webhook.gone') : sentence('webhook.failing', { days: failedDays })
  await sql.begin(async (tx) => {
    const disabled = await tx`
      update webhook_endpoints set is_enabled = false, disabled_reason = ${reason}, updated_at = now()
      where id = ${endpointId} and organization_id = ${organizationId} and is_enabled and url = ${url} and ${condition}`
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
      await mail.send(tx, email, { kind: 'webhook disabled', organization, host, failedDays, link })
  })
  await failDisabled(sql, organizationId, endpointId)
}
