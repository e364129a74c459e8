import type { ISql } from 'postgres'
import { fail } from '#errors'
import type { Permission } from './permissions.ts'
import type { Scope } from './scope.ts'

/** At least one active member of every organization has this role. */
export const OWNER_ROLE = 'owner'

type Grantor = Pick<Scope<Permission>, 'organizationId' | 'role' | 'holds'>

/** Compares the role's name. Names are unique in an organization, and `owner` is reserved for the system role. */
export const isOwner = ({ role }: Pick<Grantor, 'role'>): boolean => role.name === OWNER_ROLE

/** Throws role.too_high if the grantor is not an owner and the level is not below the grantor's own. */
export function checkLevel(grantor: Grantor, level: number): void {
  if (!isOwner(grantor) && level >= grantor.role.level)
    throw fail('role.too_high', { level: grantor.role.level })
}

/** Throws role.permission_not_held if the grantor does not hold all of the permissions. */
export function checkHeld(grantor: Grantor, permissions: readonly string[]): void {
  const missing = permissions.find((permission) => !grantor.holds(permission))
  if (missing !== undefined) throw fail('role.permission_not_held', { permission: missing })
}

export interface AssignableRole {
  id: string
  name: string
  level: number
}

/** Errors that findAssignableRole throws. */
export const ASSIGN_ERRORS = [
  'role.not_found',
  'role.too_high',
  'role.permission_not_held',
  'user.owner_role',
] as const

/** Returns a role that the caller may assign, and locks the role until the transaction ends. Throws ASSIGN_ERRORS. */
export async function findAssignableRole(
  tx: ISql,
  grantor: Grantor,
  roleId: string,
): Promise<AssignableRole> {
  const [role] = await tx<(AssignableRole & { permissions: string[] })[]>`
    select r.id, r.name, r.hierarchy_level as level, ${permissionsOf(tx)} as permissions
    from roles r where r.id = ${roleId} and r.organization_id = ${grantor.organizationId} for share`
  if (!role) throw fail('role.not_found', { value: roleId })
  if (role.name === OWNER_ROLE) throw fail('user.owner_role')
  checkLevel(grantor, role.level)
  checkHeld(grantor, role.permissions)
  return role
}

/** SQL for an array with the names of the permissions of the role `r`. */
export const permissionsOf = (sql: ISql) => sql`
  array(select p.name from role_permissions rp join permissions p on p.id = rp.permission_id
    where rp.role_id = r.id)`
