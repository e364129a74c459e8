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

/** How users connect to a server (contract, 8), without its secret. */
export type McpAuthConfig =
  | { type: 'none' }
  | { type: 'oauth'; client_id?: string; scopes?: string; authorization_url?: string; token_url?: string }
  | { type: 'api_key'; header: string }
  | { type: 'composio'; auth_config_id: string }

/**
 * A tool as its server describes it, bounded and cleaned. Key order is preserved, since models read schemas in order.
 */
export interface McpToolRecord {
  name: string
  description: string
  /** A JSON Schema of type object. */
  input_schema: Record<string, unknown>
}

/** The catalogue: servers that every user can connect to. They belong to no organization. */
export const mcpServers = pgTable('mcp_servers', {
  id: id(),
  /** The server's key in the seed file. Null: an administrator added it. */
  seedKey: text('seed_key').unique(),
  /** An administrator has changed it, so the seed file no longer updates it. */
  isChanged: boolean('is_changed').notNull().default(false),
  /** A deleted server of the seed file keeps its row, hidden, so that the seed file doesn't add it again. */
  isDeleted: boolean('is_deleted').notNull().default(false),
  name: text('name').notNull(),
  toolkitName: text('toolkit_name').notNull(),
  toolkitSlug: text('toolkit_slug').notNull().unique(),
  toolkitLogo: text('toolkit_logo'),
  description: text('description').notNull(),
  url: text('url').notNull(),
  /** Null: users cannot connect. */
  authConfig: jsonb('auth_config').$type<McpAuthConfig>(),
  /** The secret of a preconfigured OAuth client. Encrypted, bound to this row's id. */
  clientSecret: text('client_secret'),
  /** The id of the MCP server that Composio created for this one. */
  composioServerId: text('composio_server_id'),
  /** The tools that it offers without an account, as last read. Null: never read. */
  tools: json('tools').$type<McpToolRecord[]>(),
  toolsReadAt: moment('tools_read_at'),
  /** When a reading last changed the known tools. */
  toolsChangedAt: moment('tools_changed_at'),
  /** The number of connections. Maintained by a trigger. */
  instanceCount: integer('instance_count').notNull().default(0),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/**
 * The OAuth clients registered for this installation with authorization servers (RFC 7591), one per server of the
 * catalogue.
 */
export const mcpClients = pgTable('mcp_clients', {
  serverId: uuid('server_id')
    .primaryKey()
    .references(() => mcpServers.id, { onDelete: 'cascade' }),
  issuer: text('issuer').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  /** The registration as JSON. Encrypted, bound to the server's id. */
  client: text('client').notNull(),
  createdAt: createdAt(),
})

/** Connections of users to servers. Each belongs to one user in one organization and is invisible to everyone else. */
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
    /** Why it is inactive, as a sentence. */
    error: text('error'),
    /** The provider's name of the connected account. */
    accountId: text('account_id'),
    /** Tokens or key, and the addresses that refresh and revoke them, as JSON. Encrypted, bound to this row's id. */
    credentials: text('credentials'),
    /** Incremented with each change of the credentials. */
    credentialsVersion: integer('credentials_version').notNull().default(0),
    /** The additional scope that the server has asked for. Null once it has been requested. */
    neededScope: text('needed_scope'),
    /** When the access token expires. Null: never, or unknown. */
    expiresAt: moment('expires_at'),
    /** The claim of the process that is refreshing the token, and its expiry. */
    refreshClaim: uuid('refresh_claim'),
    refreshClaimedUntil: moment('refresh_claimed_until'),
    /** The tools that the server offers with this account, as last read. Null: never read. */
    tools: json('tools').$type<McpToolRecord[]>(),
    toolsReadAt: moment('tools_read_at'),
    /** When a reading last changed the known tools. */
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

/** Attempts to connect that are in progress. The provider's callback is matched by its state. */
export const mcpAttempts = pgTable(
  'mcp_attempts',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    instanceId: uuid('instance_id').notNull(),
    stateHash: text('state_hash').notNull().unique(),
    flowType: text('flow_type'),
    /** Verifier, authorization server and client, as JSON. Encrypted, bound to this row's id. */
    payload: text('payload').notNull(),
    /**
     * The session and the cookie of the browser that may finish without confirmation. Null: an API key started the
     * attempt.
     */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'set null' }),
    cookieHash: text('cookie_hash'),
    /**
     * The callback's query from any other browser, as JSON, until the user confirms. Encrypted, bound to this row's
     * id.
     */
    answer: text('answer'),
    /** The ticket that this browser got for the confirmation, hashed. */
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

/** The connections that an agent uses. Each is shared with the agent by its owner. */
export const agentMcpInstances = pgTable(
  'agent_mcp_instances',
  {
    organizationId: uuid('organization_id').notNull(),
    /** The owner of the connection. */
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
