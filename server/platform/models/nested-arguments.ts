import { isExactNumber, parseExactJson } from '#database/exact-json.ts'
import { isRecord } from '../http/is-record.ts'

/** Maximum nesting depth at which arguments are searched for encoded ones. */
const NESTING_MAX = 8
const ENCODED = /^\s*[[{]/

/**
 * Returns the arguments of a tool with the lists and objects that the model wrote as JSON strings. A string is read only
 * where the tool's schema takes a list or an object but no string, and only if it is one of these.
 */
export function decodeNested(
  input: Record<string, unknown>,
  schema: Record<string, unknown>,
): Record<string, unknown> {
  return decoded(input, schema, 0) as Record<string, unknown>
}

function decoded(given: unknown, schema: unknown, nesting: number): unknown {
  if (!isRecord(schema) || nesting > NESTING_MAX) return given
  const value = typeof given === 'string' && ENCODED.test(given) ? valueIn(given, typesOf(schema)) : given
  if (Array.isArray(value)) return value.map((part) => decoded(part, schema['items'], nesting + 1))
  const { properties } = schema
  if (!isRecord(value) || isExactNumber(value) || !isRecord(properties)) return value
  const known = (name: string): unknown => (Object.hasOwn(properties, name) ? properties[name] : undefined)
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, decoded(part, known(name), nesting + 1)]),
  )
}

/** Returns the list or object in a string if the types allow it, or the string. */
function valueIn(text: string, types: unknown[]): unknown {
  if (types.includes('string') || !types.some((type) => type === 'array' || type === 'object')) return text
  try {
    const value = parseExactJson(text)
    return types.includes(Array.isArray(value) ? 'array' : 'object') ? value : text
  } catch {
    return text
  }
}

/** Returns the types that a schema names, also in alternatives. A schema that cannot be told allows strings. */
function typesOf({ type, anyOf, oneOf, $ref, enum: values }: Record<string, unknown>): unknown[] {
  const others = [anyOf, oneOf].flatMap((schemas) => (Array.isArray(schemas) ? schemas : []))
  if ($ref !== undefined || values !== undefined) return ['string']
  if (type !== undefined) return [type].flat()
  return others.flatMap((schema) => (isRecord(schema) ? (schema['type'] ?? 'string') : 'string'))
}
