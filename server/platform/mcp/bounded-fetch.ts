import { Readable } from 'node:stream'
import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { connectionSentence, readBeginning, redirectTarget } from '../net/exchange-bounds.ts'
import { type Net, type NetAnswer, NetError } from '../net/index.ts'
import { type Call, currentCall } from './call.ts'
import type { McpEndpoint } from './connection.ts'
import { McpError, SessionLost } from './mcp-error.ts'
import { readBounded } from './read-bounded.ts'
import { namesSession, SessionErrorFinder } from './session-errors.ts'

/** Maximum consecutive redirects within the server's origin. Many servers redirect /mcp to /mcp/. */
const REDIRECTS_MAX = 3
/** Timeout of requests outside any call: notifications, and the end of a session. */
const NOTICE_TIMEOUT_MS = 10_000
const REFUSAL_BYTES_MAX = 64 * 1024
/** The request of protocol 2026-07-28 whose response is a stream of notifications. */
const SUBSCRIPTION = 'subscriptions/listen'
const CHALLENGE_CHARACTERS_MAX = 4_000

export interface FetchOptions {
  /** Returns the current endpoint. A later caller on a shared connection may have replaced the endpoint. */
  endpoint: () => McpEndpoint
  transport: 'streamable' | 'sse'
  /**
   * True to open the stream for server-initiated messages. The stream is useless unless the client offers
   * capabilities.
   */
  listens: boolean
  /** Called with the credential headers before each request. */
  showing: (headers: Record<string, string>) => void
  /** Counts bytes on an SSE server's single stream. Throws an McpError beyond the limit. */
  takeFromStream: (host: string, bytes: number) => void
}

/**
 * Creates the fetch for the SDK's transports. Each request checks the address, blocks redirects to other origins,
 * uses current credentials, and counts the bytes read. A failed request immediately rejects the call that it belongs
 * to, before the SDK can wrap the error.
 */
export function createBoundedFetch(net: Net, options: FetchOptions): FetchLike {
  return async (input, init = {}) => {
    const url = new URL(input)
    const call = currentCall()
    const isGet = (init.method ?? 'GET') === 'GET'
    const isResumed = isGet && hasHeader(init, 'last-event-id')
    // Only the stream of a call is resumed, and it must not outlive the call.
    const isUseless = isResumed ? !call : isGet && options.transport === 'streamable' && !options.listens
    if (isUseless) return new Response(null, { status: 405 })
    if (isResumed) call?.ended.throwIfAborted()
    const isStanding = (isGet && !isResumed) || new Headers(init.headers).get('mcp-method') === SUBSCRIPTION
    const isOfCall = !isStanding && call?.ended.aborted === false
    try {
      return await send(net, url, init, options, isOfCall ? call : undefined, isStanding)
    } catch (error) {
      init.signal?.throwIfAborted()
      call?.fail(error)
      throw error
    }
  }
}

const hasHeader = (init: RequestInit, name: string): boolean => new Headers(init.headers).has(name)

async function send(
  net: Net,
  url: URL,
  init: RequestInit,
  options: FetchOptions,
  call: Call | undefined,
  isStanding: boolean,
): Promise<Response> {
  const endpoint = options.endpoint()
  const signal = signalOf(init, call, isStanding)
  let secretHeaders: Record<string, string> = {}
  const attempt = async (): Promise<NetAnswer> => {
    secretHeaders = await endpoint.headers()
    options.showing(secretHeaders)
    return follow(net, endpoint.net, url, withHeaders(init, secretHeaders), call, signal)
  }
  let answer = await attempt()
  if (answer.statusCode === 401) {
    cancelBody(answer)
    if (!(await endpoint.renew?.(secretHeaders))) throw unauthorized(url.host, answer)
    answer = await attempt()
  }
  if (answer.statusCode === 401) {
    cancelBody(answer)
    throw unauthorized(url.host, answer)
  }
  const headers = asHeaders(answer.headers)
  if (answer.statusCode === 403) throwForScope(url.host, answer, headers)
  const hasSession =
    init.method === 'POST' && (options.transport === 'sse' || hasHeader(init, 'mcp-session-id'))
  if (hasSession) await throwForSession(answer)
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  if (call && isStream) call.isStreaming = true
  const take = call
    ? (bytes: number) => call.take(url.host, bytes)
    : boundNotice(url.host, options, isStanding)
  const fail = (error: unknown): Error => {
    if (error instanceof SessionLost) {
      call?.fail(error)
      return error
    }
    const failure = describe(url.host, error)
    // If the server numbers its events, the SDK resumes a broken stream. Don't fail the call yet.
    if (isStream && failure.kind === 'unreachable' && call) call.break = failure
    else call?.fail(failure)
    return failure
  }
  const inspect = hasSession && answer.statusCode === 200 ? throwForSessionError() : undefined
  const body = readBounded(answer, { take, fail, inspect })
  return new Response(body, { status: answer.statusCode, headers })
}

function signalOf(init: RequestInit, call: Call | undefined, isStanding: boolean): AbortSignal | null {
  const signals = [init.signal, call?.ended].filter((one) => one != null)
  if (!call && !isStanding) signals.push(AbortSignal.timeout(NOTICE_TIMEOUT_MS))
  return signals.length === 0 ? null : AbortSignal.any(signals)
}

function withHeaders(init: RequestInit, secretHeaders: Record<string, string>): RequestInit {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(secretHeaders)) headers.set(name, value)
  // A compressed body could expand far beyond the counted bytes.
  headers.set('accept-encoding', 'identity')
  return { ...init, headers }
}

/** Sends a request and follows same-origin redirects that keep the method and the body. */
async function follow(
  net: Net,
  via: McpEndpoint['net'],
  first: URL,
  init: RequestInit,
  call: Call | undefined,
  signal: AbortSignal | null,
): Promise<NetAnswer> {
  let url = first
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    call?.countRequest(url.host)
    const answer = await request(net, via, url, init, signal)
    if (answer.statusCode < 300 || answer.statusCode > 399 || answer.statusCode === 304) return answer
    cancelBody(answer)
    const next = redirectTarget(url.href, answer.headers['location'])
    const keepsRequest = init.method !== 'POST' || answer.statusCode === 307 || answer.statusCode === 308
    if (next === null || new URL(next).origin !== first.origin || !keepsRequest) throw redirected(url.host)
    url = new URL(next)
  }
  throw redirected(url.host)
}

const redirected = (host: string): McpError => new McpError('refused', sentence('mcp.redirect', { host }))

async function request(
  net: Net,
  via: McpEndpoint['net'],
  url: URL,
  init: RequestInit,
  signal: AbortSignal | null,
): Promise<NetAnswer> {
  signal?.throwIfAborted()
  try {
    if (via === 'guarded') net.checkUrl(url.href)
    return await net[via].request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: (init.method ?? 'GET') as 'GET' | 'POST' | 'DELETE',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : null,
      signal,
    })
  } catch (error) {
    throw describe(url.host, error)
  }
}

function cancelBody({ body }: NetAnswer): void {
  // Destroying the body closes the connection. Ignore the resulting stream error.
  body.on('error', () => {}).destroy()
}

function asHeaders(headers: NetAnswer['headers']): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) all.append(name, one)
  return all
}

const unauthorized = (host: string, { headers }: NetAnswer): McpError =>
  new McpError('unauthorized', sentence('mcp.reconnect', { host }), {
    challenge: challengeOf(asHeaders(headers)),
  })

const challengeOf = (headers: Headers): string | undefined =>
  headers.get('www-authenticate')?.slice(0, CHALLENGE_CHARACTERS_MAX)

function throwForScope(host: string, answer: NetAnswer, headers: Headers): void {
  const { error, scope } = extractWWWAuthenticateParams(new Response(null, { status: 403, headers }))
  if (error !== 'insufficient_scope') return
  cancelBody(answer)
  throw new McpError('insufficient_scope', sentence('mcp.scope_needed', { host }), {
    scope: scope?.slice(0, CHALLENGE_CHARACTERS_MAX),
    challenge: challengeOf(headers),
  })
}

/**
 * Throws SessionLost if the server no longer knows the session. The spec requires 404 (Streamable HTTP, "Session
 * Management"), but many servers send another status with a body that mentions the session.
 */
async function throwForSession(answer: NetAnswer): Promise<void> {
  if (answer.statusCode === 404) {
    cancelBody(answer)
    throw new SessionLost()
  }
  if (answer.statusCode < 400 || NOT_OF_SESSION.includes(answer.statusCode)) return
  const { beginning } = await readBeginning(answer.body, REFUSAL_BYTES_MAX)
  if (namesSession(beginning.toString())) throw new SessionLost()
  answer.body = Readable.from([beginning]) as NetAnswer['body']
}

/** Statuses with a meaning of their own, whatever their body mentions. */
const NOT_OF_SESSION = [401, 403, 429]

/** Returns a function that throws SessionLost if the response is a JSON-RPC error that names the session. */
function throwForSessionError(): (chunk: Buffer) => void {
  const finder = new SessionErrorFinder()
  return (chunk) => {
    const message = finder.add(chunk)
    if (message !== undefined) throw new SessionLost(message)
  }
}

const NOTICE_BYTES_MAX = 1024 * 1024

function boundNotice(host: string, options: FetchOptions, isStanding: boolean): (bytes: number) => void {
  if (isStanding) return (bytes) => options.takeFromStream(host, bytes)
  let left = NOTICE_BYTES_MAX
  return (bytes) => {
    left -= bytes
    if (left < 0) throw new McpError('too_large', sentence('mcp.sent_too_much', { host }))
  }
}

function describe(host: string, error: unknown): McpError {
  if (error instanceof McpError) return error
  if (error instanceof NetError) return new McpError('refused', error.message, { cause: error })
  return new McpError('unreachable', connectionSentence(host, error), { cause: error })
}
