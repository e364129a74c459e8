import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { OWNER_ROLE } from '#platform/access/role-rules.ts'
import type { Caller } from '#platform/access/scope.ts'
import type { Suspendable } from '#platform/access/suspension.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { Services } from '#platform/services.ts'

type Dependencies = Pick<Services, 'database' | 'mail' | 'config'>

const OWNERS_NOTIFIED_MAX = 20

/**
 * Suspends an organization, or changes the reason of its suspension, and emails its owners. From the next request on,
 * its data can only be read (platform/access/suspension.ts). Replies in progress finish. Throws org.not_found.
 */
export async function suspendOrganization(
  deps: Dependencies,
  caller: Caller,
  organizationId: string,
  { reason }: { reason: string },
): Promise<void> {
  await systemSql(deps.database).begin(async (tx) => {
    const before = await lock(tx, organizationId)
    const after = reason.trim()
    if (before.suspension_reason === after) return
    await tx`
      update organizations set suspension_reason = ${after}, suspended_at = coalesce(suspended_at, now()), updated_at = now()
      where id = ${organizationId}`
    await recordEvent(tx, organizationId, caller, {
      action: 'organization.suspended',
      recordId: organizationId,
      before: before.suspension_reason === null ? null : { reason: before.suspension_reason },
      after: { reason: after },
    })
    await mailOwners(deps, tx, organizationId, after)
  })
}

/** Lifts the suspension of an organization, if it is suspended, and emails its owners. Throws org.not_found. */
export async function liftSuspension(
  deps: Dependencies,
  caller: Caller,
  organizationId: string,
): Promise<void> {
  await systemSql(deps.database).begin(async (tx) => {
    const { suspension_reason: reason } = await lock(tx, organizationId)
    if (reason === null) return
    await tx`
      update organizations set suspension_reason = null, suspended_at = null, updated_at = now()
      where id = ${organizationId}`
    await recordEvent(tx, organizationId, caller, {
      action: 'organization.suspension_lifted',
      recordId: organizationId,
      before: { reason },
    })
    await mailOwners(deps, tx, organizationId, null)
  })
}

async function lock(tx: SystemTransaction, organizationId: string): Promise<Suspendable> {
  const [row] = await tx<Suspendable[]>`
    select suspension_reason from organizations
    where id = ${organizationId} and closed_at is null and importing_by is null for no key update`
  if (!row) throw fail('org.not_found', { value: organizationId })
  return row
}

/** Tells the owners that the organization is suspended, or with a reason of null, that it no longer is. */
async function mailOwners(
  { mail, config }: Dependencies,
  tx: SystemTransaction,
  organizationId: string,
  reason: string | null,
): Promise<void> {
  const owners = await tx<{ email: string; organization: string }[]>`
    select u.email, o.name as organization from memberships m
    join roles r on r.id = m.role_id and r.name = ${OWNER_ROLE} and r.is_system_role
    join users u on u.id = m.user_id join organizations o on o.id = m.organization_id
    where m.organization_id = ${organizationId} and m.status = 'active'
    order by u.id limit ${OWNERS_NOTIFIED_MAX}`
  const link = `${config.frontendUrl}/?org_id=${organizationId}`
  for (const { email, organization } of owners)
    await mail.send(
      tx,
      email,
      { kind: 'suspension', organization, reason, link },
      { about: [organizationId] },
    )
}
