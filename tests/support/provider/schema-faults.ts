import { Ajv2020 } from 'ajv/dist/2020.js'

/*
 * The rules of providers for the schema of a tool's parameters, as their APIs apply them. Each of them refuses the whole
 * request for one fault.
 */

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const COMBINATORS = ['anyOf', 'oneOf', 'allOf']

/** Yields each schema within a schema, with its path. Keywords that hold schemas in any draft count. */
function* schemasIn(schema: unknown, path = '$'): Generator<{ schema: unknown; path: string }> {
  yield { schema, path }
  if (!isObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}.${keyword}`
    if (
      ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].includes(keyword) &&
      isObject(value)
    )
      for (const [name, inner] of Object.entries(value)) yield* schemasIn(inner, `${at}.${name}`)
    else if ([...COMBINATORS, 'prefixItems'].includes(keyword) && Array.isArray(value))
      for (const [index, inner] of value.entries()) yield* schemasIn(inner, `${at}.${index}`)
    else if (['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'].includes(keyword))
      yield* schemasIn(value, at)
  }
}

/** Non-strict function parameters of OpenAI. */
export function openAiFault(root: unknown): string | null {
  if (!isObject(root) || root['type'] !== 'object') return 'schema must be of type "object"'
  const banned = [...COMBINATORS, 'enum', 'not', 'const'].find((keyword) => keyword in root)
  if (banned) return `schema must not have '${banned}' at the top level`
  for (const { schema, path } of schemasIn(root)) {
    if (!isObject(schema)) return `${path}: not an object`
    if (schema['type'] === 'array' && !isObject(schema['items'])) return `${path}: array schema missing items`
    if (schema['type'] === 'object' && !isObject(schema['properties']))
      return `${path}: object schema missing properties`
    if (/\(\?(?!:)/.test(String(schema['pattern'] ?? '')))
      return `${path}: lookaround and flags are not supported`
    if ('$ref' in schema) return `${path}: reference to an unknown schema`
  }
  return null
}

/** The checks of Anthropic: JSON Schema draft 2020-12, and its own about keys and the root. */
export function anthropicFault(root: unknown): string | null {
  if (!isObject(root) || root['type'] !== 'object') return 'input_schema.type: Input should be "object"'
  if (COMBINATORS.some((keyword) => keyword in root))
    return 'input_schema does not support oneOf, allOf, or anyOf at the top level'
  for (const { schema, path } of schemasIn(root)) {
    const fault = isObject(schema) ? draftFault(schema) : typeof schema === 'boolean' ? null : 'no schema'
    if (fault) return `${path}: ${fault}`
  }
  return null
}

/** Validates a schema's own keywords against draft 2020-12. */
function draftFault(schema: Json): string | null {
  const { type, properties, required, items, pattern } = schema
  if (type !== undefined && ![type].flat().every((one) => TYPES.includes(String(one)))) return 'unknown type'
  if (properties !== undefined && !isObject(properties)) return 'properties is not an object'
  const odd = Object.keys(isObject(properties) ? properties : {}).find(
    (name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name),
  )
  if (odd !== undefined) return `property key ${odd}`
  if (required !== undefined) {
    if (!Array.isArray(required) || required.some((name) => typeof name !== 'string')) return 'required'
    if (new Set(required).size < required.length) return 'required is not unique'
  }
  if (Array.isArray(items)) return 'items is a list'
  if ('enum' in schema && !Array.isArray(schema['enum'])) return 'enum is not a list'
  for (const combinator of COMBINATORS) {
    const list = schema[combinator]
    if (list !== undefined && (!Array.isArray(list) || list.length === 0)) return `${combinator} is empty`
  }
  for (const keyword of ['minLength', 'maxLength', 'minItems', 'maxItems'])
    if (keyword in schema && !(Number.isInteger(schema[keyword]) && Number(schema[keyword]) >= 0))
      return keyword
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'])
    if (keyword in schema && typeof schema[keyword] !== 'number') return keyword
  for (const keyword of ['title', 'description', 'format'])
    if (keyword in schema && typeof schema[keyword] !== 'string') return keyword
  if (pattern !== undefined)
    try {
      new RegExp(String(pattern), 'u')
    } catch {
      return 'pattern is no regular expression'
    }
  return null
}

const GOOGLE_KEYWORDS = new Set([
  ...[
    'type',
    'format',
    'title',
    'description',
    'enum',
    'items',
    'properties',
    'required',
    'anyOf',
    'default',
  ],
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'pattern', 'nullable'],
])

/** The subset of OpenAPI that Google knows for parameters. */
export function googleFault(root: unknown): string | null {
  if (!isObject(root) || root['type'] !== 'object') return 'parameters should be an object'
  for (const { schema, path } of schemasIn(root)) {
    if (!isObject(schema)) return `${path}: not an object`
    const unknown = Object.keys(schema).find((keyword) => !GOOGLE_KEYWORDS.has(keyword))
    if (unknown) return `${path}: Unknown name "${unknown}"`
    const { type, anyOf, properties = {}, required = [], enum: values, format, items } = schema
    if (anyOf !== undefined) {
      if (Object.keys(schema).length > 1) return `${path}: any_of must be the only field set`
      continue
    }
    if (typeof type !== 'string' || !TYPES.includes(type)) return `${path}: unknown type`
    if (type === 'array' && !isObject(items)) return `${path}.items: missing field`
    if (
      values !== undefined &&
      (type !== 'string' || (values as unknown[]).some((value) => typeof value !== 'string' || value === ''))
    )
      return `${path}.enum: only allowed for STRING type, and not empty`
    if (type === 'string' && format !== undefined && format !== 'date-time' && format !== 'enum')
      return `${path}: only 'enum' and 'date-time' are supported for STRING type`
    const names = Object.keys(properties as Json)
    const odd = names.find((name) => !/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name))
    if (odd !== undefined) return `${path}: invalid parameter name ${odd}`
    if ((required as string[]).some((name) => !names.includes(name)))
      return `${path}.required: property is not defined`
  }
  return null
}

const draft = new Ajv2020({ strict: false })

/** Returns the first fault that a provider, or a validator of draft 2020-12, finds in a schema as it is sent. */
export function schemaFault(schema: unknown): string | null {
  const sent = JSON.parse(JSON.stringify(schema))
  const fault = openAiFault(sent) ?? anthropicFault(sent) ?? googleFault(sent)
  return fault ?? (draft.validateSchema(sent) === true ? null : draft.errorsText())
}
