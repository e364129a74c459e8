import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { UUID } from '#database/new-id.ts'
import { type AppError, fail, quote } from '#errors'
import { brokenRules } from './broken-rules.ts'
import { hasOneScript, isPlainName } from './plain-name.ts'
import { LOWER_CASE, ONE_SCRIPT, PATTERN_RULE, PLAIN_NAME } from './schemas.ts'
import { VISIBLE, VISIBLE_CHARACTER } from './visible-text.ts'

/** Compiles the patterns of schemas. */
const regExp = (pattern: string, flags: string): RegExp =>
  pattern === VISIBLE_CHARACTER ? VISIBLE : new RegExp(pattern, flags)
regExp.code = 'regExp'

/** Validators of bodies, without coercion, defaults or removal of fields, and of queries. */
const OPTIONS = {
  strict: false,
  useDefaults: false,
  removeAdditional: false,
  verbose: true,
  code: { regExp },
} as const
const ajvOf = (options: { coerceTypes?: boolean }) => ({
  first: new Ajv({ ...OPTIONS, ...options }),
  all: new Ajv({ ...OPTIONS, ...options, allErrors: true }),
})
const strict = ajvOf({})
/** Query values are strings, so numbers and booleans are converted. */
const coercing = ajvOf({ coerceTypes: true })
/**
 * Maximum size of a value of which all broken rules are listed, in characters of JSON. For a larger value, checking
 * continues at most to the first broken rule.
 */
const LISTED_CHARACTERS_MAX = 64 * 1024
/** Maximum broken rules in an error. */
const RULES_MAX = 20

/** Converts ids to the database's spelling, because many places compare ids as strings (schemas.ts, Uuid). */
function toLowerCase(_: unknown, value: string, __?: unknown, context?: DataValidationCxt): boolean {
  if (context) context.parentData[context.parentDataProperty] = value.toLowerCase()
  return true
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

/**
 * Returns whether this is an RFC 3339 time that both JavaScript and PostgreSQL support: four-digit years and no leap
 * seconds.
 */
function isTime(text: string): boolean {
  const [, year, month, day] = (TIME.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const utcYear = new Date(text).getUTCFullYear()
  return utcYear >= 1000 && utcYear <= 9999 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

for (const ajv of [strict.first, strict.all, coercing.first, coercing.all]) {
  addFormats.default(ajv, ['email', 'uri'])
  ajv.addFormat('uuid', UUID)
  ajv.addFormat('date-time', isTime)
  ajv.addKeyword({
    keyword: PLAIN_NAME,
    type: 'string',
    validate: (_: unknown, name: string) => isPlainName(name),
    error: { message: 'must not contain characters that are invisible or change the direction of text' },
  })
  ajv.addKeyword({
    keyword: ONE_SCRIPT,
    type: 'string',
    validate: (_: unknown, name: string) => hasOneScript(name),
    error: { message: 'must not mix Latin with Cyrillic or Greek letters in one word' },
  })
  ajv.addKeyword({
    keyword: LOWER_CASE,
    type: 'string',
    modifying: true,
    errors: false,
    validate: toLowerCase,
  })
}

export type Validator = ((value: unknown) => boolean) & Pick<ValidateFunction, 'errors'>

/**
 * Returns Fastify's validator for a schema. Only query values are coerced. The schema is compiled on first use,
 * because compiling all schemas would take half of the startup time.
 */
export function compileValidator(schema: TSchema, part: 'body' | 'querystring'): Validator {
  let compiled: ValidateFunction | undefined
  let listing: ValidateFunction | undefined
  const { first, all } = part === 'body' ? strict : coercing
  const validate: Validator = (value) => {
    compiled ??= first.compile(schema)
    if (part === 'querystring') markUnreadable(schema, value)
    const valid = compiled(value)
    validate.errors = compiled.errors ?? null
    if (valid || JSON.stringify(value).length > LISTED_CHARACTERS_MAX) return valid
    listing ??= all.compile(schema)
    if (!listing(value)) validate.errors = listing.errors ?? null
    return false
  }
  return validate
}

/** Spellings of numbers in queries. JavaScript would also read `0x10`, `+5`, ` 5` and an empty text as numbers. */
const SPELLINGS: Record<string, RegExp> = {
  integer: /^-?\d+$/,
  number: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i,
}

/** Replaces values of other spellings by a value of the wrong type, so that the validator refuses them. */
function markUnreadable(schema: TSchema, value: unknown): void {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const values = value as Record<string, unknown>
  for (const [name, { type = '' }] of Object.entries(properties)) {
    const text = values[name]
    if (typeof text === 'string' && SPELLINGS[type]?.test(text) === false) values[name] = {}
  }
}

/** Converts validation errors to one AppError with an actionable message that lists the broken rules. */
export function validationError(errors: readonly ErrorObject[], part: string): AppError {
  const whole = part === 'body' ? 'the body' : part
  const rules = new Map<string, { path: string; message: string }>()
  for (const error of brokenRules(errors)) {
    const rule = { path: pathOf(error), message: sentenceFor(error, part) }
    rules.set(`${rule.path || whole} ${rule.message}`, rule)
    if (rules.size === RULES_MAX) break
  }
  const reason = rules.size === 0 ? `${whole} is invalid` : [...rules.keys()].join('; ')
  return fail('request.invalid', { reason: `${reason}.` }, { issues: [...rules.values()] })
}

function pathOf(error: ErrorObject): string {
  const path = error.instancePath.split('/').slice(1)
  const { missingProperty, additionalProperty } = error.params as Record<string, string | undefined>
  const last = missingProperty ?? additionalProperty
  return quote((last === undefined ? path : [...path, last]).join('.'))
}

function sentenceFor(error: ErrorObject, part: string): string {
  const limit = (error.params as { limit?: number }).limit
  const count = (unit: string): string => `${limit} ${unit}${limit === 1 ? '' : 's'}`
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return `is not a ${part === 'querystring' ? 'query parameter' : 'field'} of this request`
    case 'type':
      return `must be ${[(error.params as { type: string | string[] }).type].flat().map(aOrAn).join(' or ')}`
    case 'enum':
      return `must be one of: ${(error.params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
    case 'format':
      return FORMAT_SENTENCES[(error.params as { format: string }).format] ?? (error.message as string)
    case 'pattern':
      return String(error.parentSchema?.[PATTERN_RULE] ?? 'has an invalid format')
    case 'uniqueItems':
      return 'must not contain duplicates'
    case 'minimum':
      return `must be at least ${limit}`
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${count('character')}`
    case 'maxLength':
      return `must have at most ${count('character')}`
    case 'minItems':
      return `must have at least ${count('item')}`
    case 'maxItems':
      return `must have at most ${count('item')}`
    case 'minProperties':
      return `must have at least ${count('field')}`
    case 'maxProperties':
      return `must have at most ${count('field')}`
    case 'const':
      return `must be ${JSON.stringify((error.params as { allowedValue: unknown }).allowedValue)}`
    case 'anyOf':
      return 'has a value of the wrong type'
    default:
      return error.message ?? 'is invalid'
  }
}

const FORMAT_SENTENCES: Record<string, string> = {
  uuid: 'must be a UUID',
  email: 'must be an email address',
  uri: 'must be an absolute URL',
  'date-time': 'must be a time such as 2026-01-31T12:00:00Z',
}

const aOrAn = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
