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

/** How people connect to a server (contract, 8); its secret apart. */
export type McpAuthConfig =
  | { type: 'none' }
  | { type: 'oauth'; client_id?: string; scopes?: string; authorization_url?: string; token_url?: string }
  | { type: 'api_key'; header: string }
  | { type: 'composio'; auth_config_id: string }

/** A tool as its server describes it, bounded and cleaned; stored as it is written, since models read schemas in their order. */
export interface McpToolRecord {
  name: string
  description: string
  /** A JSON Schema of an object. */
  input_schema: Record<string, unknown>
}

/** The catalogue: servers that everybody can connect to. They belong to no organization. */
export const mcpServers = pgTable('mcp_servers', {
  id: id(),
  /** Which entry of the seed file it is; null: an administrator has added it. */
  seedKey: text('seed_key').unique(),
  /** An administrator has changed it: the seed file does so no more. */
  isChanged: boolean('is_changed').notNull().default(false),
  /** A server of the seed file that an administrator has deleted stays, unseen, or it would come back. */
  isDeleted: boolean('is_deleted').notNull().default(false),
  name: text('name').notNull(),
  toolkitName: text('toolkit_name').notNull(),
  toolkitSlug: text('toolkit_slug').notNull().unique(),
  toolkitLogo: text('toolkit_logo'),
  description: text('description').notNull(),
  url: text('url').notNull(),
  /** Null: nobody can connect. */
  authConfig: jsonb('auth_config').$type<McpAuthConfig>(),
  /** The secret of a fixed OAuth client; encrypted, bound to this row's id. */
  clientSecret: text('client_secret'),
  /** What Composio calls the MCP server that it has made for this one. */
  composioServerId: text('composio_server_id'),
  /** What it offers to everybody, as it was last read without an account; null: never. */
  tools: json('tools').$type<McpToolRecord[]>(),
  toolsReadAt: moment('tools_read_at'),
  /** When tools that were known were last found to be others. */
  toolsChangedAt: moment('tools_changed_at'),
  /** How many connections people have; kept by a trigger. */
  instanceCount: integer('instance_count').notNull().default(0),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** The OAuth clients that authorization servers have registered for this installation (RFC 7591): one for each server of the catalogue. */
export const mcpClients = pgTable('mcp_clients', {
  serverId: uuid('server_id')
    .primaryKey()
    .references(() => mcpServers.id, { onDelete: 'cascade' }),
  issuer: text('issuer').notNull(),
  redirectUri: text('redirect_uri').notNull(),
  /** What was registered, as JSON; encrypted, bound to the server's id. */
  client: text('client').notNull(),
  createdAt: createdAt(),
})

/** Connections of people to servers: each belongs to one user in one organization, and is invisible to everyone else. */
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
    /** What the provider calls the connected account. */
    accountId: text('account_id'),
    /** Tokens or key, and where they are renewed and revoked, as JSON; encrypted, bound to this row's id. */
    credentials: text('credentials'),
    /** Grows with each change of the credentials. */
    credentialsVersion: integer('credentials_version').notNull().default(0),
    /** What the server wants beyond what the account was connected for, in its words, until that is asked for. */
    neededScope: text('needed_scope'),
    /** When the access token ends; null: never, or not known. */
    expiresAt: moment('expires_at'),
    /** Until when one process has the refreshing of the token to itself, and by which claim. */
    refreshClaim: uuid('refresh_claim'),
    refreshClaimedUntil: moment('refresh_claimed_until'),
    /** What the server offers with this account, as it was last read; null: never. */
    tools: json('tools').$type<McpToolRecord[]>(),
    toolsReadAt: moment('tools_read_at'),
    /** When tools that were known were last found to be others. */
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

/** Attempts to connect that are under way: what comes back from the provider is found by its state. */
export const mcpAttempts = pgTable(
  'mcp_attempts',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    userId: uuid('user_id').notNull(),
    instanceId: uuid('instance_id').notNull(),
    stateHash: text('state_hash').notNull().unique(),
    flowType: text('flow_type'),
    /** Verifier, authorization server and client, as JSON; encrypted, bound to this row's id. */
    payload: text('payload').notNull(),
    /** The browser that may finish without being asked: its session and the cookie that it got. Null: an API key began. */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'set null' }),
    cookieHash: text('cookie_hash'),
    /** The callback's query from any other browser, as JSON, until the user confirms; encrypted, bound to this row's id. */
    answer: text('answer'),
    /** What that browser got for the confirmation. */
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

/** The connections that an agent uses: each shared with it by the one whose it is. */
export const agentMcpInstances = pgTable(
  'agent_mcp_instances',
  {
    organizationId: uuid('organization_id').notNull(),
    /** Whose connection it is. */
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
