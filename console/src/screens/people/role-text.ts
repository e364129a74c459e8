import type { Role } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import { systemRole } from '../../ui/role-name.ts'

const t = translator('people')

/** Returns a role's description. The descriptions of system roles are translated. */
export function roleDescription({ name, description }: Pick<Role, 'name' | 'description'>): string {
  const known = systemRole(name)
  return known ? t(`systemRoleDescription.${known}`) : description
}
