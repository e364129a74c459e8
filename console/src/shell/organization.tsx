import type { Organization, User } from '@parley/client/schemas'
import { createContext, use } from 'react'

/** Who looks on, and at which organization. */
export interface Here {
  user: User
  organization: Organization
  organizations: Organization[]
  /** Whether the own role holds a permission: what it does not hold is not offered. The server decides. */
  may: (permission: string) => boolean
}

export const HereContext = createContext<Here | null>(null)

/** Within the shell: who is signed in, and the organization that the address names. */
export function useHere(): Here {
  const here = use(HereContext)
  if (!here) throw new Error('useHere is for what the shell shows')
  return here
}
