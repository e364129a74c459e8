import { bigint, boolean, index, integer, pgTable, primaryKey, text, unique, uuid } from '../drizzle.ts'
import { sessions, users } from './auth.ts'
import { createdAt, id, moment } from './columns.ts'

const userId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** Authenticator apps (RFC 6238). A user has at most one. */
export const totpFactors = pgTable(
  'totp_factors',
  {
    id: id(),
    userId: userId(),
    name: text('name').notNull(),
    /** The shared secret in Base32, encrypted and bound to this row's id. */
    secret: text('secret').notNull(),
    /** The time step of the last accepted code. Codes of this step and of earlier steps are rejected. */
    lastUsedStep: bigint('last_used_step', { mode: 'number' }).notNull().default(0),
    /** When the user entered a first code, which proves that the app has the secret. Null until then. */
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
    /** The credential id that the authenticator assigned, in base64url. */
    credentialId: text('credential_id').notNull().unique(),
    /** The public key in COSE format, as base64url. */
    publicKey: text('public_key').notNull(),
    /**
     * The signature counter, or 0 if the authenticator has none. A decreasing counter indicates a cloned
     * authenticator.
     */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    /** True if the passkey's provider syncs the passkey to other devices. */
    isSynced: boolean('is_synced').notNull(),
    lastUsedAt: moment('last_used_at'),
    createdAt: createdAt(),
  },
  (table) => [index().on(table.userId)],
)

/** Recovery codes, hashed. A code is deleted when it is used. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { userId: userId(), codeHash: text('code_hash').notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
)

/**
 * Single-use challenges that expire within minutes. A challenge belongs to a sign-in that requires a second factor,
 * or to a passkey operation.
 */
export const authChallenges = pgTable(
  'auth_challenges',
  {
    tokenHash: text('token_hash').primaryKey(),
    purpose: text('purpose', { enum: ['sign_in', 'passkey_sign_in', 'proof', 'register_passkey'] }).notNull(),
    /** The user who must answer the challenge. Null if any user may, as in a passwordless sign-in. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The only session that may answer the challenge. Null for a sign-in, which has no session yet. */
    sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
    /** The random bytes that a passkey signs, in base64url. */
    webauthnChallenge: text('webauthn_challenge').notNull(),
    /**
     * A hash of the password hash at the time of the password check. If it no longer matches, the password has changed
     * and the sign-in is invalid.
     */
    passwordMark: text('password_mark'),
    /** The sign-in to complete once the factor is accepted. Encrypted and bound to the challenge token's hash. */
    pending: text('pending'),
    attempts: integer('attempts').notNull().default(0),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index().on(table.userId), index().on(table.sessionId), index().on(table.expiresAt)],
)
