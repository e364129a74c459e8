import { type Reason, reasonFor } from '#errors'
import { type ConnectionFailure, connectionFailureOf, parseRetryAfter } from '../net/exchange-bounds.ts'
import { NetError } from '../net/index.ts'
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
}

/** Longest Retry-After that is passed on. A provider's daily quota ends within this time. */
const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000

/** Returns the error for an HTTP status that is not a success. */
export const describeRefusal = (
  target: ModelTarget,
  { status, words, retryAfter }: Refusal,
  sent: keyof typeof TOO_LARGE = 'message',
): ModelError =>
  new ModelError(reasonOfStatus(target, status, words, sent), {
    kind: kindOf(status),
    retryAfterMs: parseRetryAfter(retryAfter, RETRY_AFTER_MAX_MS),
  })

/** 529 is Anthropic's status for an overload. */
const OVERLOADED = [503, 529]

function kindOf(status: number): FailureKind {
  if (status === 429) return 'rate_limited'
  if (OVERLOADED.includes(status)) return 'overloaded'
  if (status < 400 || [401, 402, 403, 404].includes(status)) return 'configuration'
  return status >= 500 || status === 408 ? 'unavailable' : 'request'
}

/** Quotes the provider's own message only for client errors without a specific sentence, such as 400. */
function reasonOfStatus(
  target: ModelTarget,
  status: number,
  body: string,
  sent: keyof typeof TOO_LARGE,
): Reason {
  const { provider, model } = target
  switch (status) {
    case 401:
      return reasonFor('model.key_refused', { provider })
    case 403:
      return reasonFor('model.forbidden', { provider, model })
    case 404:
      return reasonFor('model.unknown', { provider, model })
    case 408:
    case 504:
      return reasonFor('model.provider_timeout', { provider })
    case 413:
      return reasonFor(TOO_LARGE[sent], { model })
    case 429:
      return reasonFor('model.rate_limited', { provider })
  }
  if (status >= 500) return reasonFor('model.provider_error', { provider, status })
  if (status >= 300 && status < 400) return reasonFor('model.redirect', { provider })
  const details = providerWords(target, body)
  if (details === '') return reasonFor('model.refused', { provider, status })
  return reasonFor('model.refused_because', { provider, status, details })
}

/** Returns the error for an error event in a stream. */
export function describeErrorEvent(target: ModelTarget, error: unknown): ModelError {
  const { provider } = target
  const details = clean(target, messageOf(error))
  if (details === '') return new ModelError(reasonFor('model.broke_off', { provider }))
  return new ModelError(reasonFor('model.broke_off_because', { provider, details }))
}

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
  if (error instanceof NetError) return new ModelError(error, { kind: 'configuration', cause: error })
  return new ModelError(reasonOfConnection(target.provider, connectionFailureOf(error), hasAnswered), {
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

export const notEvents = ({ provider }: ModelTarget, type: string): ModelError =>
  new ModelError(
    reasonFor('model.not_a_stream', { provider, type: type.split(';')[0]?.slice(0, 50) || 'something' }),
  )

export const notAnEvent = ({ provider }: ModelTarget, cause: unknown): ModelError =>
  new ModelError(reasonFor('model.not_an_event', { provider }), { cause })

export const tooMuch = ({ provider }: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.reply_too_large', { provider }))

export const tooSlow = ({ provider }: ModelTarget, code: TimeoutCode, milliseconds: number): ModelError =>
  new ModelError(reasonFor(code, { provider, seconds: milliseconds / 1000 }))

export const incomplete = ({ provider }: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.incomplete', { provider }))

/**
 * The response was not in the provider's format. The cause is truncated, because its message may contain the whole
 * response.
 */
export const notItsFormat = (target: ModelTarget, { name, message }: Error): ModelError =>
  new ModelError(reasonFor('model.not_its_format', { provider: target.provider }), {
    cause: new Error(`${name}: ${clean(target, message)}`),
  })

/** The provider has no models of this kind, or Parley doesn't support them. */
export const notOffered = ({ provider }: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(reasonFor('model.not_offered', { provider, kind }), { kind: 'configuration' })

/** The response is valid but contains no result. Most safety refusals have this form. */
export const noMedia = (target: ModelTarget, kind: MediaKind, reason = ''): ModelError => {
  const { provider } = target
  const details = clean(target, reason)
  if (details === '') return new ModelError(reasonFor('model.no_media', { provider, kind }))
  return new ModelError(reasonFor('model.no_media_because', { provider, kind, details }))
}

/** The result cannot be downloaded, for example because its URL redirects too often. */
export const notFetchable = ({ provider }: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.not_fetchable', { provider }))

/** The generated file is not in a supported format. */
export const notMedia = ({ provider }: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(reasonFor('model.not_media', { provider, kind }))

/** The vectors cannot be used: too few, of different lengths, too long, or of length zero or infinity. */
export const notVectors = ({ provider }: ModelTarget): ModelError =>
  new ModelError(reasonFor('model.not_embeddings', { provider }))

/**
 * Returns the message in a JSON error body: `{error: {message}}`, `{error: string}`, `{message}`, `{detail}`, or a
 * list of these.
 */
function providerWords(target: ModelTarget, body: string): string {
  try {
    return clean(target, messageOf(JSON.parse(body)))
  } catch {
    return '' // HTML and the like is useless to users
  }
}

function messageOf(value: unknown, wrappings = 0): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object' || wrappings === WRAPPINGS_MAX) return ''
  if (Array.isArray(value)) return messageOf(value[0], wrappings + 1)
  const { message, error, detail } = value as { message?: unknown; error?: unknown; detail?: unknown }
  return messageOf(message ?? error ?? detail, wrappings + 1)
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
