import type { ParameterDescriptor } from '#database/schema/tools.ts'
import { sentence } from '#errors'
import type { FoundFunction } from '#platform/sandbox/sandbox.ts'
import { defaultOf, isOfType, type ParameterType, TYPE_WORDS } from './parameter-values.ts'

/** JSON Schema of each parameter type. Gemini requires `items` for arrays. */
const JSON_TYPES: Record<ParameterType, Record<string, unknown>> = {
  str: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  list: { type: 'array', items: {} },
  dict: { type: 'object' },
}
const TYPES = new Map(
  Object.entries(JSON_TYPES).map(([type, schema]) => [schema['type'], type as ParameterType]),
)

/** JSON Schema of a parameter. */
type Property = Record<string, unknown>

interface FunctionSchema {
  type: 'object'
  properties: Record<string, Property>
  required: string[]
  additionalProperties: boolean
}

/**
 * Builds the JSON Schema of a function's parameters. `described` are the parameters that the tool describes, and
 * `others` the parameters that were only found in the code. `takesUnknown` allows additional properties.
 */
export function schemaOf(
  described: readonly ParameterDescriptor[],
  others: FoundFunction['parameters'],
  takesUnknown = false,
): Record<string, unknown> {
  const schema: FunctionSchema = {
    type: 'object',
    properties: Object.fromEntries([
      ...described.map((descriptor) => [descriptor.name, propertyOf(descriptor)]),
      ...others.map((parameter) => [parameter.name, foundPropertyOf(parameter)]),
    ]),
    required: [...described, ...others].filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: takesUnknown,
  }
  return { ...schema }
}

function propertyOf(descriptor: ParameterDescriptor): Property {
  const value = defaultOf(descriptor)
  return {
    ...JSON_TYPES[descriptor.type],
    ...(descriptor.description !== '' && { description: descriptor.description }),
    ...(value !== undefined && { default: value }),
  }
}

/**
 * Returns the schema of a parameter found in the code. Its default appears only in the description, because the code
 * applies the default, and JSON may be unable to represent it.
 */
function foundPropertyOf({ type, ...parameter }: FoundFunction['parameters'][number]): Property {
  const hasDefault = parameter.default !== undefined && parameter.default !== null
  return {
    ...(type !== null && JSON_TYPES[type]),
    ...(hasDefault && { description: `${JSON.stringify(parameter.default).slice(0, 200)} where absent` }),
  }
}

/**
 * Returns the arguments for a call: the model's values, with defaults for omitted or null values. If an argument is
 * missing, unknown or of the wrong type, returns an error sentence for the model.
 */
export function readArguments(
  parameters: Record<string, unknown>,
  given: Record<string, unknown>,
): { values: Record<string, unknown> } | { error: string } {
  const schema = parameters as unknown as FunctionSchema
  const names = Object.keys(schema.properties)
  const present = Object.entries(given).filter(([, value]) => value !== null)
  if (schema.additionalProperties) return { values: Object.fromEntries(present) }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema.properties, name))
  if (unknown !== undefined) return { error: unknownArgument(JSON.stringify(unknown.slice(0, 90)), names) }
  const values = new Map(present)
  for (const [name, property] of Object.entries(schema.properties)) {
    const type = TYPES.get(property['type'])
    if (!values.has(name) && 'default' in property) values.set(name, property['default'])
    else if (!values.has(name) && schema.required.includes(name))
      return { error: sentence('tool.argument_needed', { name }) }
    else if (values.has(name) && type !== undefined && !isOfType(type, values.get(name)))
      return {
        error: sentence('tool.argument_type', {
          name,
          kind: TYPE_WORDS[type],
          value: show(values.get(name)),
        }),
      }
  }
  return { values: Object.fromEntries(values) }
}

const unknownArgument = (name: string, names: readonly string[]): string =>
  names.length === 0
    ? sentence('tool.no_arguments', { name })
    : sentence('tool.argument_unknown', { name, tools: names.join(', ') })

const SHOWN_CHARACTERS_MAX = 60

function show(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length <= SHOWN_CHARACTERS_MAX ? json : `${json.slice(0, SHOWN_CHARACTERS_MAX).toWellFormed()}…`
}
