import type { Dispatcher, FormData } from 'undici'
import { REDIRECTS_MAX, readAll, readBeginning, redirectTarget } from '../net/exchange-bounds.ts'
import type { Net } from '../net/index.ts'
import { describeConnectionFailure, describeRefusal, notFetchable, tooMuch } from './failures.ts'
import { addressOf } from './transport.ts'
import type { MediaTimeouts, ModelTarget } from './types.ts'

const ERROR_BODY_BYTES_MAX = 64 * 1024

/** Network access and timeouts for media requests. */
export interface MediaTransport {
  net: Net
  timeouts: MediaTimeouts
}

export interface ExchangeRequest {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: Buffer | FormData | null
  /** Maximum size of the response body. A larger body is a ModelError. */
  bytesMax: number
  /** Noun for the input in the error message for status 413. */
  sent: 'prompt' | 'recording' | 'text'
  /** True to return redirects to the caller, which checks each hop. Otherwise a redirect is a ModelError. */
  takesRedirect?: boolean
  /** Receives the beginning of the body of an error status. */
  onRefusal?: (words: string) => void
  signal: AbortSignal
}

export interface Exchange {
  status: number
  headers: Dispatcher.ResponseData['headers']
  body: Buffer
}

/**
 * Sends one request and reads the whole response. Uses the network guard if the target is guarded or the URL isn't on
 * the target's origin. Throws a ModelError for failures and error statuses, or the signal's reason on abort.
 */
export async function exchange(net: Net, target: ModelTarget, request: ExchangeRequest): Promise<Exchange> {
  const { signal, method, headers, body = null } = request
  // The operator may trust the provider's own origin, but not other origins that a response names.
  const guarded = target.guarded || URL.parse(request.url)?.origin !== URL.parse(target.baseUrl)?.origin
  const url = addressOf(net, { ...target, guarded, baseUrl: request.url }, '')
  let hasAnswered = false
  try {
    const answer = await (guarded ? net.guarded : net.open).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      signal,
    })
    hasAnswered = true
    const { statusCode: status } = answer
    if (status >= (request.takesRedirect ? 400 : 300)) {
      const { beginning } = await readBeginning(answer.body, ERROR_BODY_BYTES_MAX)
      const retryAfter = answer.headers['retry-after']
      const words = beginning.toString()
      request.onRefusal?.(words)
      throw describeRefusal(target, { status, words, retryAfter }, request.sent)
    }
    const announced = Number(answer.headers['content-length'] ?? 0)
    // If Content-Length exceeds the limit, fail at the first byte.
    const bytesMax = announced > request.bytesMax ? 0 : request.bytesMax
    const all = await readAll(answer.body, bytesMax)
    if (all === null) throw tooMuch(target)
    return { status, headers: answer.headers, body: all }
  } catch (error) {
    signal.throwIfAborted()
    throw describeConnectionFailure(target, error as Error, hasAnswered)
  }
}

/**
 * Downloads a result from a URL in the provider's response, following redirects. Sends no credentials: if the
 * provider requires a key, the URL contains the key.
 */
export async function download(
  net: Net,
  target: ModelTarget,
  address: string,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Buffer> {
  let url = address
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const request = { url, method: 'GET', headers: {}, bytesMax, sent: 'prompt', signal } as const
    const { status, headers, body } = await exchange(net, target, { ...request, takesRedirect: true })
    if (status < 300) return body
    const next = redirectTarget(url, headers['location'])
    if (next === null) break
    url = next
  }
  throw notFetchable(target)
}
