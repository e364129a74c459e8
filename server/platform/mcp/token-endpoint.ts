import {
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthTokens,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client'
import { sentence } from '#errors'
import type { OAuthClient, StoredGrant, TokenSource, Tokens } from './authorization.ts'
import { AuthorizationError } from './authorization-error.ts'
import { readScope } from './scopes.ts'

const TOKEN_CHARACTERS_MAX = 16_000
/** Maximum lifetime of a token, in seconds. Larger values might not fit into a timestamp. */
const EXPIRES_SECONDS_MAX = 10 * 365 * 86_400
/** Visible ASCII without spaces, which is safe in a header. */
const HEADER_SAFE = /^[\x21-\x7e]+$/

/** Builds the authorization server metadata that the SDK's functions expect. */
export function asMetadata(
  server: { issuer: string; tokenEndpoint: string; authMethods: string[]; authorizationEndpoint?: string },
  registrationEndpoint: string | null = null,
): AuthorizationServerMetadata {
  const { issuer, tokenEndpoint, authMethods, authorizationEndpoint = tokenEndpoint } = server
  return {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    ...(registrationEndpoint !== null && { registration_endpoint: registrationEndpoint }),
  }
}

/**
 * Reads the tokens in a response (RFC 6749, 5.1). Throws an AuthorizationError if a token is unusable. Ignores an
 * invalid lifetime, because a 401 later shows that the token has expired. Without a scope in the response, the
 * requested scope applies.
 */
export function readTokens(response: OAuthTokens, host: string, requestedScope: string | null): Tokens {
  const { access_token, refresh_token, token_type, expires_in: seconds = 0 } = response
  if (token_type.toLowerCase() !== 'bearer')
    throw new AuthorizationError('invalid', sentence('mcp.token_type', { host }))
  for (const token of [access_token, refresh_token])
    if (token !== undefined && (token.length > TOKEN_CHARACTERS_MAX || !HEADER_SAFE.test(token)))
      throw new AuthorizationError('invalid', sentence('mcp.token_invalid', { host }))
  const scope = readScope(response.scope) ?? requestedScope
  return {
    access_token,
    token_type: 'Bearer',
    ...(refresh_token !== undefined && { refresh_token }),
    ...(seconds > 0 && { expires_in: Math.min(Math.floor(seconds), EXPIRES_SECONDS_MAX) }),
    ...(scope !== null && { scope }),
  }
}

/** Revokes a token at the authorization server (RFC 7009, 2.1). Ignores the response. */
export async function revokeToken(
  grant: StoredGrant & { revocationEndpoint: string },
  hint: 'access_token' | 'refresh_token',
  fetchFn: FetchLike,
): Promise<void> {
  const token = grant.tokens[hint]
  if (token === undefined) return
  const form = new URLSearchParams({ token, token_type_hint: hint })
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
  proveClient(grant.client, grant.authMethods, headers, form)
  await fetchFn(grant.revocationEndpoint, { method: 'POST', headers, body: form })
}

/** Returns the function with which the SDK authenticates the client, because the SDK does not encode credentials. */
export const authenticationOf =
  ({ client, authMethods }: TokenSource) =>
  (headers: Headers, form: URLSearchParams): void =>
    proveClient(client, authMethods, headers, form)

/** Authenticates the client (RFC 6749, 2.3.1). */
function proveClient(
  client: OAuthClient,
  authMethods: string[],
  headers: Headers,
  form: URLSearchParams,
): void {
  const { client_id, client_secret = '' } = client
  const method = selectClientAuthMethod(client, authMethods)
  if (method === 'client_secret_basic') {
    const credentials = Buffer.from([client_id, client_secret].map(encode).join(':')).toString('base64')
    headers.set('authorization', `Basic ${credentials}`)
    return
  }
  form.set('client_id', client_id)
  if (method === 'client_secret_post') form.set('client_secret', client_secret)
}

/** Every server decodes `%20`, while some decode no `+`. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
