import { foreignKey, index, pgTable, text, unique, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { memberships } from './org.ts'

/**
 * Personal API keys. A key acts for a member in one organization. It has a permission only if both `permissions` and
 * the member's role contain the permission.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    organizationId: uuid('organization_id').notNull(),
    memberId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    /** The first characters of the key, shown to distinguish keys. */
    prefix: text('prefix').notNull(),
    keyHash: text('key_hash').notNull().unique(),
    permissions: text('permissions').array().notNull(),
    /** Null if the key never expires. */
    expiresAt: moment('expires_at'),
    /** Updated at most once per minute. */
    lastUsedAt: moment('last_used_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('api_keys_organization').on(table.organizationId, table.id),
    index().on(table.memberId),
    foreignKey({
      name: 'api_keys_member',
      columns: [table.organizationId, table.memberId],
      foreignColumns: [memberships.organizationId, memberships.memberId],
    }).onDelete('cascade'),
  ],
)
