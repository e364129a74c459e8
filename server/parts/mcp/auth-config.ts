import Type, { type Static, type TObject } from 'typebox'
import type { McpAuthConfig } from '#database/schema/mcp.ts'
import { fail, quote } from '#errors'
import { Body, Enum } from '#platform/http/schemas.ts'
import { compileValidator, validationError } from '#platform/http/validation.ts'
import { type Net, NetError } from '#platform/net/index.ts'

export const AUTH_TYPES = ['none', 'oauth', 'api_key', 'composio'] as const

const Text = Type.String({ minLength: 1, maxLength: 2_000, pattern: '^[\\x20-\\x7e]*$' })
const Address = Type.String({ format: 'uri', maxLength: 2_000 })
const OAUTH = {
  client_id: Type.Optional(Text),
  client_secret: Type.Optional(
    Type.String({ ...Text, description: 'Write-only: stored encrypted, never returned' }),
  ),
  scopes: Type.Optional(Type.String({ ...Text, description: 'Parted by blanks' })),
  authorization_url: Type.Optional(Address),
  token_url: Type.Optional(Address),
}
/** RFC 9110, 5.6.2, as far as names of headers go in practice. */
const Header = Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_-]+$' })
const AuthConfigId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9_-]+$' })

/** How people connect to a server, as an administrator sends it; `checkAuthConfig` knows what each type has. */
export const NewAuthConfig = Body(
  {
    type: Enum(AUTH_TYPES, {
      description:
        'none: nothing more. oauth: client_id, client_secret, scopes, authorization_url, token_url, each optional: what ' +
        'is absent is discovered, and without client_id a client is registered. api_key: header, in which each ' +
        "person's own key goes. composio: auth_config_id, as Composio calls it",
    }),
    ...OAUTH,
    header: Type.Optional(Header),
    auth_config_id: Type.Optional(AuthConfigId),
  },
  { title: 'NewMcpAuthConfig' },
)
type NewAuthConfig = Static<typeof NewAuthConfig>

/** What each type has, and nothing else. */
const CONFIGS: Record<NewAuthConfig['type'], TObject> = {
  none: Body({ type: Enum(['none']) }),
  oauth: Body({ type: Enum(['oauth']), ...OAUTH }),
  api_key: Body({ type: Enum(['api_key']), header: Header }),
  composio: Body({ type: Enum(['composio']), auth_config_id: AuthConfigId }),
}
const VALIDATORS = Object.fromEntries(
  Object.entries(CONFIGS).map(([type, auth_config]) => [
    type,
    compileValidator(Type.Object({ auth_config }), 'body'),
  ]),
) as Record<NewAuthConfig['type'], ReturnType<typeof compileValidator>>

/** Headers that are the transport's, not a key's (MCP, "Streamable HTTP"; RFC 9110). */
const TAKEN_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|te|upgrade|expect|accept|last-event-id|mcp-.*)$/i

/**
 * An auth config as it was sent, found to be one, and its secret apart. Throws request.invalid for what its type does
 * not have, and mcp.server_invalid for addresses that may not be reached and headers that are not to be set.
 */
export function checkAuthConfig(
  net: Net,
  given: NewAuthConfig | null,
): { config: McpAuthConfig | null; clientSecret: string | null } {
  if (given === null) return { config: null, clientSecret: null }
  const validate = VALIDATORS[given.type]
  if (!validate({ auth_config: given })) throw validationError(validate.errors ?? [], 'auth_config')
  const { client_secret: clientSecret, ...config } = given as McpAuthConfig & { client_secret?: string }
  if (config.type === 'api_key' && TAKEN_HEADERS.test(config.header))
    throw fail('mcp.server_invalid', {
      reason: `auth_config.header: a key can't go in the header ${quote(config.header)}`,
    })
  if (config.type === 'oauth') {
    if (clientSecret !== undefined && config.client_id === undefined)
      throw fail('mcp.server_invalid', { reason: 'auth_config.client_secret is of no use without client_id' })
    if ((config.authorization_url === undefined) !== (config.token_url === undefined))
      throw fail('mcp.server_invalid', {
        reason: 'auth_config needs both authorization_url and token_url, or neither',
      })
    for (const name of ['authorization_url', 'token_url'] as const)
      if (config[name] !== undefined) config[name] = checkAddress(net, `auth_config.${name}`, config[name])
  }
  return { config, clientSecret: clientSecret ?? null }
}

/** An address in its normal form, without a fragment. Throws mcp.server_invalid. */
export function checkAddress(net: Net, field: string, address: string): string {
  try {
    const url = net.checkUrl(address)
    url.hash = ''
    return url.href
  } catch (error) {
    if (!(error instanceof NetError)) throw error
    throw fail('mcp.server_invalid', { reason: `${field}: ${error.message}` })
  }
}
