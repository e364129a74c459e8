import { isExactNumber } from '#database/exact-json.ts'
import { isText, type Schema } from './schema.ts'
import { type Type, typeOfValue, valuesOf } from './types.ts'

/** Maximum values of an `enum`, and maximum characters of a keyword that becomes a remark. More are left out. */
const ENUM_MAX = 500
const REMARK_CHARACTERS_MAX = 500

const COUNTS: Partial<Record<Type, string[]>> = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
}
const BOUNDS = ['minimum', 'maximum']

const NUMBER_REMARKS = ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
/** Keywords that not all providers accept. The description names them. */
const REMARKS: Partial<Record<Type, string[]>> = {
  string: ['contentEncoding', 'contentMediaType'],
  number: NUMBER_REMARKS,
  integer: NUMBER_REMARKS,
  array: ['prefixItems', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  object: [
    ...['additionalProperties', 'patternProperties', 'propertyNames', 'minProperties', 'maxProperties'],
    ...['dependentRequired', 'dependentSchemas', 'dependencies', 'if', 'then', 'else'],
  ],
}

/** Returns the keywords of this type that all providers accept. */
export function keywordsOf(type: Type, schema: Schema): Schema {
  const { format, pattern, default: preset } = schema
  const texts = type === 'string' ? listedTexts(schema) : []
  const counts = (COUNTS[type] ?? []).filter((keyword) => isCount(schema[keyword]))
  const bounds = isNumeric(type) ? BOUNDS.filter((keyword) => isNumber(schema[keyword])) : []
  return {
    ...(texts.length > 0 && { enum: texts }),
    ...(type === 'string' && format === 'date-time' && { format }),
    ...(type === 'string' && isPortable(pattern) && { pattern }),
    ...Object.fromEntries([...counts, ...bounds].map((keyword) => [keyword, schema[keyword]])),
    ...(preset !== undefined && type !== 'null' && isOfType(preset, type) && { default: preset }),
  }
}

/** Describes the keywords of this type that not all providers accept. */
export function remarksOf(type: Type, schema: Schema): string[] {
  const { format, pattern, items, properties } = schema
  const all = type === 'null' ? [] : (valuesOf(schema) ?? [])
  const values = all.filter((value) => isOfType(value, type))
  const isListed = type === 'string' && values.length === listedTexts(schema).length
  return written({
    enum: values.length > 0 && !isListed ? (values.length === all.length ? all : values) : undefined,
    ...(type === 'string' && isText(format) && format !== 'date-time' && { format }),
    ...(type === 'string' && isText(pattern) && !isPortable(pattern) && { pattern }),
    ...(type === 'array' && Array.isArray(items) && { items }),
    ...(type === 'object' && properties === undefined && { additionalProperties: true }),
    ...picked(schema, REMARKS[type] ?? []),
  })
}

/** Describes the keywords that not all providers accept, and that apply to values of any type. */
export const remarksOnAny = (schema: Schema): string[] =>
  written(picked(schema, ['not', 'examples', 'example', '$ref']))

const picked = (schema: Schema, keywords: readonly string[]): Schema =>
  Object.fromEntries(
    keywords.filter((keyword) => schema[keyword] !== undefined).map((keyword) => [keyword, schema[keyword]]),
  )

function written(keywords: Schema): string[] {
  const texts = Object.entries(keywords)
    .filter(([, value]) => value !== undefined && value !== null && value !== false)
    .map(([keyword, value]) => `${keyword}: ${jsonOf(value)}`)
    .filter((text) => text.length <= REMARK_CHARACTERS_MAX)
  return texts.length > 0 ? [`(${texts.join('; ')})`] : []
}

/** JSON of the values in remarks. References write the same value many times. */
const WRITTEN = new WeakMap<object, string>()

function jsonOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const text = WRITTEN.get(value) ?? JSON.stringify(value)
  WRITTEN.set(value, text)
  return text
}

/** Returns the texts that `enum` may list: Google refuses other values, and blank ones. */
function listedTexts(schema: Schema): string[] {
  const texts = new Set((valuesOf(schema) ?? []).filter((value) => isText(value) && value !== ''))
  return texts.size <= ENUM_MAX ? ([...texts] as string[]) : []
}

const isNumeric = (type: Type): boolean => type === 'number' || type === 'integer'

const isNumber = (value: unknown): boolean => typeof value === 'number' || isExactNumber(value)

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

function isOfType(value: unknown, type: Type): boolean {
  const own = typeOfValue(value)
  return own === type || (own === 'integer' && type === 'number')
}

/**
 * Matches patterns of plain characters, classes, groups and counts below 1,000. Other syntax is not understood by all
 * engines: lookaround, inline flags, backreferences, classes of Unicode.
 */
const PORTABLE =
  /^(?:[^\\([{]|\\[dDwWsSbnrtfv.*+?^$(){}|[\]\\/-]|\[(?:[^\\[\]]|\\[dDwWsSnrtfv.*+?^$(){}|[\]\\/-])+\]|\((?!\?)|\(\?:|\{\d{1,3}(?:,(?:\d{1,3})?)?\})*$/

function isPortable(pattern: unknown): pattern is string {
  if (!isText(pattern) || !PORTABLE.test(pattern)) return false
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}
