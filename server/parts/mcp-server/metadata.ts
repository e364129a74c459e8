/** Where the authorization server of /mcp answers. */
export const OAUTH_PATHS = {
  authorization: '/mcp/oauth/authorize',
  token: '/mcp/oauth/token',
  registration: '/mcp/oauth/register',
  revocation: '/mcp/oauth/revoke',
  consent: '/mcp/oauth/consent',
} as const

/** All that a token is for; what its bearer may do is what the person holds who has let it be. */
export const SCOPE = 'mcp'

/** What tokens are for, as RFC 8707 names it. */
export const resourceOf = (baseUrl: string): string => `${baseUrl}/mcp`

/** RFC 9728. */
export const protectedResource = (baseUrl: string) => ({
  resource: resourceOf(baseUrl),
  resource_name: 'Parley',
  authorization_servers: [baseUrl],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
})

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

/** RFC 8414; the last two are RFC 9207 and the draft on Client ID Metadata Documents. */
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

/** How clients show who they are at the token endpoint. */
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const

/** The WWW-Authenticate of an answer 401 (RFC 6750, 3; RFC 9728, 5.1). */
export const challenge = (baseUrl: string, isRefused: boolean): string =>
  [
    `Bearer resource_metadata="${baseUrl}${RESOURCE_METADATA_PATH}/mcp"`,
    `scope="${SCOPE}"`,
    ...(isRefused ? ['error="invalid_token"'] : []),
  ].join(', ')
