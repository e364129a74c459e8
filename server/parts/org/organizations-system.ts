import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import type { Features } from '#database/schema/org.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { type SystemSql, type SystemTransaction, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import type { Caller } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { lockBoth, moveCredits } from '#platform/ledger/move-credits.ts'
import { withDefaults } from '#platform/limits/features.ts'
import { createOrganization } from './create-organization-system.ts'
import {
  type FeaturesChange,
  type NewOrganization,
  type OrganizationView,
  type SuspensionColumns,
  viewSuspension,
} from './schemas.ts'

/* Reads and changes organizations across tenants, for their members and for the system administrator. */

interface Row extends SuspensionColumns {
  id: string
  name: string
  slug: string
  is_personal: boolean
  require_second_factor: boolean
  response_retention_days: number
  role_id: string
  role_name: string
  level: number
  permissions: string[]
  is_opened: boolean
  created_at: string
  updated_at: string
}

/** Returns the organizations in which the caller is an active member, newest first. */
export const listOrganizations = (
  database: Database,
  caller: Caller,
  query: { limit?: number; cursor?: string },
): Promise<Page<OrganizationView>> =>
  readPage(
    query,
    (below, count) =>
      readRows(systemSql(database), caller.userId, { below, only: caller.onlyOrganizationId, count }),
    view,
  )

/**
 * Creates an organization owned by the caller. In the same transaction, moves `credits` from the caller's personal
 * organization to the new organization. Throws org.name_taken, billing.transfer_too_large, and auth.invalid_token if
 * the caller's account has been deleted.
 */
export async function addOrganization(
  database: Database,
  caller: Caller,
  { name, credits = 0 }: NewOrganization,
): Promise<OrganizationView> {
  const trimmed = name.trim()
  const id = await systemSql(database)
    .begin(async (tx) => {
      const locked = await tx`select from users where id = ${caller.userId} and leaving is null for share`
      if (locked.count === 0) throw fail('auth.invalid_token')
      const made = await createOrganization(tx, { name: trimmed, ownerId: caller.userId, personal: false })
      await recordEvent(tx, made, caller, {
        action: 'organization.created',
        recordId: made,
        after: { name: trimmed },
      })
      if (credits > 0) await moveFromPersonal(tx, caller, made, credits)
      return made
    })
    .catch(onUniqueViolation('org.name_taken'))
  return readOrganization(database, caller.userId, id)
}

async function moveFromPersonal(
  tx: SystemTransaction,
  caller: Caller,
  toId: string,
  amount: number,
): Promise<void> {
  const [personal] = await tx<{ id: string }[]>`
    select id from organizations where personal_user_id = ${caller.userId} and closed_at is null`
  if (!personal) throw fail('billing.transfer_too_large', { available: 0 })
  await lockBoth(tx, { fromId: personal.id, toId })
  await moveCredits(tx, caller, { fromId: personal.id, toId, amount })
}

/** Updates the given features of an organization. Throws org.not_found. */
export async function changeFeatures(
  database: Database,
  caller: Caller,
  organizationId: string,
  change: FeaturesChange,
): Promise<Required<Features>> {
  return systemSql(database).begin(async (tx) => {
    const [row] = await tx<{ features: Features }[]>`
      select features from organizations where id = ${organizationId} and closed_at is null for update`
    if (!row) throw fail('org.not_found', { value: organizationId })
    const features = { ...row.features, ...change }
    await tx`
      update organizations set features = ${JSON.stringify(features)}::text::jsonb, updated_at = now()
      where id = ${organizationId}`
    await recordEvent(tx, organizationId, caller, {
      action: 'organization.features_changed',
      recordId: organizationId,
      before: withDefaults(row.features),
      after: withDefaults(features),
    })
    return withDefaults(features)
  })
}

/** Returns an organization as seen by its member `userId`. Throws org.not_found. */
export async function readOrganization(
  database: Database,
  userId: string,
  id: string,
): Promise<OrganizationView> {
  const [row] = await readRows(systemSql(database), userId, { only: id, count: 1 })
  if (!row) throw fail('org.not_found', { value: id })
  return view(row)
}

const readRows = (
  sql: SystemSql,
  userId: string,
  { below, only, count }: { below?: string | undefined; only: string | null; count: number },
) => sql<Row[]>`
  select o.id, o.name, o.slug, o.personal_user_id is not null as is_personal,
    o.require_second_factor, o.response_retention_days, o.suspended_at, o.suspension_reason, r.id as role_id, r.name as role_name,
    r.hierarchy_level as level, m.opened_at is not null as is_opened, o.created_at, o.updated_at,
    array(
      select p.name from role_permissions rp join permissions p on p.id = rp.permission_id
      where rp.role_id = r.id order by p.name) as permissions
  from memberships m join organizations o on o.id = m.organization_id join roles r on r.id = m.role_id
  where m.user_id = ${userId} and m.status = 'active'
    and (${only}::uuid is null or o.id = ${only}) and ${olderThan(sql, 'o.id', below)}
  order by o.id desc limit ${count}`

const view = ({
  role_id,
  role_name,
  level,
  permissions,
  suspended_at,
  suspension_reason,
  created_at,
  updated_at,
  ...rest
}: Row): OrganizationView => ({
  ...rest,
  suspension: viewSuspension({ suspended_at, suspension_reason }),
  user_role: { role_id, role_name, level, permissions },
  created_at: new Date(created_at).toISOString(),
  updated_at: new Date(updated_at).toISOString(),
})
