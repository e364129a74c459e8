import {
  boolean,
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uuid,
} from '../drizzle.ts'
import { agents } from './agents.ts'
import { sessions, users } from './auth.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

/** How users authenticate to an MCP server (docs/mcp.md). Excludes the client secret. */
export type McpAuthConfig =
  | { type: 'none' }
  | { type: 'oauth'; client_id?: string; scopes?: string; authorization_url?: string; token_url?: string }
  | { type: 'api_key'; header: string }
  | { type: 'composio'; auth_config_id: string }

/**
 * A tool as described by its MCP server, with long values truncated and control characters removed. Preserves the
 * order of keys, because models read schemas in order.
 */
export interface McpToolRecord {
  name: string
  description: string
  /** A JSON Schema of type object. */
  input_schema: Record<string, unknown>
  /** Why models are not offered the tool. Undefined if they are. */
  left_out?: string
}

/** The catalogue of MCP servers. Every user can connect to them, and they belong to no organization. */
export const mcpServers = pgTable('mcp_servers', {
  id: id(),
  /** The server's key in the seed file. Null if an administrator added the server. */
  seedKey: text('seed_key').unique(),
  /** True if an administrator has changed the server. The seed file then no longer updates it. */
  isChanged: boolean('is_changed').notNull().default(false),
  /**
   * True if an administrator has deleted the server. A hidden row remains for servers of the seed file, so that the
   * next start doesn't add the server again.
   */
  isDeleted: boolean('is_deleted').notNull().default(false),
  name: text('name').notNull(),
  toolkitName: text('toolkit_name').notNull(),
  toolkitSlug: text('toolkit_slug').notNull().unique(),
  toolkitLogo: text('toolkit_logo'),
  description: text('description').notNull(),
  url: text('url').notNull(),
  /** How users authenticate. Null if users cannot connect to the server. */
  authConfig: jsonb('auth_config').$type<McpAuthConfig>(),
  /** The secret of a preconfigured OAuth client, encrypted and bound to this row's id. */
  clientSecret: text('client_secret'),
  /** The id of the MCP server that Composio created for this catalogue entry. */
  composioServerId: text('composio_server_id'),
  /** The tools that the server offers without an account, as last listed. Null if the tools were never listed. */
  tools: json('tools').$type<McpToolRecord[]>(),
  toolsReadAt: moment('tools_read_at'),
  /** When a change of the server's tools was last detected. */
  toolsChangedAt: moment('tools_changed_at'),
  /** The number of connections to the server, except pending ones. A trigger maintains it. */
  instanceCount: integer('instance_count').notNull().default(0),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/**
 * OAuth clients that this installation has registered with authorization servers (RFC 7591). Each server of the
 * catalogue has at most one.
 */
export const mcpClients = pgTable('mcp_clients', {
  serverId: uuid('server_id')
    .primaryKey()
    .references(() => mcpServers.id, { onDelete: 'cascade' }),
  issuer: text('issuer').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  /** The registration as JSON, encrypted and bound to the server's id. */
  client: text('client').notNull(),
  createdAt: createdAt(),
})

/**
 * Connections of users to MCP servers. Each belongs to one user in one organization and is invisible to everyone
 * else.
 */
export const mcpInstances = pgTable(
  'mcp_instances',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    serverId: uuid('server_id')
      .notNull()
      .references(() => mcpServers.id),
    name: text('name'),
    status: text('status', { enum: ['pending', 'active', 'inactive'] }).notNull(),
    /** Why the connection is inactive, as a sentence. */
    error: text('error'),
    /** The connected account, as the provider identifies it. */
    accountId: text('account_id'),
    /**
     * The tokens or the key, and the URLs that refresh and revoke the tokens, as JSON. Encrypted and bound to this
     * row's id.
     */
    credentials: text('credentials'),
    /** Incremented whenever the credentials change. */
    credentialsVersion: integer('credentials_version').notNull().default(0),
    /**
     * An additional OAuth scope that the server demands. Null if there is none, or if the user has been asked for it.
     */
    neededScope: text('needed_scope'),
    /** When the access token expires. Null if it never expires or the expiry is unknown. */
    expiresAt: moment('expires_at'),
    /** The claim of the process that is refreshing the token, and when the claim expires. */
    refreshClaim: uuid('refresh_claim'),
    refreshClaimedUntil: moment('refresh_claimed_until'),
    /** The tools that the server offers with this account, as last listed. Null if the tools were never listed. */
    tools: json('tools').$type<McpToolRecord[]>(),
    toolsReadAt: moment('tools_read_at'),
    /** When a change of the tools was last detected. */
    toolsChangedAt: moment('tools_changed_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('mcp_instances_owner').on(table.organizationId, table.userId, table.id),
    index('mcp_instances_user').on(table.userId, table.id),
    index('mcp_instances_server').on(table.serverId),
    index('mcp_instances_pending').on(table.createdAt).where(sql`${table.status} = 'pending'`),
  ],
)

/**
 * Attempts to connect that are in progress. The `state` parameter of the provider's callback identifies the attempt.
 */
export const mcpAttempts = pgTable(
  'mcp_attempts',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    instanceId: uuid('instance_id').notNull(),
    stateHash: text('state_hash').notNull().unique(),
    flowType: text('flow_type'),
    /** The PKCE verifier, the authorization server and the client, as JSON. Encrypted and bound to this row's id. */
    payload: text('payload').notNull(),
    /**
     * The session and the hashed cookie of the browser that may finish the attempt without confirmation. Null if an
     * API key started the attempt.
     */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'set null' }),
    cookieHash: text('cookie_hash'),
    /**
     * The query string of a callback that arrived in another browser than the one that started the attempt, as JSON.
     * Kept until the user confirms. Encrypted and bound to this row's id.
     */
    answer: text('answer'),
    /** The hashed ticket that the other browser received for the confirmation. */
    ticketHash: text('ticket_hash').unique(),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    foreignKey({
      name: 'mcp_attempts_instance',
      columns: [table.organizationId, table.userId, table.instanceId],
      foreignColumns: [mcpInstances.organizationId, mcpInstances.userId, mcpInstances.id],
    }).onDelete('cascade'),
    index('mcp_attempts_instance_id').on(table.instanceId),
    index('mcp_attempts_expiry').on(table.expiresAt),
  ],
)

/** The MCP connections that an agent uses. The owner of a connection has shared it with the agent. */
export const agentMcpInstances = pgTable(
  'agent_mcp_instances',
  {
    organizationId: uuid('organization_id').notNull(),
    ownerId: uuid('owner_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    instanceId: uuid('instance_id').notNull(),
    position: integer('position').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.instanceId] }),
    foreignKey({
      name: 'agent_mcp_instances_agent',
      columns: [table.organizationId, table.agentId],
      foreignColumns: [agents.organizationId, agents.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'agent_mcp_instances_instance',
      columns: [table.organizationId, table.ownerId, table.instanceId],
      foreignColumns: [mcpInstances.organizationId, mcpInstances.userId, mcpInstances.id],
    }).onDelete('cascade'),
    index('agent_mcp_instances_instance_id').on(table.instanceId),
  ],
)
