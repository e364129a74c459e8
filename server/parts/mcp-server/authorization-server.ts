import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Adapter, AdapterPayload, Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Client } from '#platform/access/scope.ts'
import type { Services } from '#platform/services.ts'
import { ClientDocuments } from './client-documents.ts'
import { errorPage, PAGE_HEADERS } from './consent-page.ts'
import { AUTH_METHODS, OAUTH_PATHS, resourceOf, SCOPE } from './metadata.ts'
import { type OAuthRecords, REFRESH_SECONDS } from './oauth-records-system.ts'
import { isSafeRedirect } from './registration.ts'

const ACCESS_TOKEN_SECONDS = 3_600
const CODE_SECONDS = 60
/** Time limit for the user to sign in and decide, in seconds. */
const CONSENT_SECONDS = 15 * 60
/** Lifetime stored with a grant, in seconds. Longer than needed, because a grant ends with its refresh token. */
const GRANT_SECONDS = 10 * 365 * 86_400
const RANDOM_BITS = 256

/** Matches oidc-provider's opaque tokens of 256 bits. */
export const ACCESS_TOKEN = /^[\w-]{43}$/

/** The client of each request that oidc-provider handles, for the audit log. */
export const clientsOfRequests = new WeakMap<IncomingMessage, Client>()

/**
 * Creates the OAuth 2.1 authorization server of /mcp. It supports the authorization code flow with PKCE and rotating
 * refresh tokens, and issues tokens only for /mcp. For oidc-provider, the API key of a grant is the account. There are
 * no sessions, so each authorization asks for consent.
 */
export async function createAuthorizationServer(
  services: Pick<Services, 'config' | 'secrets' | 'net' | 'log'>,
  records: OAuthRecords,
): Promise<Provider> {
  const { default: OidcProvider, errors } = await import('oidc-provider')
  const { baseUrl, corsOrigins } = services.config
  const resource = resourceOf(baseUrl)
  const refusals: Refusals = {
    alreadyUsed: () => new errors.InvalidGrant('it was used by a concurrent request'),
    tooMany() {
      const description = 'Too many authorization requests are pending. Try again in 15 minutes.'
      const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description)
      return Object.assign(error, { status: 429, statusCode: 429 })
    },
  }
  const clientOf = (): Client => {
    const request = OidcProvider.ctx?.req
    const client = request && clientsOfRequests.get(request)
    if (!client) throw new Error('a request without a client')
    return client
  }
  const configuration: Configuration = {
    adapter: (kind: string) => adapterOf(kind, records, clientOf, refusals),
    clientAuthMethods: [...AUTH_METHODS],
    clientBasedCORS: (_context, origin) => corsOrigins.includes(origin),
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    cookies: cookiesOf(services.secrets),
    expiresWithSession: () => false,
    fetch: new ClientDocuments(
      () => services.net,
      () => clientOf().address,
    ).fetch,
    features: {
      claimsParameter: { enabled: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowClient: (_context, client) => (client.redirectUris ?? []).every(isSafeRedirect),
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_context, asked) {
          if (asked !== resource) throw new errors.InvalidTarget()
          return { scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' }
        },
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    findAccount: async (_context, keyId) =>
      (await records.hasKey(keyId)) ? { accountId: keyId, claims: () => ({ sub: keyId }) } : undefined,
    formats: { bitsOfOpaqueRandomness: RANDOM_BITS },
    interactions: { url: (_context, { uid }) => `${baseUrl}${OAUTH_PATHS.consent}/${uid}` },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    // oidc-provider requires a key, which is never used: without OpenID scopes, no ID token is issued.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never] },
    pkce: { required: () => true },
    renderError: showError,
    responseTypes: ['code'],
    rotateRefreshToken: true,
    routes: { ...OAUTH_PATHS, end_session: '/mcp/oauth/end', jwks: '/mcp/oauth/jwks' } as never,
    scopes: [],
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      Interaction: CONSENT_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Session: CONSENT_SECONDS,
    },
  }
  const provider = new OidcProvider(baseUrl, configuration)
  // Trusts the X-Forwarded headers, which passToProvider sets to the server's public address.
  provider.proxy = true
  provider.on('authorization.error', keepUndecidedHere)
  provider.on('server_error', keepUndecidedHere)
  const report = (error: unknown): void => services.log.error({ err: error }, 'an OAuth request failed')
  provider.on('server_error', (_context, error) => report(error))
  // Replaces Koa's default handler, which writes to the console.
  provider.on('error' as never, report as never)
  return provider
}

/**
 * Shows an error page instead of redirecting to the client, unless the user has decided on the consent page. Anyone
 * can register a client, so redirected errors would make this origin an open redirector. With prompt=none, this would
 * not even need a click (RFC 9700, 4.11.2).
 */
function keepUndecidedHere({ oidc }: KoaContextWithOIDC, error: Error & { allow_redirect?: boolean }): void {
  if (oidc.route !== 'resume') error.allow_redirect = false
}

/** Errors for requests that OAuthRecords refuses. */
interface Refusals {
  alreadyUsed(): Error
  tooMany(): Error
}

/** Returns oidc-provider's storage adapter for one kind of record. */
function adapterOf(kind: string, records: OAuthRecords, clientOf: () => Client, refusals: Refusals): Adapter {
  // Sessions are not stored, so that every authorization asks for consent, even in the same browser.
  if (kind === 'Session') return NOTHING
  return {
    ...NOTHING,
    async upsert(id, payload, seconds) {
      if (kind !== 'Interaction' || (await records.find(kind, id)))
        return records.put(kind, id, payload, seconds)
      if (!(await records.addInteraction(id, payload, clientOf().address))) throw refusals.tooMany()
    },
    async find(id) {
      const found = (await records.find(kind, id)) as AdapterPayload | undefined
      // Checks the redirect URIs again, for clients that registered before a rule existed.
      return kind === 'Client' && !(found?.redirect_uris ?? []).every(isSafeRedirect) ? undefined : found
    },
    async consume(id) {
      if (!(await records.consume(kind, id))) throw refusals.alreadyUsed()
    },
    destroy: (id) => records.remove(kind, id, clientOf()),
    revokeByGrantId: (grantId) => records.removeOfGrant(kind, grantId),
  }
}

const NOTHING: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

function cookiesOf(secrets: Services['secrets']): Configuration['cookies'] {
  const cookie = { httpOnly: true, signed: true, overwrite: true, sameSite: 'lax' } as const
  return {
    keys: secrets.derive('cookies of /mcp/oauth').map((key) => key.toString('base64url')),
    names: { session: 'parley_mcp_session', interaction: 'parley_mcp_consent', resume: 'parley_mcp_resume' },
    long: { ...cookie, path: '/mcp/oauth' },
    short: cookie,
  }
}

const showError: NonNullable<Configuration['renderError']> = (context, { error, error_description }) => {
  context.type = 'html'
  // For prompt=none, oidc-provider has already set the status of its redirect (303).
  if (context.status < 400) context.status = 400
  context.set(PAGE_HEADERS)
  context.body = errorPage(error_description ?? error)
}
