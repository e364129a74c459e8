import Type, { type Static } from 'typebox'
import type { McpAuthConfig, McpToolRecord, mcpServers } from '#database/schema/mcp.ts'
import { Body, Enum, Nullable, Timestamp, Uuid } from '#platform/http/schemas.ts'
import { AUTH_TYPES, NewAuthConfig } from './auth-config.ts'

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const Address = Type.String({ format: 'uri', maxLength: 2_000 })
const Fields = {
  name: Name,
  toolkit_name: Name,
  toolkit_slug: Type.String({
    minLength: 1,
    maxLength: 50,
    pattern: '^[a-z0-9][a-z0-9_-]*$',
    description:
      'Small letters, digits, - and _; unique. Tools that several servers have are called by it too',
  }),
  toolkit_logo: Type.Optional(
    Nullable(Type.String({ format: 'uri', maxLength: 2_000, pattern: '^https?://' })),
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
