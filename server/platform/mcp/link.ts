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
import { type Call, runCall } from './call.ts'
import type { McpEndpoint } from './connection.ts'
import { describeFailure } from './describe-failure.ts'
import { IMPLEMENTATION } from './implementation.ts'
import { McpError, tooSlow } from './mcp-error.ts'
import { ShownSecrets } from './shown-secrets.ts'
import { WatchedTransport } from './watched-transport.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
/** What a server may send on the stream of a whole connection, between one call and the next. */
const STREAM_BYTES_MAX = 16 * 1024 * 1024
/** A stream that is cut is taken up again so often, and so many milliseconds later. */
const RECONNECTION = {
  maxRetries: 2,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5_000,
  reconnectionDelayGrowFactor: 2,
}
const RECONNECTION_DELAY_MIN_MS = 250
const RECONNECTION_DELAY_MAX_MS = 30_000
const END_OF_SESSION_TIMEOUT_MS = 2_000
/** Statuses of a server that does not know Streamable HTTP (specification, Backwards Compatibility). */
const NOT_STREAMABLE = [400, 404, 405]

/** What was learned of a server, so that the next connection need not try it: it speaks the protocol before 2026-07-28, over Streamable HTTP or over SSE. */
export type Dialect = 'legacy' | 'sse'

/** Answers a server that asks the person something in the middle of a call; for tests of the protocol. */
export type Elicit = (params: unknown) => Promise<{ action: 'accept'; content: Record<string, unknown> }>

/** One connection to a server: the handshake is done. */
export interface Link {
  host: string
  client: Client
  /** Of tools whose arguments are repeated in headers (SEP-2243), as they were listed last. */
  inputSchemas: Map<string, Record<string, unknown>>
  /** null for a server of 2026-07-28, which is asked again each time. */
  dialect: Dialect | null
  running: Set<Call>
  /** Set when the connection is of no use any more; the next call makes another. */
  isBroken: boolean
  /** A call begins: what the server may do unasked is counted anew. */
  refill(): void
  /** Ends the session at the server and closes what is open. */
  close(): Promise<void>
}

export interface LinkOptions {
  net: Net
  endpoint: () => McpEndpoint
  known: Dialect | undefined
  elicit?: Elicit | undefined
  /** The server says that it has other tools now. */
  toolsChanged(): void
}

/** Shakes hands, within 30 seconds. */
export function openLink(options: LinkOptions, signal: AbortSignal): Promise<Link> {
  const { host } = new URL(options.endpoint().url)
  const late = (): Error => tooSlow(host, HANDSHAKE_TIMEOUT_MS)
  return runCall({ signal, timeoutMs: HANDSHAKE_TIMEOUT_MS, late }, (call) => shakeHands(options, host, call))
}

/** By Streamable HTTP, in whichever version the server speaks, else by the SSE of 2024-11-05. */
async function shakeHands(options: LinkOptions, host: string, call: Call): Promise<Link> {
  if (options.known === 'sse') return connect(options, call, 'sse').catch(rethrow(host))
  try {
    return await connect(options, call, 'streamable')
  } catch (error) {
    call.ended.throwIfAborted()
    if (!(error instanceof SdkHttpError) || !NOT_STREAMABLE.includes(error.data.status ?? 0))
      throw describeFailure(host, error)
    // Who speaks neither hears of the first: that is what servers speak today.
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
    // A stream of events can't be asked for its version: whoever has one is older than the question.
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
  client.onclose = () => breakLink(link)
  // The SDK would connect such a stream again, to a session that knows nothing of the handshake.
  if (kind === 'sse') client.onerror = (error) => isOfStream(error) && breakLink(link)
  return link
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

/** A server that does not hear of it forgets the session by itself. */
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
    // Nothing is offered to a server: it can have no model asked, read no files, and ask the person nothing.
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
