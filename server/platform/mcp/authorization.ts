import type { FetchLike } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { withinTime } from '#platform/net/exchange-bounds.ts'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'
import { createAuthorizationFetch } from './authorization-fetch.ts'

/** An OAuth client known to an authorization server. */
export interface OAuthClient {
  client_id: string
  client_secret?: string
  /** Expiry of the secret in seconds since 1970. 0 means never. */
  client_secret_expires_at?: number
  token_endpoint_auth_method?: string
}

/** The MCP server to which a user wants to connect an account. */
export interface ServerToAuthorize {
  url: string
  /** Settings from the catalogue. They override the server's own metadata. */
  fixed?: {
    client_id?: string | undefined
    client_secret?: string | undefined
    scopes?: string | undefined
    authorization_url?: string | undefined
    token_url?: string | undefined
  }
  /** The client registered earlier, if any. */
  known?: { issuer: string; redirectUri: string; client: OAuthClient } | null
  /** The exact scope to request, as returned by `widenScope`. */
  scope?: string | undefined
  /**
   * WWW-Authenticate header of the response that required authorization. If omitted, a request is sent to the server
   * to obtain the header.
   */
  challenge?: string | undefined
}

/** The authorization server and client of a grant. Serializable as JSON, to be stored for later steps. */
export interface TokenSource {
  issuer: string
  tokenEndpoint: string
  revocationEndpoint: string | null
  authMethods: string[]
  client: OAuthClient
  resource: string | null
  requestedScope: string | null
}

/** State for the callback. Contains secrets: the code verifier and possibly a client secret. */
export interface PendingAuthorization extends TokenSource {
  expectedIss: string | null
  isIssDemanded: boolean
  codeVerifier: string
  redirectUri: string
}

export interface Tokens {
  access_token: string
  refresh_token?: string
  /** Lifetime of the access token in seconds, starting with the response. */
  expires_in?: number
  scope?: string
  token_type: string
}

/** Tokens, together with everything needed to refresh and revoke them. Contains secrets. */
export interface StoredGrant extends TokenSource {
  tokens: Tokens
}

/** The authorization response in the callback's query (RFC 6749, 4.1.2; RFC 9207). */
export type AuthorizationAnswer =
  | { code: string; iss?: string | undefined }
  | { error: string; error_description?: string | undefined; iss?: string | undefined }

export interface AuthorizerOptions {
  redirectUri: string
  /** URL of Parley's Client ID Metadata Document. Null if Parley has no public https URL. */
  clientMetadataUrl: string | null
  /** Client name shown on the consent page. */
  clientName: string
}

export interface BegunAuthorization {
  /** URL of the consent page. */
  url: string
  pending: PendingAuthorization
  /** A newly registered client, to pass as `known` next time. Null if no client was registered. */
  registered: { issuer: string; client: OAuthClient } | null
}

/** Timeout of each step in milliseconds, including discovery, registration and token requests. */
const STEP_TIMEOUT_MS = 15_000

/** Imported on first use, because the SDK is slow to load. */
const loadSteps = () => import('./authorization-steps.ts')
type Steps = Awaited<ReturnType<typeof loadSteps>>

/**
 * Obtains, refreshes and revokes tokens for MCP servers: "Authorization" of MCP 2026-07-28, 2025-11-25 and
 * 2025-06-18, with the fallbacks of 2025-03-26. The class is stateless.
 *
 * Each step takes at most 15 seconds and connects only to addresses that the guard allows. A step throws an
 * AuthorizationError on failure, or the signal's reason on abort.
 */
export class McpAuthorizer {
  readonly #net: Net
  readonly #options: AuthorizerOptions

  constructor(net: Net, options: AuthorizerOptions) {
    this.#net = net
    this.#options = options
  }

  /**
   * Discovers the authorization server, chooses or registers a client, and builds the URL of the consent page. If
   * `registered` is set, store this new client and pass it as `known` next time, until the catalogue changes.
   */
  begin(server: ServerToAuthorize, state: string, signal: AbortSignal): Promise<BegunAuthorization> {
    const [net, options] = [this.#net, this.#options]
    return this.#step(server.url, [server.fixed?.client_secret], signal, (steps, fetchFn, bounded) =>
      steps.beginAuthorization({ net, fetchFn, options, signal: bounded }, server, state),
    )
  }

  /**
   * Exchanges the authorization code for tokens. Throws if the callback contains an error. A response from a
   * different issuer throws an AuthorizationError of kind `invalid`, without the response's error text (RFC 9207,
   * 2.4).
   */
  finish(
    pending: PendingAuthorization,
    answer: AuthorizationAnswer,
    signal: AbortSignal,
  ): Promise<StoredGrant> {
    const { tokenEndpoint, client, codeVerifier } = pending
    const secrets = ['code' in answer ? answer.code : '', codeVerifier, client.client_secret]
    return this.#step(tokenEndpoint, secrets, signal, (steps, fetchFn) =>
      steps.exchangeCode(pending, answer, fetchFn),
    )
  }

  /**
   * Returns the grant with new tokens. Keeps the refresh token if the server issues no new one. Throws an
   * AuthorizationError of kind `refused` if the grant has ended, so that the user has to consent again. After any
   * other error, the grant may still be valid: retry later.
   */
  refresh(grant: StoredGrant, signal: AbortSignal): Promise<StoredGrant> {
    return this.#step(grant.tokenEndpoint, secretsOf(grant), signal, (steps, fetchFn) =>
      steps.refreshGrant(grant, fetchFn),
    )
  }

  /**
   * Revokes the refresh token, then the access token (RFC 7009). Does nothing if the server has no revocation
   * endpoint.
   */
  async revoke(grant: StoredGrant, signal: AbortSignal): Promise<void> {
    const { revocationEndpoint } = grant
    if (revocationEndpoint === null) return
    await this.#step(revocationEndpoint, secretsOf(grant), signal, async (steps, fetchFn) => {
      await steps.revokeToken({ ...grant, revocationEndpoint }, 'refresh_token', fetchFn)
      await steps.revokeToken({ ...grant, revocationEndpoint }, 'access_token', fetchFn)
    })
  }

  /** Returns the document to serve publicly at `clientMetadataUrl`. */
  async clientMetadataDocument(): Promise<object> {
    const { describeClient } = await loadSteps()
    return { client_id: this.#options.clientMetadataUrl, ...describeClient(this.#options, 'none') }
  }

  async #step<Result>(
    address: string,
    secrets: (string | undefined)[],
    signal: AbortSignal,
    work: (steps: Steps, fetchFn: FetchLike, bounded: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const host = URL.parse(address)?.host ?? 'This server'
    const tooSlow = (): Error =>
      new AuthorizationError(
        'unreachable',
        sentence('mcp.authorization_timeout', { host, seconds: STEP_TIMEOUT_MS / 1_000 }),
      )
    const steps = await loadSteps()
    return withinTime(STEP_TIMEOUT_MS, tooSlow, signal, (bounded) =>
      work(steps, createAuthorizationFetch(this.#net, bounded), bounded).catch((error: unknown) => {
        throw steps.asAuthorizationError(
          error,
          host,
          secrets.filter((secret) => secret !== undefined),
        )
      }),
    )
  }
}

const secretsOf = ({ tokens, client }: StoredGrant): (string | undefined)[] => [
  tokens.access_token,
  tokens.refresh_token,
  client.client_secret,
]
