import { STATUS_CODES } from 'node:http'
import { type Reason, reasonFor } from '#errors'
import { type ConnectionFailure, connectionFailureOf, parseRetryAfter } from '../net/exchange-bounds.ts'
import { NetError } from '../net/index.ts'
import { CONTEXT_LENGTH, providerCodeIn, providerCodeOf } from './provider-codes.ts'
import { type FailureKind, type MediaKind, ModelError, type ModelTarget } from './types.ts'

/** The message for a request that is too large (413), by its content. */
const TOO_LARGE = {
  message: 'model.message_too_large',
  prompt: 'model.prompt_too_large',
  recording: 'model.recording_too_large',
  text: 'model.text_too_large',
} as const

export type TimeoutCode =
  | 'model.timeout_start'
  | 'model.timeout_stalled'
  | 'model.timeout_embedding'
  | 'model.timeout_image'
  | 'model.timeout_video'
  | 'model.timeout_transcription'
  | 'model.timeout_speech'

/** Limits of a provider's error message: maximum characters shown, and maximum characters examined. */
const PROVIDER_WORDS_MAX = 300
const PROVIDER_WORDS_READ_MAX = 4_000
/** Maximum nesting depth of the message in an error body. */
const WRAPPINGS_MAX = 4

/** The response of a provider that refuses a request. */
export interface Refusal {
  status: number
  /** Beginning of the body. */
  words: string
  /** The header Retry-After. */
  retryAfter?: string | string[] | undefined
  /** Set for an error inside a stream. */
  error?: ModelError
}

/** Longest Retry-After that is passed on. A provider's daily quota ends within this time. */
const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000

/** Returns the name of the party that failed: the provider's, or the model's for a server whose provider is unknown. */
export const nameOf = ({ provider, name, model }: ModelTarget): string =>
  provider === 'openai-compatible' ? name || model || provider : provider

/** Returns the error for an HTTP status that is not a success. */
export const describeRefusal = (
  target: ModelTarget,
  { status, words, retryAfter }: Refusal,
  sent: keyof typeof TOO_LARGE = 'message',
): ModelError => {
  const kind = kindOf(status)
  return new ModelError(reasonOfStatus(target, status, words, sent), {
    kind,
    retryAfterMs: parseRetryAfter(retryAfter, RETRY_AFTER_MAX_MS),
    // The codes of other refusals, such as that of the model's key, would mislead the client about its own request.
    providerCode: kind === 'request' ? providerCodeIn(words) : undefined,
  })
}

/** 529 is Anthropic's status for an overload. */
const OVERLOADED = [503, 529]

function kindOf(status: number): FailureKind {
  if (status === 429) return 'rate_limited'
  if (OVERLOADED.includes(status)) return 'overloaded'
  if (status < 400 || [401, 402, 403, 404].includes(status)) return 'configuration'
  return status >= 500 || status === 408 ? 'unavailable' : 'request'
}

/** Quotes the provider's own message only for errors without a specific sentence, such as 400 and 500. */
function reasonOfStatus(
  target: ModelTarget,
  status: number,
  body: string,
  sent: keyof typeof TOO_LARGE,
): Reason {
  const provider = nameOf(target)
  const { model } = target
  const isOwn = provider !== target.provider
  switch (status) {
    case 401:
      return reasonFor('model.key_refused', { provider })
    case 403:
      return isOwn
        ? reasonFor('model.key_forbidden', { model: provider })
        : reasonFor('model.forbidden', { provider, model })
    case 404:
      return isOwn
        ? reasonFor('model.unknown_there', { model: provider })
        : reasonFor('model.unknown', { provider, model })
    case 408:
      return reasonFor('model.provider_timeout', { provider })
    case 413:
      return reasonFor(TOO_LARGE[sent], { model })
    case 429:
      return reasonFor('model.rate_limited', { provider })
  }
  if (status >= 300 && status < 400) return reasonFor('model.redirect', { provider })
  const details = providerWords(target, body)
  if (status >= 500) return serverError(provider, status, details)
  if (details === '') return reasonFor('model.refused', { provider, status })
  return reasonFor('model.refused_because', { provider, status, details })
}

/** A status's own phrase, such as "Bad Gateway", says nothing more than the status. */
function serverError(provider: string, status: number, details: string): Reason {
  if (details !== '' && details.toLowerCase() !== STATUS_CODES[status]?.toLowerCase())
    return reasonFor('model.provider_error_because', { provider, status, details })
  return status === 504
    ? reasonFor('model.provider_timeout', { provider })
    : reasonFor('model.provider_error', { provider, status })
}

/** Returns the error for an error event in a stream. Its code or status, if it is one of HTTP, decides the kind. */
export function describeErrorEvent(target: ModelTarget, error: unknown): ModelError {
  const provider = nameOf(target)
  const details = clean(target, messageOf(error))
  const status = statusIn(error)
  const more = status === undefined ? {} : { kind: kindOf(status) }
  if (details === '') return new ModelError(reasonFor('model.broke_off', { provider }), more)
  const providerCode = providerCodeOf(error)
  const isTooLong = providerCode?.code === CONTEXT_LENGTH
  return new ModelError(
    reasonFor('model.broke_off_because', { provider, details }),
    isTooLong ? { kind: 'request', providerCode } : more,
  )
}

/** Returns the HTTP status of an error that a provider describes. */
function statusIn(error: unknown, wrappings = 0): number | undefined {
  if (error === null || typeof error !== 'object' || wrappings === WRAPPINGS_MAX) return undefined
  const { code, status, status_code: statusCode, error: inner } = error as ErrorFields
  const found = [statusCode, status, code].map(Number).find((number) => number >= 400 && number < 600)
  return found ?? statusIn(inner, wrappings + 1)
}

/** Returns the refusal that an event in a stream contains. Without a status of its own, it counts as 400. */
export const refusalInStream = (event: unknown, words: string, error: ModelError): Refusal => ({
  status: statusIn(event) ?? 400,
  words,
  error,
})

/** The fields in which providers and gateways report an error inside a response with status 200. */
export interface ErrorFields {
  error?: unknown
  errors?: unknown
  object?: unknown
  type?: unknown
  code?: unknown
  status?: unknown
  status_code?: unknown
  success?: unknown
  base_resp?: { status_code?: unknown } | null
}

/** Codes of success in the envelopes of gateways. */
const SUCCESS = ['', '0', '200', 'ok', 'success', 'undefined', 'null']

/** Returns the error in an event, or undefined if it has none. `hasContent` means that the event has a reply's content. */
export function errorIn(event: ErrorFields, hasContent: boolean): unknown {
  if (event.error) return isEnvelope(event) ? event : event.error
  if (event.object === 'error' || event.type === 'error') return event
  if (hasContent) return undefined
  if (event.base_resp?.status_code) return event.base_resp
  const isInformation = typeof event.type === 'string' && !event.type.includes('error')
  const isSuccess = event.success === true || SUCCESS.includes(String(event.code).toLowerCase())
  if (isInformation || (isSuccess && event.code !== undefined)) return undefined
  return messageOf(event) === '' ? undefined : event
}

/** Returns whether the message is beside a short `error`, such as `{error: true, message}`. */
const isEnvelope = (event: ErrorFields): boolean =>
  messageOf(event.error) === '' && messageOf({ ...event, error: undefined }) !== ''

/** Returns the error for a reply that ended as if it were complete, but has no text. */
export const noText = (target: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.no_text', { provider: nameOf(target) }))

/**
 * Returns the error for a failed or lost connection. `hasAnswered` means that the response had begun. Returns a
 * ModelError unchanged.
 */
export function describeConnectionFailure(
  target: ModelTarget,
  error: Error,
  hasAnswered: boolean,
): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof NetError)
    return new ModelError(error, {
      kind: error.code === 'net.busy' ? 'overloaded' : 'configuration',
      cause: error,
    })
  return new ModelError(reasonOfConnection(nameOf(target), connectionFailureOf(error), hasAnswered), {
    cause: error,
  })
}

function reasonOfConnection(provider: string, failure: ConnectionFailure, hasAnswered: boolean): Reason {
  if (hasAnswered) return reasonFor('model.connection_broke', { provider })
  switch (failure) {
    case 'name':
      return reasonFor('model.name_unknown', { provider })
    case 'time':
      return reasonFor('model.connection_timeout', { provider })
    case 'argument':
      return unsendableKey(provider)
    case 'certificate':
      return reasonFor('model.certificate', { provider })
    case 'other':
      return reasonFor('model.unreachable', { provider })
  }
}

export const unsendableKey = (provider: string): Reason => reasonFor('model.key_unsendable', { provider })

export const notEvents = (target: ModelTarget, type: string): ModelError =>
  new ModelError(
    reasonFor('model.not_a_stream', {
      provider: nameOf(target),
      type: type.split(';')[0]?.slice(0, 50) || 'something',
    }),
  )

export const notAnEvent = (target: ModelTarget, cause: unknown): ModelError =>
  new ModelError(reasonFor('model.not_an_event', { provider: nameOf(target) }), { cause })

export const tooMuch = (target: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.reply_too_large', { provider: nameOf(target) }))

export const tooSlow = (target: ModelTarget, code: TimeoutCode, milliseconds: number): ModelError =>
  new ModelError(reasonFor(code, { provider: nameOf(target), seconds: milliseconds / 1000 }))

export const incomplete = (target: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.incomplete', { provider: nameOf(target) }))

/**
 * The response was not in the provider's format. The cause is truncated, because its message may contain the whole
 * response.
 */
export const notItsFormat = (target: ModelTarget, { name, message }: Error): ModelError =>
  new ModelError(reasonFor('model.not_its_format', { provider: nameOf(target) }), {
    cause: new Error(`${name}: ${clean(target, message)}`),
  })

/** The provider has no models of this kind, or Parley doesn't support them. */
export const notOffered = (target: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(reasonFor('model.not_offered', { provider: target.provider, kind }), {
    kind: 'configuration',
  })

/** The response is valid but contains no result. Most safety refusals have this form. */
export const noMedia = (target: ModelTarget, kind: MediaKind, reason = ''): ModelError => {
  const provider = nameOf(target)
  const details = clean(target, reason)
  if (details === '') return new ModelError(reasonFor('model.no_media', { provider, kind }))
  return new ModelError(reasonFor('model.no_media_because', { provider, kind, details }))
}

/** The result cannot be downloaded, for example because its URL redirects too often. */
export const notFetchable = (target: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.not_fetchable', { provider: nameOf(target) }))

/** The generated file is not in a supported format. */
export const notMedia = (target: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(reasonFor('model.not_media', { provider: nameOf(target), kind }))

/** The vectors cannot be used: too few, of different lengths, too long, or of length zero or infinity. */
export const notVectors = (target: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.not_embeddings', { provider: nameOf(target) }))

/**
 * Returns the message in an error body: JSON such as `{error: {message}}`, `{message}`, `{detail}` and lists of these,
 * an event with such JSON, or a line of text.
 */
function providerWords(target: ModelTarget, body: string): string {
  const bare = body.trim().replace(/^(?:event:.*\s+)?data:\s*/, '')
  try {
    return clean(target, messageOf(JSON.parse(bare)))
  } catch {
    return isSentence(bare) ? clean(target, bare) : '' // HTML and the like is useless to users
  }
}

/** Returns whether a body is a line of text, not markup or a cut JSON. */
const isSentence = (body: string): boolean =>
  body.length <= PROVIDER_WORDS_MAX && /^[^<>{}[\]\n\r]+$/.test(body) && body.includes(' ')

/** The fields of a message, in the order of their usefulness. */
const MESSAGE_FIELDS = [
  ...['message', 'msg', 'error', 'errors', 'detail', 'details', 'error_message', 'error_msg', 'errorMessage'],
  ...['error_description', 'status_msg', 'finishMessage', 'description', 'title', 'reason'],
]

function messageOf(value: unknown, wrappings = 0): string {
  if (typeof value === 'string') return value.trim() === '' ? '' : value
  if (value === null || typeof value !== 'object' || wrappings === WRAPPINGS_MAX) return ''
  if (Array.isArray(value)) return firstMessage(value.slice(0, LISTED_MAX), wrappings)
  const fields = value as Record<string, unknown>
  const words = firstMessage(
    MESSAGE_FIELDS.map((field) => fields[field]),
    wrappings,
  )
  const { loc } = fields
  if (words !== '' && Array.isArray(loc)) return `${loc.slice(0, LISTED_MAX).join('.')}: ${words}`
  return words
}

/** Maximum number of entries of a list that are searched for a message. */
const LISTED_MAX = 10

function firstMessage(values: unknown[], wrappings: number): string {
  for (const value of values) {
    const words = messageOf(value, wrappings + 1)
    if (words !== '') return words
  }
  return ''
}

/** Returns an error message that is safe to show and store: truncated, with the API key and its parts masked. */
function clean({ apiKey }: ModelTarget, words: string): string {
  const secret = apiKey !== null && apiKey.length >= KEY_CHARACTERS_MIN ? apiKey : null
  const read = words.slice(0, PROVIDER_WORDS_READ_MAX)
  return (secret === null ? read : read.replaceAll(secret, '***'))
    .replace(KEY_LIKE, (run) => (isOfKey(secret ?? '', run) ? '***' : run))
    .replaceAll('\0', '')
    .slice(0, PROVIDER_WORDS_MAX)
    .toWellFormed()
}

/** Shorter API keys are placeholders for servers without authentication, not secrets. */
const KEY_CHARACTERS_MIN = 4

/**
 * Runs of at least six characters that may be part of an API key. Providers mask the middle of a key with asterisks
 * or dots.
 */
const KEY_LIKE = /[\w*.…~+/=-]{6,}/g

const isOfKey = (apiKey: string, run: string): boolean =>
  /^(sk|pk|key)-|\*{3}/.test(run) ||
  run.split(/[*.…]+/).some((piece) => piece.length >= 6 && apiKey.includes(piece))
