export const ADMIN_TABS = ['organizations', 'people', 'status'] as const

export interface AdminSearch {
  tab?: (typeof ADMIN_TABS)[number]
  /** The search text of the list. */
  q?: string
  /** The id of the organization that is open. */
  organization?: string
}

export type ShowAdmin = (change: AdminSearch) => void
