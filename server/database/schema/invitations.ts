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
 * Invitations to an organization. After `expires_at`, an invitation is expired, whatever its status. `role_id` is not
 * a foreign key, because a role may be deleted before acceptance. Acceptance therefore looks up the role again.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: id(),
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** The invited address in lowercase. No other address may accept. */
    email: text('email').notNull(),
    roleId: uuid('role_id').notNull(),
    message: text('message'),
    /** Kept after acceptance, to distinguish a used link from an invalid one. */
    tokenHash: text('token_hash').notNull().unique(),
    status: text('status', { enum: ['pending', 'accepted', 'expired', 'revoked'] }).notNull(),
    /**
     * True if the link in the email signs the user in without a password, to an account created with the invitation.
     */
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
    index('invitations_open').on(table.organizationId).where(sql`${table.status} in ('pending', 'expired')`),
    index('invitations_unaccepted').on(table.expiresAt).where(sql`${table.status} <> 'accepted'`),
  ],
)

/** Number of invitation emails per day (UTC), by hashed organization and by hashed sender. */
export const invitationDays = pgTable(
  'invitation_days',
  {
    keyHash: text('key_hash').notNull(),
    day: date('day').notNull(),
    sent: integer('sent').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyHash, table.day] })],
)
