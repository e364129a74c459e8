import type { Sql } from 'postgres'
import { olderThan } from '#database/keyset.ts'
import type { Features } from '#database/schema/org.ts'
import { whenTaken } from '#database/sql-state.ts'
import { fail } from '#errors'
import type { Caller, Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { withDefaults } from '#platform/limits/features.ts'
import { createOrganization } from './create-organization.ts'
import type { FeaturesChange, OrganizationView } from './schemas.ts'

interface Row {
  id: string
  name: string
  slug: string
  is_personal: boolean
  role_id: string
  role_name: string
  level: number
  permissions: string[]
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

/** Makes an organization whose owner is the caller. Throws org.name_taken, auth.invalid_token where he is gone. */
export async function addOrganization(
  sql: Sql,
  caller: Caller,
  name: string,
  startingCredits: number,
): Promise<OrganizationView> {
  const trimmed = name.trim()
  const id = await sql
    .begin(async (tx) => {
      const kept = await tx`select from users where id = ${caller.userId} and leaving is null for share`
      if (kept.count === 0) throw fail('auth.invalid_token')
      const owner = { ownerId: caller.userId, personal: false, startingCredits }
      const made = await createOrganization(tx, { name: trimmed, ...owner })
      await recordEvent(tx, made, caller, {
        action: 'organization.created',
        recordId: made,
        after: { name: trimmed },
      })
      return made
    })
    .catch(whenTaken('org.name_taken'))
  return readOrganization(sql, caller.userId, id)
}

export async function renameOrganization(
  sql: Sql,
  scope: Scope<'organization:write'>,
  name: string,
): Promise<OrganizationView> {
  const trimmed = name.trim()
  await sql
    .begin(async (tx) => {
      const [before] = await tx<{ name: string }[]>`
        select name from organizations where id = ${scope.organizationId} for update`
      await tx`update organizations set name = ${trimmed}, updated_at = now() where id = ${scope.organizationId}`
      await recordEvent(tx, scope.organizationId, scope, {
        action: 'organization.updated',
        recordId: scope.organizationId,
        before: { name: before?.name },
        after: { name: trimmed },
      })
    })
    .catch(whenTaken('org.name_taken'))
  return readOrganization(sql, scope.userId, scope.organizationId)
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
  select o.id, o.name, o.slug, o.personal_user_id is not null as is_personal, r.id as role_id, r.name as role_name,
    r.hierarchy_level as level, o.created_at, o.updated_at,
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
