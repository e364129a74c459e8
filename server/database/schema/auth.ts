import type { Language } from '@parley/messages/languages'
import { boolean, check, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts'
import { createdAt, id, moment, updatedAt } from './columns.ts'

export const users = pgTable(
  'users',
  {
    id: id(),
    /** The email address in lowercase. Unique, so an address has one account. */
    email: text('email').notNull().unique(),
    /** An argon2id string (PHC format). Null if the user signs in only by link or OpenID provider. */
    passwordHash: text('password_hash'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    /**
     * The language of the console and of email. Null if the user hasn't chosen a language; the browser's language is
     * then used.
     */
    language: text('language').$type<Language>(),
    /** Set only by the bootstrap and by the CLI, never from a request body. */
    isSystemAdmin: boolean('is_system_admin').notNull().default(false),
    /** When the user signed up. Null if the user has only been invited and therefore has no personal organization. */
    registeredAt: moment('registered_at'),
    /**
     * When the user proved access to the mailbox. Null if access is unproven: the address may belong to another
     * person.
     */
    emailVerifiedAt: moment('email_verified_at'),
    /**
     * The data needed to find a deleted account's rows while they are erased. Encrypted and bound to the user's id.
     * Null for existing accounts.
     */
    leaving: text('leaving'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('users_leaving').on(table.id).where(sql`${table.leaving} is not null`),
    check('users_language', sql`${table.language} in ('en', 'de')`),
    // A deployment's placeholder user (agent-deploy.ts) must never become a real account.
    check(
      'users_visitors',
      sql`${table.email} not like '%@deployment.invalid' or (${table.passwordHash} is null
    and ${table.registeredAt} is null and ${table.emailVerifiedAt} is null and not ${table.isSystemAdmin})`,
    ),
  ],
)

/** Reasons for which a session is revoked before it expires. */
export const SESSION_ENDS = [
  'signed_out',
  'password_changed',
  'address_proven',
  'factors_reset',
  'token_reused',
] as const
export type SessionEnd = (typeof SESSION_ENDS)[number]

/**
 * A sign-in on one device. Access tokens contain the session's id (`sid`), so revoking a session also revokes its
 * access tokens.
 */
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
    /** When the session last received tokens. */
    lastUsedAt: moment('last_used_at').notNull().default(sql`now()`),
    expiresAt: moment('expires_at').notNull(),
    revokedAt: moment('revoked_at'),
    /** Why the session was revoked. Null for sessions that earlier versions revoked. */
    endReason: text('end_reason', { enum: SESSION_ENDS }),
    /**
     * When a second factor or a passkey was last verified in this session. Null if none was. Organizations may
     * require a second factor.
     */
    secondFactorAt: moment('second_factor_at'),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** All refresh tokens of a session, hashed. Replaced tokens are kept to detect their reuse. */
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
  (table) => [
    index().on(table.sessionId),
    index('refresh_tokens_replaced').on(table.replacedAt).where(sql`${table.replacedAt} is not null`),
  ],
)

/**
 * Number of recent sign-in attempts, by account, by IP address, and by the combination of account and address. Keys
 * are hashed. A count is reset after 15 minutes without an attempt.
 */
export const loginAttempts = pgTable(
  'login_attempts',
  {
    keyHash: text('key_hash').primaryKey(),
    attempts: integer('attempts').notNull(),
    lastAt: moment('last_at').notNull(),
  },
  (table) => [index('login_attempts_age').on(table.lastAt)],
)

/**
 * Single-use tokens, hashed, for links in email and for sign-ins through a provider. A token is deleted when it is
 * used.
 */
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
    /**
     * The organization that the link's user leaves. Not a foreign key: a link to a deleted organization has no
     * effect.
     */
    organizationId: uuid('organization_id'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.expiresAt)],
)

/** OpenID sign-ins in progress. The provider's callback deletes the row. */
export const oidcAttempts = pgTable(
  'oidc_attempts',
  {
    stateHash: text('state_hash').primaryKey(),
    /** The hashed cookie of the browser that started the sign-in. No other browser can finish the sign-in. */
    browserHash: text('browser_hash').notNull(),
    nonce: text('nonce').notNull(),
    /** The PKCE code verifier, encrypted and bound to the hash of the state. */
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
