import type { Organization, User } from '@parley/client/schemas'
import { createContext, use } from 'react'

/** The signed-in user and the current organization. */
export interface Here {
  user: User
  organization: Organization
  organizations: Organization[]
  /** Returns whether the user's role has a permission. Only hides controls; the server enforces permissions. */
  may: (permission: string) => boolean
  /** Whether the user may invite people. Only hides controls, too. */
  mayInvite: boolean
}

export const HereContext = createContext<Here | null>(null)

/** Returns the signed-in user and the current organization. Throws if called outside the shell. */
export function useHere(): Here {
  const here = use(HereContext)
  if (!here) throw new Error('useHere works only within the shell')
  return here
}
