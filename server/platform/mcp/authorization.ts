import type { FetchLike } from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { withinTime } from '#platform/net/exchange-bounds.ts'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError } from './authorization-error.ts'
import { createAuthorizationFetch } from './authorization-fetch.ts'

/** A client of an authorization server, as it was registered there. */
export interface OAuthClient {
  client_id: string
  client_secret?: string
  /** Seconds since 1970; 0: never. */
  client_secret_expires_at?: number
  token_endpoint_auth_method?: string
}

/** The server that somebody wants to use with an account of his. */
export interface ServerToAuthorize {
  url: string
  /** What the catalogue says; it wins over what the server's documents say. */
  fixed?: {
    client_id?: string | undefined
    client_secret?: string | undefined
    scopes?: string | undefined
    authorization_url?: string | undefined
    token_url?: string | undefined
  }
  /** The client that was registered before. */
  known?: { issuer: string; redirectUri: string; client: OAuthClient } | null
  /** Exactly what to ask for, as `widenScope` says it. */
  scope?: string | undefined
  /** The WWW-Authenticate of an answer that sent us here; without it the server is asked for one. */
  challenge?: string | undefined
}

/** What an authorization server is told again after the first step; as JSON it survives between them. */
export interface TokenSource {
  issuer: string
  tokenEndpoint: string
  revocationEndpoint: string | null
  authMethods: string[]
  client: OAuthClient
  resource: string | null
  requestedScope: string | null
}

/** What the callback needs. It holds secrets (the code verifier, a client's secret). */
export interface PendingAuthorization extends TokenSource {
  expectedIss: string | null
  isIssDemanded: boolean
  codeVerifier: string
  redirectUri: string
}

export interface Tokens {
  access_token: string
  refresh_token?: string
  /** Seconds from the answer on. */
  expires_in?: number
  scope?: string
  token_type: string
}

/** Tokens, and all that it takes to refresh and revoke them. It holds secrets. */
export interface StoredGrant extends TokenSource {
  tokens: Tokens
}

/** What the authorization server sent the person back with (RFC 6749, 4.1.2; RFC 9207). */
export type AuthorizationAnswer =
  | { code: string; iss?: string | undefined }
  | { error: string; error_description?: string | undefined; iss?: string | undefined }

export interface AuthorizerOptions {
  redirectUri: string
  /** Where our document is (Client ID Metadata Documents); null where it has no public https address. */
  clientMetadataUrl: string | null
  /** What people are shown when they are asked to consent. */
  clientName: string
}

/** What somebody who is to consent is sent off with. */
export interface BegunAuthorization {
  /** Where he consents. */
  url: string
  pending: PendingAuthorization
  /** A client that is new, to be given as `known` the next time. */
  registered: { issuer: string; client: OAuthClient } | null
}

/** For each step: documents, registration and tokens together. */
const STEP_TIMEOUT_MS = 15_000

/** The SDK is behind the steps, and loaded when the first is taken: it takes long to load. */
const loadSteps = () => import('./authorization-steps.ts')
type Steps = Awaited<ReturnType<typeof loadSteps>>

/**
 * Gets, renews and returns tokens for MCP servers: the "Authorization" of MCP 2026-07-28, 2025-11-25 and 2025-06-18,
 * and the fallbacks of 2025-03-26. It keeps nothing. Each step ends within 15 seconds, throws an AuthorizationError or
 * the signal's reason, and reaches only what the guard allows.
 */
export class McpAuthorizer {
  readonly #net: Net
  readonly #options: AuthorizerOptions

  constructor(net: Net, options: AuthorizerOptions) {
    this.#net = net
    this.#options = options
  }

  /**
   * Finds out how a server is authorized and who we are there, and makes the address where the person consents.
   * `registered` is a client that is new, to be given as `known` the next time until the catalogue says otherwise.
   */
  begin(server: ServerToAuthorize, state: string, signal: AbortSignal): Promise<BegunAuthorization> {
    const [net, options] = [this.#net, this.#options]
    return this.#step(server.url, [server.fixed?.client_secret], signal, (steps, fetchFn, bounded) =>
      steps.beginAuthorization({ net, fetchFn, options, signal: bounded }, server, state),
    )
  }

  /**
   * Exchanges the code for tokens, or says why the person came back without one. An answer of another authorization
   * server than the one that was asked is `invalid`, and what it says is shown to nobody (RFC 9207, 2.4).
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
   * The grant with new tokens; the refresh token stays where no new one is given. `refused`: the grant has ended, and
   * the person has to consent again; after anything else it may still be good, and is to be tried again later.
   */
  refresh(grant: StoredGrant, signal: AbortSignal): Promise<StoredGrant> {
    return this.#step(grant.tokenEndpoint, secretsOf(grant), signal, (steps, fetchFn) =>
      steps.refreshGrant(grant, fetchFn),
    )
  }

  /** Returns both tokens (RFC 7009), the refresh token first; nothing happens where there is no endpoint for it. */
  async revoke(grant: StoredGrant, signal: AbortSignal): Promise<void> {
    const { revocationEndpoint } = grant
    if (revocationEndpoint === null) return
    await this.#step(revocationEndpoint, secretsOf(grant), signal, async (steps, fetchFn) => {
      await steps.revokeToken({ ...grant, revocationEndpoint }, 'refresh_token', fetchFn)
      await steps.revokeToken({ ...grant, revocationEndpoint }, 'access_token', fetchFn)
    })
  }

  /** What is to be served at `clientMetadataUrl`, to anybody. */
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
