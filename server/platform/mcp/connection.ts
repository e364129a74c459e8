import type { Logger } from 'pino'
import { sentence } from '#errors'
import type { Net } from '../net/index.ts'
import type { Dialect, Elicit, Link } from './link.ts'
import { McpError, onOneLine, SessionLost } from './mcp-error.ts'
import type { McpFile } from './read-files.ts'
import { rejectOnAbort } from './reject-on-abort.ts'

/** A tool as listed by a server, with invisible characters removed and sizes limited. */
export interface McpTool {
  name: string
  description: string
  /** JSON Schema of type `object`. */
  inputSchema: Record<string, unknown>
}

/** A tool that cannot be used. */
export interface OmittedTool {
  name: string
  /** Why it cannot be used: a sentence about the tool. */
  reason: string
}

export interface McpToolList {
  tools: McpTool[]
  /** The first unusable tools. */
  omitted: OmittedTool[]
  /** True if tools were left out because they are too many or unusable. */
  isCut: boolean
}

export interface McpToolResult {
  /**
   * The structured content, the text of all parts, or `{ content }` without media bytes. Text and resources beside
   * structured content make it `{ structuredContent, content }`. At most 1 MB.
   */
  output: unknown
  isError: boolean
  /** The tool's error message. Null unless the tool failed. */
  error: string | null
  files: McpFile[]
  /** The CallToolResult to forward to a client, at most 8 MB. */
  raw: unknown
}

export interface McpEndpoint {
  /** Endpoints with the same key share a connection. The key is, for example, the id of an instance. */
  key: string
  url: string
  /** `open` bypasses the network guard. Use it only for addresses that the operator configured. */
  net: 'guarded' | 'open'
  /** Returns the credential headers. Called for each request. */
  headers(): Promise<Record<string, string>>
  /**
   * Called if the server responds with 401 to the headers `refused`. Returns true if new credentials are available,
   * so that a retry makes sense. If the current headers differ from `refused`, another call has already renewed the
   * credentials.
   */
  renew?(refused: Record<string, string>): Promise<boolean>
  /** Called when the server reports that its tools have changed. */
  toolsChanged?(): void
}

/** An open connection. Methods throw an McpError on failure, or the signal's reason on abort. */
export interface McpConnection {
  readonly protocolVersion: string
  readonly capabilities: Record<string, unknown>
  listTools(signal: AbortSignal): Promise<McpToolList>
  callTool(name: string, input: Record<string, unknown>, options: McpCallOptions): Promise<McpToolResult>
  /** Sends any other request and returns the raw result. */
  request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>
}

export interface McpCallOptions {
  signal: AbortSignal
  /** Timeout in milliseconds. Default: 30 seconds. */
  timeoutMs?: number
  onProgress?(progress: McpProgress): void
}

export interface McpProgress {
  progress: number
  total?: number | undefined
  message?: string | undefined
}

const CONNECTIONS_MAX = 1_000
const IDLE_MS = 5 * 60_000
const SWEEP_MS = 30_000
/**
 * Limits of the dialect cache: number of servers, and lifetime in milliseconds. Entries expire because servers get
 * upgraded.
 */
const DIALECTS_MAX = 5_000
const DIALECT_MS = 60 * 60_000

interface Entry {
  endpoint: McpEndpoint
  link: Promise<Link>
  /** The established link. Null until the handshake is done. */
  opened: Link | null
  users: number
  usedAt: number
}

/**
 * Manages one connection per endpoint key in this process. A connection is opened on demand, reopened if it breaks or
 * its session is lost, and closed after five idle minutes. The SDK is imported on first use, because it is slow to
 * load.
 */
export class McpConnections {
  readonly #net: Net
  readonly #log: Logger
  readonly #elicit: Elicit | undefined
  /** Connections in order of use, least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #dialects = new Map<string, { dialect: Dialect; until: number }>()
  readonly #sweep: NodeJS.Timeout
  readonly #closed = new AbortController()

  constructor(net: Net, log: Logger, { elicit }: { elicit?: Elicit } = {}) {
    this.#net = net
    this.#log = log
    this.#elicit = elicit
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_MS).unref()
  }

  /** Connects to the server, unless a connection is already open. */
  async open(endpoint: McpEndpoint, signal: AbortSignal): Promise<McpConnection> {
    const use = <Result>(signal: AbortSignal, work: (link: Link) => Promise<Result>): Promise<Result> =>
      this.#use(endpoint, signal, work)
    let seen = await use(signal, async (link) => link)
    const { askForTools, callTool, request } = await import('./requests.ts')
    const remember = (link: Link): Link => {
      seen = link
      return link
    }
    return {
      get protocolVersion() {
        return seen.client.getNegotiatedProtocolVersion() ?? ''
      },
      get capabilities() {
        return { ...seen.client.getServerCapabilities() }
      },
      listTools: async (signal) => {
        const list = await use(signal, (link) => askForTools(remember(link), signal))
        const { omitted } = list
        if (omitted.length > 0)
          this.#log.warn({ host: hostOf(endpoint), omitted }, 'tools of an MCP server cannot be used')
        return list
      },
      callTool: (name, input, options) =>
        use(options.signal, (link) => callTool(remember(link), name, input, options)).catch(resultOfLoss),
      request: (method, params, signal) =>
        use(signal, (link) => request(remember(link), method, params, signal)),
    }
  }

  /** Closes the connection of a key whose credentials were changed or deleted. */
  async forget(key: string): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry) await this.#drop(key, entry)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    this.#closed.abort(new McpError('unreachable', sentence('mcp.stopping')))
    await Promise.all([...this.#entries].map(([key, entry]) => this.#drop(key, entry)))
  }

  /**
   * Runs `work` on the endpoint's connection. Retries once if the server has lost the session, because the lost call
   * had no effect.
   */
  async #use<Result>(
    endpoint: McpEndpoint,
    signal: AbortSignal,
    work: (link: Link) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      const entry = this.#entryOf(endpoint)
      entry.users++
      try {
        return await work(await rejectOnAbort(entry.link, signal))
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error
        await this.#drop(endpoint.key, entry)
        if (attempt > 0) throw error.result ? error : sessionsLost(hostOf(endpoint), error)
      } finally {
        entry.users--
        entry.usedAt = Date.now()
      }
    }
  }

  #entryOf(endpoint: McpEndpoint): Entry {
    this.#closed.signal.throwIfAborted()
    const { key } = endpoint
    const known = this.#entries.get(key)
    if (known && !known.opened?.isBroken && known.endpoint.url === endpoint.url) {
      known.endpoint = endpoint
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known
    }
    if (known) void this.#drop(key, known)
    this.#evict()
    const entry: Entry = { endpoint, link: never(), opened: null, users: 0, usedAt: Date.now() }
    this.#entries.set(key, entry)
    entry.link = this.#connect(entry)
    entry.link.then(
      (link) => {
        entry.opened = link
      },
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    )
    return entry
  }

  /**
   * Opens a connection. All waiting callers share the handshake, so a caller that aborts doesn't cancel the
   * handshake.
   */
  async #connect(entry: Entry): Promise<Link> {
    const { endpoint } = entry
    const host = hostOf(endpoint)
    const address = addressOf(endpoint)
    const known = this.#dialectOf(address)
    try {
      const { openLink } = await import('./link.ts')
      const link = await openLink(
        {
          net: this.#net,
          endpoint: () => entry.endpoint,
          known,
          elicit: this.#elicit,
          toolsChanged: () => entry.endpoint.toolsChanged?.(),
        },
        this.#closed.signal,
      )
      this.#learn(address, link.dialect)
      return link
    } catch (error) {
      this.#dialects.delete(address)
      this.#log.info({ host, reason: String(error) }, 'an MCP server could not be connected')
      if (!(error instanceof SessionLost)) throw error
      throw new McpError('protocol', sentence('mcp.sessions_lost', { host }))
    }
  }

  #dialectOf(address: string): Dialect | undefined {
    const known = this.#dialects.get(address)
    return known && known.until > Date.now() ? known.dialect : undefined
  }

  #learn(address: string, dialect: Dialect | null): void {
    if (this.#dialectOf(address) === dialect) return
    this.#dialects.delete(address)
    if (dialect === null) return
    const [oldest] = this.#dialects.keys()
    if (this.#dialects.size === DIALECTS_MAX && oldest !== undefined) this.#dialects.delete(oldest)
    this.#dialects.set(address, { dialect, until: Date.now() + DIALECT_MS })
  }

  #evict(): void {
    if (this.#entries.size < CONNECTIONS_MAX) return
    const idle = [...this.#entries].find(([, { users }]) => users === 0)
    if (!idle) throw new McpError('refused', sentence('mcp.too_many_connections'))
    void this.#drop(...idle)
  }

  #closeIdle(): void {
    for (const [key, entry] of this.#entries)
      if (entry.users === 0 && entry.usedAt + IDLE_MS < Date.now()) void this.#drop(key, entry)
  }

  async #drop(key: string, entry: Entry): Promise<void> {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
    const link = await entry.link.catch(() => null)
    await link?.close()
  }
}

/** Returns the result of a tool that reports a lost session although the session is new. */
function resultOfLoss(error: unknown): McpToolResult {
  if (error instanceof SessionLost && error.result) return error.result
  throw error
}

/** An error that mentions the session for another reason stays after the retry, and is reported as it is. */
const sessionsLost = (host: string, { details }: SessionLost): McpError =>
  new McpError(
    'protocol',
    details === undefined
      ? sentence('mcp.sessions_lost', { host })
      : sentence('mcp.refused', { host, details: onOneLine(details) }),
  )

const never = (): Promise<never> => new Promise(() => {})

const hostOf = ({ url }: McpEndpoint): string => URL.parse(url)?.host ?? 'The server'

/** Returns the URL without its query, which may identify the user. */
const addressOf = ({ url }: McpEndpoint): string => url.split(/[?#]/, 1)[0] ?? url
