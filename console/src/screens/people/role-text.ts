import type { Role } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'

const t = translator('people')

const SYSTEM_ROLES = ['owner', 'admin', 'member', 'guest'] as const

/** No other role can have the name of a system role. */
const systemRole = (name: string) => SYSTEM_ROLES.find((one) => one === name)

/** Returns the name of a role, for system roles in the language in use. */
export function roleName(name: string): string {
  const known = systemRole(name)
  return known ? t(`systemRole.${known}`) : name
}

/** Returns the description of a role, for system roles in the language in use. */
export function roleDescription({ name, description }: Pick<Role, 'name' | 'description'>): string {
  const known = systemRole(name)
  return known ? t(`systemRoleDescription.${known}`) : description
}
