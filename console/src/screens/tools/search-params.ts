/** The visible part of a tool's page on narrow screens. */
export type ToolTab = 'edit' | 'test'

export type ToolOwner = 'own' | 'public'

export interface ToolsSearch {
  q?: string
  /** A category of the organization. */
  category_id?: string
  from?: ToolOwner
}
