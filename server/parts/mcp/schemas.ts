import Type, { type Static } from 'typebox'
import {
  Body,
  Enum,
  matching,
  NOT_BLANK,
  Nullable,
  OpenQuery,
  Timestamp,
  Uuid,
  WORD,
} from '#platform/http/schemas.ts'

const API_KEY_CHARACTERS_MAX = 4_000
const SHARED_AGENTS_MAX = 100
/** What a provider sends along; more than this nobody sends. */
const ANSWER_CHARACTERS_MAX = 8_000

export const INSTANCE_STATUSES = ['active', 'pending', 'inactive'] as const

const FlowType = Type.String({
  minLength: 1,
  maxLength: 50,
  ...WORD,
  description: 'A word of yours, such as chat or settings, that comes back with the browser',
})

export const NewConnection = Body({
  server_id: Uuid,
  flow_type: Type.Optional(FlowType),
  api_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: API_KEY_CHARACTERS_MAX,
      ...matching(
        '^[!-~]+( [!-~]+)*$',
        'must hold only visible ASCII characters, with single spaces between them',
      ),
      description:
        'For servers that are used with a key. It is tried before it is kept, and never shown again.',
    }),
  ),
  mcp_instance_id: Type.Optional(
    Type.String({
      ...Uuid,
      description: "The caller's own instance that is to be connected anew. It stays what it is until then.",
    }),
  ),
})
export type NewConnection = Static<typeof NewConnection>

export const ConnectionAttempt = Type.Object(
  {
    id: Type.String({ description: 'What the provider calls the account; else the id of the instance' }),
    status: Enum(['pending']),
    redirect_url: Type.String({ format: 'uri', description: 'Where to send the browser, within 10 minutes' }),
    connectionData: Type.Object({
      mcp_session_id: Type.String({ ...Uuid, description: 'The instance' }),
      server_id: Uuid,
    }),
  },
  { title: 'McpConnectionAttempt' },
)
export type ConnectionAttempt = Static<typeof ConnectionAttempt>

const Passed = (description: string) =>
  Type.Optional(Type.String({ maxLength: ANSWER_CHARACTERS_MAX, description }))

/** What providers send browsers back with. */
export const CallbackQuery = OpenQuery({
  state: Passed('From the address that connect_account gave; single-use, valid for 10 minutes'),
  code: Passed("The authorization server's answer (RFC 6749, 4.1.2)"),
  iss: Passed('Who answers (RFC 9207)'),
  error: Passed('Why there is no code (RFC 6749, 4.1.2.1)'),
  error_description: Passed('The same in words'),
  status: Passed("Composio's answer"),
  connected_account_id: Passed("Composio's account"),
  mcp_server_id: Type.Optional(Uuid),
  mcp_session_id: Type.Optional(Uuid),
  flow_type: Type.Optional(FlowType),
})
export type CallbackQuery = Static<typeof CallbackQuery>

export const TicketBody = Body({
  ticket: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'From the fragment of the address that the callback redirected to',
  }),
})

export const PendingConnection = Type.Object(
  {
    server_name: Type.String(),
    toolkit_logo: Nullable(Type.String()),
    started_by: Type.String({ description: 'The email address of the user who started it, masked' }),
    is_yours: Type.Boolean({ description: 'Whether you started it: nobody else can finish it' }),
    expires_at: Timestamp,
  },
  { title: 'McpPendingConnection' },
)
export type PendingConnection = Static<typeof PendingConnection>

export const ConfirmedConnection = Type.Object(
  {
    status: Enum(['active']),
    mcp_server_id: Uuid,
    mcp_session_id: Uuid,
    flow_type: Nullable(Type.String()),
  },
  { title: 'McpConfirmedConnection' },
)
export type ConfirmedConnection = Static<typeof ConfirmedConnection>

const SharedAgentIds = Type.Array(Uuid, {
  maxItems: SHARED_AGENTS_MAX,
  description: 'The agents of the organization that use this account, for whoever talks to them',
})

export const InstanceChange = Body({
  name: Type.String({ minLength: 1, maxLength: 200, ...NOT_BLANK }),
  shared_agent_ids: Type.Optional(SharedAgentIds),
})
export type InstanceChange = Static<typeof InstanceChange>

export const InstanceView = Type.Object(
  {
    id: Uuid,
    status: Enum(INSTANCE_STATUSES),
    mcp_server_id: Uuid,
    name: Nullable(Type.String()),
    created_at: Timestamp,
    server_name: Type.String(),
    toolkit_slug: Type.String(),
    error: Nullable(Type.String({ description: 'Why it is inactive' })),
    shared_agent_ids: SharedAgentIds,
    tools_changed_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When tools that were known were last found to be others',
      }),
    ),
  },
  { title: 'McpInstance' },
)
export type InstanceView = Static<typeof InstanceView>

export const UrlRequest = Body({
  server_id: Uuid,
  session_id: Type.String({
    ...Uuid,
    description: 'mcp_session_id of connect_account, which is the instance',
  }),
})
export type UrlRequest = Static<typeof UrlRequest>

export const GatewayUrl = Type.Object(
  {
    mcp_url: Type.String({ format: 'uri', description: 'A secret: who has it uses the account' }),
    status: Enum(['active']),
  },
  { title: 'McpGatewayUrl' },
)
export type GatewayUrl = Static<typeof GatewayUrl>

/** RFC 7591, 2, as authorization servers fetch it (Client ID Metadata Document). */
export const ClientDocument = Type.Object(
  {
    client_id: Type.Unsafe<string | null>({
      anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }],
      description: 'This address; null where the installation has no public address by https',
    }),
    client_name: Type.String(),
    redirect_uris: Type.Array(Type.String({ format: 'uri' })),
  },
  { title: 'McpClientDocument', additionalProperties: true },
)

/** As statements by hand read it: times as PostgreSQL writes them. */
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
