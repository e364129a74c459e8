import { boolean, check, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'

export const users = pgTable(
  'users',
  {
    id: id(),
    /** Lower case; one person, one account. */
    email: text('email').notNull().unique(),
    /** An argon2id string (PHC format); null for those who sign in by link or by an OpenID provider only. */
    passwordHash: text('password_hash'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /** Set at bootstrap and by the CLI only; no request body reaches it. */
    isSystemAdmin: boolean('is_system_admin').notNull().default(false),
    /** When the person came; null while an invitation is all there is, without a personal organization. */
    registeredAt: moment('registered_at'),
    /** When somebody proved to read this address's mail; null: whoever signed up may be anyone. */
    emailVerifiedAt: moment('email_verified_at'),
    /**
     * Somebody whose account is deleted, and whose rows are on their way out: what it takes to find them, encrypted,
     * bound to the id. Null for everybody else.
     */
    leaving: text('leaving'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('users_leaving').on(table.id).where(sql`${table.leaving} is not null`),
    // Whom the visitors of a deployment stand for (agent-deploy.ts) is nobody: nothing can make a person of him.
    check(
      'users_visitors',
      sql`${table.email} not like '%@deployment.invalid' or (${table.passwordHash} is null
    and ${table.registeredAt} is null and ${table.emailVerifiedAt} is null and not ${table.isSystemAdmin})`,
    ),
  ],
)

/** A sign-in on one device. Access tokens name it (`sid`); revoking it stops them at once. */
export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userAgent: text('user_agent'),
    ipAddress: text('ip_address'),
    createdAt: createdAt(),
    /** When tokens were last issued to it. */
    lastUsedAt: moment('last_used_at').notNull().default(sql`now()`),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** When a second factor or a passkey was shown in this session; null: never (organizations may require it). */
    secondFactorAt: moment('second_factor_at'),
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

/** Attempts to sign in, by hashed account, address, and both; forgotten after a quiet quarter of an hour. */
export const loginAttempts = pgTable('login_attempts', {
  keyHash: text('key_hash').primaryKey(),
  attempts: integer('attempts').notNull(),
  lastAt: moment('last_at').notNull(),
})

/** What a mailed link or a sign-in elsewhere proves, hashed. Its use deletes it. */
export const oneTimeTokens = pgTable(
  'one_time_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    purpose: text('purpose', {
      enum: ['verify_email', 'reset_password', 'oidc_sign_in', 'leave_organization'],
    }).notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Which one a link leaves. Not a reference: a link to an organization that is gone does nothing. */
    organizationId: uuid('organization_id'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** A sign-in under way at the OpenID provider. Its return deletes it. */
export const oidcAttempts = pgTable(
  'oidc_attempts',
  {
    stateHash: text('state_hash').primaryKey(),
    /** The cookie of the browser that began, hashed: no other may end it. */
    browserHash: text('browser_hash').notNull(),
    nonce: text('nonce').notNull(),
    /** Encrypted, bound to the state's hash. */
    codeVerifier: text('code_verifier').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.expiresAt)],
)

/** Which user somebody is whom an OpenID provider knows. */
export const oidcIdentities = pgTable(
  'oidc_identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] }), index().on(table.userId)],
)
