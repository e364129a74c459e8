import { isIP } from 'node:net'
import { sentence } from '#errors'
import { readAll, withinTime } from '#platform/net/exchange-bounds.ts'
import type { Net } from '#platform/net/index.ts'

/** A failed request to Composio. The message is for the user. */
export class ComposioError extends Error {
  override readonly name = 'ComposioError'
  /** HTTP status of the response. Null if there was no response. */
  readonly status: number | null
  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** A connection that the user has yet to complete at `url`. */
export interface AccountLink {
  accountId: string
  url: string
}

/** MCP server URL of one connected account. */
export interface ComposioAddress {
  url: string
  /**
   * True if the URL is on the operator's own Composio host. Only such a URL receives the API key and bypasses the
   * network guard.
   */
  isOwn: boolean
}

const TIMEOUT_MS = 15_000
const ANSWER_BYTES_MAX = 1_000_000
const SENTENCE_CHARACTERS_MAX = 300
const ADDRESS_CHARACTERS_MAX = 4_000
/** Maximum length of a server name. Composio allows 4 to 30 letters, digits, spaces and hyphens. */
const NAME_CHARACTERS_MAX = 30

/**
 * Client for Composio, which connects users' accounts and serves their tools over MCP (https://docs.composio.dev, API
 * v3). Methods throw a ComposioError on failure, or the signal's reason on abort.
 */
export class Composio {
  readonly #net: Net
  readonly #apiKey: string
  readonly #baseUrl: string

  constructor(net: Net, apiKey: string, baseUrl: string) {
    this.#net = net
    this.#apiKey = apiKey
    this.#baseUrl = baseUrl
  }

  /** Starts to connect a user's account. Afterwards, the browser returns to `callbackUrl`. */
  async link(
    input: { authConfigId: string; userId: string; callbackUrl: string },
    signal: AbortSignal,
  ): Promise<AccountLink> {
    const answer = await this.#ask('POST', '/connected_accounts/link', signal, {
      auth_config_id: input.authConfigId,
      user_id: input.userId,
      callback_url: input.callbackUrl,
    })
    return {
      accountId: textIn(answer, 'connected_account_id'),
      url: this.#browserAddress(textIn(answer, 'redirect_url')),
    }
  }

  /** Returns the account's user and status. */
  async readAccount(accountId: string, signal: AbortSignal): Promise<{ userId: string; status: string }> {
    const answer = await this.#ask('GET', `/connected_accounts/${encodeURIComponent(accountId)}`, signal)
    return { userId: textIn(answer, 'user_id'), status: textIn(answer, 'status') }
  }

  /** Deletes the account and Composio's access to it. Succeeds if the account no longer exists. */
  async deleteAccount(accountId: string, signal: AbortSignal): Promise<void> {
    await this.#ask('DELETE', `/connected_accounts/${encodeURIComponent(accountId)}`, signal).catch(
      ignoreGone,
    )
  }

  /** Creates an MCP server with all tools that the auth configuration allows. Returns the server's id. */
  async createServer(name: string, authConfigId: string, signal: AbortSignal): Promise<string> {
    const answer = await this.#ask('POST', '/mcp/servers/custom', signal, {
      name: `parley ${name.replace(/[^\dA-Za-z -]/g, '-')}`.slice(0, NAME_CHARACTERS_MAX).trim(),
      toolkits: [],
      auth_config_ids: [authConfigId],
      managed_auth_via_composio: false,
    })
    return textIn(answer, 'id')
  }

  async deleteServer(serverId: string, signal: AbortSignal): Promise<void> {
    await this.#ask('DELETE', `/mcp/${encodeURIComponent(serverId)}`, signal).catch(ignoreGone)
  }

  /** Returns the MCP server's URL for one account of one user. */
  async addressOf(
    input: { serverId: string; userId: string; accountId: string },
    signal: AbortSignal,
  ): Promise<ComposioAddress> {
    const answer = await this.#ask('POST', '/mcp/servers/generate', signal, {
      mcp_server_id: input.serverId,
      managed_auth_by_composio: false,
      user_ids: [input.userId],
      connected_account_ids: [input.accountId],
    })
    const [url] = [answer['connected_account_urls'], answer['user_ids_url']].flat()
    return this.#machineAddress(url)
  }

  /** Returns the credential headers for requests to a Composio URL. */
  headers({ isOwn }: Pick<ComposioAddress, 'isOwn'>): Record<string, string> {
    return isOwn ? { 'x-api-key': this.#apiKey } : {}
  }

  async #ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    signal: AbortSignal,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const base = new URL(this.#baseUrl)
    const tooSlow = () =>
      new ComposioError(sentence('composio.no_answer', { seconds: TIMEOUT_MS / 1000 }), null)
    return withinTime(TIMEOUT_MS, tooSlow, signal, async (bounded) => {
      const answer = await this.#net.open
        .request({
          origin: base.origin,
          path: `${base.pathname.replace(/\/$/, '')}/api/v3${path}`,
          method,
          headers: {
            'x-api-key': this.#apiKey,
            accept: 'application/json',
            ...(body && { 'content-type': 'application/json' }),
          },
          body: body ? JSON.stringify(body) : null,
          signal: bounded,
        })
        .catch((error: unknown) => {
          bounded.throwIfAborted()
          throw new ComposioError(sentence('composio.unreachable'), null, { cause: error })
        })
      const bytes = await readAll(answer.body, ANSWER_BYTES_MAX)
      const json = parse(bytes)
      if (answer.statusCode >= 300) throw new ComposioError(sentenceOf(json), answer.statusCode)
      return json
    })
  }

  /** Returns the URL of a page to open in a browser. Throws a ComposioError unless it is a web URL. */
  #browserAddress(text: string): string {
    const url = URL.parse(text)
    if (!url || !this.#isWeb(url)) throw new ComposioError(sentence('composio.address'), null)
    return url.href
  }

  #machineAddress(text: unknown): ComposioAddress {
    const url = typeof text === 'string' && text.length <= ADDRESS_CHARACTERS_MAX ? URL.parse(text) : null
    if (!url || !this.#isWeb(url)) throw new ComposioError(sentence('composio.address'), null)
    return { url: url.href, isOwn: isSameDomain(url, new URL(this.#baseUrl)) }
  }

  #isWeb({ protocol, username, password }: URL): boolean {
    const isOpen = protocol === 'http:' && this.#baseUrl.startsWith('http:')
    return (protocol === 'https:' || isOpen) && username === '' && password === ''
  }
}

/**
 * Returns true if the hosts are equal or siblings in one domain, such as mcp.composio.dev and backend.composio.dev.
 */
function isSameDomain(url: URL, base: URL): boolean {
  if (url.protocol !== base.protocol) return false
  if (url.host === base.host) return true
  const domain = base.hostname.split('.').slice(1).join('.')
  const isName = isIP(base.hostname.replace(/^\[|\]$/g, '')) === 0
  return isName && domain.includes('.') && url.port === base.port && url.hostname.endsWith(`.${domain}`)
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ComposioError && error.status === 404)) throw error
}

function parse(bytes: Buffer | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes?.toString() ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function textIn(answer: Record<string, unknown>, name: string): string {
  const value = answer[name]
  if (typeof value !== 'string' || value === '' || value.length > ADDRESS_CHARACTERS_MAX)
    throw new ComposioError(sentence('composio.incomplete', { name }), null)
  return value
}

/**
 * Returns the error message for a response with `{"error": {"message": …}}`. Removes control characters and truncates
 * the message.
 */
function sentenceOf(answer: Record<string, unknown>): string {
  const { message } = (answer['error'] ?? {}) as { message?: unknown }
  if (typeof message !== 'string' || message.trim() === '') return sentence('composio.refused')
  const details = message.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, SENTENCE_CHARACTERS_MAX)
  return sentence('composio.refused_because', { details })
}
