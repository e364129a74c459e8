/** What a tool's page shows where there is no room for both. */
export type ToolTab = 'edit' | 'test'

/** Whose tools are listed. */
export type ToolOwner = 'own' | 'public'

export interface ToolsSearch {
  q?: string
  /** Of the organization's categories. */
  category_id?: string
  from?: ToolOwner
}
