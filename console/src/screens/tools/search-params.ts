/** The open tab of a tool's page. On narrow screens, the page shows either the form or the test pane. */
export type ToolTab = 'edit' | 'test'

export type ToolOwner = 'own' | 'public'

export interface ToolsSearch {
  q?: string
  /** The id of a category of the organization. */
  category_id?: string
  from?: ToolOwner
  /** Whether the dialog that creates a tool is open. */
  create?: true
}
