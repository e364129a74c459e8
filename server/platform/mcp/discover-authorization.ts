import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import { exchangeOnce, FetchError } from '#platform/net/fetch-bounded.ts'
import { type Net, NetError } from '#platform/net/index.ts'
import type { ServerToAuthorize } from './authorization.ts'
import { AuthorizationError } from './authorization-error.ts'
import { checkEndpoint } from './authorization-fetch.ts'
import { checkBrowserAddress } from './browser-address.ts'
import { nameDocument } from './invalid-document.ts'
import { isSameIssuer } from './issuers.ts'
import { readScope } from './scopes.ts'

/**
 * Describes how to authorize with a server. The values come from metadata, from the catalogue, or from the defaults
 * of MCP 2025-03-26.
 */
export interface AuthorizationPlan {
  /** The authorization server's issuer. Registered clients are stored under this value. */
  issuer: string
  /** The required value of `iss` in responses (RFC 9207). Null if no metadata names the issuer. */
  expectedIss: string | null
  isIssDemanded: boolean
  authorizationEndpoint: string
  tokenEndpoint: string
  registrationEndpoint: string | null
  revocationEndpoint: string | null
  /** Client authentication methods of the token endpoint. Empty if the metadata lists none. */
  authMethods: string[]
  takesClientDocuments: boolean
  /** The resource of the tokens (RFC 8707), exactly as in the resource metadata. Null without metadata. */
  resource: string | null
  /** The scope to request (MCP, "Scope Selection Strategy"). Undefined to request none. */
  scope: string | undefined
}

const CHALLENGE_CHARACTERS_MAX = 4_000
/** @limit issuer of an authorization server */
const ISSUER_CHARACTERS_MAX = 2_000
const AUTH_METHODS_MAX = 20
const AUTH_METHOD_CHARACTERS_MAX = 100

/**
 * Reads the metadata documents (RFC 9728, RFC 8414, OpenID Connect Discovery). Throws the same errors as
 * `McpAuthorizer.begin`.
 */
export async function discoverAuthorization(
  net: Net,
  fetchFn: FetchLike,
  server: ServerToAuthorize,
  signal: AbortSignal,
): Promise<AuthorizationPlan> {
  const url = checkEndpoint(net, server.url)
  const { fixed = {} } = server
  const challenge = readChallenge(server.challenge ?? (await askForChallenge(net, url, server, signal)))
  const resource = await findResource(net, url, challenge.resourceMetadataUrl, server, fetchFn)
  const named = resource?.authorization_servers?.[0]
  const issuer = named ?? String(new URL('/', url))
  const metadata = isAllFixed(server) ? undefined : await findMetadata(issuer, named !== undefined, fetchFn)
  if (metadata === undefined && named !== undefined && !(fixed.authorization_url && fixed.token_url))
    throw invalid(sentence('mcp.authorization_metadata', { host: new URL(issuer).host }))
  if (metadata) checkMetadata(metadata, Boolean(fixed.client_id))
  const endpoint = (address: string | undefined): string | null =>
    address === undefined ? null : checkEndpoint(net, address).href
  const byDefault = (path: string): string | undefined =>
    metadata || named !== undefined ? undefined : new URL(path, issuer).href
  const authorizationUrl =
    fixed.authorization_url ?? metadata?.authorization_endpoint ?? byDefault('/authorize')
  const tokenUrl = fixed.token_url ?? metadata?.token_endpoint ?? byDefault('/token')
  return {
    issuer: metadata?.issuer ?? issuer,
    expectedIss: metadata?.issuer ?? null,
    isIssDemanded: metadata?.authorization_response_iss_parameter_supported === true,
    authorizationEndpoint: checkBrowserAddress(net, authorizationUrl ?? '').href,
    tokenEndpoint: checkEndpoint(net, tokenUrl ?? '').href,
    registrationEndpoint: endpoint(metadata ? metadata.registration_endpoint : byDefault('/register')),
    revocationEndpoint: endpoint(revocationEndpointOf(metadata)),
    authMethods: readAuthMethods(metadata?.token_endpoint_auth_methods_supported),
    takesClientDocuments: metadata?.client_id_metadata_document_supported === true,
    resource: resource?.resource ?? null,
    scope: chooseScope(server, challenge.scope, resource, metadata),
  }
}

/**
 * Returns true if the catalogue defines the client and the endpoints. The authorization server's metadata is then not
 * needed.
 */
const isAllFixed = ({ fixed }: ServerToAuthorize): boolean =>
  Boolean(fixed?.client_id && fixed.authorization_url && fixed.token_url)

/**
 * Sends an unauthenticated request and returns the response's WWW-Authenticate header, if any. The request is a ping,
 * which creates no session.
 */
async function askForChallenge(
  net: Net,
  url: URL,
  server: ServerToAuthorize,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  const exchange = exchangeOnce(net, url.href, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'Parley',
    },
    content,
    readsBody: () => false,
    bytesMax: 0,
    signal,
  })
  const answer = await (isAllFixed(server) ? exchange.catch(passOverUnreachable) : exchange)
  const header = answer?.headers['www-authenticate']
  return header === undefined ? undefined : [header].flat().join(', ')
}

function passOverUnreachable(error: unknown): undefined {
  if (!(error instanceof FetchError)) throw error
}

function readChallenge(header = ''): { resourceMetadataUrl?: URL; scope?: string } {
  const printable = header.slice(0, CHALLENGE_CHARACTERS_MAX).replaceAll(/[^\x20-\x7e]/g, '')
  // The Bearer challenge may follow challenges of other schemes (RFC 9110, 11.6.1).
  const begins = /(?:^|,\s*)(?=Bearer\s)/i.exec(printable)
  if (!begins) return {}
  const challenge = printable.slice(begins.index + begins[0].length)
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': challenge } }))
}

/** Reads the resource metadata (RFC 9728). Returns undefined if the server has none, as before MCP 2025-06-18. */
async function findResource(
  net: Net,
  url: URL,
  resourceMetadataUrl: URL | undefined,
  server: ServerToAuthorize,
  fetchFn: FetchLike,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const found = await discoverOAuthProtectedResourceMetadata(
    url,
    resourceMetadataUrl && { resourceMetadataUrl },
    fetchFn,
  ).catch((thrown: unknown) => {
    const error = nameDocument(thrown, 'mcp.resource_metadata_invalid', (resourceMetadataUrl ?? url).host)
    if (error instanceof FetchError && isAllFixed(server)) return undefined
    if (!isAbsence(error)) throw error
    if (resourceMetadataUrl && !isAllFixed(server))
      throw invalid(
        sentence('mcp.authorization_metadata_missing', { host: url.host, other: resourceMetadataUrl.host }),
      )
    return undefined
  })
  if (!found) return undefined
  const resource = checkEndpoint(net, found.resource)
  const isOurs = checkResourceAllowed({
    requestedResource: resourceUrlFromServerUrl(url),
    configuredResource: withoutFinalSlash(resource),
  })
  if (!isOurs || found.resource.includes('#'))
    throw invalid(sentence('mcp.authorization_metadata_foreign', { host: url.host }))
  return found
}

/** A server at `/mcp` may call itself `/mcp/`, to which many servers redirect. */
function withoutFinalSlash(resource: URL): URL {
  const url = new URL(resource)
  url.pathname = url.pathname.replace(/\/$/, '')
  return url
}

/**
 * Returns true if the SDK found no document. The SDK throws a plain Error in that case, and subclasses of Error for
 * invalid or unreachable documents.
 */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof NetError || error instanceof FetchError || error instanceof AuthorizationError) &&
  error.constructor === Error

/** Reads the authorization server's metadata. Returns undefined if there is none. */
async function findMetadata(
  issuer: string,
  isNamed: boolean,
  fetchFn: FetchLike,
): Promise<AuthorizationServerMetadata | undefined> {
  const metadata = await discoverAuthorizationServerMetadata(issuer, {
    fetchFn,
    // Compared below: the SDK refuses a root issuer that differs by its slash.
    skipIssuerValidation: true,
  }).catch((thrown: unknown) => {
    const error = nameDocument(thrown, 'mcp.authorization_invalid', new URL(issuer).host)
    if (!isAbsence(error)) throw error
    throw new AuthorizationError(
      'unreachable',
      sentence('mcp.authorization_down', { host: new URL(issuer).host }),
    )
  })
  // Before MCP 2025-06-18, no document named the issuer. Accept only metadata that names the server's own origin.
  const isExpected =
    !metadata ||
    (isNamed
      ? isSameIssuer(metadata.issuer, issuer) || `${metadata.issuer}/` === issuer
      : URL.parse(metadata.issuer)?.origin === new URL(issuer).origin)
  if (!isExpected) throw invalid(sentence('mcp.authorization_issuer', { host: new URL(issuer).host }))
  return metadata
}

function checkMetadata(metadata: AuthorizationServerMetadata, isClientFixed: boolean): void {
  const { issuer, response_types_supported, code_challenge_methods_supported } = metadata
  if (issuer.length > ISSUER_CHARACTERS_MAX)
    throw invalid(sentence('mcp.authorization_issuer_too_long', { limit: ISSUER_CHARACTERS_MAX }))
  const host = URL.parse(issuer)?.host ?? 'The authorization server'
  if (!response_types_supported.includes('code'))
    throw invalid(sentence('mcp.authorization_no_codes', { host }))
  // A missing list means that PKCE is not supported (RFC 8414, 2). Tolerate a missing list if an administrator
  // configured the client.
  if (!(code_challenge_methods_supported?.includes('S256') ?? isClientFixed))
    throw invalid(sentence('mcp.authorization_no_pkce', { host }))
}

const readAuthMethods = (methods: string[] = []): string[] =>
  methods.filter(({ length }) => length <= AUTH_METHOD_CHARACTERS_MAX).slice(0, AUTH_METHODS_MAX)

/** Returns the revocation endpoint. OpenID Connect documents may contain one too, although the SDK's type doesn't. */
function revocationEndpointOf(metadata: object | undefined): string | undefined {
  const { revocation_endpoint: endpoint } = (metadata ?? {}) as Record<string, unknown>
  return typeof endpoint === 'string' ? endpoint : undefined
}

function chooseScope(
  { scope, fixed }: ServerToAuthorize,
  challenged: string | undefined,
  resource: OAuthProtectedResourceMetadata | undefined,
  metadata: AuthorizationServerMetadata | undefined,
): string | undefined {
  const chosen =
    readScope(scope) ??
    readScope(fixed?.scopes) ??
    readScope(challenged) ??
    readScope(resource?.scopes_supported)
  // Don't request `offline_access` alone. Without a requested scope, servers grant their default scopes, which are
  // more.
  if (chosen === undefined || !metadata?.scopes_supported?.includes('offline_access')) return chosen
  return readScope(`${chosen} offline_access`)
}

const invalid = (message: string): AuthorizationError => new AuthorizationError('invalid', message)
