import type { Refusal } from './failures.ts'
import type { ModelRequest } from './types.ts'

/** Fields without which the reply is the same. */
const OPTIONAL = [
  'stream_options',
  'parallel_tool_calls',
  'prompt_cache_key',
  'safety_identifier',
  'service_tier',
  'user',
] as const
/** The field that a dialect adds although the caller sets no effort. */
const EFFORT = 'reasoning_effort'
/** Servers of reasoning models refuse the older name of the limit of a reply, and name the newer one. */
const LIMIT = 'max_tokens'
const NEWER_LIMIT = 'max_completion_tokens'
/** Statuses that concern the key, the credit or the rate instead of the request. */
const OTHER_STATUSES = [401, 402, 403, 429]
/** Gateways pass refusals on under statuses up to 501. */
const REFUSED_STATUS_MAX = 501
/** A mention of `user` as a field, in contrast to the role of a message. */
const USER_FIELD =
  /(?:param(?:eter)?|argument|field|input)s?["']?\W{1,4}user(?:["'\s.,)]|$)|["']loc["']:\s*\["body",\s*"user"/i

/**
 * Returns the body without the optional fields that a refusal names, and with the name of the limit that it asks for, or
 * undefined if it names none. The fields of one model say nothing about another one, so callers keep nothing of the refusal.
 */
export function withoutRefused(
  body: Record<string, unknown>,
  { status, words }: Refusal,
  { effort }: ModelRequest,
): Record<string, unknown> | undefined {
  if (status > REFUSED_STATUS_MAX || OTHER_STATUSES.includes(status)) return undefined
  const fields = effort === undefined ? [...OPTIONAL, EFFORT] : OPTIONAL
  const named = fields.filter((field) => body[field] !== undefined && isNamed(field, words))
  const renames = body[LIMIT] !== undefined && words.includes(NEWER_LIMIT)
  if (named.length === 0 && !renames) return undefined
  return Object.fromEntries(
    Object.entries(body)
      .filter(([field]) => !named.includes(field))
      .map(([field, value]) => [renames && field === LIMIT ? NEWER_LIMIT : field, value]),
  )
}

const isNamed = (field: string, words: string): boolean =>
  field === 'user' ? USER_FIELD.test(words) : NAMES[field]?.test(words) === true

/** Servers of other languages write `streamOptions`, and some name only the key within the field. */
const NAMES = Object.fromEntries(
  [...OPTIONAL, EFFORT].map((field) => {
    const spelled = field.replaceAll('_', '[_ -]?')
    return [field, new RegExp(field === 'stream_options' ? `${spelled}|include[_ -]?usage` : spelled, 'i')]
  }),
)
