import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

export const PARAMETER_TYPES = ['str', 'int', 'float', 'bool', 'list', 'dict'] as const

/** Describes an input or a configuration value of a tool. */
export interface ParameterDescriptor {
  name: string
  type: (typeof PARAMETER_TYPES)[number]
  description: string
  required: boolean
  default: string | null
  /** True for secret configuration values, which are stored encrypted and never shown again. */
  secret?: boolean
}

/** The implementation of a tool. */
export interface ToolSettings {
  function_info: { name: string; is_async: boolean; description: string; code: string }
  requirements: string[]
  deployment: { framework: string; toolkit_class: boolean; standalone_function: boolean }
  /** The hosts that the tool may connect to. */
  network?: string[]
}

/** A function of a tool, as models see it. The functions are detected when the tool is saved. */
export interface ToolFunction {
  name: string
  description: string
  /** A JSON Schema of type object. */
  parameters: Record<string, unknown>
}

export const toolCategories = pgTable(
  'tool_categories',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('tool_categories_organization').on(table.organizationId, table.id),
    uniqueIndex('tool_categories_name').on(table.organizationId, sql`lower(${table.name})`),
  ],
)

/**
 * Tools: code of an organization that agents call. Other organizations may use a public tool but cannot read its
 * code.
 */
export const tools = pgTable(
  'tools',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    createdBy: uuid('created_by').notNull(),
    categoryId: uuid('category_id').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    version: text('version').notNull(),
    isActive: boolean('is_active').notNull().default(true),
    isPublic: boolean('is_public').notNull().default(false),
    logoUrl: text('logo_url'),
    configuration: jsonb('configuration').$type<ParameterDescriptor[]>().notNull(),
    inputs: jsonb('inputs').$type<ParameterDescriptor[]>().notNull(),
    outputs: jsonb('outputs').$type<{ type: string; description: string }>().notNull(),
    settings: jsonb('settings').$type<ToolSettings>().notNull(),
    functions: jsonb('functions').$type<ToolFunction[]>().notNull(),
    /**
     * Number of changes that concern configured secrets: of the code, its language and requirements, the network, or the
     * configuration. Counted by the trigger tools_revised.
     */
    revision: integer('revision').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('tools_organization').on(table.organizationId, table.id),
    uniqueIndex('tools_version').on(table.organizationId, sql`lower(${table.name})`, table.version),
    foreignKey({
      name: 'tools_category',
      columns: [table.organizationId, table.categoryId],
      foreignColumns: [toolCategories.organizationId, toolCategories.id],
    }),
    index('tools_category_id').on(table.categoryId),
    index('tools_public').on(table.id).where(sql`${table.isPublic}`),
  ],
)
