import { type ConnectionFailure, connectionFailureOf } from '../net/exchange-bounds.ts'
import { NetError } from '../net/index.ts'
import { type MediaKind, ModelError, type ModelTarget } from './types.ts'

/** How many characters of a provider's own words are passed on, and how many are looked at. */
const PROVIDER_WORDS_MAX = 300
const PROVIDER_WORDS_READ_MAX = 4_000
/** How deep a provider's words may be wrapped. */
const WRAPPINGS_MAX = 4

/** A sentence for a provider's refusal, by its status. Its own words are passed on where they help, never on 401. */
export function describeStatus(
  target: ModelTarget,
  status: number,
  body: string,
  sent: 'message' | 'prompt' | 'recording' | 'text' = 'message',
): string {
  const { provider, model } = target
  switch (status) {
    case 401:
      return `${provider} refused the API key. Check the api_key of this model.`
    case 403:
      return `${provider} does not let this API key use ${model}. Check the key's permissions.`
    case 404:
      return `${provider} does not know ${model} at this address. Check the model's name and base_url.`
    case 408:
    case 504:
      return `${provider} took too long. Please try again.`
    case 413:
      if (sent !== 'message') return `The ${sent} is too large for ${model}. Send a shorter one.`
      return `The message is too large for ${model}. Shorten it, or begin a new chat.`
    case 429:
      return `${provider} has had too many requests, or its quota is used up. Please try again later.`
  }
  if (status >= 500)
    return `${provider} has a problem of its own at the moment (status ${status}). Please try again later.`
  if (status >= 300 && status < 400)
    return `${provider} answered with a redirect, which is not followed. Check the base_url.`
  const words = providerWords(target, body)
  return `${provider} refused the request (status ${status})${words ? `: ${words}` : '.'}`
}

/** A sentence for an error that a provider sends as an event in the middle of its reply. */
export function describeErrorEvent(target: ModelTarget, error: unknown): ModelError {
  const words = clean(target, messageOf(error))
  return new ModelError(`${target.provider} failed in the middle of its reply${words ? `: ${words}` : '.'}`)
}

/** A sentence for a connection that could not be made, or broke. */
export function describeConnectionFailure(
  target: ModelTarget,
  error: Error,
  hasAnswered: boolean,
): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof NetError) return new ModelError(error.message, { cause: error })
  return new ModelError(connectionSentence(target.provider, connectionFailureOf(error), hasAnswered), {
    cause: error,
  })
}

function connectionSentence(provider: string, failure: ConnectionFailure, hasAnswered: boolean): string {
  if (hasAnswered) return `The connection to ${provider} broke in the middle of the reply. Please try again.`
  switch (failure) {
    case 'name':
      return `The address of ${provider} can't be found. Check the base_url.`
    case 'time':
      return `${provider} can't be reached: it did not accept the connection in time.`
    case 'argument':
      return unsendableKey(provider)
    case 'certificate':
      return `${provider} can't be reached safely: its certificate is not valid, or it does not speak https. Check the base_url.`
    case 'other':
      return `${provider} can't be reached. Check the base_url, or try again later.`
  }
}

export const unsendableKey = (provider: string): string =>
  `The api_key for ${provider} can't be sent: it holds a character that no key has.`

export const notEvents = ({ provider }: ModelTarget, type: string): ModelError =>
  new ModelError(
    `${provider} answered with ${type.split(';')[0]?.slice(0, 50) || 'something'} instead of a stream of events. Check the base_url.`,
  )

export const notAnEvent = ({ provider }: ModelTarget, cause: unknown): ModelError =>
  new ModelError(`${provider} sent something that is no event of its format. Check the base_url.`, { cause })

export const tooMuch = ({ provider }: ModelTarget): ModelError =>
  new ModelError(`${provider} sent more than a reply can be`)

export const tooSlow = ({ provider }: ModelTarget, what: string, milliseconds: number): ModelError =>
  new ModelError(`${provider} ${what} within ${milliseconds / 1000} seconds. Please try again.`)

export const incomplete = ({ provider }: ModelTarget): ModelError =>
  new ModelError(`${provider} ended the reply before it was complete. Please try again.`)

/** For an answer that is no stream. The cause is cut: it may hold all that the provider sent. */
export const notItsFormat = (target: ModelTarget, { name, message }: Error): ModelError =>
  new ModelError(`${target.provider} sent an answer that is not of its format. Check the base_url.`, {
    cause: new Error(`${name}: ${clean(target, message)}`),
  })

/** For a provider that has no models of a kind, or none that can be reached from here. */
export const notOffered = ({ provider }: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(`${provider} offers no ${kind} models here. Choose a model of another provider.`)

/** For an answer that is in order, but brings nothing: that is how most refusals for safety look. */
export const noMedia = (target: ModelTarget, kind: MediaKind, reason = ''): ModelError => {
  const words = clean(target, reason)
  return new ModelError(
    `${target.provider} made no ${kind} of this${words ? ` (${words})` : ''}. Its safety rules may not allow it: please word it differently.`,
  )
}

/** For a result that the provider put where nobody may go, or which leads nowhere. */
export const notFetchable = ({ provider }: ModelTarget): ModelError =>
  new ModelError(`${provider} keeps its result where it can't be fetched. Please try again.`)

/** For bytes that are not of any format that a browser shows. */
export const notMedia = ({ provider }: ModelTarget, kind: MediaKind): ModelError =>
  new ModelError(`${provider} sent something that is no ${kind}. Please try again.`)

/** For vectors that can't be compared with each other: too few, of several lengths, or not of finite numbers. */
export const notVectors = ({ provider }: ModelTarget): ModelError =>
  new ModelError(`${provider} sent something that is no embedding of these texts. Choose another model.`)

/** Why a request was refused that may be made again: the cause of its ModelError. */
export class ProviderBusy extends Error {
  override readonly name = 'ProviderBusy'
  /** What the provider asks to wait for (Retry-After). */
  readonly retryAfterMs: number | undefined

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`Status ${status}`)
    this.retryAfterMs = retryAfterMs
  }
}

/** What a JSON error body says: `{error: {message}}`, `{error: text}`, `{message}`, or a list with one of these. */
function providerWords(target: ModelTarget, body: string): string {
  try {
    return clean(target, messageOf(JSON.parse(body)))
  } catch {
    return '' // a page of HTML or the like says nothing to a person
  }
}

function messageOf(value: unknown, wrappings = 0): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object' || wrappings === WRAPPINGS_MAX) return ''
  if (Array.isArray(value)) return messageOf(value[0], wrappings + 1)
  const { message, error, detail } = value as { message?: unknown; error?: unknown; detail?: unknown }
  return messageOf(message ?? error ?? detail, wrappings + 1)
}

/** The words as they can be shown and stored: without the key, whole or in part, and not too many of them. */
function clean({ apiKey }: ModelTarget, words: string): string {
  const secret = apiKey !== null && apiKey.length >= KEY_CHARACTERS_MIN ? apiKey : null
  const read = words.slice(0, PROVIDER_WORDS_READ_MAX)
  return (secret === null ? read : read.replaceAll(secret, '***'))
    .replace(KEY_LIKE, (run) => (isOfKey(secret ?? '', run) ? '***' : run))
    .replaceAll('\0', '')
    .slice(0, PROVIDER_WORDS_MAX)
    .toWellFormed()
}

/** What is shorter is a word that a server without keys was given, and no secret. */
const KEY_CHARACTERS_MIN = 4

/** Six characters in a row that a key could have; providers mask the middle of a key with stars or dots. */
const KEY_LIKE = /[\w*.…~+/=-]{6,}/g

const isOfKey = (apiKey: string, run: string): boolean =>
  /^(sk|pk|key)-|\*{3}/.test(run) ||
  run.split(/[*.…]+/).some((piece) => piece.length >= 6 && apiKey.includes(piece))
