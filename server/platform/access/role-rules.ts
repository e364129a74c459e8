import type { ISql } from 'postgres'
import { fail } from '#errors'
import type { Permission } from './permissions.ts'
import type { Scope } from './scope.ts'

/** The role that at least one active member of an organization always has. */
export const OWNER_ROLE = 'owner'

type Grantor = Pick<Scope<Permission>, 'organizationId' | 'role' | 'holds'>

/** The name identifies the role: it is reserved for the system role, and names are unique in an organization. */
export const isOwner = ({ role }: Pick<Grantor, 'role'>): boolean => role.name === OWNER_ROLE

/** Allows owners everything, and others only levels below their own. Throws role.too_high. */
export function checkLevel(grantor: Grantor, level: number): void {
  if (!isOwner(grantor) && level >= grantor.role.level)
    throw fail('role.too_high', { level: grantor.role.level })
}

/** Allows granting only permissions that the grantor holds. Throws role.permission_not_held. */
export function checkHeld(grantor: Grantor, permissions: readonly string[]): void {
  const missing = permissions.find((permission) => !grantor.holds(permission))
  if (missing !== undefined) throw fail('role.permission_not_held', { permission: missing })
}

export interface AssignableRole {
  id: string
  name: string
  level: number
}

/** The errors of findAssignableRole. */
export const ASSIGN_ERRORS = [
  'role.not_found',
  'role.too_high',
  'role.permission_not_held',
  'user.owner_role',
] as const

/** Returns a role that the caller may assign, locked until the transaction ends. Throws ASSIGN_ERRORS. */
export async function findAssignableRole(
  tx: ISql,
  grantor: Grantor,
  roleId: string,
): Promise<AssignableRole> {
  const [role] = await tx<(AssignableRole & { permissions: string[] })[]>`
    select r.id, r.name, r.hierarchy_level as level, ${permissionsOf(tx)} as permissions
    from roles r where r.id = ${roleId} and r.organization_id = ${grantor.organizationId} for share`
  if (!role) throw fail('role.not_found')
  if (role.name === OWNER_ROLE) throw fail('user.owner_role')
  checkLevel(grantor, role.level)
  checkHeld(grantor, role.permissions)
  return role
}

/** Returns the names of the permissions of a role `r`, as an array. */
export const permissionsOf = (sql: ISql) => sql`
  array(select p.name from role_permissions rp join permissions p on p.id = rp.permission_id
    where rp.role_id = r.id)`
