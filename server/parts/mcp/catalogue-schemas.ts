import Type, { type Static, type TObject } from 'typebox'
import type { McpAuthConfig, McpToolRecord, mcpServers } from '#database/schema/mcp.ts'
import { fail, sentence } from '#errors'
import { Body, Enum, matching, NOT_BLANK, Nullable, Timestamp, Uuid, WORD } from '#platform/http/schemas.ts'
import { compileValidator, validationError } from '#platform/http/validation.ts'
import { type Net, NetError } from '#platform/net/index.ts'

const AUTH_TYPES = ['none', 'oauth', 'api_key', 'composio'] as const

const Text = Type.String({
  minLength: 1,
  maxLength: 2_000,
  ...matching('^[\\x20-\\x7e]*$', 'must hold only letters, digits, signs and spaces of ASCII'),
})
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
const Header = Type.String({ minLength: 1, maxLength: 100, ...WORD })
const AuthConfigId = Type.String({ minLength: 1, maxLength: 200, ...WORD })

/** How people connect to a server, as an administrator sends it; `checkAuthConfig` knows what each type has. */
const NewAuthConfig = Body(
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

/** An address in its normal form, without a fragment. Throws mcp.server_invalid. */
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

const Name = Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK })
const Fields = {
  name: Name,
  toolkit_name: Name,
  toolkit_slug: Type.String({
    minLength: 1,
    maxLength: 50,
    ...matching(
      '^[a-z0-9][a-z0-9_-]*$',
      'must hold only lower-case letters, digits, - and _, and begin with a letter or digit',
    ),
    description:
      'Small letters, digits, - and _; unique. Tools that several servers have are called by it too',
  }),
  toolkit_logo: Type.Optional(
    Nullable(
      Type.String({
        format: 'uri',
        maxLength: 2_000,
        ...matching('^https?://', 'must begin with https:// or http://'),
      }),
    ),
  ),
  description: Type.String({ maxLength: 5_000, description: 'What it is for; servers are found by it' }),
  url: Address,
  auth_config: Type.Optional(Nullable(NewAuthConfig)),
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
  id: Uuid,
  name: Type.String(),
  toolkit_name: Type.String(),
  toolkit_slug: Type.String(),
  toolkit_logo: Nullable(Type.String()),
  description: Type.String(),
  created_at: Timestamp,
  server_instance_count: Type.Integer({ description: 'Connections that people have to it' }),
}

/** As administrators see it. */
export const ServerRecord = Type.Object(
  {
    ...Described,
    url: Type.String(),
    auth_config: Nullable(
      Type.Object(
        {
          type: Enum(AUTH_TYPES),
          client_id: Type.Optional(Type.String()),
          scopes: Type.Optional(Type.String()),
          authorization_url: Type.Optional(Type.String()),
          token_url: Type.Optional(Type.String()),
          header: Type.Optional(Type.String()),
          auth_config_id: Type.Optional(Type.String()),
        },
        { description: 'Null: nobody can connect' },
      ),
    ),
    has_client_secret: Type.Boolean(),
    updated_at: Timestamp,
  },
  { title: 'McpServerRecord' },
)
export type ServerRecord = Static<typeof ServerRecord>

const Listed = {
  ...Described,
  auth_type: Nullable(Enum(AUTH_TYPES, { description: 'How one connects; null: nobody can' })),
  is_connected: Type.Boolean({
    description: 'Whether the caller has an active connection, in this organization',
  }),
}
export const ServerView = Type.Object(Listed, { title: 'McpServer' })
export type ServerView = Static<typeof ServerView>
export const ServerList = Type.Object({ servers: Type.Array(ServerView) }, { title: 'McpServerList' })

export const ServerWithTools = Type.Object(
  {
    ...Listed,
    tools: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          description: Type.String({ description: 'In the words of the server: not to be trusted' }),
          input_schema: Type.Object(
            {},
            { additionalProperties: true, description: 'A JSON Schema of an object' },
          ),
        },
        { title: 'McpTool' },
      ),
    ),
    tools_read_at: Nullable(Timestamp),
    tools_changed_at: Nullable(
      Type.String({ format: 'date-time', description: 'When they were last found to be others' }),
    ),
    error: Nullable(
      Type.String({
        description: 'Why the server could not be asked just now; then the tools are the last known',
      }),
    ),
  },
  { title: 'McpServerWithTools' },
)
export type ServerWithTools = Static<typeof ServerWithTools>

type ServerRow = typeof mcpServers.$inferSelect
/** Statements by hand read times as text. */
type Time = Date | string
interface DescribedServer
  extends Pick<
    ServerRow,
    'id' | 'name' | 'toolkitName' | 'toolkitSlug' | 'toolkitLogo' | 'description' | 'instanceCount'
  > {
  createdAt: Time
}

/** A server as administration reads it. */
export type RecordedServer = DescribedServer &
  Pick<ServerRow, 'url' | 'authConfig' | 'clientSecret'> & { updatedAt: Time }

export const viewRecord = (row: RecordedServer): ServerRecord => ({
  ...describe(row),
  url: row.url,
  auth_config: row.authConfig,
  has_client_secret: row.clientSecret !== null,
  updated_at: isoOf(row.updatedAt),
})

/** A server as a list reads it. */
export interface ListedServer extends DescribedServer {
  authType: McpAuthConfig['type'] | null
  isConnected: boolean
}

export const viewServer = (row: ListedServer): ServerView => ({
  ...describe(row),
  auth_type: row.authType,
  is_connected: row.isConnected,
})

/** A server's tools, and how they were come by. */
export interface ToolList {
  tools: McpToolRecord[]
  readAt: Time | null
  changedAt: Time | null
  /** A sentence where the server was asked and did not answer. */
  error: string | null
}

export const viewWithTools = (row: ListedServer, list: ToolList): ServerWithTools => ({
  ...viewServer(row),
  tools: list.tools,
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
