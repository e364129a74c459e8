import type { CallToolResult } from '#platform/mcp/server-definition.ts'

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** The same as data, and as text for clients that know no data. */
export const dataResult = (data: Record<string, unknown>): CallToolResult => ({
  ...textResult(JSON.stringify(data, null, 1)),
  structuredContent: data,
})

/** What went wrong, for the model that called the tool (server, tools, error handling). */
export const failure = (sentence: string): CallToolResult => ({ ...textResult(sentence), isError: true })

/** A text of a tool's input, or what is wrong with it. */
export function textOf(
  input: Record<string, unknown>,
  name: string,
  charactersMax: number,
): string | { problem: string } {
  const value = input[name]
  if (typeof value !== 'string' || value.trim() === '') return { problem: `${name} must be a text` }
  if (value.length > charactersMax) return { problem: `${name} has at most ${charactersMax} characters` }
  return value.toWellFormed()
}
