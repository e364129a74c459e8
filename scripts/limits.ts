import { globSync, readFileSync } from 'node:fs'

/*
 * Limits on what clients, websites, documents and other servers send. Those of request fields are in openapi.json. Others
 * are constants with the tag `@limit`, whose words name what is limited:
 *
 *   /** Maximum number of endpoints. @limit webhooks of an organization *\/
 *   const WEBHOOKS_MAX = 20
 */

/** A JSON Schema, with the keywords that matter here. */
interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  contentMediaType?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  exclusiveMaximum?: number
  maxLength?: number
  maxItems?: number
  maxProperties?: number
}

interface Parameter {
  name: string
  in: string
  schema: Schema
}

interface Operation {
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export interface Document {
  tags: { name: string; 'x-displayName': string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A bound of a request field. */
export interface Bound {
  tag: string
  operation: string
  /** `body`, `form`, or the place of a parameter. */
  place: string
  /** Path of the field in the body, such as `tools[].name`, or the name of the parameter. */
  path: string
  /** The schema that has the bound. */
  schema: Schema
  kind: 'string' | 'array' | 'object' | 'number' | 'any'
  /** Null if the field has no bound. A number has a bound on both sides. */
  bound: string | null
}

/** Formats whose length is fixed. */
const FIXED_FORMATS = new Set(['uuid', 'date-time'])
/** A pattern that states the number of characters, such as `^[a-z]{1,64}$`. */
const COUNTED_PATTERN = /^\^\[(?:\\.|[^\]\\])+\]\{(?:\d+,)?(\d+)\}\$$/

/** Returns the bounds of all request fields. A field has one for each type of its value. */
export const boundsOf = (document: Document): Bound[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { tags, parameters = [], requestBody }]) => {
      const of = (place: string, schema: Schema, name = '') =>
        [...boundsIn(document, schema, name)].map((found) => ({
          tag: tags[0] ?? '',
          operation: `${method.toUpperCase()} ${path}`,
          place,
          ...found,
        }))
      return [
        ...parameters.flatMap((parameter) => of(parameter.in, parameter.schema, parameter.name)),
        ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
          of(type === 'application/json' ? 'body' : 'form', schema),
        ),
      ]
    }),
  )

type Found = Omit<Bound, 'tag' | 'operation' | 'place'>

function* boundsIn(document: Document, given: Schema, path: string): Generator<Found> {
  const schema = given.$ref
    ? (document.components.schemas[given.$ref.split('/').at(-1) ?? ''] as Schema)
    : given
  for (const one of schema.anyOf ?? []) yield* boundsIn(document, one, path)
  if (schema.enum || schema.const !== undefined || schema.anyOf) return
  const { type, items, properties = {}, additionalProperties } = schema
  const of = (kind: Bound['kind'], bound: string | null): Found => ({ path, schema, kind, bound })
  const types = [type ?? []].flat()
  if (types.length === 0) yield of('any', null)
  if (types.includes('string') && !FIXED_FORMATS.has(schema.format ?? '') && !schema.contentMediaType)
    yield of('string', counted(lengthOf(schema), 'character'))
  if (types.includes('number') || types.includes('integer')) yield of('number', rangeOf(schema))
  if (types.includes('array')) yield of('array', counted(schema.maxItems, 'item'))
  if (types.includes('object') && additionalProperties !== false && path !== '')
    yield of('object', counted(schema.maxProperties, 'field'))
  if (items) yield* boundsIn(document, items, `${path}[]`)
  for (const [name, property] of Object.entries(properties))
    yield* boundsIn(document, property, path === '' ? name : `${path}.${name}`)
  if (typeof additionalProperties === 'object') yield* boundsIn(document, additionalProperties, `${path}.*`)
}

/** Returns the maximum length of a string. */
export const lengthOf = ({ maxLength, pattern = '' }: Schema): number | undefined => {
  const [, characters] = COUNTED_PATTERN.exec(pattern) ?? []
  return maxLength ?? (characters === undefined ? undefined : Number(characters))
}

const counted = (count: number | undefined, unit: string): string | null =>
  count === undefined ? null : `${number(count)} ${unit}${count === 1 ? '' : 's'}`

function rangeOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): string | null {
  const from = minimum ?? exclusiveMinimum
  const to = maximum ?? exclusiveMaximum
  return from === undefined || to === undefined ? null : `${number(from)} to ${number(to)}`
}

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 6 })

/** A constant that bounds something. */
export interface Limit {
  file: string
  name: string
  value: string
  /** The words of the tag `@limit`; undefined if it has none. */
  words: string | undefined
}

const CONSTANT =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^(?:export )?const ([A-Z][A-Z0-9_]*) = ([\d_ ().*+/e]+|[A-Z][A-Z0-9_]* \* [\d_]+|\d+ \* [A-Z][A-Z0-9_]*)$/gm

/** Returns the numeric constants of the server. */
export const limitsOf = (files = serverFiles()): Limit[] =>
  files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const values = new Map<string, number>()
    return [...text.matchAll(CONSTANT)].map(([, comment = '', name = '', expression = '']): Limit => {
      const factors = expression
        .split('*')
        .map((factor) => values.get(factor.trim()) ?? Number(factor.replaceAll('_', '')))
      const value = expression.includes('**') ? powerOf(expression) : factors.reduce((a, b) => a * b, 1)
      values.set(name, value)
      const [, words] = /@limit ([^@]*?)\s*$/.exec(comment.replace(/\s*\n \*\s*/g, ' ')) ?? []
      return { file, name, value: withUnit(name, value), words }
    })
  })

export const serverFiles = (): string[] =>
  globSync('server/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()

/** Returns the value of an expression such as `2 * 1024 ** 3`. */
function powerOf(expression: string): number {
  const [, factor = '1', base = '', power = ''] =
    /^(?:([\d_]+) \* )?([\d_]+) \*\* (\d+)$/.exec(expression) ?? []
  return Number(factor.replaceAll('_', '')) * Number(base) ** Number(power)
}

const KIB = 1024
const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB']
const UNITS: Record<string, [divisor: number, unit: string]> = {
  MS: [1_000, 'second'],
  SECONDS: [1, 'second'],
  MINUTES: [1, 'minute'],
  HOURS: [1, 'hour'],
  DAYS: [1, 'day'],
  CHARACTERS: [1, 'character'],
}

/** Returns a value with the unit that is in the name of its constant. */
function withUnit(name: string, value: number): string {
  const words = name.split('_')
  if (words.includes('BYTES')) {
    let size = value
    let unit = 0
    while (size >= KIB && size % KIB === 0 && unit < BYTE_UNITS.length - 1) {
      size /= KIB
      unit += 1
    }
    return `${number(size)} ${BYTE_UNITS[unit]}`
  }
  const [divisor, unit] = words.map((word) => UNITS[word]).find(Boolean) ?? []
  if (divisor === undefined || unit === undefined) return number(value)
  const amount = value / divisor
  const isHours = unit === 'second' && amount % 3_600 === 0
  return counted(isHours ? amount / 3_600 : amount, isHours ? 'hour' : unit) as string
}
