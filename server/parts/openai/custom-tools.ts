import { readPlainArguments } from '#platform/models/call-arguments.ts'
import { argumentsTextOf } from '#platform/models/tool-calls.ts'
import type { ToolCall, ToolDefinition } from '#platform/models/types.ts'

/* Custom tools take any text. Providers know only functions, so a function with one text stands for a custom tool. */

interface CustomTool {
  name: string
  description?: string | null
  format?: { syntax?: string | null; definition?: string | null } | null
}

/** The field of the function that stands for a custom tool. */
const INPUT = 'input'

/** Returns the function that stands for a custom tool. */
export function asFunction({ name, description, format }: CustomTool): ToolDefinition {
  const { syntax, definition } = format ?? {}
  const grammar = definition ? `The input must match this ${syntax ?? ''} grammar:\n${definition}` : ''
  return {
    name,
    description: [description ?? '', grammar].filter((text) => text !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [INPUT]: { type: 'string', description: 'The input of the tool, as plain text.' } },
      required: [INPUT],
      additionalProperties: false,
    },
  }
}

/** Returns the arguments that stand for the input of a custom tool. */
export const customArguments = (text: string): Record<string, unknown> => ({ [INPUT]: text })

/** Maximum depth of the fields and lists around the input of a custom tool. */
const WRAPPINGS_MAX = 3

/**
 * Returns the input of a custom tool. Models may name the only field otherwise, write the input itself or as a JSON
 * string, or put it into a list behind the tool's name, as on a command line.
 */
export function customInput(call: ToolCall): string {
  const { name, input, fault } = call
  const written = fault === undefined ? input : readPlainArguments(argumentsTextOf(call))
  const text = textIn(written, name)
  if (text !== undefined) return text
  if (fault !== undefined) return argumentsTextOf(call)
  return Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

/** Returns the only text in a value. Undefined if the value contains none or several. */
function textIn(value: unknown, name: string, wrappings = 0): string | undefined {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object' || wrappings > WRAPPINGS_MAX) return undefined
  const named = Array.isArray(value) ? undefined : (value as Record<string, unknown>)[INPUT]
  if (named !== undefined && named !== null) return textIn(named, name, wrappings + 1)
  const parts = Array.isArray(value) && value[0] === name ? value.slice(1) : Object.values(value)
  return parts.length === 1 ? textIn(parts[0], name, wrappings + 1) : undefined
}
