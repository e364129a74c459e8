import Type, { type Static, type TObject } from 'typebox'
import type { McpAuthConfig, McpToolRecord, mcpServers } from '#database/schema/mcp.ts'
import { fail, sentence } from '#errors'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  matching,
  NAME,
  Nullable,
  ObjectId,
  Timestamp,
  UpdatedAt,
  WORD,
} from '#platform/http/schemas.ts'
import { compileValidator, validationError } from '#platform/http/validation.ts'
import { type Net, NetError } from '#platform/net/index.ts'

const AUTH_TYPES = ['none', 'oauth', 'api_key', 'composio'] as const

const Text = Type.String({
  minLength: 1,
  maxLength: 2_000,
  ...matching('^[\\x20-\\x7e]*$', 'must contain only printable ASCII characters'),
})
const Address = Type.String({ format: 'uri', maxLength: 2_000, description: 'HTTP or HTTPS URL.' })
const OAUTH = {
  client_id: Type.Optional(
    described(Text, 'OAuth client ID. By default, a client is registered dynamically.'),
  ),
  client_secret: Type.Optional(
    Type.String({
      ...Text,
      description: 'OAuth client secret. Write-only: stored encrypted, never returned.',
    }),
  ),
  scopes: Type.Optional(Type.String({ ...Text, description: 'OAuth scopes, separated by spaces.' })),
  authorization_url: Type.Optional(
    described(Address, 'OAuth authorization endpoint. Discovered if omitted.'),
  ),
  token_url: Type.Optional(described(Address, 'OAuth token endpoint. Discovered if omitted.')),
}
/** A header name (RFC 9110, 5.6.2), limited to the characters that are used in practice. */
const Header = Type.String({
  minLength: 1,
  maxLength: 100,
  ...WORD,
  description: "Header that carries each user's API key.",
})
const AuthConfigId = Type.String({
  minLength: 1,
  maxLength: 200,
  ...WORD,
  description: 'ID of the auth config at Composio.',
})

/** How users connect to a server. `checkAuthConfig` validates the fields of each type. */
const NewAuthConfig = Body(
  {
    type: Enum(AUTH_TYPES, {
      description:
        'How users connect. `none`: no further fields. `oauth`: client_id, client_secret, scopes, authorization_url and token_url, all optional; missing endpoints are discovered, and without client_id a client is registered. `api_key`: header. `composio`: auth_config_id.',
    }),
    ...OAUTH,
    header: Type.Optional(Header),
    auth_config_id: Type.Optional(AuthConfigId),
  },
  { title: 'NewMcpAuthConfig' },
)
type NewAuthConfig = Static<typeof NewAuthConfig>

/** The allowed fields of each type. */
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

/** Headers reserved for the transport (MCP, "Streamable HTTP"; RFC 9110). */
const TAKEN_HEADERS =
  /^(host|connection|content-.*|transfer-encoding|te|upgrade|expect|accept|last-event-id|mcp-.*)$/i

/**
 * Validates an auth config and separates its secret. Throws request.invalid if a field doesn't belong to the type.
 * Throws mcp.server_invalid for a reserved header, an incomplete OAuth config, or an address that must not be
 * requested.
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
      reason: sentence('mcp.header_taken', { header: config.header }),
    })
  if (config.type === 'oauth') {
    if (clientSecret !== undefined && config.client_id === undefined)
      throw fail('mcp.server_invalid', { reason: sentence('mcp.secret_without_id') })
    if ((config.authorization_url === undefined) !== (config.token_url === undefined))
      throw fail('mcp.server_invalid', {
        reason: sentence('mcp.both_urls'),
      })
    for (const name of ['authorization_url', 'token_url'] as const)
      if (config[name] !== undefined) config[name] = checkAddress(net, `auth_config.${name}`, config[name])
  }
  return { config, clientSecret: clientSecret ?? null }
}

/** Normalizes an address and removes its fragment. Throws mcp.server_invalid. */
export function checkAddress(net: Net, field: string, address: string): string {
  try {
    const url = net.checkUrl(address)
    url.hash = ''
    return url.href
  } catch (error) {
    if (!(error instanceof NetError)) throw error
    throw fail('mcp.server_invalid', {
      reason: sentence('mcp.address_refused', { field, reason: error.message }),
    })
  }
}

const Name = Type.String({ minLength: 1, maxLength: 200, ...NAME })
const Fields = {
  name: described(Name, 'Name of the server.'),
  toolkit_name: described(Name, 'Name of the toolkit, for people.'),
  toolkit_slug: Type.String({
    minLength: 1,
    maxLength: 50,
    ...matching(
      '^[a-z0-9][a-z0-9_-]*$',
      'must contain only lowercase letters, digits, - and _, and start with a letter or digit',
    ),
    description:
      'Unique short name: lower-case letters, digits, - and _. Prefixes tool names that several servers share.',
  }),
  toolkit_logo: Type.Optional(
    Nullable(
      Type.String({
        format: 'uri',
        maxLength: 2_000,
        ...matching('^https?://', 'must start with https:// or http://'),
        description: 'URL of the logo; null for none.',
      }),
    ),
  ),
  description: Type.String({
    maxLength: 5_000,
    description: 'Purpose of the server. The catalogue search covers it.',
  }),
  url: described(Address, 'URL of the MCP endpoint (Streamable HTTP).'),
  auth_config: Type.Optional(
    Nullable(described(NewAuthConfig, 'How users connect; null if nobody can connect.')),
  ),
}

export const NewServer = Body(Fields, { title: 'NewMcpServer' })
export type NewServer = Static<typeof NewServer>

export const ServerChange = Body(
  {
    name: Type.Optional(Fields.name),
    toolkit_name: Type.Optional(Fields.toolkit_name),
    toolkit_slug: Type.Optional(Fields.toolkit_slug),
    toolkit_logo: Fields.toolkit_logo,
    description: Type.Optional(Fields.description),
    url: Type.Optional(Fields.url),
    auth_config: Fields.auth_config,
  },
  { title: 'McpServerChange' },
)
export type ServerChange = Static<typeof ServerChange>

const Described = {
  id: ObjectId,
  name: Type.String({ description: 'Name of the server.' }),
  toolkit_name: Type.String({ description: 'Name of the toolkit, for people.' }),
  toolkit_slug: Type.String({ description: 'Unique short name of the toolkit.' }),
  toolkit_logo: Nullable(Type.String({ description: 'URL of the logo; null for none.' })),
  description: Type.String({ description: 'Purpose of the server.' }),
  created_at: CreatedAt,
  server_instance_count: Type.Integer({
    description: 'Number of connections that users have to the server.',
  }),
}

/** A server as administrators see it. */
export const ServerRecord = Type.Object(
  {
    ...Described,
    url: Type.String({ description: 'URL of the MCP endpoint.' }),
    auth_config: Nullable(
      Type.Object(
        {
          type: Enum(AUTH_TYPES, { description: 'How users connect.' }),
          client_id: Type.Optional(Type.String({ description: 'OAuth client ID.' })),
          scopes: Type.Optional(Type.String({ description: 'OAuth scopes, separated by spaces.' })),
          authorization_url: Type.Optional(Type.String({ description: 'OAuth authorization endpoint.' })),
          token_url: Type.Optional(Type.String({ description: 'OAuth token endpoint.' })),
          header: Type.Optional(Type.String({ description: "Header that carries each user's API key." })),
          auth_config_id: Type.Optional(Type.String({ description: 'ID of the auth config at Composio.' })),
        },
        { description: 'How users connect; null if nobody can connect.' },
      ),
    ),
    has_client_secret: Type.Boolean({ description: 'Whether an OAuth client secret is stored.' }),
    updated_at: UpdatedAt,
  },
  { title: 'McpServerRecord' },
)
export type ServerRecord = Static<typeof ServerRecord>

const Listed = {
  ...Described,
  auth_type: Nullable(Enum(AUTH_TYPES, { description: 'How users connect; null if nobody can connect.' })),
  is_connected: Type.Boolean({
    description: 'Whether the caller has an active connection in this organization.',
  }),
}
export const ServerView = Type.Object(Listed, { title: 'McpServer' })
export type ServerView = Static<typeof ServerView>
export const ServerList = Type.Object(
  { servers: Type.Array(ServerView, { description: 'Servers, by name.' }) },
  { title: 'McpServerList' },
)

export const ServerWithTools = Type.Object(
  {
    ...Listed,
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Name of the tool.' }),
          description: Type.String({ description: 'Description by the server. Do not trust it.' }),
          input_schema: Type.Object(
            {},
            { additionalProperties: true, description: 'Parameters, as a JSON Schema.' },
          ),
          left_out: Nullable(
            Type.String({
              description:
                'Why models are not offered the tool, such as a schema that providers would refuse; null if they are.',
            }),
          ),
        },
        { title: 'McpTool' },
      ),
      { description: 'Tools of the server.' },
    ),
    tools_read_at: Nullable(described(Timestamp, 'When the tools were last read; null if never.')),
    tools_changed_at: Nullable(
      Type.String({ format: 'date-time', description: 'When the tools last changed; null if never.' }),
    ),
    error: Nullable(
      Type.String({
        description:
          'Reason why the server could not be reached; the tools are then the last known ones. Null if it was reached.',
      }),
    ),
  },
  { title: 'McpServerWithTools' },
)
export type ServerWithTools = Static<typeof ServerWithTools>

type ServerRow = typeof mcpServers.$inferSelect
/** Timestamp. A string if the row comes from hand-written SQL. */
type Time = Date | string
interface DescribedServer
  extends Pick<
    ServerRow,
    'id' | 'name' | 'toolkitName' | 'toolkitSlug' | 'toolkitLogo' | 'description' | 'instanceCount'
  > {
  createdAt: Time
}

export type RecordedServer = DescribedServer &
  Pick<ServerRow, 'url' | 'authConfig' | 'clientSecret'> & { updatedAt: Time }

export const viewRecord = (row: RecordedServer): ServerRecord => ({
  ...describe(row),
  url: row.url,
  auth_config: row.authConfig,
  has_client_secret: row.clientSecret !== null,
  updated_at: isoOf(row.updatedAt),
})

export interface ListedServer extends DescribedServer {
  authType: McpAuthConfig['type'] | null
  isConnected: boolean
}

export const viewServer = (row: ListedServer): ServerView => ({
  ...describe(row),
  auth_type: row.authType,
  is_connected: row.isConnected,
})

/** A server's tools, and when they were listed. */
export interface ToolList {
  tools: McpToolRecord[]
  readAt: Time | null
  changedAt: Time | null
  /** Error message of the failed call to the server. Null if no call failed. */
  error: string | null
}

export const viewWithTools = (row: ListedServer, list: ToolList): ServerWithTools => ({
  ...viewServer(row),
  tools: list.tools.map((tool) => ({ ...tool, left_out: tool.left_out ?? null })),
  tools_read_at: list.readAt && isoOf(list.readAt),
  tools_changed_at: list.changedAt && isoOf(list.changedAt),
  error: list.error,
})

const describe = (row: DescribedServer) => ({
  id: row.id,
  name: row.name,
  toolkit_name: row.toolkitName,
  toolkit_slug: row.toolkitSlug,
  toolkit_logo: row.toolkitLogo,
  description: row.description,
  created_at: isoOf(row.createdAt),
  server_instance_count: row.instanceCount,
})

const isoOf = (time: Time): string => new Date(time).toISOString()
