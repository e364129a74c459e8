import {
  exchangeAuthorization,
  type FetchLike,
  refreshAuthorization,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { withinTime } from '#platform/net/exchange-bounds.ts'
import type { Net } from '#platform/net/index.ts'
import { AuthorizationError, asAuthorizationError, refusalOf } from './authorization-error.ts'
import { createAuthorizationFetch } from './authorization-fetch.ts'
import { chooseClient, describeClient } from './choose-client.ts'
import { discoverAuthorization } from './discover-authorization.ts'
import { asMetadata, readTokens, revokeToken } from './token-endpoint.ts'

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
interface TokenSource {
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

/** For each step: documents, registration and tokens together. */
const STEP_TIMEOUT_MS = 15_000
const CODE_CHARACTERS_MAX = 4_000

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
  begin(
    server: ServerToAuthorize,
    state: string,
    signal: AbortSignal,
  ): Promise<{
    url: string
    pending: PendingAuthorization
    registered: { issuer: string; client: OAuthClient } | null
  }> {
    return this.#step(server.url, [server.fixed?.client_secret], signal, async (fetchFn, bounded) => {
      const plan = await discoverAuthorization(this.#net, fetchFn, server, bounded)
      const { client, isRegistered } = await chooseClient(plan, server, this.#options, fetchFn)
      const { issuer, resource, scope } = plan
      const { redirectUri } = this.#options
      const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
        metadata: asMetadata(plan),
        clientInformation: client,
        redirectUrl: redirectUri,
        state,
        ...(scope !== undefined && { scope }),
        ...(resource !== null && { resource }),
      })
      const { tokenEndpoint, revocationEndpoint, authMethods, expectedIss, isIssDemanded } = plan
      const pending = {
        ...{ issuer, tokenEndpoint, revocationEndpoint, authMethods, client, resource },
        requestedScope: scope ?? null,
        ...{ expectedIss, isIssDemanded, codeVerifier, redirectUri },
      }
      const { client_secret, ...named } = client
      // The secret of the catalogue's client stands in the catalogue.
      const registered = { issuer, client: server.fixed?.client_id ? named : client }
      return { url: authorizationUrl.href, pending, registered: isRegistered ? registered : null }
    })
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
    const { tokenEndpoint, client, codeVerifier, redirectUri, resource, requestedScope } = pending
    const code = 'code' in answer ? answer.code : ''
    const secrets = [code, codeVerifier, client.client_secret]
    return this.#step(tokenEndpoint, secrets, signal, async (fetchFn) => {
      const { host } = new URL(tokenEndpoint)
      validateAuthorizationResponseIssuer({
        iss: answer.iss,
        expectedIssuer: pending.expectedIss ?? undefined,
        issParameterSupported: pending.isIssDemanded,
      })
      if ('error' in answer) throw refusalOf(answer.error, answer.error_description, host)
      if (code === '' || code.length > CODE_CHARACTERS_MAX)
        throw new AuthorizationError('invalid', `${host} sent no code that can be used.`)
      const said = await exchangeAuthorization(pending.issuer, {
        metadata: asMetadata(pending),
        clientInformation: client,
        authorizationCode: code,
        codeVerifier,
        redirectUri,
        ...(resource !== null && { resource }),
        fetchFn,
      })
      return { ...sourceOf(pending), tokens: readTokens(said, host, requestedScope) }
    })
  }

  /**
   * The grant with new tokens; the refresh token stays where no new one is given. `refused`: the grant has ended, and
   * the person has to consent again; after anything else it may still be good, and is to be tried again later.
   */
  refresh(grant: StoredGrant, signal: AbortSignal): Promise<StoredGrant> {
    const { tokenEndpoint, client, resource, tokens } = grant
    const { access_token, refresh_token: refreshToken } = tokens
    const secrets = [access_token, refreshToken, client.client_secret]
    return this.#step(tokenEndpoint, secrets, signal, async (fetchFn) => {
      const { host } = new URL(tokenEndpoint)
      if (refreshToken === undefined)
        throw new AuthorizationError('refused', `${host} gave no token by which access can be renewed.`)
      const said = await refreshAuthorization(grant.issuer, {
        metadata: asMetadata(grant),
        clientInformation: client,
        refreshToken,
        ...(resource !== null && { resource }),
        fetchFn,
      })
      return { ...grant, tokens: readTokens(said, host, tokens.scope ?? null) }
    })
  }

  /** Returns both tokens (RFC 7009), the refresh token first; nothing happens where there is no endpoint for it. */
  revoke(grant: StoredGrant, signal: AbortSignal): Promise<void> {
    const { revocationEndpoint, tokens, client } = grant
    if (revocationEndpoint === null) return Promise.resolve()
    const secrets = [tokens.access_token, tokens.refresh_token, client.client_secret]
    return this.#step(revocationEndpoint, secrets, signal, async (fetchFn) => {
      await revokeToken({ ...grant, revocationEndpoint }, 'refresh_token', fetchFn)
      await revokeToken({ ...grant, revocationEndpoint }, 'access_token', fetchFn)
    })
  }

  /** What is to be served at `clientMetadataUrl`, to anybody. */
  clientMetadataDocument(): object {
    return { client_id: this.#options.clientMetadataUrl, ...describeClient(this.#options, 'none') }
  }

  async #step<Result>(
    address: string,
    secrets: (string | undefined)[],
    signal: AbortSignal,
    work: (fetchFn: FetchLike, bounded: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const host = URL.parse(address)?.host ?? 'This server'
    const tooSlow = (): Error =>
      new AuthorizationError('unreachable', `${host} took longer than ${STEP_TIMEOUT_MS / 1_000} seconds.`)
    return withinTime(STEP_TIMEOUT_MS, tooSlow, signal, (bounded) =>
      work(createAuthorizationFetch(this.#net, bounded), bounded).catch((error: unknown) => {
        throw asAuthorizationError(
          error,
          host,
          secrets.filter((secret) => secret !== undefined),
        )
      }),
    )
  }
}

/** Without what only the callback needed. */
function sourceOf(pending: PendingAuthorization): TokenSource {
  const { issuer, tokenEndpoint, revocationEndpoint, authMethods, client, resource, requestedScope } = pending
  return { issuer, tokenEndpoint, revocationEndpoint, authMethods, client, resource, requestedScope }
}
