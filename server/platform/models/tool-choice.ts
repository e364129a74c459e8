import type { ModelRequest, ToolChoice, ToolDefinition } from './types.ts'

/** Returns true if the reply must call a tool. */
export const demandsCall = (choice: ToolChoice | undefined): boolean =>
  choice === 'required' || typeof choice === 'object'

/** Returns the tools that the tool choice allows, for models that ignore tool_choice. */
export function callableTools({ tools = [], toolChoice }: ModelRequest): ToolDefinition[] {
  if (toolChoice === 'none') return []
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools
}
