import { sentence } from '#errors'
import { connectionSentence, REDIRECTS_MAX, redirectTarget, withinTime } from '../net/exchange-bounds.ts'
import { exchangeOnce, FetchError } from '../net/fetch-bounded.ts'
import { type Net, NetError } from '../net/index.ts'
import type { ProxiedRequest, ProxiedResponse } from './messages.ts'

/** @limit HTTP requests of a call */
const REQUESTS_MAX = 50
/** @limit body of an HTTP request */
const REQUEST_BYTES_MAX = 256 * 1024
/** @limit body of an HTTP response */
const ANSWER_BYTES_MAX = 2_000_000
/** Maximum total size of a call's responses, which stay in this process's memory until the code reads them. */
const ANSWERS_BYTES_MAX = 16_000_000
/** @limit time of an HTTP request */
const REQUEST_MS_MAX = 20_000
/** @limit headers of an HTTP request */
const HEADERS_MAX = 50
const HEADERS_CHARACTERS_MAX = 16_000
const URL_CHARACTERS_MAX = 8_000
const USER_AGENT = 'Parley (runs tools of its users)'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** Headers that concern only this server's own connection (RFC 9110, 7.6.1). */
const CONNECTION_HEADERS = new Set(
  `host content-length transfer-encoding connection keep-alive proxy-connection proxy-authorization te trailer upgrade
  expect accept-encoding content-encoding`.split(/\s+/),
)
const CREDENTIALS = new Set(['authorization', 'cookie'])

/** A refused request. The message is written for the author of the sandboxed code. */
export class FetchProxyError extends Error {
  override readonly name = 'FetchProxyError'
}

/**
 * Sends an HTTP request for sandboxed code. Rejects with the signal's reason, or with an error that
 * proxyErrorSentence describes.
 */
export type FetchProxy = (request: ProxiedRequest, signal: AbortSignal) => Promise<ProxiedResponse>

/**
 * Creates a proxy that allows requests and redirects only to the listed hosts. A host without a port allows only the
 * default port of http and https. The guard of `net` also applies to listed hosts.
 */
export function createFetchProxy(net: Net, network: readonly string[]): FetchProxy {
  const hosts = new Set(network.map((host) => host.toLowerCase()))
  let requests = 0
  let answerBytes = 0
  const check = (address: string): URL => {
    const url = net.checkUrl(address)
    if (hosts.size === 0) throw new FetchProxyError(sentence('sandbox.no_network', { host: url.host }))
    if (!hosts.has(url.host)) throw new FetchProxyError(sentence('sandbox.host_refused', { host: url.host }))
    return url
  }
  return async (request, signal) => {
    const { host } = check(request.url.slice(0, URL_CHARACTERS_MAX))
    if (++requests > REQUESTS_MAX)
      throw new FetchProxyError(sentence('sandbox.requests', { limit: REQUESTS_MAX }))
    const first = prepare(request)
    const tooSlow = (): Error =>
      new FetchError(sentence('net.incomplete', { host, seconds: REQUEST_MS_MAX / 1000 }))
    return withinTime(REQUEST_MS_MAX, tooSlow, signal, async (bounded) => {
      const answer = await follow(net, first, check, bounded)
      answerBytes += answer.body.length
      if (answerBytes > ANSWERS_BYTES_MAX)
        throw new FetchProxyError(
          sentence('sandbox.answers_too_large', { megabytes: ANSWERS_BYTES_MAX / 1e6 }),
        )
      return answer
    })
  }
}

interface Prepared {
  url: string
  method: (typeof METHODS)[number]
  headers: Record<string, string>
  content: Buffer | null
}

function prepare({ url, method, headers, body }: ProxiedRequest): Prepared {
  const known = METHODS.find((name) => name === method)
  if (known === undefined)
    throw new FetchProxyError(sentence('sandbox.method', { method: method.slice(0, 20) }))
  const stored = headers.filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()))
  const characters = stored.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (stored.length > HEADERS_MAX || characters > HEADERS_CHARACTERS_MAX)
    throw new FetchProxyError(
      sentence('sandbox.headers', { limit: HEADERS_MAX, characters: HEADERS_CHARACTERS_MAX }),
    )
  const content = body === null ? null : Buffer.from(body, 'base64')
  if (content !== null && content.length > REQUEST_BYTES_MAX)
    throw new FetchProxyError(sentence('sandbox.request_too_large', { kilobytes: REQUEST_BYTES_MAX / 1024 }))
  const named = Object.fromEntries(stored.map(([name, value]) => [name.toLowerCase(), value]))
  return { url, method: known, headers: { 'user-agent': USER_AGENT, accept: '*/*', ...named }, content }
}

async function follow(
  net: Net,
  first: Prepared,
  check: (address: string) => URL,
  signal: AbortSignal,
): Promise<ProxiedResponse> {
  let next = first
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const { origin, host } = check(next.url)
    const answer = await exchangeOnce(net, next.url, {
      ...next,
      readsBody: () => next.method !== 'HEAD',
      bytesMax: ANSWER_BYTES_MAX,
      signal,
    })
    const location = answer.headers['location']
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return toReached(answer)
    const target = redirectTarget(next.url, location)
    if (target === null) throw new FetchError(sentence('net.redirect_target', { host }))
    next = redirect(next, answer.status, target, new URL(target).origin === origin)
  }
  throw new FetchError(sentence('net.redirects', { host: new URL(first.url).host, limit: REDIRECTS_MAX }))
}

/**
 * Returns the next request after a redirect (RFC 9110, 15.4). Credentials are kept only within the same origin. Except
 * for GET and HEAD requests, only 307 and 308 keep the method and the body.
 */
function redirect(from: Prepared, status: number, url: string, isSameOrigin: boolean): Prepared {
  const keepsMethod = status >= 307 || from.method === 'GET' || from.method === 'HEAD'
  const headers = Object.fromEntries(
    Object.entries(from.headers).filter(
      ([name]) => (isSameOrigin || !CREDENTIALS.has(name)) && (keepsMethod || !name.startsWith('content-')),
    ),
  )
  return keepsMethod ? { ...from, url, headers } : { url, method: 'GET', headers, content: null }
}

function toReached(answer: Awaited<ReturnType<typeof exchangeOnce>>): ProxiedResponse {
  const headers = Object.entries(answer.headers)
    .filter(([name]) => !CONNECTION_HEADERS.has(name))
    .flatMap(([name, value]) => [value ?? []].flat().map((item): [string, string] => [name, item]))
  return {
    url: answer.url,
    status: answer.status,
    headers: headers.slice(0, HEADERS_MAX),
    body: answer.body.toString('base64'),
  }
}

/** Describes a failed request for the author of the sandboxed code. */
export function proxyErrorSentence(error: unknown, host: string): string {
  const isSentence =
    error instanceof FetchProxyError || error instanceof FetchError || error instanceof NetError
  return isSentence ? error.message : connectionSentence(host, error)
}
