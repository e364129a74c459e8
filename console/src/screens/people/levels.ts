import type { Role } from '@parley/client/schemas'
import { useHere } from '../../shell/organization.tsx'

const OWNER = 'owner'
/** Only admins and owners can invite. */
const INVITER_LEVEL_MIN = 80

/** Returns what the level of the user's role allows. Only hides actions: the server enforces the rules. */
export function useLevel() {
  const { organization, may } = useHere()
  const { level, role_name } = organization.user_role
  const isOwner = role_name === OWNER
  const isBelow = (other: number) => isOwner || other < level
  return {
    level,
    isOwner,
    isBelow,
    mayInvite: may('users:write') && level >= INVITER_LEVEL_MIN,
    mayManage: (role: { hierarchy_level: number } | null) =>
      may('users:admin') && isBelow(role?.hierarchy_level ?? 0),
    /** The owner role is only assigned by a transfer of ownership. */
    mayAssign: (role: Role) => !(role.is_system_role && role.name === OWNER) && isBelow(role.hierarchy_level),
  }
}

/** Sorts roles by level, highest first. */
export const byLevel = (one: Role, other: Role): number =>
  other.hierarchy_level - one.hierarchy_level || one.name.localeCompare(other.name)
