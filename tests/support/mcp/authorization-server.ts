import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Faults of the authorization server. Tests can change them while the server runs. */
export interface AuthorizationFaults {
  /** Rejects every refresh with `invalid_grant`. */
  refuseRefresh?: boolean
  /** Milliseconds by which the token response is delayed, after its tokens are issued. */
  tokenDelayMs?: number
  /** HTTP status that the token endpoint returns instead of processing the request. */
  tokenStatus?: number
  /**
   * Rejects token requests and repeats all received parameters, in the error description (`echo`) or as plain text
   * (`echoPlain`).
   */
  echo?: boolean
  echoPlain?: boolean
  noExpiresIn?: boolean
  /** Value of the redirect's `iss` parameter. Null omits the parameter. */
  iss?: string | null
  noS256?: boolean
  /** Accepts requests without the `resource` parameter. */
  anyResource?: boolean
  /** Error code with which client registrations are rejected. */
  refuseRegistration?: string
  /** Makes the authorization and token endpoints reject a client until it registers again. */
  forgetClients?: boolean
  /** These functions replace metadata documents, token responses and registration responses. */
  changeMetadata?: (metadata: Record<string, unknown>) => unknown
  changeTokens?: (tokens: Record<string, unknown>) => unknown
  changeClient?: (client: Record<string, unknown>) => unknown
}

export interface AuthorizationOptions {
  /** The path of the issuer, such as `/tenant`, or '' for none. */
  issuerPath: string
  /** Serves the metadata at the path of OpenID Connect Discovery, instead of the path in RFC 8414. */
  isOpenid: boolean
  ttlSeconds: number
  /**
   * Issues a new refresh token with each refresh and invalidates the previous one. Using an invalidated refresh token
   * revokes the whole grant.
   */
  rotating: boolean
  refreshTokens: boolean
  registration: boolean
  clients: { client_id: string; client_secret?: string; redirect_uris: string[] }[]
  /** Client ID Metadata Documents by URL. Null if the server doesn't support them. */
  clientDocuments: Record<string, { redirect_uris: string[] }> | null
  /** The token endpoint authentication method of dynamically registered clients. */
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post'
  scopes: string[]
}

export interface AuthorizationCounts {
  registrations: number
  exchanges: number
  refreshes: number
  /** Number of requests with a refresh token that had already been replaced. */
  reuses: number
  revocations: number
}

interface Grant {
  clientId: string
  scope: string
  resource: string
  isRevoked: boolean
}

interface Code extends Grant {
  challenge: string
  redirectUri: string
}

type Client = { client_id: string; client_secret?: string; redirect_uris: string[] }
type Answer = { status: number; body: unknown; headers?: Record<string, string> }

/** An in-memory OAuth 2.1 authorization server. It validates clients' requests strictly, and can simulate faults. */
export class AuthorizationServer {
  readonly counts: AuthorizationCounts = {
    registrations: 0,
    exchanges: 0,
    refreshes: 0,
    reuses: 0,
    revocations: 0,
  }
  /** Requests to the authorization, registration and token endpoints, oldest first. */
  readonly asked: { endpoint: string; parameters: Record<string, string> }[] = []
  readonly #origin: () => string
  readonly #resource: () => string
  readonly #options: AuthorizationOptions
  readonly #faults: AuthorizationFaults
  readonly #clients = new Map<string, Client>()
  readonly #codes = new Map<string, Code>()
  readonly #accessTokens = new Map<string, { grant: Grant; endsAt: number }>()
  readonly #refreshTokens = new Map<string, { grant: Grant; isUsed: boolean }>()

  constructor(
    origin: () => string,
    resource: () => string,
    options: AuthorizationOptions,
    faults: AuthorizationFaults,
  ) {
    this.#origin = origin
    this.#resource = resource
    this.#options = options
    this.#faults = faults
    for (const client of options.clients) this.#clients.set(client.client_id, client)
  }

  get issuer(): string {
    return this.#origin() + this.#options.issuerPath
  }

  /** Returns the scopes of an access token. Returns null if the token isn't valid for the resource. */
  scopesOf(accessToken: string): string[] | null {
    const found = this.#accessTokens.get(accessToken)
    if (!found || found.grant.isRevoked || found.endsAt <= Date.now()) return null
    return found.grant.scope.split(' ').filter(Boolean)
  }

  endAccessTokens(): void {
    this.#accessTokens.clear()
  }

  async answer(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const url = new URL(request.url ?? '/', this.#origin())
    const { status, body: said, headers } = await this.#route(request, url, body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(said === null ? '' : typeof said === 'string' ? said : JSON.stringify(said))
  }

  async #route(request: IncomingMessage, url: URL, body: string): Promise<Answer> {
    const { issuerPath, isOpenid, registration } = this.#options
    const form = Object.fromEntries(new URLSearchParams(body))
    if (url.pathname === `/.well-known/oauth-authorization-server${issuerPath}` && !isOpenid)
      return this.#metadata()
    if (url.pathname === `${issuerPath}/.well-known/openid-configuration` && isOpenid) return this.#metadata()
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /authorize':
        return this.#authorize(Object.fromEntries(url.searchParams), request.headers['x-person-says'])
      case 'POST /register':
        return registration ? this.#register(JSON.parse(body)) : notFound
      case 'POST /token':
        return this.#token(form, request.headers.authorization)
      case 'POST /revoke':
        return this.#revoke(form, request.headers.authorization)
    }
    return notFound
  }

  #metadata(): Answer {
    const { isOpenid, registration, clientDocuments, scopes, authMethod } = this.#options
    const origin = this.#origin()
    const metadata = {
      issuer: this.issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
      ...(registration && { registration_endpoint: `${origin}/register` }),
      ...(clientDocuments && { client_id_metadata_document_supported: true }),
      ...(isOpenid && {
        jwks_uri: `${origin}/jwks`,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: this.#faults.noS256 ? ['plain'] : ['S256'],
      token_endpoint_auth_methods_supported: [...new Set([authMethod, 'none', 'client_secret_basic'])],
      scopes_supported: [...scopes, 'offline_access'],
      authorization_response_iss_parameter_supported: true,
    }
    return ok(this.#faults.changeMetadata?.(metadata) ?? metadata)
  }

  #register(asked: { redirect_uris: string[] }): Answer {
    this.#note('register', { redirect_uris: asked.redirect_uris.join(' ') })
    if (this.#faults.refuseRegistration) return bad(this.#faults.refuseRegistration)
    this.counts.registrations++
    this.#faults.forgetClients = false
    const { authMethod } = this.#options
    const client = {
      ...asked,
      client_id: `client-${randomBytes(6).toString('hex')}`,
      ...(authMethod !== 'none' && { client_secret: `client-secret-${random()}` }),
      token_endpoint_auth_method: authMethod,
    }
    this.#clients.set(client.client_id, client)
    return { status: 201, body: this.#faults.changeClient?.(client) ?? client }
  }

  #findClient(id: string | undefined): Client | undefined {
    if (id === undefined || this.#faults.forgetClients) return undefined
    const document = this.#options.clientDocuments?.[id]
    return document ? { client_id: id, redirect_uris: document.redirect_uris } : this.#clients.get(id)
  }

  #authorize(query: Record<string, string>, says: string | string[] | undefined): Answer {
    this.#note('authorize', query)
    const client = this.#findClient(query['client_id'])
    const redirectUri = query['redirect_uri'] ?? ''
    if (!client?.redirect_uris.includes(redirectUri))
      return bad('invalid_client', 'Nobody knows this client.')
    if (query['response_type'] !== 'code') return bad('unsupported_response_type')
    if (query['code_challenge_method'] !== 'S256' || !query['code_challenge'])
      return bad('invalid_request', 'PKCE with S256 is required.')
    const { resource = this.#faults.anyResource ? this.#resource() : '' } = query
    if (resource !== this.#resource()) return bad('invalid_target')
    const back = new URL(redirectUri)
    if (query['state']) back.searchParams.set('state', query['state'])
    const { iss = this.issuer } = this.#faults
    if (iss !== null) back.searchParams.set('iss', iss)
    if (says === 'no') {
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The person said no.')
    } else {
      const code = `code-${random()}`
      this.#codes.set(code, {
        clientId: client.client_id,
        scope: query['scope'] ?? this.#options.scopes.join(' '),
        resource,
        challenge: query['code_challenge'],
        redirectUri,
        isRevoked: false,
      })
      back.searchParams.set('code', code)
    }
    return { status: 302, body: null, headers: { location: back.href } }
  }

  async #token(form: Record<string, string>, authorization: string | undefined): Promise<Answer> {
    this.#note('token', form)
    const { tokenStatus, tokenDelayMs = 0, echo, echoPlain } = this.#faults
    const echoed = `code=${form['code']} code_verifier=${form['code_verifier']} refresh_token=${form['refresh_token']}`
    if (echoPlain) return { status: 400, body: echoed }
    if (echo) return bad('invalid_grant', echoed)
    if (tokenStatus) return { status: tokenStatus, body: 'The server is not well.' }
    const client = this.#proveClient(form, authorization)
    const answer = !client
      ? { status: 401, body: { error: 'invalid_client' } }
      : form['grant_type'] === 'refresh_token'
        ? this.#refresh(form, client)
        : this.#exchange(form, client)
    if (tokenDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, tokenDelayMs))
    return answer
  }

  #proveClient(form: Record<string, string>, authorization: string | undefined): Client | null {
    const basic = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
    const [id, secret] = authorization
      ? basic.split(':').map(decodeURIComponent)
      : [form['client_id'], form['client_secret']]
    const client = this.#findClient(id)
    return client && client.client_secret === secret ? client : null
  }

  #exchange(form: Record<string, string>, client: Client): Answer {
    const code = this.#codes.get(form['code'] ?? '')
    this.#codes.delete(form['code'] ?? '')
    if (form['grant_type'] !== 'authorization_code') return bad('unsupported_grant_type')
    if (!code || code.clientId !== client.client_id || code.redirectUri !== form['redirect_uri'])
      return bad('invalid_grant', 'The code is not good.')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    if (challenge !== code.challenge) return bad('invalid_grant', 'The verifier is not good.')
    if (!this.#isFor(form, code.resource)) return bad('invalid_target')
    this.counts.exchanges++
    const { clientId, scope, resource } = code
    return this.#grant({ clientId, scope, resource, isRevoked: false }, true)
  }

  #refresh(form: Record<string, string>, client: Client): Answer {
    const found = this.#refreshTokens.get(form['refresh_token'] ?? '')
    if (this.#faults.refuseRefresh || !found || found.grant.clientId !== client.client_id)
      return bad('invalid_grant', 'The refresh token is not good.')
    if (!this.#isFor(form, found.grant.resource)) return bad('invalid_target')
    if (found.isUsed) {
      this.counts.reuses++
      found.grant.isRevoked = true
    }
    if (found.grant.isRevoked) return bad('invalid_grant', 'The grant has ended.')
    this.counts.refreshes++
    found.isUsed = this.#options.rotating
    return this.#grant(found.grant, this.#options.rotating)
  }

  #grant(grant: Grant, isNew: boolean): Answer {
    const { ttlSeconds, refreshTokens } = this.#options
    const accessToken = `access-${random()}`
    this.#accessTokens.set(accessToken, { grant, endsAt: Date.now() + ttlSeconds * 1_000 })
    const tokens: Record<string, unknown> = { access_token: accessToken, token_type: 'Bearer' }
    if (grant.scope !== '') tokens['scope'] = grant.scope
    if (!this.#faults.noExpiresIn) tokens['expires_in'] = ttlSeconds
    if (isNew && refreshTokens) {
      const refreshToken = `refresh-${random()}`
      this.#refreshTokens.set(refreshToken, { grant, isUsed: false })
      tokens['refresh_token'] = refreshToken
    }
    return ok(this.#faults.changeTokens?.(tokens) ?? tokens)
  }

  #revoke(form: Record<string, string>, authorization: string | undefined): Answer {
    this.#note('revoke', form)
    if (!this.#proveClient(form, authorization)) return { status: 401, body: { error: 'invalid_client' } }
    const token = form['token'] ?? ''
    const found = this.#refreshTokens.get(token) ?? this.#accessTokens.get(token)
    if (found) {
      this.counts.revocations++
      // Revokes the whole grant only for a refresh token. Revoking an access token leaves the rest of the grant
      // valid.
      if (this.#refreshTokens.has(token)) found.grant.isRevoked = true
      this.#accessTokens.delete(token)
    }
    return { status: 200, body: null }
  }

  #isFor({ resource }: Record<string, string>, expected: string): boolean {
    return resource === expected || (resource === undefined && this.#faults.anyResource === true)
  }

  #note(endpoint: string, parameters: Record<string, string>): void {
    this.asked.push({ endpoint, parameters })
  }
}

const random = (): string => randomBytes(24).toString('base64url')
const ok = (body: unknown): Answer => ({ status: 200, body })
const notFound: Answer = { status: 404, body: 'Not here' }
const bad = (error: string, error_description?: string): Answer => ({
  status: 400,
  body: { error, error_description },
})
