import type { Tool } from '@parley/client/schemas'

export interface ToolPart {
  tool: Tool
  edit: (part: Partial<Tool>) => void
}
