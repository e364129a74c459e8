import { ACCOUNTS_ERRORS } from './accounts.ts'
import { CHATS_ERRORS } from './chats.ts'
import { IDENTITY_ERRORS } from './identity.ts'
import { KNOWLEDGE_ERRORS } from './knowledge.ts'
import { MCP_ERRORS } from './mcp.ts'
import { MODELS_ERRORS } from './models.ts'
import { REQUESTS_ERRORS } from './requests.ts'

/**
 * Every error that a client can see: its code, HTTP status and sentence, in one file per area of the product.
 * Sentences from the specification stand there word for word. No other code writes a status or a sentence, so callers
 * and tests recognize errors by code, never by text.
 */
const CATALOGUE = {
  ...REQUESTS_ERRORS,
  ...IDENTITY_ERRORS,
  ...MODELS_ERRORS,
  ...MCP_ERRORS,
  ...KNOWLEDGE_ERRORS,
  ...CHATS_ERRORS,
  ...ACCOUNTS_ERRORS,
} as const

export type ErrorCode = keyof typeof CATALOGUE

/** An expected failure. Its message is the sentence for the client; its cause is for the log only. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retryAfter: number | undefined
  /** Where in the request the fault lies, for errors of validation. */
  readonly issues: readonly { path: string; message: string }[] | undefined
  /** Keys of the body beside `detail`: what the client needs to go on. */
  readonly more: Readonly<Record<string, unknown>> | undefined

  constructor(code: ErrorCode, values: Record<string, string | number> = {}, extra: FailExtra = {}) {
    super(fill(CATALOGUE[code][1], values), { cause: extra.cause })
    this.code = code
    this.status = CATALOGUE[code][0]
    this.retryAfter = extra.retryAfter
    this.issues = extra.issues?.map(({ path, message }) => ({
      path: quote(path),
      message: cut(message, COMPOSED_MAX),
    }))
    this.more = extra.more
  }
}

interface FailExtra {
  cause?: unknown
  retryAfter?: number
  issues?: readonly { path: string; message: string }[]
  more?: Record<string, unknown>
}

/** `throw fail('chat.not_found')`: the one way to end a request with an expected error. */
export const fail = (
  code: ErrorCode,
  values?: Record<string, string | number>,
  extra?: FailExtra,
): AppError => new AppError(code, values, extra)

export const statusOf = (code: ErrorCode): number => CATALOGUE[code][0]
export const sentenceOf = (code: ErrorCode): string => CATALOGUE[code][1]

/** Errors repeat at most this many characters of a text that a client sent. */
const QUOTED_MAX = 100
/** A value that this code composes has at most this many characters. The longest say how code of a tenant failed. */
const COMPOSED_MAX = 5_000
const COMPOSED = new Set(['reason', 'members', 'users', 'deployments', 'organizations', 'tools', 'ids'])

/** A client's text as an error repeats it. For composed values only: `fail` quotes all others itself. */
export const quote = (text: string): string => cut(text, QUOTED_MAX)

const cut = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text

function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) =>
    cut(String(values[name] ?? whole), COMPOSED.has(name) ? COMPOSED_MAX : QUOTED_MAX),
  )
}

/** What a request says is wrong in itself, whoever sends it and when: 400 under /api, 422 under /v1 (contract, 1). */
const VALIDATION: ReadonlySet<ErrorCode> = new Set([
  'request.invalid',
  'request.invalid_cursor',
  'agent.tools_too_large',
  'api_key.expiry_past',
  'auth.email_reserved',
  'chat.no_target',
  'chat.search_empty',
  'deployment.config_invalid',
  'kb.chunking_invalid',
  'kb.filter_invalid',
  'kb.query_empty',
  'kb.source_invalid',
  'mcp.model_prefix',
  'mcp.server_invalid',
  'tool.code_invalid',
  'tool.config_invalid',
  'tool.invalid',
  'upload.empty',
  'upload.too_many_images',
])

/** The code words of the `/v1` envelope (contract, 1). */
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

/** The status of an error under /v1. */
export const envelopedStatusOf = (code: ErrorCode): number => (VALIDATION.has(code) ? 422 : statusOf(code))

/** What an error is called under /v1. A status that has no word of its own is a kind of 400 or 500. */
export function envelopeCodeOf(code: ErrorCode): EnvelopeCode {
  if (code === 'billing.insufficient_credits') return 'insufficient_credits'
  const status = envelopedStatusOf(code)
  const words: Record<number, EnvelopeCode> = CODE_OF_STATUS
  return words[status] ?? (status < 500 ? 'invalid_request' : 'internal_error')
}
