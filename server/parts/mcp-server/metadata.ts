export const OAUTH_PATHS = {
  authorization: '/mcp/oauth/authorize',
  token: '/mcp/oauth/token',
  registration: '/mcp/oauth/register',
  revocation: '/mcp/oauth/revoke',
  consent: '/mcp/oauth/consent',
} as const

/** The only scope. A token's access is limited by the permissions of its API key. */
export const SCOPE = 'mcp'

/** Returns the resource indicator of the tokens (RFC 8707). */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

/** Returns the protected resource metadata (RFC 9728). */
export const protectedResource = (baseUrl: string) => ({
  resource: resourceOf(baseUrl),
  resource_name: 'Parley',
  authorization_servers: [baseUrl],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
})

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/**
 * Returns the authorization server metadata (RFC 8414). The last two fields are from RFC 9207 and the draft of Client
 * ID Metadata Documents.
 */
export const authorizationServer = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: baseUrl + OAUTH_PATHS.authorization,
  token_endpoint: baseUrl + OAUTH_PATHS.token,
  registration_endpoint: baseUrl + OAUTH_PATHS.registration,
  revocation_endpoint: baseUrl + OAUTH_PATHS.revocation,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: [...AUTH_METHODS],
  revocation_endpoint_auth_methods_supported: [...AUTH_METHODS],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})

/** Client authentication methods of the token endpoint and the revocation endpoint. */
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

/** Returns the WWW-Authenticate header of a 401 response (RFC 6750, 3; RFC 9728, 5.1). */
export const challenge = (baseUrl: string, isRefused: boolean): string =>
  [
    `Bearer resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}/mcp"`,
    `scope="${SCOPE}"`,
    ...(isRefused ? ['error="invalid_token"'] : []),
  ].join(', ')
