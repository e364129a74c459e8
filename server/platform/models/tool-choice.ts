import type { ModelRequest, ToolChoice, ToolDefinition } from './types.ts'

/** Whether a reply has to call a tool. */
export const demandsCall = (choice: ToolChoice | undefined): boolean =>
  choice === 'required' || typeof choice === 'object'

/** The tools that may be called: what to offer to a model that can not be told which of them. */
export function callableTools({ tools = [], toolChoice }: ModelRequest): ToolDefinition[] {
  if (toolChoice === 'none') return []
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools
}
