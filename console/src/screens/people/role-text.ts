import type { Role } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('people')

const SYSTEM_ROLES = ['owner', 'admin', 'member', 'guest'] as const

/** Returns the system role with this name, or undefined. Custom roles cannot have the name of a system role. */
const systemRole = (name: string) => SYSTEM_ROLES.find((one) => one === name)

/** Returns a role's name. The names of system roles are translated. */
export function roleName(name: string): string {
  const known = systemRole(name)
  return known ? t(`systemRole.${known}`) : name
}

/** Returns a role's description. The descriptions of system roles are translated. */
export function roleDescription({ name, description }: Pick<Role, 'name' | 'description'>): string {
  const known = systemRole(name)
  return known ? t(`systemRoleDescription.${known}`) : description
}
