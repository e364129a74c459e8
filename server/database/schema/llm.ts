import { boolean, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

/** A model's `config` without the API key (contract, 7). */
export interface ModelConfig {
  model?: string
  base_url?: string
  input_ratio?: number
  output_ratio?: number
  seconds_ratio?: number
  context_window?: number
  capabilities?: string[]
}

/** Language models. The organization is null for models of the environment. */
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
    createdBy: uuid('created_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('llm_models_organization').on(table.organizationId, table.id),
    uniqueIndex('llm_models_environment')
      .on(table.provider, table.version)
      .where(sql`${table.organizationId} is null`),
  ],
)
