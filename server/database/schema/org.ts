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

/**
 * Limits and features of an organization (docs/billing.md). Omitted fields have defaults (platform/limits).
 */
export interface Features {
  /** Messages per day. Null means unlimited. */
  daily_chat_limit?: number | null
  /** Maximum value of `stored_bytes`. */
  file_upload?: number
  /** Maximum files per chat. */
  chat_uploads?: number
  /** Maximum MCP connections. */
  mcp_sessions?: number
  team_members?: boolean
}

export const organizations = pgTable(
  'organizations',
  {
    id: id(),
    name: text('name').notNull(),
    slug: text('slug').notNull().unique(),
    /** The user whose personal organization this is. Null if the organization is not personal. */
    personalUserId: uuid('personal_user_id')
      .unique()
      .references(() => users.id, { onDelete: 'cascade' }),
    features: jsonb('features').$type<Features>().notNull().default({}),
    /**
     * Total bytes of the files, texts, responses and conversations that the organization stores: of `size` of uploads and
     * of `stored_bytes` of other tables. Statements that store call `reserve_bytes`, and triggers subtract what is deleted.
     */
    storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
    /** If true, sessions without a second factor cannot use the organization. API keys still can. */
    requireSecondFactor: boolean('require_second_factor').notNull().default(false),
    /** Days for which new responses of /openai/v1/responses are stored. 0 means that none is stored. */
    responseRetentionDays: integer('response_retention_days').notNull().default(30),
    /** When the system administrator suspended the organization. Null if it is not suspended. */
    suspendedAt: moment('suspended_at'),
    /** Why the organization is suspended. Its members see the reason. */
    suspensionReason: text('suspension_reason'),
    /**
     * When the organization was deleted. A deleted organization is inaccessible while its rows are erased, and a
     * trigger prevents restoring it.
     */
    closedAt: moment('closed_at'),
    /**
     * The server process that is importing the organization. Null once the import is complete. Until then, the
     * organization has no active members.
     */
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
    check(
      'organizations_suspension',
      sql`(${table.suspendedAt} is null) = (${table.suspensionReason} is null)`,
    ),
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

/** Permissions known to the system, as `resource:action`. `*` on either side covers all resources or all actions. */
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
    /** The member's role. Null only for a deleted membership, which must not keep a role in use. */
    roleId: uuid('role_id'),
    status: text('status', { enum: ['active', 'invited', 'suspended', 'deleted'] }).notNull(),
    /**
     * When the member first made a request to the organization. Null for an added user who hasn't made a request yet.
     */
    openedAt: moment('opened_at').default(sql`now()`),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.memberId] }),
    index().on(table.memberId),
    index('memberships_role_id').on(table.organizationId, table.roleId),
    foreignKey({
      columns: [table.organizationId, table.roleId],
      foreignColumns: [roles.organizationId, roles.id],
    }),
    check('memberships_role', sql`${table.roleId} is not null or ${table.status} = 'deleted'`),
  ],
)
