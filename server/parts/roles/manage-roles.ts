import { olderThan } from '#database/keyset.ts'
import { patternsHolding } from '#database/like.ts'
import { newId } from '#database/new-id.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import type { TenantStatements, TenantTransaction } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import { checkHeld, checkLevel } from '#platform/access/role-rules.ts'
import type { Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { type ListQuery, type Page, readPage } from '#platform/http/pagination.ts'
import { nameMembers } from './role-members-system.ts'
import type { NewRole, RoleChange, RoleView } from './schemas.ts'

/**
 * Creates a custom role. A caller who isn't an owner can create roles only below their own level, and only with
 * permissions that they hold. Throws role.name_taken, role.too_high, role.permission_not_held, permission.not_found.
 */
export async function createRole(scope: Scope<'roles:write'>, input: NewRole): Promise<RoleView> {
  checkLevel(scope, input.hierarchy_level)
  const id = newId()
  return scope.sql
    .begin(async (tx) => {
      await lockOrganization(tx, scope.organizationId, 'records')
      await tx`
        insert into roles (id, organization_id, name, description, hierarchy_level)
        values (${id}, ${scope.organizationId}, ${input.name.trim()}, ${input.description ?? ''},
          ${input.hierarchy_level})`
      await setPermissions(tx, scope, id, input.permission_ids)
      const role = await readRole(tx, scope.organizationId, id)
      await recordRole(tx, scope, 'role.created', null, role)
      return role
    })
    .catch(onUniqueViolation('role.name_taken'))
}

/**
 * Updates the given fields. `permission_ids` replaces all permissions of the role. Throws role.system, role.too_high
 * if the role or its new level is not below the caller's level, and the errors of createRole.
 */
export async function updateRole(
  scope: Scope<'roles:write'>,
  roleId: string,
  change: RoleChange,
): Promise<RoleView> {
  return scope.sql
    .begin(async (tx) => {
      const before = await readCustomRole(tx, scope, roleId)
      checkLevel(scope, change.hierarchy_level ?? before.hierarchy_level)
      await tx`
        update roles set updated_at = now(), name = ${change.name?.trim() ?? before.name},
          description = ${change.description ?? before.description},
          hierarchy_level = ${change.hierarchy_level ?? before.hierarchy_level}
        where id = ${roleId} and organization_id = ${scope.organizationId}`
      if (change.permission_ids)
        await setPermissions(tx, scope, roleId, change.permission_ids, before.permission_ids)
      const after = await readRole(tx, scope.organizationId, roleId)
      await recordRole(tx, scope, 'role.updated', before, after)
      return after
    })
    .catch(onUniqueViolation('role.name_taken'))
}

/**
 * Deletes a custom role. Throws role.in_use with the names of members if any member has the role, and role.system,
 * role.too_high.
 */
export async function removeRole(scope: Scope<'roles:delete'>, roleId: string): Promise<void> {
  await scope.sql.begin(async (tx) => {
    const before = await readCustomRole(tx, scope, roleId)
    const members = await nameMembers(tx, scope, roleId)
    if (members.length > 0) throw fail('role.in_use', { members: members.join(', ') })
    await tx`delete from roles where id = ${roleId} and organization_id = ${scope.organizationId}`
    await recordRole(tx, scope, 'role.deleted', before, null)
  })
}

/** Returns a role. Throws role.not_found. */
export const getRole = ({ sql, organizationId }: Scope<'roles:write'>, roleId: string): Promise<RoleView> =>
  readRole(sql, organizationId, roleId)

/** Returns the organization's system roles and custom roles, newest first. */
export const listRoles = (scope: Scope<'roles:read'>, query: ListQuery): Promise<Page<RoleView>> =>
  readPage(
    query,
    (below, count) =>
      scope.sql<Row[]>`
        ${selectRoles(scope.sql, scope.organizationId)} and ${olderThan(scope.sql, 'r.id', below)}
        and concat_ws(' ', r.name, r.description) ilike all (${patternsHolding(query.q)}::text[])
        order by r.id desc limit ${count}`,
    view,
  )

/**
 * Reads a custom role that the caller may change. Locks the organization and the role until the transaction ends, so
 * that no member can be given the role meanwhile. Throws role.system, role.too_high.
 */
async function readCustomRole(
  tx: TenantTransaction,
  scope: Scope<'roles:write' | 'roles:delete'>,
  roleId: string,
) {
  await lockOrganization(tx, scope.organizationId, 'records')
  await tx`select from roles where id = ${roleId} and organization_id = ${scope.organizationId} for update`
  const role = await readRole(tx, scope.organizationId, roleId)
  if (role.is_system_role) throw fail('role.system')
  checkLevel(scope, role.hierarchy_level)
  return role
}

/**
 * Sets the permissions of a role. Callers can keep permissions that the role already has, even if they don't hold
 * them.
 */
async function setPermissions(
  tx: TenantTransaction,
  scope: Scope<'roles:write'>,
  roleId: string,
  permissionIds: string[],
  before: string[] = [],
): Promise<void> {
  const requestedIds = [...new Set(permissionIds.map((id) => id.toLowerCase()))]
  const permissions = await tx<{ id: string; name: string }[]>`
    select id, name from permissions where id = any(${requestedIds}::uuid[]) for share`
  const missing = requestedIds.find((id) => !permissions.some((permission) => permission.id === id))
  if (missing !== undefined) throw fail('permission.not_found', { value: missing })
  const added = permissions.filter(({ id }) => !before.includes(id))
  checkHeld(
    scope,
    added.map(({ name }) => name),
  )
  await tx`delete from role_permissions where role_id = ${roleId}`
  await tx`
    insert into role_permissions (role_id, permission_id) select ${roleId}, unnest(${requestedIds}::uuid[])`
}

async function readRole(sql: TenantStatements, organizationId: string, roleId: string): Promise<RoleView> {
  const [row] = await sql<Row[]>`${selectRoles(sql, organizationId)} and r.id = ${roleId}`
  if (!row) throw fail('role.not_found', { value: roleId })
  return view(row)
}

const selectRoles = (sql: TenantStatements, organizationId: string) => sql`
  select r.id, r.name, r.description, r.hierarchy_level, r.is_system_role, r.organization_id, r.created_at,
    r.updated_at,
    (select count(*)::int from memberships m where m.organization_id = r.organization_id and m.role_id = r.id)
      as member_count,
    coalesce((
      select json_agg(json_build_object('id', p.id, 'name', p.name, 'description', p.description) order by p.name)
      from role_permissions rp join permissions p on p.id = rp.permission_id where rp.role_id = r.id), '[]')
      as permissions
  from roles r where r.organization_id = ${organizationId}`

type Row = Omit<RoleView, 'permission_ids'>

const view = (row: Row): RoleView => ({
  ...row,
  organization_id: row.is_system_role ? null : row.organization_id,
  permission_ids: row.permissions.map(({ id }) => id),
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
})

function recordRole(
  tx: TenantTransaction,
  scope: Scope<'roles:write' | 'roles:delete'>,
  action: 'role.created' | 'role.updated' | 'role.deleted',
  before: RoleView | null,
  after: RoleView | null,
): Promise<void> {
  const recordId = (after ?? before)?.id ?? ''
  return recordEvent(tx, scope.organizationId, scope, {
    action,
    recordId,
    before: auditDetails(before),
    after: auditDetails(after),
  })
}

const auditDetails = (role: RoleView | null) =>
  role && {
    name: role.name,
    description: role.description,
    hierarchy_level: role.hierarchy_level,
    permissions: role.permissions.map(({ name }) => name),
  }
