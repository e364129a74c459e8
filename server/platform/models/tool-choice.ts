import type { ModelRequest, ToolChoice, ToolDefinition } from './types.ts'

/** Returns whether a reply must call a tool. */
export const demandsCall = (choice: ToolChoice | undefined): boolean =>
  choice === 'required' || typeof choice === 'object'

/** Returns the tools that may be called, for models that ignore tool_choice. */
export function callableTools({ tools = [], toolChoice }: ModelRequest): ToolDefinition[] {
  if (toolChoice === 'none') return []
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools
}
