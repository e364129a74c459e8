export const MEMBER_STATUSES = ['active', 'pending', 'expired', 'suspended'] as const

export interface MembersSearch {
  q?: string
  status?: (typeof MEMBER_STATUSES)[number]
  /** From 1. */
  page?: number
}

export interface RolesSearch {
  /** The open role; `new` creates one. */
  role_id?: string
  permissions?: boolean
}
