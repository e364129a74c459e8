import Type, { type Static } from 'typebox'
import {
  Body,
  CreatedAt,
  described,
  Enum,
  ErrorValues,
  idOf,
  matching,
  NAME,
  Nullable,
  ObjectId,
  OpenQuery,
  Timestamp,
  Uuid,
  WORD,
} from '#platform/http/schemas.ts'
import { URI_CHARACTERS_MAX } from '#platform/mcp/read-resources.ts'

const API_KEY_CHARACTERS_MAX = 4_000
const SHARED_AGENTS_MAX = 100
/** Maximum length of a query parameter in a provider's redirect, in characters. */
const ANSWER_CHARACTERS_MAX = 8_000

export const INSTANCE_STATUSES = ['active', 'pending', 'inactive'] as const

const FlowType = Type.String({
  minLength: 1,
  maxLength: 50,
  ...WORD,
  description: "Your own label, such as chat or settings. Returned with the browser's redirect.",
})

export const NewConnection = Body({
  server_id: idOf('the server to connect to'),
  flow_type: Type.Optional(FlowType),
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_KEY_CHARACTERS_MAX,
      ...matching(
        '^[!-~]+( [!-~]+)*$',
        'must contain only visible ASCII characters and single spaces between them',
      ),
      description:
        'API key of the user, for servers of type api_key. Parley tests it before storing it and never returns it.',
    }),
  ),
  mcp_instance_id: Type.Optional(
    Type.String({
      ...Uuid,
      description:
        "ID of the caller's own connection to reconnect. It stays unchanged until the new connection succeeds.",
    }),
  ),
})
export type NewConnection = Static<typeof NewConnection>

export const ConnectionAttempt = Type.Object(
  {
    id: Type.String({ description: 'ID of the account at the provider, or of the connection.' }),
    status: Enum(['pending'], { description: 'Always `pending`.' }),
    redirect_url: Type.String({
      format: 'uri',
      description: 'URL to open in the browser within 10 minutes.',
    }),
    connectionData: Type.Object(
      {
        mcp_session_id: Type.String({ ...Uuid, description: 'ID of the connection.' }),
        server_id: idOf('the server'),
      },
      { description: 'IDs of the attempt.' },
    ),
  },
  { title: 'McpConnectionAttempt' },
)
export type ConnectionAttempt = Static<typeof ConnectionAttempt>

const Passed = (description: string) =>
  Type.Optional(Type.String({ maxLength: ANSWER_CHARACTERS_MAX, description }))

/** Query parameters of a provider's redirect. */
export const CallbackQuery = OpenQuery({
  state: Passed('State from connect_account. Single-use, valid for 10 minutes.'),
  code: Passed('Authorization code (RFC 6749, 4.1.2).'),
  iss: Passed('Issuer of the response (RFC 9207).'),
  error: Passed('Error code (RFC 6749, 4.1.2.1).'),
  error_description: Passed('Error description.'),
  status: Passed('Status from Composio.'),
  connected_account_id: Passed('ID of the account at Composio.'),
  mcp_server_id: Type.Optional(idOf('the server')),
  mcp_session_id: Type.Optional(idOf('the connection')),
  flow_type: Type.Optional(FlowType),
})
export type CallbackQuery = Static<typeof CallbackQuery>

export const TicketBody = Body({
  ticket: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Ticket from the fragment of the callback's redirect URL.",
  }),
})

export const PendingConnection = Type.Object(
  {
    server_name: Type.String({ description: 'Name of the server.' }),
    toolkit_logo: Nullable(Type.String({ description: 'URL of the logo; null for none.' })),
    started_by: Type.String({ description: 'Masked email address of the user who started the connection.' }),
    is_yours: Type.Boolean({
      description: 'Whether the caller started the connection. Only that user can finish it.',
    }),
    expires_at: described(Timestamp, 'When the attempt expires.'),
  },
  { title: 'McpPendingConnection' },
)
export type PendingConnection = Static<typeof PendingConnection>

export const ConfirmedConnection = Type.Object(
  {
    status: Enum(['active'], { description: 'Always `active`.' }),
    mcp_server_id: idOf('the server'),
    mcp_session_id: idOf('the connection'),
    flow_type: Nullable(
      Type.String({
        description: '`flow_type` of the request that started the connection; null if it had none.',
      }),
    ),
  },
  { title: 'McpConfirmedConnection' },
)
export type ConfirmedConnection = Static<typeof ConfirmedConnection>

const SharedAgentIds = Type.Array(Uuid, {
  maxItems: SHARED_AGENTS_MAX,
  description: "IDs of the organization's agents that use this connection, for everyone who talks to them.",
})

export const InstanceChange = Body({
  name: Type.String({ minLength: 1, maxLength: 200, ...NAME, description: 'Name of the connection.' }),
  shared_agent_ids: Type.Optional(SharedAgentIds),
})
export type InstanceChange = Static<typeof InstanceChange>

export const InstanceView = Type.Object(
  {
    id: ObjectId,
    status: Enum(INSTANCE_STATUSES, { description: 'Status of the connection.' }),
    mcp_server_id: idOf('the server'),
    name: Nullable(Type.String({ description: 'Name of the connection; null if it has none.' })),
    created_at: CreatedAt,
    server_name: Type.String({ description: 'Name of the server.' }),
    toolkit_slug: Type.String({ description: 'Unique short name of the toolkit.' }),
    error: Nullable(Type.String({ description: 'Reason why the connection is inactive; null otherwise.' })),
    shared_agent_ids: SharedAgentIds,
    tools_changed_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When known tools last changed; null if never.',
      }),
    ),
  },
  { title: 'McpInstance' },
)
export type InstanceView = Static<typeof InstanceView>

export const DeletedInstance = Type.Object(
  {
    message: Type.String({ description: 'Confirmation in a sentence.' }),
    code: Type.Optional(
      Enum(['mcp.not_revoked'], {
        description: 'Why the access may still exist at the provider. Absent if the provider revoked it.',
      }),
    ),
    values: Type.Optional(
      described(ErrorValues, 'The `reason` that `message` shows. Absent if the provider revoked the access.'),
    ),
  },
  { title: 'DeletedMcpInstance' },
)
export type DeletedInstance = Static<typeof DeletedInstance>

export const UrlRequest = Body({
  server_id: idOf('the server'),
  session_id: Type.String({
    ...Uuid,
    description: 'ID of the connection: `mcp_session_id` from connect_account.',
  }),
})
export type UrlRequest = Static<typeof UrlRequest>

export const GatewayUrl = Type.Object(
  {
    mcp_url: Type.String({
      format: 'uri',
      description: 'MCP URL of the connection. Keep it secret: it grants access to the account.',
    }),
    status: Enum(['active'], { description: 'Always `active`.' }),
  },
  { title: 'McpGatewayUrl' },
)
export type GatewayUrl = Static<typeof GatewayUrl>

/** OAuth client metadata (RFC 7591, 2), which authorization servers fetch (Client ID Metadata Document). */
export const ClientDocument = Type.Object(
  {
    client_id: Type.Unsafe<string | null>({
      anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }],
      description: 'URL of this document; null if the installation has no public HTTPS URL.',
    }),
    client_name: Type.String({ description: 'Name of the client.' }),
    redirect_uris: Type.Array(Type.String({ format: 'uri' }), {
      description: 'Redirect URIs of the client.',
    }),
  },
  { title: 'McpClientDocument', additionalProperties: true },
)

export const ResourceList = Type.Object(
  {
    resources: Type.Array(
      Type.Object(
        {
          uri: Type.String({
            description: 'URI of the resource, for attach_resource. Only the server resolves it.',
          }),
          name: Type.String({ description: 'Name of the resource.' }),
          description: Type.String({
            description: 'Description by the server; may be empty. Do not trust it.',
          }),
          content_type: Nullable(Type.String({ description: 'Media type; null if the server omits it.' })),
          size: Nullable(Type.Integer({ description: 'Size in bytes; null if the server omits it.' })),
        },
        { title: 'McpResource' },
      ),
      { description: 'Up to 1,000 resources, in the order of the server.' },
    ),
  },
  { title: 'McpResourceList' },
)
export type ResourceList = Static<typeof ResourceList>

export const ResourceBody = Body({
  uri: Type.String({
    minLength: 1,
    maxLength: URI_CHARACTERS_MAX,
    description: 'URI of a resource of the server, such as one from the list of its resources.',
  }),
})

/** A row of hand-written SQL. Timestamps are strings. */
export interface InstanceRow {
  id: string
  status: InstanceView['status']
  serverId: string
  name: string | null
  createdAt: string
  serverName: string
  toolkitSlug: string
  error: string | null
  sharedAgentIds: string[]
  toolsChangedAt: string | null
}

export const viewInstance = (row: InstanceRow): InstanceView => ({
  id: row.id,
  status: row.status,
  mcp_server_id: row.serverId,
  name: row.name,
  created_at: isoTime(row.createdAt),
  server_name: row.serverName,
  toolkit_slug: row.toolkitSlug,
  error: row.error,
  shared_agent_ids: row.sharedAgentIds,
  tools_changed_at: row.toolsChangedAt && isoTime(row.toolsChangedAt),
})

const isoTime = (time: string): string => new Date(time).toISOString()
