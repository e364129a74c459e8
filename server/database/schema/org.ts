import {
  bigint,
  boolean,
  check,
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
import { users } from './auth.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'

/** The limits of an organization (spec, Limits; contract, 6). Missing ones have defaults (platform/limits). */
export interface Features {
  /** Messages per day. Null: unlimited. */
  daily_chat_limit?: number | null
  /** Total bytes of all uploads. */
  file_upload?: number
  /** Files per chat. */
  chat_uploads?: number
  /** MCP connections. */
  mcp_sessions?: number
  team_members?: boolean
}

export const organizations = pgTable(
  'organizations',
  {
    id: id(),
    name: text('name').notNull(),
    slug: text('slug').notNull().unique(),
    /** The user whose personal organization this is. Null for one that was created explicitly. */
    personalUserId: uuid('personal_user_id')
      .unique()
      .references(() => users.id, { onDelete: 'cascade' }),
    features: jsonb('features').$type<Features>().notNull().default({}),
    /** Total bytes of all uploads. Maintained by the statements that add uploads, and by a trigger on deletion. */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    /** Sessions without a second factor cannot use the organization; API keys can. */
    requireSecondFactor: boolean('require_second_factor').notNull().default(false),
    /** When it was deleted. It is inaccessible while its rows are erased. A trigger prevents reopening it. */
    closedAt: moment('closed_at'),
    /** The process that is importing it. Null: complete. It has no active members until then. */
    importingBy: uuid('importing_by'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex('organizations_name')
      .on(sql`lower(${table.name})`)
      .where(sql`${table.personalUserId} is null`),
    index('organizations_closed').on(table.closedAt).where(sql`${table.closedAt} is not null`),
    index('organizations_importing').on(table.id).where(sql`${table.importingBy} is not null`),
  ],
)

export const roles = pgTable(
  'roles',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    hierarchyLevel: integer('hierarchy_level').notNull(),
    isSystemRole: boolean('is_system_role').notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique().on(table.organizationId, table.id),
    uniqueIndex('roles_name').on(table.organizationId, sql`lower(${table.name})`),
    check('roles_hierarchy_level', sql`${table.hierarchyLevel} between 0 and 100`),
  ],
)

/** System-wide permissions: `resource:action`, with `*` on either side. */
export const permissions = pgTable('permissions', {
  id: id(),
  name: text('name').notNull().unique(),
  description: text('description').notNull().default(''),
  createdAt: createdAt(),
})

export const rolePermissions = pgTable(
  'role_permissions',
  {
    roleId: uuid('role_id')
      .notNull()
      .references(() => roles.id, { onDelete: 'cascade' }),
    permissionId: uuid('permission_id')
      .notNull()
      .references(() => permissions.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.roleId, table.permissionId] })],
)

export const memberships = pgTable(
  'memberships',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    memberId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null only for a deleted membership, so that it doesn't keep a role in use. */
    roleId: uuid('role_id'),
    status: text('status', { enum: ['active', 'invited', 'suspended', 'deleted'] }).notNull(),
    /** The member's first request to the organization. Null if an added user has not made one yet. */
    openedAt: moment('opened_at').default(sql`now()`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.memberId] }),
    index().on(table.memberId),
    foreignKey({
      columns: [table.organizationId, table.roleId],
      foreignColumns: [roles.organizationId, roles.id],
    }),
    check('memberships_role', sql`${table.roleId} is not null or ${table.status} = 'deleted'`),
  ],
)
