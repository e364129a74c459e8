import type { Role } from '@parley/client/schemas'
import { useHere } from '../../shell/organization.tsx'

const OWNER = 'owner'

/**
 * Returns what the level of the user's role allows. The console uses it only to hide actions; the server enforces the
 * rules.
 */
export function useLevel() {
  const { organization, may, mayInvite } = useHere()
  const { level, role_name } = organization.user_role
  const isOwner = role_name === OWNER
  const isBelow = (other: number) => isOwner || other < level
  return {
    level,
    isOwner,
    isBelow,
    mayInvite,
    mayManage: (role: { hierarchy_level: number } | null) =>
      may('users:admin') && isBelow(role?.hierarchy_level ?? 0),
    /** Excludes the owner role. Only a transfer of ownership assigns that role. */
    mayAssign: (role: Role) => !(role.is_system_role && role.name === OWNER) && isBelow(role.hierarchy_level),
  }
}

/** Compares roles by level, highest first, then by name. */
export const byLevel = (one: Role, other: Role): number =>
  other.hierarchy_level - one.hierarchy_level || one.name.localeCompare(other.name)
