export const MEMBER_STATUSES = ['active', 'pending', 'expired', 'suspended'] as const

export interface MembersSearch {
  q?: string
  status?: (typeof MEMBER_STATUSES)[number]
  /** The page number, starting at 1. */
  page?: number
  /** Whether the dialog that invites people is open. */
  create?: true
}

export interface RolesSearch {
  q?: string
  /** The id of the open role. `new` opens the dialog that creates a role. */
  role_id?: string
  permissions?: boolean
}
