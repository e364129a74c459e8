import { NetError } from '../net/index.ts'
import { ModelError, type ModelTarget } from './types.ts'

/** How much of a provider's own words is passed on. */
const PROVIDER_WORDS_MAX = 300

/** A sentence for a provider's refusal, by its status. Its own words are passed on where they help, never on 401. */
export function describeStatus(target: ModelTarget, status: number, body: string): string {
  const { provider, model } = target
  const words = providerWords(target, body)
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
      return `The message is too large for ${model}. Shorten it, or begin a new chat.`
    case 429:
      return `${provider} has had too many requests, or its quota is used up. Please try again later.`
    case 500:
    case 502:
    case 503:
    case 529:
      return `${provider} has a problem of its own at the moment (status ${status}). Please try again later.`
    default:
      if (status >= 300 && status < 400)
        return `${provider} answered with a redirect, which is not followed. Check the base_url.`
      return `${provider} refused the request (status ${status})${words ? `: ${words}` : '.'}`
  }
}

/** A sentence for an error that a provider sends as an event in the middle of its reply. */
export const describeErrorEvent = (target: ModelTarget, error: unknown): ModelError => {
  const words = clean(target, messageOf(error))
  return new ModelError(`${target.provider} failed in the middle of its reply${words ? `: ${words}` : '.'}`)
}

/** A sentence for a connection that could not be made, or broke. */
export function describeConnectionFailure(target: ModelTarget, error: Error, hadBegun: boolean): Error {
  if (error instanceof ModelError) return error
  if (error instanceof NetError) return new ModelError(error.message, { cause: error })
  const { provider } = target
  const code = codeOf(error)
  const sentence = hadBegun
    ? `The connection to ${provider} broke in the middle of the reply. Please try again.`
    : code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? `The address of ${provider} can't be found. Check the base_url.`
      : code === 'UND_ERR_CONNECT_TIMEOUT'
        ? `${provider} can't be reached: it did not accept the connection in time.`
        : /CERT|TLS|SSL/.test(code)
          ? `${provider} has no valid certificate. Check the base_url.`
          : `${provider} can't be reached. Check the base_url, or try again later.`
  return new ModelError(sentence, { cause: error })
}

function codeOf(error: Error): string {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code ?? ''
}

/** What a JSON error body says: `{error: {message}}`, `{error: text}`, `{message}`, or a list with one of these. */
function providerWords(target: ModelTarget, body: string): string {
  try {
    return clean(target, messageOf(JSON.parse(body)))
  } catch {
    return ''
  }
}

function messageOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return messageOf(value[0])
  if (value === null || typeof value !== 'object') return ''
  const { message, error, detail } = value as { message?: unknown; error?: unknown; detail?: unknown }
  return messageOf(message ?? error ?? detail)
}

/** The words without the key, whole or in part, and not too many of them. */
function clean({ apiKey }: ModelTarget, words: string): string {
  const secret = apiKey && apiKey.length >= 8 ? apiKey : null
  const hidden =
    secret === null ? words : words.replaceAll(secret, '***').replaceAll(secret.slice(0, 8), '***')
  return hidden.replace(/\b(sk|key|pk)-[\w*-]{6,}/g, '***').slice(0, PROVIDER_WORDS_MAX)
}
