import { AGENT_DEPLOY_ERRORS } from '#parts/agent-deploy/errors.ts'
import { AGENTS_ERRORS } from '#parts/agents/errors.ts'
import { ANTHROPIC_ERRORS } from '#parts/anthropic/errors.ts'
import { API_KEYS_ERRORS } from '#parts/api-keys/errors.ts'
import { AUTH_ERRORS } from '#parts/auth/errors.ts'
import { BILLING_ERRORS } from '#parts/billing/errors.ts'
import { CHAT_ERRORS } from '#parts/chat/errors.ts'
import { CONVERSATION_ERRORS } from '#parts/conversation/errors.ts'
import { DATA_RIGHTS_ERRORS } from '#parts/data-rights/errors.ts'
import { INSTRUCTIONS_ERRORS } from '#parts/instructions/errors.ts'
import { INVITATIONS_ERRORS } from '#parts/invitations/errors.ts'
import { KB_ERRORS } from '#parts/kb/errors.ts'
import { LLM_ERRORS } from '#parts/llm/errors.ts'
import { MCP_ERRORS } from '#parts/mcp/errors.ts'
import { MCP_PLAYGROUND_ERRORS } from '#parts/mcp-playground/errors.ts'
import { MCP_SERVER_ERRORS } from '#parts/mcp-server/errors.ts'
import { OPENAI_ERRORS } from '#parts/openai/errors.ts'
import { ORG_ERRORS } from '#parts/org/errors.ts'
import { ROLES_ERRORS } from '#parts/roles/errors.ts'
import { TOOLS_ERRORS } from '#parts/tools/errors.ts'
import { USERS_ERRORS } from '#parts/users/errors.ts'
import { WEBHOOKS_ERRORS } from '#parts/webhooks/errors.ts'
import { ACCESS_ERRORS } from '#platform/access/errors.ts'
import { BUCKET_ERRORS } from '#platform/bucket/errors.ts'
import { CRAWLER_ERRORS } from '#platform/crawler/errors.ts'
import { DOCUMENTS_ERRORS } from '#platform/documents/errors.ts'
import { EVENTS_ERRORS } from '#platform/events/errors.ts'
import { HTTP_ERRORS } from '#platform/http/errors.ts'
import { IDEMPOTENCY_ERRORS } from '#platform/idempotency/errors.ts'
import { LEDGER_ERRORS } from '#platform/ledger/errors.ts'
import { LIMITS_ERRORS } from '#platform/limits/errors.ts'
import { MAIL_ERRORS } from '#platform/mail/errors.ts'
import { MCP_PROTOCOL_ERRORS } from '#platform/mcp/errors.ts'
import { MODELS_ERRORS } from '#platform/models/errors.ts'
import { NET_ERRORS } from '#platform/net/errors.ts'
import { REDIS_ERRORS } from '#platform/redis/errors.ts'
import { SANDBOX_ERRORS } from '#platform/sandbox/errors.ts'
import { STORAGE_ERRORS } from '#platform/storage/errors.ts'
import { TELEMETRY_ERRORS } from '#platform/telemetry/errors.ts'
import { THREADS_ERRORS } from '#platform/threads/errors.ts'
import type { Definition, Lookup, Placeholder } from './define.ts'
import { escapeInvisible } from './escape-invisible.ts'

/**
 * All errors that a client can see, composed from the errors.ts files of the parts and platform folders. No other code
 * defines a status or a message. Callers and tests recognize an error by its code, because its message may change.
 */
const CATALOGUE = {
  ...TELEMETRY_ERRORS,
  ...THREADS_ERRORS,
  ...REDIS_ERRORS,
  ...MODELS_ERRORS,
  ...BUCKET_ERRORS,
  ...CRAWLER_ERRORS,
  ...DOCUMENTS_ERRORS,
  ...SANDBOX_ERRORS,
  ...NET_ERRORS,
  ...ACCESS_ERRORS,
  ...EVENTS_ERRORS,
  ...HTTP_ERRORS,
  ...IDEMPOTENCY_ERRORS,
  ...LEDGER_ERRORS,
  ...LIMITS_ERRORS,
  ...MAIL_ERRORS,
  ...MCP_PROTOCOL_ERRORS,
  ...STORAGE_ERRORS,
  ...AGENT_DEPLOY_ERRORS,
  ...AGENTS_ERRORS,
  ...ANTHROPIC_ERRORS,
  ...API_KEYS_ERRORS,
  ...AUTH_ERRORS,
  ...BILLING_ERRORS,
  ...CHAT_ERRORS,
  ...CONVERSATION_ERRORS,
  ...DATA_RIGHTS_ERRORS,
  ...INSTRUCTIONS_ERRORS,
  ...INVITATIONS_ERRORS,
  ...KB_ERRORS,
  ...LLM_ERRORS,
  ...MCP_ERRORS,
  ...MCP_PLAYGROUND_ERRORS,
  ...MCP_SERVER_ERRORS,
  ...OPENAI_ERRORS,
  ...ORG_ERRORS,
  ...ROLES_ERRORS,
  ...TOOLS_ERRORS,
  ...USERS_ERRORS,
  ...WEBHOOKS_ERRORS,
} as const

type Catalogue = typeof CATALOGUE

/** The code of an error that is sent as a response. */
export type ErrorCode = {
  [C in keyof Catalogue]: Catalogue[C] extends Definition ? C : never
}[keyof Catalogue]

/** Any code of the catalogue, including codes of messages that occur only in stored records or within other errors. */
export type SentenceCode = keyof Catalogue

type TemplateOf<C extends SentenceCode> = Catalogue[C] extends Definition
  ? Catalogue[C][1]
  : Extract<Catalogue[C], string>

type PlaceholderOf<C extends SentenceCode> = C extends SentenceCode ? Placeholder<TemplateOf<C>> : never

/** The code of an error that says that a record was not found. */
export type LookupErrorCode = {
  [C in ErrorCode]: Catalogue[C] extends readonly [number, string, Lookup] ? C : never
}[ErrorCode]

/** The code of an error that has no values. */
export type PlainErrorCode = Exclude<
  { [C in ErrorCode]: [PlaceholderOf<C>] extends [never] ? C : never }[ErrorCode],
  LookupErrorCode
>

/** Exactly one value for each placeholder of the message, or the value that was looked up. */
type Values<C extends SentenceCode> = C extends LookupErrorCode
  ? { readonly value: string; readonly field?: string }
  : Readonly<Record<PlaceholderOf<C>, string | number>>

/** The arguments of `fail` and `sentence` after the code. Values are required if the error has any. */
type Arguments<C extends SentenceCode, More extends unknown[] = []> = [
  PlaceholderOf<C> | Extract<C, LookupErrorCode>,
] extends [never]
  ? [values?: Record<string, never>, ...more: More]
  : [values: Values<C>, ...more: More]

/** The value of a look-up by a secret, such as a token, which errors do not repeat. */
export const SECRET_VALUE = '(not shown)'

export type ErrorValues = Readonly<Record<string, string | number>>

/** An expected error. The client receives its message; its cause is only logged. */
export class AppError extends Error implements Reason {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  /** Seconds that the client should wait before a retry. Sent as the Retry-After header. */
  readonly retryAfter: number | undefined
  /** The invalid fields of the request, for validation errors. */
  readonly issues: readonly { path: string; message: string }[] | undefined
  /** The placeholders' values as shown in the message. Undefined if the message has no placeholders. */
  readonly values: ErrorValues | undefined
  /** Fields of the response body in addition to `detail`, such as a challenge that the client must answer. */
  readonly more: Readonly<Record<string, unknown>> | undefined
  readonly #given: ErrorValues
  readonly #extra: FailExtra

  constructor(code: ErrorCode, values: ErrorValues, extra: FailExtra) {
    const { 1: template, 2: kind }: Definition = CATALOGUE[code]
    const given = typeof kind === 'object' ? { ...kind, ...values } : values
    const shown = shownValues(template, given, typeof kind === 'object' ? LOOKED_UP : [])
    super(fill(template, shown), { cause: extra.cause })
    this.#given = given
    this.#extra = extra
    this.code = code
    this.status = CATALOGUE[code][0]
    this.retryAfter = extra.retryAfter
    this.issues = extra.issues?.map(({ path, message }) => ({
      path: quote(path),
      message: escapeInvisible(cut(message, COMPOSED_MAX), LINES),
    }))
    if (Object.keys(shown).length > 0) this.values = shown
    this.more = extra.more
  }

  /** The complete value for which no record was found. Undefined for other errors. */
  get lookedUp(): string | undefined {
    const { 2: kind }: Definition = CATALOGUE[this.code]
    return typeof kind === 'object' ? String(this.#given['value']) : undefined
  }

  /** Returns this error with another field as the source of the value that was looked up. */
  in(field: string): AppError {
    return new AppError(this.code, { ...this.#given, field }, this.#extra)
  }
}

const LOOKED_UP = ['field', 'value']

interface FailExtra {
  cause?: unknown
  retryAfter?: number
  issues?: readonly { path: string; message: string }[]
  more?: Record<string, unknown>
}

/**
 * Creates an expected error, to be thrown: `throw fail('role.too_high', { level })`. No other code creates expected
 * errors.
 *
 * @param values the placeholders' values; omitted or `{}` if the message has no placeholders
 */
export const fail = <C extends ErrorCode>(
  code: C,
  ...[values, extra]: Arguments<C, [extra?: FailExtra]>
): AppError => new AppError(code, values ?? {}, extra ?? {})

export const statusOf = (code: ErrorCode): number => CATALOGUE[code][0]

/** Returns the message with its placeholders unfilled, for the documentation. */
export const templateOf = (code: SentenceCode): string => {
  const definition: Definition | string = CATALOGUE[code]
  return typeof definition === 'string' ? definition : definition[1]
}

/** Why something failed: a message, and the code and the values from which clients translate it. */
export interface Reason {
  readonly message: string
  readonly code: SentenceCode
  /** The placeholders' values as shown in the message. Undefined if the message has no placeholders. */
  readonly values: ErrorValues | undefined
}

/**
 * Returns the reason for a failure that isn't sent as a response, such as that of a stored record.
 *
 * @param values the placeholders' values; omitted if the message has no placeholders
 */
export function reasonFor<C extends SentenceCode>(code: C, ...[values]: Arguments<C>): Reason {
  const template = templateOf(code)
  const shown = shownValues(template, values ?? {})
  return {
    code,
    message: fill(template, shown),
    values: Object.keys(shown).length > 0 ? shown : undefined,
  }
}

/** A reason as shown to clients. Records that are older than codes have only a message. */
export type ShownReason = Pick<Reason, 'message'> & {
  readonly code?: string
  readonly values?: ErrorValues | undefined
}

/** Returns a reason as the data of a stream's last event, which has only the message. */
export const errorFields = ({ message }: ShownReason) => ({ error: message })

/** Returns a reason as the data of the named event `failure`, from which clients translate the message. */
export const failureFields = ({ code, values }: ShownReason) => ({ code, values })

/** Returns the message of `reasonFor` alone, to store it, or to use it as the reason in another error. */
export const sentence = <C extends SentenceCode>(code: C, ...values: Arguments<C>): string =>
  reasonFor(code, ...values).message

/** Maximum number of characters that a message quotes from a client's input. */
const QUOTED_MAX = 100
/**
 * Maximum number of characters of a value composed by the server. The longest values are stack traces of tools' code.
 */
const COMPOSED_MAX = 5_000
const COMPOSED = new Set([
  'reason',
  'members',
  'users',
  'deployments',
  'organizations',
  'tools',
  'ids',
  'details',
  'redirect_uri',
])

/** Shortens a client's input that becomes part of a composed value. Other values need no call: `fail` shortens them. */
export const quote = (text: string): string => escapeInvisible(cut(text, QUOTED_MAX))

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text

/** Stack traces and quoted output have lines and indentation. */
const LINES = '\n\r\t'
const PLACEHOLDER = /\{(\w+)\}/g

/** Returns the values of a message's placeholders and of `more`, shortened and without invisible characters. */
function shownValues(
  template: string,
  values: ErrorValues,
  more: readonly string[] = [],
): Record<string, string | number> {
  const shown: Record<string, string | number> = {}
  for (const name of [...[...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name), ...more]) {
    const value = values[name]
    if (typeof value === 'number') shown[name] = value
    else if (value !== undefined)
      shown[name] = COMPOSED.has(name) ? escapeInvisible(cut(value, COMPOSED_MAX), LINES) : quote(value)
  }
  return shown
}

const fill = (template: string, shown: ErrorValues): string =>
  template.replace(PLACEHOLDER, (whole, name: string) => String(shown[name] ?? whole))

/** The error code of the `/v1` envelope for each status. */
const CODE_OF_STATUS = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'quota_exceeded',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_error',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const
type EnvelopeCode = (typeof CODE_OF_STATUS)[keyof typeof CODE_OF_STATUS] | 'insufficient_credits'

export const ENVELOPE_CODES: readonly EnvelopeCode[] = [
  ...Object.values(CODE_OF_STATUS),
  'insufficient_credits',
]

/** Returns the HTTP status of an error under /v1. */
export function envelopedStatusOf(code: ErrorCode): number {
  const { 0: status, 2: kind }: Definition = CATALOGUE[code]
  return kind === 'validation' ? 422 : status
}

/** Returns the envelope code of an error under /v1. Statuses that CODE_OF_STATUS omits use the code of 400 or 500. */
export function envelopeCodeOf(code: ErrorCode): EnvelopeCode {
  if (code === 'billing.insufficient_credits') return 'insufficient_credits'
  const status = envelopedStatusOf(code)
  const words: Record<number, EnvelopeCode> = CODE_OF_STATUS
  return words[status] ?? (status < 500 ? 'invalid_request' : 'internal_error')
}
