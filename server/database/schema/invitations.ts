import {
  boolean,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'
import { organizations } from './org.ts'

/**
 * Invitations to an organization. After `expires_at`, an invitation counts as expired whatever its status. The role
 * has no foreign key: it may be deleted before acceptance, and is looked up then.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Lowercase. Only this address may accept. */
    email: text('email').notNull(),
    roleId: uuid('role_id').notNull(),
    message: text('message'),
    /** Kept after use, to distinguish a used link from an invalid one. */
    tokenHash: text('token_hash').notNull().unique(),
    status: text('status', { enum: ['pending', 'accepted', 'expired', 'revoked'] }).notNull(),
    /** Accepting signs in with the mailed link alone, to an account that was created in advance. */
    byMagicLink: boolean('by_magic_link').notNull().default(false),
    invitedBy: uuid('invited_by').notNull(),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    unique('invitations_organization').on(table.organizationId, table.id),
    uniqueIndex('invitations_pending')
      .on(table.organizationId, table.email)
      .where(sql`${table.status} = 'pending'`),
    index().on(table.email),
  ],
)

/** Invitations mailed per day (UTC), by hashed organization and by hashed sender. */
export const invitationDays = pgTable(
  'invitation_days',
  {
    keyHash: text('key_hash').notNull(),
    day: date('day').notNull(),
    sent: integer('sent').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyHash, table.day] })],
)
