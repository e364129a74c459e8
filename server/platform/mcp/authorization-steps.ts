import {
  exchangeAuthorization,
  type FetchLike,
  refreshAuthorization,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import type { Net } from '#platform/net/index.ts'
import type {
  AuthorizationAnswer,
  AuthorizerOptions,
  BegunAuthorization,
  PendingAuthorization,
  ServerToAuthorize,
  StoredGrant,
  TokenSource,
} from './authorization.ts'
import { AuthorizationError, refusalOf } from './authorization-error.ts'
import { chooseClient } from './choose-client.ts'
import { discoverAuthorization } from './discover-authorization.ts'
import { nameDocument } from './invalid-document.ts'
import { isSameIssuer } from './issuers.ts'
import { asMetadata, authenticationOf, readTokens } from './token-endpoint.ts'

export { asAuthorizationError } from './as-authorization-error.ts'
export { describeClient } from './choose-client.ts'
export { revokeToken } from './token-endpoint.ts'

/* The steps of McpAuthorizer, built on the SDK. Callers must convert errors with `asAuthorizationError`. */

const CODE_CHARACTERS_MAX = 4_000

interface Begin {
  net: Net
  fetchFn: FetchLike
  options: AuthorizerOptions
  signal: AbortSignal
}

export async function beginAuthorization(
  { net, fetchFn, options, signal }: Begin,
  server: ServerToAuthorize,
  state: string,
): Promise<BegunAuthorization> {
  const plan = await discoverAuthorization(net, fetchFn, server, signal)
  const { client, isRegistered } = await chooseClient(plan, server, options, fetchFn)
  const { issuer, resource, scope } = plan
  const { redirectUri } = options
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
  // Store a client from the catalogue without its secret, which stays in the catalogue.
  const registered = { issuer, client: server.fixed?.client_id ? named : client }
  return { url: authorizationUrl.href, pending, registered: isRegistered ? registered : null }
}

export async function exchangeCode(
  pending: PendingAuthorization,
  answer: AuthorizationAnswer,
  fetchFn: FetchLike,
): Promise<StoredGrant> {
  const { host } = new URL(pending.tokenEndpoint)
  const { expectedIss } = pending
  const isSame = answer.iss !== undefined && expectedIss !== null && isSameIssuer(answer.iss, expectedIss)
  validateAuthorizationResponseIssuer({
    iss: isSame ? expectedIss : answer.iss,
    expectedIssuer: expectedIss ?? undefined,
    issParameterSupported: pending.isIssDemanded,
  })
  if ('error' in answer) throw refusalOf(answer.error, answer.error_description, host)
  const { code } = answer
  if (code === '' || code.length > CODE_CHARACTERS_MAX)
    throw new AuthorizationError('invalid', sentence('mcp.code_invalid', { host }))
  const { client, codeVerifier, redirectUri, resource, requestedScope } = pending
  const response = await exchangeAuthorization(pending.issuer, {
    metadata: asMetadata(pending),
    clientInformation: client,
    authorizationCode: code,
    codeVerifier,
    redirectUri,
    ...(resource !== null && { resource }),
    addClientAuthentication: authenticationOf(pending),
    fetchFn,
  }).catch(throwForTokens(host))
  return { ...sourceOf(pending), tokens: readTokens(response, host, requestedScope) }
}

export async function refreshGrant(grant: StoredGrant, fetchFn: FetchLike): Promise<StoredGrant> {
  const { tokenEndpoint, client, resource, tokens } = grant
  const { host } = new URL(tokenEndpoint)
  if (tokens.refresh_token === undefined)
    throw new AuthorizationError('refused', sentence('mcp.no_refresh_token', { host }))
  const response = await refreshAuthorization(grant.issuer, {
    metadata: asMetadata(grant),
    clientInformation: client,
    refreshToken: tokens.refresh_token,
    ...(resource !== null && { resource }),
    addClientAuthentication: authenticationOf(grant),
    fetchFn,
  }).catch(throwForTokens(host))
  return { ...grant, tokens: readTokens(response, host, tokens.scope ?? null) }
}

const throwForTokens =
  (host: string) =>
  (error: unknown): never => {
    throw nameDocument(error, 'mcp.token_response_invalid', host)
  }

/** Drops the fields that only the callback needs. */
function sourceOf(pending: PendingAuthorization): TokenSource {
  const { issuer, tokenEndpoint, revocationEndpoint, authMethods, client, resource, requestedScope } = pending
  return { issuer, tokenEndpoint, revocationEndpoint, authMethods, client, resource, requestedScope }
}
