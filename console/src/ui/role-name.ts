import { translator } from '../messages/index.ts'

const t = translator('ui')

const SYSTEM_ROLES = ['owner', 'admin', 'member', 'guest'] as const

/** Returns the system role with this name, or undefined. Custom roles cannot have the name of a system role. */
export const systemRole = (name: string) => SYSTEM_ROLES.find((one) => one === name)

/** Returns a role's name. The names of system roles are translated. */
export function roleName(name: string): string {
  const known = systemRole(name)
  return known ? t(`systemRole.${known}`) : name
}
