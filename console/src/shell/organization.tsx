import type { Organization, User } from '@parley/client/schemas'
import { createContext, use } from 'react'

/** The signed-in user and the organization that the page shows. */
export interface Here {
  user: User
  organization: Organization
  organizations: Organization[]
  /** Whether the user's role has a permission. Only hides controls; the server enforces permissions. */
  may: (permission: string) => boolean
}

export const HereContext = createContext<Here | null>(null)

/** Returns the user and organization of the page. Throws outside the shell. */
export function useHere(): Here {
  const here = use(HereContext)
  if (!here) throw new Error('useHere works only within the shell')
  return here
}
