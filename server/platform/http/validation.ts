import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { UUID } from '#database/new-id.ts'
import { type AppError, fail, quote } from '#errors'
import { LOWER_CASE, PATTERN_RULE } from './schemas.ts'

/** Validator of bodies, without coercion, defaults or removal of fields. */
const strict = new Ajv({ strict: false, useDefaults: false, removeAdditional: false, verbose: true })
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

/** Validator of queries. Query values are strings, so numbers and booleans are converted. */
const coercing = new Ajv({ strict: false, coerceTypes: true, verbose: true })
for (const ajv of [strict, coercing]) {
  addFormats.default(ajv, ['email', 'uri'])
  ajv.addFormat('uuid', UUID)
  ajv.addFormat('date-time', isTime)
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
  const validate: Validator = (value) => {
    compiled ??= (part === 'body' ? strict : coercing).compile(schema)
    const valid = compiled(value)
    validate.errors = compiled.errors ?? null
    return valid
  }
  return validate
}

/** Converts validation errors to one AppError with an actionable message. */
export function validationError(errors: readonly ErrorObject[], part: string): AppError {
  const issues = errors.map((error) => ({ path: pathOf(error), message: sentenceFor(error, part) }))
  const first = issues[0]
  const where = first?.path || (part === 'body' ? 'the body' : part)
  return fail('request.invalid', { reason: `${where} ${first?.message ?? 'is invalid'}.` }, { issues })
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
      return `must be ${aOrAn(String((error.params as { type: unknown }).type))}`
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
