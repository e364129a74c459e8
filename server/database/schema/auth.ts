import type { Language } from '@parley/messages/languages'
import { boolean, check, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'

export const users = pgTable(
  'users',
  {
    id: id(),
    /** Lowercase and unique: one account per person. */
    email: text('email').notNull().unique(),
    /** An argon2id string (PHC format). Null if the user signs in only by link or OpenID provider. */
    passwordHash: text('password_hash'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /** The language of the console and of email; null: the browser's. */
    language: text('language').$type<Language>(),
    /** Set only at bootstrap and by the CLI, never from a request body. */
    isSystemAdmin: boolean('is_system_admin').notNull().default(false),
    /** When the user signed up. Null if the user has only been invited; such a user has no personal organization. */
    registeredAt: moment('registered_at'),
    /** When the user proved access to this mailbox. Null: the address may belong to another person. */
    emailVerifiedAt: moment('email_verified_at'),
    /**
     * Set while the rows of a deleted account are being erased: the data needed to find them, encrypted and bound to
     * the id. Otherwise null.
     */
    leaving: text('leaving'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('users_leaving').on(table.id).where(sql`${table.leaving} is not null`),
    // The placeholder user of a deployment's visitors (agent-deploy.ts) must never become a real account.
    check('users_language', sql`${table.language} in ('en', 'de')`),
    check(
      'users_visitors',
      sql`${table.email} not like '%@deployment.invalid' or (${table.passwordHash} is null
    and ${table.registeredAt} is null and ${table.emailVerifiedAt} is null and not ${table.isSystemAdmin})`,
    ),
  ],
)

/** A sign-in on one device. Access tokens contain its id (`sid`), so revoking the session also revokes them. */
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
    /** When a second factor or a passkey was verified in this session. Null: never. Organizations may require it. */
    secondFactorAt: moment('second_factor_at'),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** All refresh tokens of a session, hashed, including replaced ones, so that reuse is detected. */
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

/** Sign-in attempts by account, by address, and by both, hashed. Reset after 15 minutes without an attempt. */
export const loginAttempts = pgTable('login_attempts', {
  keyHash: text('key_hash').primaryKey(),
  attempts: integer('attempts').notNull(),
  lastAt: moment('last_at').notNull(),
})

/** Single-use tokens of mailed links and of sign-ins through a provider, hashed. Use deletes them. */
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
    /** The organization that a link leaves. No foreign key: a link to a deleted organization has no effect. */
    organizationId: uuid('organization_id'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** An OpenID sign-in in progress. The callback deletes it. */
export const oidcAttempts = pgTable(
  'oidc_attempts',
  {
    stateHash: text('state_hash').primaryKey(),
    /** The hashed cookie of the browser that started the sign-in. Only that browser can finish it. */
    browserHash: text('browser_hash').notNull(),
    nonce: text('nonce').notNull(),
    /** Encrypted, bound to the state's hash. */
    codeVerifier: text('code_verifier').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.expiresAt)],
)

/** Maps the accounts of OpenID providers to users. */
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
