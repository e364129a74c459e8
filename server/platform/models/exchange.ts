import type { Dispatcher, FormData } from 'undici'
import type { Net } from '../net/index.ts'
import { describeConnectionFailure, describeStatus, notFetchable, tooMuch, tooSlow } from './failures.ts'
import { addressOf } from './transport.ts'
import { type MediaTimeouts, ModelError, type ModelTarget } from './types.ts'

const ERROR_BODY_BYTES_MAX = 64 * 1024
const REDIRECTS_MAX = 5

/** What media are fetched with. */
export interface MediaTransport {
  net: Net
  timeouts: MediaTimeouts
}

export interface ExchangeRequest {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: Buffer | FormData | null
  /** How much the answer may be; what is more is cut off and a ModelError. */
  bytesMax: number
  /** What a provider may find too large. */
  sent: 'prompt' | 'recording'
  /** Hands back a redirect, for a caller who looks at each hop; else it is a ModelError. */
  takesRedirect?: boolean
  signal: AbortSignal
}

export interface Exchange {
  status: number
  headers: Dispatcher.ResponseData['headers']
  body: Buffer
}

/**
 * One request and all of its answer, through the guard where it belongs. Whatever goes wrong on the way, a refusal
 * included, is a ModelError; an aborted signal is its reason.
 */
export async function exchange(net: Net, target: ModelTarget, request: ExchangeRequest): Promise<Exchange> {
  const { signal, method, headers, body = null } = request
  // An address that the provider named is not one that the operator gave, whoever gave the provider's own.
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
    if (status >= (request.takesRedirect ? 400 : 300))
      throw new ModelError(describeStatus(target, status, await beginningOf(answer.body), request.sent))
    return { status, headers: answer.headers, body: await readAll(target, answer, request.bytesMax) }
  } catch (error) {
    signal.throwIfAborted()
    throw describeConnectionFailure(target, error as Error, hasAnswered)
  }
}

/**
 * Fetches what a provider named as its result, redirects included. Nothing of ours goes along: a provider that wants
 * to be shown a key has it in the address.
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
    const next = URL.parse(String(headers['location'] ?? ''), url)
    if (!next || (next.protocol === 'http:' && url.startsWith('https:'))) break
    url = next.href
  }
  throw notFetchable(target)
}

/** The work must end within so many milliseconds: a ModelError, that the provider did not do `what`. */
export async function withinTime<Result>(
  target: ModelTarget,
  what: string,
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const bound = new AbortController()
  const abort = (): void => bound.abort(signal.reason)
  const timer = setTimeout(() => bound.abort(tooSlow(target, what, milliseconds)), milliseconds)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await work(bound.signal)
  } catch (error) {
    bound.signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

async function readAll(
  target: ModelTarget,
  { body, headers }: Dispatcher.ResponseData,
  bytesMax: number,
): Promise<Buffer> {
  const announced = Number(headers['content-length'] ?? 0)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax || announced > bytesMax) throw tooMuch(target)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What a refusal begins with; the rest is not waited for. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= ERROR_BODY_BYTES_MAX) break
  }
  return Buffer.concat(chunks).toString()
}
