import type { Sql, TransactionSql } from 'postgres'
import { olderThan } from '#database/keyset.ts'
import type { Features } from '#database/schema/org.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { fail } from '#errors'
import { isOwner } from '#platform/access/role-rules.ts'
import type { Caller, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { lockBoth, moveCredits } from '#platform/ledger/move-credits.ts'
import { withDefaults } from '#platform/limits/features.ts'
import { createOrganization } from './create-organization.ts'
import type { FeaturesChange, NewOrganization, OrganizationChange, OrganizationView } from './schemas.ts'

interface Row {
  id: string
  name: string
  slug: string
  is_personal: boolean
  require_second_factor: boolean
  role_id: string
  role_name: string
  level: number
  permissions: string[]
  is_opened: boolean
  created_at: string
  updated_at: string
}

/** The organizations that the caller is an active member of, newest first. */
export const listOrganizations = (
  sql: Sql,
  caller: Caller,
  query: { limit?: number; cursor?: string },
): Promise<Page<OrganizationView>> =>
  readPage(
    query,
    (below, count) => readRows(sql, caller.userId, { below, only: caller.onlyOrganizationId, count }),
    view,
  )

/**
 * Makes an organization that the caller owns. It begins with `credits`, moved from the caller's personal organization in
 * the same transaction. Throws org.name_taken, billing.transfer_too_large, auth.invalid_token where the caller is gone.
 */
export async function addOrganization(
  sql: Sql,
  caller: Caller,
  { name, credits = 0 }: NewOrganization,
): Promise<OrganizationView> {
  const trimmed = name.trim()
  const id = await sql
    .begin(async (tx) => {
      const kept = await tx`select from users where id = ${caller.userId} and leaving is null for share`
      if (kept.count === 0) throw fail('auth.invalid_token')
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
  return readOrganization(sql, caller.userId, id)
}

async function moveFromPersonal(
  tx: TransactionSql,
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

/**
 * Renames an organization, and sets whether it requires a second factor, which only its owner may and only with a
 * factor of their own. Throws org.name_taken, org.owner_needed, access.session_needed, org.factor_needed.
 */
export async function changeOrganization(
  sql: Sql,
  scope: Scope<'organization:write'>,
  { name, require_second_factor: required }: OrganizationChange,
): Promise<OrganizationView> {
  const { organizationId } = scope
  if (required !== undefined) {
    if (!isOwner(scope)) throw fail('org.owner_needed')
    if (scope.apiKeyId !== null) throw fail('access.session_needed')
  }
  await sql
    .begin(async (tx) => {
      if (required) await checkOwnFactor(tx, scope.userId)
      const [before] = await tx<Required<OrganizationChange>[]>`
        select name, require_second_factor from organizations where id = ${organizationId} for update`
      const [after] = await tx<Required<OrganizationChange>[]>`
        update organizations set updated_at = now(), name = coalesce(${name?.trim() ?? null}, name),
          require_second_factor = coalesce(${required ?? null}, require_second_factor)
        where id = ${organizationId} returning name, require_second_factor`
      const shown = (row: Required<OrganizationChange> | undefined) => ({
        ...(name !== undefined && { name: row?.name }),
        ...(required !== undefined && { require_second_factor: row?.require_second_factor }),
      })
      await recordEvent(tx, organizationId, scope, {
        action: 'organization.updated',
        recordId: organizationId,
        before: shown(before),
        after: shown(after),
      })
    })
    .catch(onUniqueViolation('org.name_taken'))
  return readOrganization(sql, scope.userId, organizationId)
}

async function checkOwnFactor(tx: TransactionSql, userId: string): Promise<void> {
  const [own] = await tx`
    select from totp_factors where user_id = ${userId} and confirmed_at is not null
    union all select from passkeys where user_id = ${userId} limit 1`
  if (!own) throw fail('org.factor_needed')
}

/** Sets what is given; the rest stays. Throws org.not_found. */
export async function changeFeatures(
  sql: Sql,
  caller: Caller,
  organizationId: string,
  change: FeaturesChange,
): Promise<Required<Features>> {
  return sql.begin(async (tx) => {
    const [row] = await tx<{ features: Features }[]>`
      select features from organizations where id = ${organizationId} and closed_at is null for update`
    if (!row) throw fail('org.not_found')
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

/** As a member sees it. Throws org.not_found. */
export async function readOrganization(sql: Sql, userId: string, id: string): Promise<OrganizationView> {
  const [row] = await readRows(sql, userId, { only: id, count: 1 })
  if (!row) throw fail('org.not_found')
  return view(row)
}

const readRows = (
  sql: Sql,
  userId: string,
  { below, only, count }: { below?: string | undefined; only: string | null; count: number },
) => sql<Row[]>`
  select o.id, o.name, o.slug, o.personal_user_id is not null as is_personal,
    o.require_second_factor, r.id as role_id, r.name as role_name,
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
  created_at,
  updated_at,
  ...rest
}: Row): OrganizationView => ({
  ...rest,
  user_role: { role_id, role_name, level, permissions },
  created_at: new Date(created_at).toISOString(),
  updated_at: new Date(updated_at).toISOString(),
})
