import { bigint, boolean, index, integer, pgTable, primaryKey, text, unique, uuid } from '../drizzle.ts'
import { sessions, users } from './auth.ts'
import { createdAt, id, moment } from './columns.ts'

const userId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** The authenticator app of a user (RFC 6238): at most one. */
export const totpFactors = pgTable(
  'totp_factors',
  {
    id: id(),
    userId: userId(),
    name: text('name').notNull(),
    /** Base32, encrypted, bound to the id. */
    secret: text('secret').notNull(),
    /** The time step of the last accepted code. That code and earlier ones are rejected. */
    lastUsedStep: bigint('last_used_step', { mode: 'number' }).notNull().default(0),
    /** Null until the user confirms with a first code that the app has the secret. */
    confirmedAt: moment('confirmed_at'),
    lastUsedAt: moment('last_used_at'),
    createdAt: createdAt(),
  },
  (table) => [unique().on(table.userId)],
)

/** WebAuthn credentials. The public key is not secret. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: id(),
    userId: userId(),
    name: text('name').notNull(),
    /** The authenticator's id of the credential, in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** COSE, in base64url. */
    publicKey: text('public_key').notNull(),
    /**
     * The signature counter; 0 for authenticators without one. A decreasing counter indicates a cloned authenticator.
     */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    /** Whether the passkey's provider syncs it to other devices. */
    isSynced: boolean('is_synced').notNull(),
    lastUsedAt: moment('last_used_at'),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.userId)],
)

/** Hashed. Use deletes them. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: userId(), codeHash: text('code_hash').notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/** Single-use challenges that expire within minutes: a sign-in that waits for a factor, or a passkey operation. */
export const authChallenges = pgTable(
  'auth_challenges',
  {
    tokenHash: text('token_hash').primaryKey(),
    purpose: text('purpose', { enum: ['sign_in', 'passkey_sign_in', 'proof', 'register_passkey'] }).notNull(),
    /** Null: any user, for passwordless sign-in. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The only session that may answer. Null: a sign-in, without a session. */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** The random bytes that a passkey signs, in base64url. */
    webauthnChallenge: text('webauthn_challenge').notNull(),
    /** A fingerprint of the password hash that was checked. A new password invalidates the sign-in. */
    passwordMark: text('password_mark'),
    /** The sign-in to finish once the factor is accepted. Encrypted, bound to the token's hash. */
    pending: text('pending'),
    attempts: integer('attempts').notNull().default(0),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.sessionId), index().on(table.expiresAt)],
)
