import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { knowledgeBases } from './kb.ts'
import { llmModels } from './llm.ts'
import { organizations } from './org.ts'
import { tools } from './tools.ts'

export interface AgentParams {
  system_prompt?: string
  temperature?: number
  max_tokens?: number
}

export const agents = pgTable(
  'agents',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    agentType: text('agent_type').notNull(),
    /** A model of the agent's organization or of the environment. */
    modelId: uuid('model_id')
      .notNull()
      .references(() => llmModels.id),
    params: jsonb('params').$type<AgentParams>().notNull(),
    isPublic: boolean('is_public').notNull().default(false),
    isActive: boolean('is_active').notNull().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('agents_organization').on(table.organizationId, table.id),
    uniqueIndex('agents_name').on(table.organizationId, sql`lower(${table.name})`),
    index('agents_model').on(table.modelId),
  ],
)

/** The tools of an agent. Each is a tool of the agent's organization or a public tool. */
export const agentTools = pgTable(
  'agent_tools',
  {
    organizationId: uuid('organization_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    toolId: uuid('tool_id')
      .notNull()
      .references(() => tools.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    /** Configuration values by name, as JSON, encrypted and bound to the agent and the tool. */
    config: text('config').notNull(),
    /** Revision of the tool that the configuration was meant for. Tools of other organizations run only in this one. */
    confirmedRevision: integer('confirmed_revision').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.toolId] }),
    foreignKey({
      name: 'agent_tools_agent',
      columns: [table.organizationId, table.agentId],
      foreignColumns: [agents.organizationId, agents.id],
    }).onDelete('cascade'),
    index('agent_tools_tool').on(table.toolId),
  ],
)

export const agentKnowledgeBases = pgTable(
  'agent_knowledge_bases',
  {
    organizationId: uuid('organization_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    kbId: uuid('kb_id').notNull(),
    position: integer('position').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.agentId, table.kbId] }),
    foreignKey({
      name: 'agent_knowledge_bases_agent',
      columns: [table.organizationId, table.agentId],
      foreignColumns: [agents.organizationId, agents.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'agent_knowledge_bases_kb',
      columns: [table.organizationId, table.kbId],
      foreignColumns: [knowledgeBases.organizationId, knowledgeBases.id],
    }).onDelete('cascade'),
    index('agent_knowledge_bases_kb_id').on(table.kbId),
  ],
)
