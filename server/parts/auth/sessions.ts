import type { ISql, Sql } from 'postgres'
import { newId } from '#database/new-id.ts'
import { fail } from '#errors'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '#platform/access/access-tokens.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'

const SESSION_DAYS = 30
/** Two tabs may refresh at once: the token before goes on for this long (contract, 2). */
const PREVIOUS_TOKEN_SECONDS = 10

export interface TokenPair {
  access_token: string
  refresh_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
}

interface User {
  id: string
  email: string
}

/** Begins a session: a sign-in on one device. */
export async function startSession(
  { sql, tokens }: { sql: ISql; tokens: AccessTokens },
  user: User,
): Promise<TokenPair> {
  const sessionId = newId()
  await sql`
    insert into sessions (id, user_id, expires_at)
    values (${sessionId}, ${user.id}, now() + ${SESSION_DAYS} * interval '1 day')`
  return issueTokens(sql, tokens, user, sessionId)
}

/**
 * Exchanges a refresh token for a new pair. A token that was replaced longer ago than two tabs could explain has been
 * stolen from somebody, so its whole session ends. Throws auth.invalid_refresh_token.
 */
export async function refreshSession(
  { sql, tokens }: { sql: Sql; tokens: AccessTokens },
  refreshToken: string,
): Promise<TokenPair> {
  const pair = await sql.begin(async (tx) => {
    const [found] = await tx<
      { session_id: string; user_id: string; email: string; alive: boolean; stale: boolean }[]
    >`
      update refresh_tokens t set replaced_at = coalesce(t.replaced_at, now())
      from sessions s join users u on u.id = s.user_id
      where t.token_hash = ${hashToken(refreshToken)} and s.id = t.session_id
      returning t.session_id, s.user_id, u.email, s.revoked_at is null and s.expires_at > now() as alive,
        t.replaced_at < now() - ${PREVIOUS_TOKEN_SECONDS} * interval '1 second' as stale`
    if (!found?.alive) return null
    if (found.stale) {
      await tx`update sessions set revoked_at = now() where id = ${found.session_id}`
      return null
    }
    await tx`
      update sessions set expires_at = now() + ${SESSION_DAYS} * interval '1 day' where id = ${found.session_id}`
    return issueTokens(tx, tokens, { id: found.user_id, email: found.email }, found.session_id)
  })
  if (!pair) throw fail('auth.invalid_refresh_token')
  return pair
}

/** Ends the session of a refresh token, if there is one: its access tokens stop at once. */
export async function endSession(sql: Sql, refreshToken: string): Promise<void> {
  await sql`
    update sessions set revoked_at = now()
    where revoked_at is null
      and id = (select session_id from refresh_tokens where token_hash = ${hashToken(refreshToken)})`
}

/** Forgets sessions, used tokens and attempts to sign in that nothing can come of any more. */
export async function forgetExpired(sql: Sql): Promise<void> {
  await sql`delete from sessions where expires_at < now() - interval '1 day'`
  await sql`delete from refresh_tokens where replaced_at < now() - ${SESSION_DAYS} * interval '1 day'`
  await sql`delete from login_attempts where last_at < now() - interval '1 day'`
}

async function issueTokens(
  sql: ISql,
  tokens: AccessTokens,
  user: User,
  sessionId: string,
): Promise<TokenPair> {
  const refreshToken = newToken('rt')
  await sql`
    insert into refresh_tokens (token_hash, session_id) values (${hashToken(refreshToken)}, ${sessionId})`
  const accessToken = await tokens.sign({
    userId: user.id,
    sessionId,
    email: user.email,
    tokenId: newId(),
  })
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
  }
}
