import { defineErrors } from '#errors/define.ts'

export const MCP_PLAYGROUND_ERRORS = defineErrors({
  'mcp.no_valid_instances': [400, 'No valid MCP instances found for the provided IDs'],
  'mcp.unreachable': [503, 'Failed to connect to MCP server. Please check the URL and try again.'],
  'mcp.model_prefix': [400, 'model must start with gpt, o1, claude, deepseek or gemini.', 'validation'],
})
