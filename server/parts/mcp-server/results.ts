import { isBlank } from '#platform/http/visible-text.ts'
import type { CallToolResult } from '#platform/mcp/server-definition.ts'

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** Returns structured data, and the same data as JSON text for clients that don't support structured data. */
export const dataResult = (data: Record<string, unknown>): CallToolResult => ({
  ...textResult(JSON.stringify(data, null, 1)),
  structuredContent: data,
})

/** Returns an error for the model that called the tool (MCP specification, server, tools, error handling). */
export const failure = (sentence: string): CallToolResult => ({ ...textResult(sentence), isError: true })

/** Returns a string argument of a tool call, or a sentence for the model if the argument is invalid. */
export function textOf(
  input: Record<string, unknown>,
  name: string,
  charactersMax: number,
): string | { problem: string } {
  const value = input[name]
  if (typeof value !== 'string' || isBlank(value)) return { problem: `${name} must be a non-empty string.` }
  if (value.length > charactersMax)
    return { problem: `${name} must have at most ${charactersMax} characters.` }
  return value.toWellFormed()
}
