import { randomBytes } from 'node:crypto'
import type { SystemStatements } from '#database/system-sql.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'

type Purpose = 'sign_in' | 'passkey_sign_in' | 'proof' | 'register_passkey'

const LIFETIME_SECONDS = 600
/**
 * Maximum number of attempts per challenge. Then the user must enter the password again.
 * @limit attempts to enter a second factor before the password is needed again
 */
const ATTEMPTS_MAX = 5

export interface Challenge {
  tokenHash: string
  userId: string | null
  webauthnChallenge: string
  passwordMark: string | null
  pending: string | null
}

interface NewChallenge {
  purpose: Purpose
  userId: string | null
  sessionId?: string | null
  passwordMark?: string
  /** Encrypts the pending action. The ciphertext is bound to the token's hash. */
  seal?: (tokenHash: string) => string
}

/** Stores a challenge, and deletes the session's earlier challenge with the same purpose. */
export async function issueChallenge(
  sql: SystemStatements,
  { purpose, userId, sessionId = null, passwordMark, seal }: NewChallenge,
): Promise<{ token: string; webauthnChallenge: string }> {
  const token = newToken('ch')
  const tokenHash = hashToken(token)
  const webauthnChallenge = randomBytes(32).toString('base64url')
  await sql`
    with earlier as (
      delete from auth_challenges where session_id = ${sessionId} and purpose = ${purpose})
    insert into auth_challenges
      (token_hash, purpose, user_id, session_id, webauthn_challenge, password_mark, pending, expires_at)
    values (${tokenHash}, ${purpose}, ${userId}, ${sessionId}, ${webauthnChallenge}, ${passwordMark ?? null},
      ${seal?.(tokenHash) ?? null}, now() + ${LIFETIME_SECONDS} * interval '1 second')`
  return { token, webauthnChallenge }
}

/**
 * Consumes a challenge. One concurrent request wins. Returns null if the challenge is used or expired, or belongs to
 * another user or session.
 */
export async function takeChallenge(
  sql: SystemStatements,
  token: string,
  { purpose, userId, sessionId }: { purpose: Purpose; userId: string | null; sessionId: string | null },
): Promise<Challenge | null> {
  const [challenge] = await sql<Challenge[]>`
    delete from auth_challenges
    where token_hash = ${hashToken(token)} and purpose = ${purpose} and expires_at > now()
      and session_id is not distinct from ${sessionId} and user_id is not distinct from ${userId}
    returning ${columns(sql)}`
  return challenge ?? null
}

/**
 * Returns a sign-in challenge and counts the attempt. Returns null if the challenge is used or expired, or has no
 * attempts left.
 */
export async function tryChallenge(sql: SystemStatements, token: string): Promise<Challenge | null> {
  const [found] = await sql<Challenge[]>`
    update auth_challenges set attempts = attempts + 1
    where token_hash = ${hashToken(token)} and purpose = 'sign_in' and expires_at > now()
      and attempts < ${ATTEMPTS_MAX}
    returning ${columns(sql)}`
  return found ?? null
}

const columns = (sql: SystemStatements) => sql`
  token_hash as "tokenHash", user_id as "userId", webauthn_challenge as "webauthnChallenge",
  password_mark as "passwordMark", pending`
