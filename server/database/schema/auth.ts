import { boolean, index, integer, pgTable, text, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'

export const users = pgTable('users', {
  id: id(),
  /** Lower case; one person, one account. */
  email: text('email').notNull().unique(),
  /** An argon2id string (PHC format). */
  passwordHash: text('password_hash').notNull(),
  firstName: text('first_name').notNull(),
  lastName: text('last_name').notNull(),
  /** Set at bootstrap and by the CLI only; no request body reaches it. */
  isSystemAdmin: boolean('is_system_admin').notNull().default(false),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

/** A sign-in on one device. Access tokens name it (`sid`); revoking it stops them at once. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** Every refresh token that a session has had, hashed: so that the use of an old one is noticed. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    sessionId: uuid('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
    replacedAt: moment('replaced_at'),
  },
  (table) => [index().on(table.sessionId)],
)

/** Attempts to sign in, by hashed email, known or not; forgotten after a quiet quarter of an hour. */
export const loginAttempts = pgTable('login_attempts', {
  emailHash: text('email_hash').primaryKey(),
  attempts: integer('attempts').notNull(),
  lastAt: moment('last_at').notNull(),
})
