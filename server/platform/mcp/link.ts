import {
  Client,
  type FetchLike,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import type { Net } from '../net/index.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { type Call, outsideCalls, runCall } from './call.ts'
import type { McpEndpoint } from './connection.ts'
import { describeFailure } from './describe-failure.ts'
import { IMPLEMENTATION } from './implementation.ts'
import { McpError, tooSlow } from './mcp-error.ts'
import { ShownSecrets } from './shown-secrets.ts'
import { WatchedTransport } from './watched-transport.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
/** Maximum bytes that a server may send on the connection's stream between two calls. */
const STREAM_BYTES_MAX = 16 * 1024 * 1024
/** Retries and delays, in milliseconds, for resuming a broken stream. */
const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
}
const RECONNECTION_DELAY_MIN_MS = 250
const RECONNECTION_DELAY_MAX_MS = 30_000
const END_OF_SESSION_TIMEOUT_MS = 2_000
/** Statuses that indicate a server without Streamable HTTP (MCP spec, "Backwards Compatibility"). */
const NOT_STREAMABLE = [400, 404, 405]

/**
 * The remembered protocol variant of a server, which saves the negotiation on the next connection. `legacy` is
 * Streamable HTTP before 2026-07-28, and `sse` is the SSE transport.
 */
export type Dialect = 'legacy' | 'sse'

/** Responds to an elicitation request that a server sends during a call. Used in protocol tests. */
export type Elicit = (params: unknown) => Promise<{ action: 'accept'; content: Record<string, unknown> }>

/** An established connection to a server. */
export interface Link {
  host: string
  client: Client
  /** Input schemas of the listed tools whose arguments are repeated in headers (SEP-2243). */
  inputSchemas: Map<string, Record<string, unknown>>
  /**
   * The protocol variant to remember. Null for a server of 2026-07-28: each connection to such a server negotiates
   * again.
   */
  dialect: Dialect | null
  running: Set<Call>
  /** True if the server has given the connection a session. */
  readonly hasSession: boolean
  /** True if the connection is unusable. The next call opens a new connection. */
  isBroken: boolean
  /** Resets the limits on unsolicited messages. Called when a call begins. */
  refill(): void
  /** Ends the session and closes open streams. */
  close(): Promise<void>
}

export interface LinkOptions {
  net: Net
  endpoint: () => McpEndpoint
  known: Dialect | undefined
  elicit?: Elicit | undefined
  /** Called when the server reports that its tools have changed. */
  toolsChanged(): void
}

/** Connects to a server and completes the handshake within 30 seconds. */
export function openLink(options: LinkOptions, signal: AbortSignal): Promise<Link> {
  const { host } = new URL(options.endpoint().url)
  const late = (): Error => tooSlow(host, HANDSHAKE_TIMEOUT_MS)
  return runCall({ signal, timeoutMs: HANDSHAKE_TIMEOUT_MS, late }, (call) => shakeHands(options, host, call))
}

/** Tries Streamable HTTP in any version, then the SSE transport of 2024-11-05. */
async function shakeHands(options: LinkOptions, host: string, call: Call): Promise<Link> {
  if (options.known === 'sse') return connect(options, call, 'sse').catch(rethrow(host))
  try {
    return await connect(options, call, 'streamable')
  } catch (error) {
    call.ended.throwIfAborted()
    if (!(error instanceof SdkHttpError) || !NOT_STREAMABLE.includes(error.data.status ?? 0))
      throw describeFailure(host, error)
    // If both transports fail, report the Streamable HTTP error.
    return connect(options, call, 'sse').catch(() => {
      throw describeFailure(host, error)
    })
  }
}

const rethrow =
  (host: string) =>
  (error: unknown): never => {
    throw describeFailure(host, error)
  }

async function connect(options: LinkOptions, call: Call, kind: 'streamable' | 'sse'): Promise<Link> {
  const { net, endpoint, known, elicit } = options
  const url = new URL(endpoint().url)
  let left = STREAM_BYTES_MAX
  const shownSecrets = new ShownSecrets()
  const fetch = createBoundedFetch(net, {
    endpoint,
    transport: kind,
    listens: elicit !== undefined,
    showing: (headers) => shownSecrets.add(headers),
    takeFromStream(host, bytes) {
      left -= bytes
      if (left < 0) throw new McpError('too_large', sentence('mcp.unsolicited', { host }))
    },
  })
  const inner = kind === 'sse' ? new SSEClientTransport(url, { fetch }) : createStreamable(url, fetch)
  const transport = new WatchedTransport(inner, url.host, shownSecrets)
  const client = createClient(elicit)
  client.setNotificationHandler('notifications/tools/list_changed', () => options.toolsChanged())
  const link: Link = {
    host: url.host,
    client,
    inputSchemas: new Map(),
    dialect: null,
    running: new Set(),
    get hasSession() {
      return kind === 'sse' || transport.sessionId !== undefined
    },
    isBroken: false,
    refill() {
      left = STREAM_BYTES_MAX
      transport.refill()
    },
    close: () => closeLink(link, transport),
  }
  const giveUp = (): void => void transport.close().catch(() => {})
  call.ended.addEventListener('abort', giveUp, { once: true })
  try {
    // SSE servers predate version negotiation.
    const prior = kind === 'sse' || known === 'legacy' ? ({ kind: 'legacy' } as const) : undefined
    await client.connect(transport, {
      timeout: HANDSHAKE_TIMEOUT_MS,
      signal: call.left,
      ...(prior && { prior }),
    })
    call.ended.throwIfAborted()
  } catch (error) {
    giveUp()
    throw error
  } finally {
    call.ended.removeEventListener('abort', giveUp)
  }
  link.dialect = kind === 'sse' ? 'sse' : client.getProtocolEra() === 'modern' ? null : 'legacy'
  if (link.dialect === null && client.getServerCapabilities()?.tools?.listChanged) subscribe(client)
  client.onclose = () => breakLink(link)
  // The SDK would reconnect the stream, but to a new session without a handshake. Break the link instead.
  if (kind === 'sse') client.onerror = (error) => isOfStream(error) && breakLink(link)
  return link
}

/**
 * Subscribes to changes of the tools, once per connection. Ignores failures and the end of the subscription, because
 * readers of the tools list them again after some time anyway.
 */
function subscribe(client: Client): void {
  outsideCalls(() => client.listen({ toolsListChanged: true })).catch(() => {})
}

const isOfStream = (error: Error): boolean =>
  error.name === 'SseError' || error.message.startsWith('SSE error')

function breakLink(link: Link): void {
  if (link.isBroken) return
  link.isBroken = true
  for (const call of link.running)
    call.fail(new McpError('unreachable', sentence('mcp.connection_broke', { host: link.host })))
  void link.client.close().catch(() => {})
}

async function closeLink(link: Link, transport: WatchedTransport): Promise<void> {
  link.isBroken = true
  for (const call of link.running) call.fail(new McpError('unreachable', sentence('mcp.connection_closed')))
  await endSession(transport)
  await link.client.close().catch(() => {})
}

/** Ends the session. Ignores failures, because the server eventually drops the session anyway. */
async function endSession(transport: WatchedTransport): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_OF_SESSION_TIMEOUT_MS)
  })
  await Promise.race([transport.terminateSession().catch(() => {}), enough])
  clearTimeout(timer)
}

function createClient(elicit: Elicit | undefined): Client {
  const client = new Client(IMPLEMENTATION, {
    versionNegotiation: { mode: 'auto' },
    // Except in protocol tests, offer no capabilities to servers: no sampling, no file roots, no elicitation.
    capabilities: elicit ? { elicitation: { form: { applyDefaults: true } } } : {},
  })
  if (elicit) client.setRequestHandler('elicitation/create', (request) => elicit(request.params) as never)
  return client
}

const createStreamable = (url: URL, fetch: FetchLike): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(url, {
    fetch,
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler(reconnect, delay) {
      const bounded = Math.min(Math.max(delay, RECONNECTION_DELAY_MIN_MS), RECONNECTION_DELAY_MAX_MS)
      const timer = setTimeout(reconnect, bounded)
      return () => clearTimeout(timer)
    },
  })
