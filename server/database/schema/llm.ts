import {
  boolean,
  foreignKey,
  index,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { memberships, organizations } from './org.ts'

/** A model's `config` without the API key. */
export interface ModelConfig {
  model?: string
  base_url?: string
  input_ratio?: number
  output_ratio?: number
  seconds_ratio?: number
  context_window?: number
  capabilities?: string[]
  /** Fields that requests to the model's server lack. */
  omit?: string[]
  /** The members of a route. Only for the provider `route`. */
  route?: RouteConfig
}

export interface RouteConfig {
  strategy: 'ordered' | 'weighted'
  members: { model_id: string; weight?: number }[]
  /** Time for the first output of each member but the last. */
  first_token_seconds?: number
}

/** An organization's access to a provider, which several of its models use. */
export const llmConnections = pgTable(
  'llm_connections',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    provider: text('provider').notNull(),
    /** The API key, encrypted and bound to this row's id. Null for a server without authentication. */
    apiKey: text('api_key'),
    /** Null for the provider's public address. */
    baseUrl: text('base_url'),
    createdBy: uuid('created_by').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('llm_connections_organization').on(table.organizationId, table.id),
    unique('llm_connections_name').on(table.organizationId, table.name),
  ],
)

/** Language models, and routes to them. The organization is null for models of the environment. */
export const llmModels = pgTable(
  'llm_models',
  {
    id: id(),
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    provider: text('provider').notNull(),
    version: text('version').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    config: jsonb('config').$type<ModelConfig>().notNull(),
    /** The API key, encrypted and bound to this row's id. */
    apiKey: text('api_key'),
    /** The connection whose key and base URL the model uses instead of its own. */
    connectionId: uuid('connection_id'),
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('llm_models_organization').on(table.organizationId, table.id),
    foreignKey({
      name: 'llm_models_connection',
      columns: [table.organizationId, table.connectionId],
      foreignColumns: [llmConnections.organizationId, llmConnections.id],
    }),
    index('llm_models_by_connection')
      .on(table.organizationId, table.connectionId)
      .where(sql`${table.connectionId} is not null`),
    uniqueIndex('llm_models_environment')
      .on(table.provider, table.version)
      .where(sql`${table.organizationId} is null`),
  ],
)

/** The models that new chats and agents start with: the organization's choice, and the choices of its members. */
export const llmDefaults = pgTable(
  'llm_defaults',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Null for the organization's choice. */
    memberId: uuid('user_id'),
    /** A model of the organization or of the environment. */
    modelId: uuid('model_id')
      .notNull()
      .references(() => llmModels.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('llm_defaults_subject').on(table.organizationId, table.memberId).nullsNotDistinct(),
    index('llm_defaults_model').on(table.modelId),
    foreignKey({
      name: 'llm_defaults_member',
      columns: [table.organizationId, table.memberId],
      foreignColumns: [memberships.organizationId, memberships.memberId],
    }).onDelete('cascade'),
  ],
)
