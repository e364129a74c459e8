import type { Tool } from '@parley/client/schemas'
import { translator } from '../../messages/index.ts'
import type { ValueDescriptor } from '../../ui/value-field.tsx'

const t = translator('tools')

type ToolFunction = Tool['functions'][number]
interface Schema {
  properties?: Record<string, { type?: string; description?: string; default?: unknown }>
  required?: string[]
}

const TYPES: Record<string, ValueDescriptor['type']> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
}

/**
 * Returns a field for each parameter of a function. Reads the parameters from the JSON Schema that models receive.
 */
export function fieldsOf(
  { parameters }: ToolFunction,
  inputs: readonly { name: string }[],
): ValueDescriptor[] {
  const { properties = {}, required = [] } = parameters as Schema
  // Sort the parameters like the tool's inputs, because JSONB does not keep the order of keys.
  const named = inputs.map(({ name }) => name)
  const placeOf = (name: string) => (named.includes(name) ? named.indexOf(name) : named.length)
  const inOrder = Object.entries(properties).sort(([one], [other]) => placeOf(one) - placeOf(other))
  return inOrder.map(([name, { type = 'string', description = '', default: usual }]) => ({
    name,
    type: TYPES[type] ?? 'str',
    description,
    required: required.includes(name),
    default: usual === undefined ? null : typeof usual === 'string' ? usual : JSON.stringify(usual),
  }))
}

/**
 * Parses the text of each field. Omits blank fields. Returns an error for a list or object field whose text is not
 * one.
 */
export function argumentsOf(
  fields: readonly ValueDescriptor[],
  texts: Readonly<Record<string, string>>,
): { values: Record<string, unknown>; errors: Record<string, string> } {
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const { name, type } of fields) {
    const text = texts[name] ?? ''
    if (text === '') continue
    const value = type === 'str' ? text : parse(text)
    if (type === 'list' && !Array.isArray(value))
      errors[name] = t('arguments.list', { example: '["one", "two"]' })
    else if (type === 'dict' && !isObject(value))
      errors[name] = t('arguments.object', { example: '{"key": 1}' })
    else values[name] = value
  }
  return { values, errors }
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // the server reports the expected type
  }
}

/**
 * Returns the prompt that makes the built-in demo model call a function. Escapes `<`, so that no value is parsed as
 * an element of the prompt.
 */
export const demoPrompt = (functionName: string, values: Record<string, unknown>): string =>
  `TOOL:${functionName}=${JSON.stringify(values).replaceAll('<', '\\u003c')}`
