import {
  date,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from '../drizzle.ts'
import { agents } from './agents.ts'
import { users } from './auth.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

export const DEPLOYMENT_TYPES = ['api', 'widget', 'iframe'] as const

/** The appearance and limits of a deployment. */
export interface DeploymentConfig {
  theme?: { primary_color?: string; font_family?: string }
  branding?: { logo_url?: string; company_name?: string }
  widget_placement?: 'bottom-right' | 'bottom-left'
  welcome_message?: string
  starter_questions?: string[]
  allowed_origins?: string[]
  daily_message_limit?: number
}

/** Published agents. Each deployment has its own key and its own anonymous visitors. */
export const agentDeployments = pgTable(
  'agent_deployments',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').notNull(),
    agentId: uuid('agent_id').notNull(),
    /**
     * A placeholder user that owns the deployment's chats and cannot sign in. Triggers create and delete the user
     * together with the deployment.
     */
    visitorUserId: uuid('visitor_user_id')
      .notNull()
      .unique()
      .references(() => users.id),
    name: text('name').notNull(),
    description: text('description').notNull(),
    deploymentType: text('deployment_type', { enum: DEPLOYMENT_TYPES }).notNull(),
    config: jsonb('config').$type<DeploymentConfig>().notNull(),
    status: text('status', { enum: ['active', 'paused'] })
      .notNull()
      .default('active'),
    keyHash: text('key_hash').notNull().unique(),
    /** The first characters of the key, shown to distinguish keys. */
    apiKeyPrefix: text('api_key_prefix').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('agent_deployments_organization').on(table.organizationId, table.id),
    foreignKey({
      name: 'agent_deployments_agent',
      columns: [table.organizationId, table.agentId],
      foreignColumns: [agents.organizationId, agents.id],
    }),
    index('agent_deployments_agent_id').on(table.agentId),
  ],
)

/** Number of messages that a deployment has accepted per day (UTC), checked against daily_message_limit. */
export const deploymentTurns = pgTable(
  'deployment_turns',
  {
    deploymentId: uuid('deployment_id')
      .notNull()
      .references(() => agentDeployments.id, { onDelete: 'cascade' }),
    day: date('day').notNull(),
    taken: integer('taken').notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.day] })],
)
