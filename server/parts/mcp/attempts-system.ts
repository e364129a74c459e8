import type { Database } from '#database/connect.ts'
import { systemSql, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql } from '#database/tenant-sql.ts'
import { liveSession } from '#platform/access/credentials.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import type { McpDependencies, OwnedInstance } from './dependencies.ts'
import { holds } from './instances-system.ts'
import type { CallbackQuery } from './schemas.ts'

/*
 * Reads connection attempts across organizations. A browser that returns from a provider has no access token, so its
 * attempt is found by state or ticket. Later statements run with the access of the attempt's user.
 */

/** An attempt that was deleted from the table, so that no other request can finish it. */
export interface Attempt {
  id: string
  /** The instance that the attempt connects. */
  instance: OwnedInstance
  serverId: string
  flowType: string | null
  /** Encrypted AttemptPayload. */
  payload: string
}

type Dependencies = Pick<McpDependencies, 'database'>

/** The provider's response: the callback's query without the state. */
export type ProviderAnswer = Omit<CallbackQuery, 'state'>

/**
 * Takes the attempt with this state if `cookieHash` identifies the browser that started it and that browser's session
 * is live. One concurrent request wins. Returns null if there is no such attempt.
 */
export async function takeByCookie(
  { database }: Dependencies,
  { state, ...answer }: CallbackQuery,
  cookieHash: string,
): Promise<Attempt | null> {
  const sql = systemSql(database)
  const [row] = await sql<AttemptRow[]>`
    delete from mcp_attempts a using mcp_instances i, memberships m
    where ${isOpen(sql, state, answer)} and a.cookie_hash = ${cookieHash}
      and exists (select from sessions s where s.id = a.session_id and s.user_id = a.user_id and ${liveSession(sql)})
    returning ${columns(sql)}`
  return row ? openAttempt(database, row) : null
}

/**
 * Consumes the state, and stores the provider's response, encrypted, until the user confirms or the attempt expires.
 * Returns the single-use ticket for the confirmation, or null if there is no usable attempt.
 */
export async function holdAnswer(
  { database, secrets }: Dependencies & Pick<McpDependencies, 'secrets'>,
  { state, ...answer }: CallbackQuery,
): Promise<string | null> {
  const sql = systemSql(database)
  const [found] = await sql<{ id: string; organizationId: string; userId: string }[]>`
    select a.id, a.organization_id as "organizationId", a.user_id as "userId"
    from mcp_attempts a, mcp_instances i, memberships m where ${isOpen(sql, state, answer)}`
  if (!found) return null
  const ticket = newToken('mt')
  const held = await tenantSql(database, found)`
    update mcp_attempts set answer = ${secrets.encrypt(JSON.stringify(answer), answerContext(found.id))},
      ticket_hash = ${hashToken(ticket)}
    where id = ${found.id} and organization_id = ${found.organizationId} and user_id = ${found.userId}
      and answer is null and expires_at > now()`
  return held.count === 1 ? ticket : null
}

/** An attempt that waits for its user's confirmation. */
export interface HeldAttempt {
  userId: string
  email: string
  serverName: string
  toolkitLogo: string | null
  expiresAt: string
}

/**
 * Finds the attempt of a ticket. Returns null if the attempt has expired, was finished, or was replaced by another.
 */
export async function findHeld({ database }: Dependencies, ticket: string): Promise<HeldAttempt | null> {
  const [held] = await systemSql(database)<HeldAttempt[]>`
    select a.user_id as "userId", u.email, s.name as "serverName", s.toolkit_logo as "toolkitLogo",
      a.expires_at as "expiresAt"
    from mcp_attempts a join mcp_instances i on i.id = a.instance_id join mcp_servers s on s.id = i.server_id
    join users u on u.id = a.user_id
    where a.ticket_hash = ${hashToken(ticket)} and a.answer is not null and a.expires_at > now()`
  return held ?? null
}

/**
 * Takes a user's attempt by its ticket, with the provider's response. Returns null if the attempt no longer exists,
 * or if the user may no longer connect accounts.
 */
export async function takeHeld(
  { database, secrets }: Dependencies & Pick<McpDependencies, 'secrets'>,
  ticket: string,
  userId: string,
): Promise<{ attempt: Attempt; answer: ProviderAnswer } | null> {
  const sql = systemSql(database)
  const [row] = await sql<(AttemptRow & { answer: string })[]>`
    delete from mcp_attempts a using mcp_instances i, memberships m
    where a.ticket_hash = ${hashToken(ticket)} and a.answer is not null and a.user_id = ${userId}
      and ${isUsable(sql)}
    returning ${columns(sql)}, a.answer`
  if (!row) return null
  const answer = JSON.parse(secrets.decrypt(row.answer, answerContext(row.id))) as ProviderAnswer
  return { attempt: openAttempt(database, row), answer }
}

type AttemptRow = Omit<Attempt, 'instance'> & { instanceId: string; organizationId: string; userId: string }

function openAttempt(
  database: Database,
  { id, instanceId, organizationId, userId, serverId, flowType, payload }: AttemptRow,
): Attempt {
  const sql = tenantSql(database, { organizationId, userId })
  return { id, instance: { id: instanceId, organizationId, userId, sql }, serverId, flowType, payload }
}

const answerContext = (attemptId: string): string => `${attemptId} answer`

const columns = (sql: FragmentSql) => sql`
  a.id, a.instance_id as "instanceId", a.organization_id as "organizationId", a.user_id as "userId",
  i.server_id as "serverId", a.flow_type as "flowType", a.payload`

/** True if the attempt is usable, its state is unused, and any ids in the provider's callback match it. */
const isOpen = (sql: FragmentSql, state: string | undefined, answer: ProviderAnswer) => sql`
  a.state_hash = ${hashToken(state ?? '')} and a.answer is null and ${isUsable(sql)}
  and i.id = coalesce(${answer.mcp_session_id ?? null}::uuid, i.id)
  and i.server_id = coalesce(${answer.mcp_server_id ?? null}::uuid, i.server_id)`

/** True if the attempt has not expired, and its user is an active member with `mcp:write`. */
const isUsable = (sql: FragmentSql) => sql`
  a.expires_at > now() and i.id = a.instance_id
  and m.organization_id = a.organization_id and m.user_id = a.user_id and m.status = 'active'
  and ${holds(sql, 'mcp:write')}`

/** Age in minutes at which a pending instance without an attempt is deleted. */
const PENDING_MINUTES_MAX = 15
/** Maximum number of attempts, and of instances, that a sweep deletes. */
const SWEEP_MAX = 1_000

/** Deletes expired attempts, and pending instances that no longer have an attempt. */
export async function sweepAttempts({ database }: Dependencies): Promise<void> {
  const sql = systemSql(database)
  await sql`
    delete from mcp_attempts where id in (
      select id from mcp_attempts where expires_at <= now()
      order by expires_at limit ${SWEEP_MAX} for update skip locked)`
  await sql`
    delete from mcp_instances where id in (
      select id from mcp_instances i
      where status = 'pending' and created_at < now() - ${PENDING_MINUTES_MAX} * interval '1 minute'
        and updated_at < now() - ${PENDING_MINUTES_MAX} * interval '1 minute'
        and not exists (select from mcp_attempts a where a.instance_id = i.id)
      limit ${SWEEP_MAX})`
}
