import { afterRollback } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'
import { olderThan } from '#database/keyset.ts'
import { newId } from '#database/new-id.ts'
import type { SessionEnd } from '#database/schema/auth.ts'
import { type SystemStatements, systemSql } from '#database/system-sql.ts'
import { fail } from '#errors'
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '#platform/access/access-tokens.ts'
import type { Caller, Client } from '#platform/access/scope.ts'
import { type Page, readPage } from '#platform/http/pagination.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { deleteOlderThan, type RetentionRule } from '#platform/sweeps/retention.ts'
import type { SessionView } from './schemas.ts'

/** Lifetime of a session after its last refresh, in days. */
const SESSION_DAYS = 30
export const SESSION_SECONDS = SESSION_DAYS * 86_400
const DAY_SECONDS = 86_400
/** Maximum lifetime of a session, in days. @limit lifetime of a session */
const SESSION_DAYS_MAX = 90
/** Grace period of a replaced refresh token, because two tabs may refresh concurrently. */
const PREVIOUS_TOKEN_SECONDS = 10

export interface TokenPair {
  access_token: string
  refresh_token: string
  token_type: 'Bearer'
  /** Seconds until the access token expires. */
  expires_in: number
}

interface User {
  id: string
  email: string
}

/**
 * Assurance level of a sign-in. `second factor`: two factors, or a passkey, which counts as two. `one factor`:
 * insufficient for accounts with second factors. `provider`: the OpenID provider is responsible for factors.
 */
export type Assurance = 'second factor' | 'one factor' | 'provider'

/**
 * Starts a session. Throws auth.second_factor_needed if the account has second factors and `assurance` is `one
 * factor`. All kinds of sign-in call this function, so none can bypass the check.
 */
export async function startSession(
  { sql, tokens }: { sql: SystemStatements; tokens: AccessTokens },
  user: User,
  client: Client,
  assurance: Assurance,
): Promise<TokenPair> {
  const sessionId = newId()
  const inserted = await sql`
    insert into sessions (id, user_id, user_agent, ip_address, expires_at, second_factor_at)
    select ${sessionId}, ${user.id}, ${client.userAgent}, ${client.address},
      now() + ${SESSION_DAYS} * interval '1 day', case when ${assurance === 'second factor'} then now() end
    where ${assurance !== 'one factor'} or not (
      exists (select from totp_factors where user_id = ${user.id} and confirmed_at is not null)
      or exists (select from passkeys where user_id = ${user.id}))`
  if (inserted.count === 0) throw fail('auth.second_factor_needed')
  return issueTokens(sql, tokens, user, sessionId)
}

/**
 * Exchanges a refresh token for a new pair of tokens. If the refresh token was replaced more than
 * `PREVIOUS_TOKEN_SECONDS` ago, it may be stolen, and its session is revoked. Throws auth.invalid_refresh_token, with
 * the reason why the session ended.
 */
export async function refreshSession(
  { database, tokens }: { database: Database; tokens: AccessTokens },
  client: Client,
  refreshToken: string | null,
): Promise<TokenPair> {
  const sql = systemSql(database)
  if (refreshToken === null) throw sessionEnded('expired')
  const answer = await sql.begin(async (tx) => {
    const [found] = await tx<
      {
        session_id: string
        user_id: string
        email: string
        ended: SessionEnd | 'expired' | null
        stale: boolean
      }[]
    >`
      update refresh_tokens t set replaced_at = coalesce(t.replaced_at, now())
      from sessions s join users u on u.id = s.user_id
      where t.token_hash = ${hashToken(refreshToken)} and s.id = t.session_id
      returning t.session_id, s.user_id, u.email,
        case when s.revoked_at is not null then coalesce(s.end_reason, 'signed_out')
          when s.expires_at <= now() then 'expired' end as ended,
        t.replaced_at < now() - ${PREVIOUS_TOKEN_SECONDS} * interval '1 second' as stale`
    if (!found) return { ended: 'expired' as const }
    if (found.ended !== null) return { ended: found.ended }
    if (found.stale) return { stolenFrom: found.session_id }
    await tx`
      update sessions set last_used_at = now(), ip_address = ${client.address},
        expires_at = least(now() + ${SESSION_DAYS} * interval '1 day',
          created_at + ${SESSION_DAYS_MAX} * interval '1 day')
      where id = ${found.session_id}`
    return issueTokens(tx, tokens, { id: found.user_id, email: found.email }, found.session_id)
  })
  if ('stolenFrom' in answer) {
    const { stolenFrom } = answer
    await afterRollback(
      () => sql`update sessions set revoked_at = now(), end_reason = 'token_reused' where id = ${stolenFrom}`,
    )
    throw sessionEnded('token_reused')
  }
  if ('ended' in answer) throw sessionEnded(answer.ended)
  return answer
}

const sessionEnded = (reason: SessionEnd | 'expired') =>
  fail('auth.invalid_refresh_token', {}, { more: { reason } })

/**
 * Revokes the session of a refresh token. Has no effect if the token is unknown. The session's access tokens become
 * invalid immediately.
 */
export async function endSession(database: Database, refreshToken: string): Promise<void> {
  await systemSql(database)`
    update sessions set revoked_at = now(), end_reason = 'signed_out'
    where revoked_at is null
      and id = (select session_id from refresh_tokens where token_hash = ${hashToken(refreshToken)})`
}

/** Returns the caller's live sessions, newest first. */
export const listSessions = (
  database: Database,
  caller: Caller,
  query: { limit?: number; cursor?: string },
): Promise<Page<SessionView>> => {
  const sql = systemSql(database)
  return readPage(
    query,
    (below, count) => sql<SessionView[]>`
      select id, user_agent, ip_address, created_at, last_used_at, expires_at,
        id is not distinct from ${caller.sessionId} as is_current
      from sessions
      where user_id = ${caller.userId} and revoked_at is null and expires_at > now()
        and ${olderThan(sql, 'id', below)}
      order by id desc limit ${count}`,
    (row) => ({
      ...row,
      created_at: new Date(row.created_at).toISOString(),
      last_used_at: new Date(row.last_used_at).toISOString(),
      expires_at: new Date(row.expires_at).toISOString(),
    }),
  )
}

/**
 * Revokes the caller's session with this id. Without an id, revokes all sessions except the current session. Returns
 * the number of revoked sessions. Throws auth.session_not_found.
 */
export async function revokeSessions(
  database: Database,
  caller: Caller,
  sessionId: string | undefined,
): Promise<number> {
  const ended = await systemSql(database)`
    update sessions set revoked_at = now(), end_reason = 'signed_out'
    where user_id = ${caller.userId} and revoked_at is null and expires_at > now()
      and case when ${sessionId ?? null}::uuid is null then id <> ${caller.sessionId} else id = ${sessionId ?? null} end`
  if (sessionId !== undefined && ended.count === 0) throw fail('auth.session_not_found', { value: sessionId })
  return ended.count
}

export async function endAllSessions(
  sql: SystemStatements,
  userId: string,
  reason: SessionEnd,
): Promise<void> {
  await sql`
    update sessions set revoked_at = now(), end_reason = ${reason}
    where user_id = ${userId} and revoked_at is null`
}

/** Expired sessions, tokens, attempts and challenges. */
export const sessionRetention: RetentionRule[] = [
  deleteOlderThan({ table: 'refresh_tokens', column: 'replaced_at' }, SESSION_SECONDS),
  {
    // Before the sessions, because deleting a session deletes all its tokens in one statement.
    rows: 'refresh_tokens of expired sessions',
    async deleteSome(tx, limit) {
      const { count } = await tx`
        delete from refresh_tokens where token_hash in (
          select t.token_hash from sessions s join refresh_tokens t on t.session_id = s.id
          where s.expires_at < now() - ${DAY_SECONDS} * interval '1 second'
          limit ${limit} for update of t skip locked)`
      return count
    },
  },
  deleteOlderThan({ table: 'sessions', column: 'expires_at' }, DAY_SECONDS),
  deleteOlderThan({ table: 'login_attempts', column: 'last_at' }, DAY_SECONDS),
  deleteOlderThan({ table: 'one_time_tokens', column: 'expires_at' }, 0),
  deleteOlderThan({ table: 'oidc_attempts', column: 'expires_at' }, 0),
  deleteOlderThan({ table: 'auth_challenges', column: 'expires_at' }, 0),
]

async function issueTokens(
  sql: SystemStatements,
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
