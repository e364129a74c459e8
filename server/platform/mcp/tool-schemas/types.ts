import { isExactNumber } from '#database/exact-json.ts'
import { isText, listOf, type Schema } from './schema.ts'

export type Type = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null'

/** Types as servers write them. Providers know only the names on the right. */
const TYPES = new Map<string, Type>([
  ...(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const).map(
    (type): [string, Type] => [type, type],
  ),
  ...(['str', 'text', 'date', 'datetime'] as const).map((type): [string, Type] => [type, 'string']),
  ...(['float', 'double', 'decimal'] as const).map((type): [string, Type] => [type, 'number']),
  ...(['int', 'int32', 'int64', 'long'] as const).map((type): [string, Type] => [type, 'integer']),
  ...(['dict', 'map', 'record'] as const).map((type): [string, Type] => [type, 'object']),
  ...(['list', 'tuple', 'set'] as const).map((type): [string, Type] => [type, 'array']),
  ['bool', 'boolean'],
  ['none', 'null'],
])

/** Keywords that apply to one type only. They tell the type of a schema without `type`. */
const TELLING: [Type, string[]][] = [
  ['object', ['properties', 'required', 'patternProperties', 'additionalProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]

/** Returns the types of a schema without references and combinators. Returns [] if any value is possible. */
export function typesOf(schema: Schema): Type[] {
  const named = [schema['type']]
    .flat()
    .map((type) => (isText(type) ? TYPES.get(type.toLowerCase()) : undefined))
  const given = new Set(named.filter((type) => type !== undefined))
  if (given.size > 0 && schema['nullable'] === true) given.add('null')
  if (given.has('number')) given.delete('integer')
  const values = valuesOf(schema)
  if (values !== undefined) {
    const ofValues = new Set(values.map(typeOfValue))
    if (ofValues.has('number')) ofValues.delete('integer')
    const both = [...given].filter(
      (type) => ofValues.has(type) || (type === 'number' && ofValues.has('integer')),
    )
    return both.length > 0 ? both : [...ofValues]
  }
  if (given.size > 0) return [...given]
  const told = TELLING.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))
  return told ? [told[0]] : []
}

/** Returns the only values that a schema allows, or undefined if it does not list them. */
export function valuesOf(schema: Schema): unknown[] | undefined {
  if (schema['const'] !== undefined) return [schema['const']]
  const values = listOf(schema['enum'])
  return values.length > 0 ? values : undefined
}

export function typeOfValue(value: unknown): Type {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isExactNumber(value)) return /[.e]/i.test(value.rawJSON) ? 'number' : 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'string' | 'boolean' | 'object'
}
