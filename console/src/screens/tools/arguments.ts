import type { Tool } from '@parley/client/schemas'
import type { ValueDescriptor } from '../../ui/value-field.tsx'

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

/** What a function takes, as fields: from the JSON Schema that models are told. */
export function fieldsOf(
  { parameters }: ToolFunction,
  inputs: readonly { name: string }[],
): ValueDescriptor[] {
  const { properties = {}, required = [] } = parameters as Schema
  // The schema's order is the database's.
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

/** The values that texts stand for; those that stand for none have a sentence instead. Empty ones are left out. */
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
      errors[name] = 'Write a list as JSON, such as ["one", "two"]'
    else if (type === 'dict' && !isObject(value)) errors[name] = 'Write an object as JSON, such as {"key": 1}'
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
    return text // the server says what it should have been
  }
}

/**
 * What has the built-in demo model call a function with these values: it is no language model, and calls what it is told
 * to. Without `<`, nothing in it is taken for anything else than values.
 */
export const demoPrompt = (functionName: string, values: Record<string, unknown>): string =>
  `TOOL:${functionName}=${JSON.stringify(values).replaceAll('<', '\\u003c')}`
