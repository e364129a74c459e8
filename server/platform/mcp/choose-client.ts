import {
  type FetchLike,
  type OAuthClientInformationFull,
  RegistrationRejectedError,
  registerClient,
  resolveClientMetadata,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import type { AuthorizerOptions, OAuthClient, ServerToAuthorize } from './authorization.ts'
import { AuthorizationError, cleanDetails } from './authorization-error.ts'
import type { AuthorizationPlan } from './discover-authorization.ts'
import { nameDocument } from './invalid-document.ts'
import { isSameIssuer } from './issuers.ts'
import { asMetadata } from './token-endpoint.ts'

const CLIENT_CHARACTERS_MAX = 4_000
/** Supported client authentication methods, in order of preference. */
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/**
 * Chooses Parley's client at the authorization server, in this order of preference:
 * - the client in the catalogue
 * - Parley's Client ID Metadata Document
 * - the client registered earlier
 * - a newly registered client (RFC 7591)
 */
export async function chooseClient(
  plan: AuthorizationPlan,
  server: ServerToAuthorize,
  options: AuthorizerOptions,
  fetchFn: FetchLike,
): Promise<{ client: OAuthClient; isRegistered: boolean }> {
  const { fixed = {}, known } = server
  const { client_id, client_secret } = fixed
  if (client_id) {
    const isFirst = checkIssuer(plan, server)
    return { client: { client_id, ...(client_secret && { client_secret }) }, isRegistered: isFirst }
  }
  if (plan.takesClientDocuments && options.clientMetadataUrl !== null) {
    const client = { client_id: options.clientMetadataUrl, token_endpoint_auth_method: 'none' }
    return { client, isRegistered: false }
  }
  const isKnown = known != null && isSameIssuer(known.issuer, plan.issuer)
  if (isKnown && known.redirectUri === options.redirectUri && !hasEnded(known.client))
    return { client: known.client, isRegistered: false }
  return { client: await register(plan, options, fetchFn), isRegistered: true }
}

/**
 * Returns true if a client from the catalogue is used for the first time. Its secret is bound to the authorization
 * server discovered then. Throws an AuthorizationError if the MCP server later names a different authorization
 * server, which could otherwise obtain the secret.
 */
function checkIssuer(plan: AuthorizationPlan, { fixed = {}, known }: ServerToAuthorize): boolean {
  if (!fixed.client_secret || fixed.token_url) return false
  if (known?.client.client_id !== fixed.client_id) return true
  if (known && isSameIssuer(known.issuer, plan.issuer)) return false
  throw new AuthorizationError('invalid', sentence('mcp.authorization_moved'))
}

/** Returns the client metadata, for registration (RFC 7591, 2) and for the Client ID Metadata Document. */
export function describeClient({ clientName, redirectUri }: AuthorizerOptions, authMethod: string) {
  const clientMetadata = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: authMethod,
  }
  return resolveClientMetadata({ clientMetadata, redirectUrl: redirectUri })
}

/** Returns true if the client secret has expired. 0 means that it never expires (RFC 7591, 3.2.1). */
const hasEnded = ({ client_secret_expires_at: end = 0 }: OAuthClient): boolean =>
  end > 0 && end * 1_000 <= Date.now()

async function register(
  plan: AuthorizationPlan,
  options: AuthorizerOptions,
  fetchFn: FetchLike,
): Promise<OAuthClient> {
  const { host } = new URL(plan.authorizationEndpoint)
  const place = { host, redirect_uri: options.redirectUri }
  if (plan.registrationEndpoint === null)
    throw new AuthorizationError('no_registration', sentence('mcp.no_registration', place))
  // A server that lists no methods supports client_secret_basic (RFC 8414, 2).
  const authMethod = AUTH_METHODS.find((method) => plan.authMethods.includes(method)) ?? 'client_secret_basic'
  const registered = await registerClient(plan.issuer, {
    metadata: asMetadata(plan, plan.registrationEndpoint),
    clientMetadata: describeClient(options, authMethod),
    ...(plan.scope !== undefined && { scope: plan.scope }),
    fetchFn,
  }).catch((error: unknown) => {
    if (!(error instanceof RegistrationRejectedError))
      throw nameDocument(error, 'mcp.registration_response_invalid', host)
    const details = cleanDetails(detailsOf(error), [])
    throw new AuthorizationError(
      'no_registration',
      sentence('mcp.registration_refused', { ...place, details }),
    )
  })
  return readClient(registered, host)
}

function readClient(registered: OAuthClientInformationFull, host: string): OAuthClient {
  const { client_id, client_secret, client_secret_expires_at } = registered
  const isSound = [client_id, client_secret ?? 'x'].every(
    (text) => text !== '' && text.length <= CLIENT_CHARACTERS_MAX,
  )
  // Some servers return the requested method but issue no secret.
  const authMethod = client_secret === undefined ? 'none' : registered.token_endpoint_auth_method
  if (!isSound || (authMethod !== undefined && !AUTH_METHODS.includes(authMethod)))
    throw new AuthorizationError('invalid', sentence('mcp.registration_invalid', { host }))
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(client_secret_expires_at !== undefined && { client_secret_expires_at }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  }
}

function detailsOf({ status, body }: RegistrationRejectedError): string {
  try {
    const { error, error_description } = JSON.parse(body) as Record<string, unknown>
    const details = [error, error_description].filter((text) => typeof text === 'string' && text !== '')
    if (details.length > 0) return details.join(': ')
  } catch {
    // The body is not JSON, for example an HTML error page. Report only the status.
  }
  return `status ${status}`
}
