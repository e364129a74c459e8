import type { Config } from '#config'
import { newId } from '#database/new-id.ts'
import type { TenantStatements, TenantTransaction } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Scope } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import { type Cookie, clearCookie, readCookie, setCookie } from '#platform/http/cookies.ts'
import type { Presented } from '#platform/http/define-route.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { PendingAuthorization } from '#platform/mcp/authorization.ts'
import { hashToken, newToken } from '#platform/secrets/secrets.ts'
import { type CatalogueServer, findServer } from './catalogue.ts'
import { widerScope } from './credentials.ts'
import { callbackAddress, isInstance, type McpDependencies } from './dependencies.ts'
import { checkQuota } from './instances-system.ts'
import { failureSentence, fixedClient, keepClient, knownClient } from './providers.ts'
import type { ConnectionAttempt, NewConnection } from './schemas.ts'

/** Data of an attempt that is needed when the browser returns. Stored encrypted, bound to the attempt's id. */
export type AttemptPayload =
  | { type: 'none' }
  | { type: 'api_key'; key: string }
  | { type: 'oauth'; pending: PendingAuthorization }
  | { type: 'composio'; accountId: string; authConfigId: string }

interface StartedConnection {
  payload: AttemptPayload
  redirectUrl: string
  /** Id of the account at the provider. Null if the provider has none. */
  accountId: string | null
}

/** Lifetime of an attempt, in seconds. */
const ATTEMPT_SECONDS = 600
/** Timeout for requesting the authorization URL from the provider. */
const BEGIN_TIMEOUT_MS = 30_000

/**
 * Starts connecting the caller's account at a server. Reconnects the given instance, or else the caller's newest
 * instance of that server that is inactive or lacks scopes. Otherwise creates an instance. An instance keeps its
 * status until the browser returns. Nothing is stored before the provider has responded.
 *
 * If the caller has a session, also returns a cookie. While the session is live, the cookie lets the same browser
 * finish without confirmation.
 *
 * Throws mcp.server_not_found, mcp.no_auth_config, mcp.api_key_needed, mcp.no_api_key, mcp.instance_not_found,
 * mcp.too_many_instances, mcp.connect_failed.
 */
export async function connectAccount(
  deps: McpDependencies,
  scope: Scope<'mcp:write'>,
  input: NewConnection,
): Promise<ConnectionAttempt & { cookie: string | null }> {
  const server = await findServer(scope.sql, input.server_id)
  if (!server) throw fail('mcp.server_not_found', { value: input.server_id })
  if (server.authConfig === null) throw fail('mcp.no_auth_config', { serverId: server.id })
  const takesKey = server.authConfig.type === 'api_key'
  if (takesKey && input.api_key === undefined) throw fail('mcp.api_key_needed')
  if (!takesKey && input.api_key !== undefined) throw fail('mcp.no_api_key')
  const { sql, organizationId, userId, sessionId } = scope
  // Checks the quota before the provider is called. insertInstance checks the quota again under the lock.
  const known = await findInstance(sql, scope, input)
  if (known === null) await checkQuota(sql, organizationId)

  const state = newToken('ms')
  const wider =
    known === null ? undefined : await widerScope(deps, { id: known, organizationId, userId, sql })
  const started = await begin(deps, scope, server, state, { apiKey: input.api_key, wider })
  const attempt = { id: newId(), stateHash: hashToken(state), flowType: input.flow_type ?? null }
  const payload = deps.secrets.encrypt(JSON.stringify(started.payload), attempt.id)
  const cookie = sessionId === null ? null : makeAttemptCookie(deps.config, state, ATTEMPT_SECONDS)
  const instanceId = await commitWithAnswer(() =>
    sql.begin(async (tx) => {
      // Serializes an organization's attempts, so that two attempts cannot both take the last free connection of the
      // quota.
      await lockOrganization(tx, organizationId, 'members')
      const id = (await findInstance(tx, scope, input)) ?? (await insertInstance(tx, scope, server))
      await tx`
        delete from mcp_attempts
        where instance_id = ${id} and organization_id = ${organizationId} and user_id = ${userId}`
      // Requests the needed scope only once, because the provider may deny it to every user.
      await tx`
        update mcp_instances set needed_scope = null
        where ${isInstance(tx, { id, organizationId, userId })} and needed_scope is not null`
      await tx`
        insert into mcp_attempts
          (id, organization_id, user_id, instance_id, state_hash, flow_type, payload, session_id, cookie_hash,
            expires_at)
        values (${attempt.id}, ${organizationId}, ${userId}, ${id}, ${attempt.stateHash}, ${attempt.flowType},
          ${payload}, ${sessionId}, ${cookie?.hash ?? null}, now() + ${ATTEMPT_SECONDS} * interval '1 second')`
      return id
    }),
  )
  return {
    id: started.accountId ?? instanceId,
    status: 'pending',
    redirect_url: started.redirectUrl,
    connectionData: { mcp_session_id: instanceId, server_id: server.id },
    cookie: cookie?.header ?? null,
  }
}

/** Finds the caller's instance to reconnect. Returns null if a new one is needed. Throws mcp.instance_not_found. */
async function findInstance(
  sql: TenantStatements,
  { organizationId, userId }: Scope<'mcp:write'>,
  { server_id: serverId, mcp_instance_id: id }: NewConnection,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from mcp_instances
    where organization_id = ${organizationId} and user_id = ${userId} and server_id = ${serverId}
      and ${id === undefined ? sql`(status = 'inactive' or needed_scope is not null)` : sql`id = ${id}`}
    order by id desc limit 1`
  if (!row && id !== undefined) throw fail('mcp.instance_not_found', { value: id })
  return row?.id ?? null
}

async function insertInstance(
  tx: TenantTransaction,
  scope: Scope<'mcp:write'>,
  server: CatalogueServer,
): Promise<string> {
  await checkQuota(tx, scope.organizationId)
  const id = newId()
  const locked = await tx`select from mcp_servers where id = ${server.id} and not is_deleted for key share`
  if (locked.count === 0) throw fail('mcp.server_not_found', { value: server.id })
  await tx`
    insert into mcp_instances (id, organization_id, user_id, server_id, status)
    values (${id}, ${scope.organizationId}, ${scope.userId}, ${server.id}, 'pending')`
  await recordEvent(tx, scope.organizationId, scope, {
    action: 'mcp_instance.created',
    recordId: id,
    after: { server_id: server.id, server_name: server.name, status: 'pending' },
  })
  return id
}

/** Starts the connection at the provider. Throws mcp.connect_failed with the provider's reason. */
async function begin(
  deps: McpDependencies,
  { sql, userId }: Scope<'mcp:write'>,
  server: CatalogueServer,
  state: string,
  { apiKey, wider }: { apiKey: string | undefined; wider: string | undefined },
): Promise<StartedConnection> {
  const signal = AbortSignal.timeout(BEGIN_TIMEOUT_MS)
  const back = `${callbackAddress(deps.config)}?${new URLSearchParams({ state })}`
  try {
    switch (server.authConfig?.type) {
      case 'oauth':
        return await beginOAuth(deps, sql, server, state, wider, signal)
      case 'composio': {
        const { auth_config_id: authConfigId } = server.authConfig
        const { accountId, url } = await composioOf(deps).link(
          { authConfigId, userId, callbackUrl: back },
          signal,
        )
        return { payload: { type: 'composio', accountId, authConfigId }, redirectUrl: url, accountId }
      }
      case 'api_key':
        return {
          payload: { type: 'api_key', key: authorizationValue(server.authConfig.header, apiKey ?? '') },
          redirectUrl: back,
          accountId: null,
        }
      default:
        return { payload: { type: 'none' }, redirectUrl: back, accountId: null }
    }
  } catch (error) {
    const reason = failureSentence(error)
    if (reason === null) throw error
    throw fail('mcp.connect_failed', { reason }, { cause: error })
  }
}

/**
 * Adds a scheme to a key without a scheme if the header is `Authorization`, which requires a scheme (RFC 9110,
 * 11.6.2).
 */
const authorizationValue = (header: string, key: string): string =>
  header.toLowerCase() === 'authorization' && !key.includes(' ') ? `Bearer ${key}` : key

async function beginOAuth(
  deps: McpDependencies,
  sql: TenantStatements,
  server: CatalogueServer,
  state: string,
  scope: string | undefined,
  signal: AbortSignal,
): Promise<StartedConnection> {
  const { url, pending, registered } = await deps.authorizer.begin(
    {
      url: server.url,
      fixed: fixedClient(deps, server),
      known: await knownClient(deps, sql, server.id),
      scope,
    },
    state,
    signal,
  )
  if (registered) await keepClient(deps, sql, server.id, registered)
  return { payload: { type: 'oauth', pending }, redirectUrl: url, accountId: null }
}

/** Returns the Composio client. Throws mcp.connect_failed if the operator has no Composio API key. */
function composioOf({ composio }: McpDependencies) {
  if (composio === null)
    throw fail('mcp.connect_failed', {
      reason: sentence('mcp.composio_off'),
    })
  return composio
}

/**
 * Number of characters of the state's hash that the cookie's name contains. They distinguish the cookies of several
 * attempts in a browser.
 */
const NAME_CHARACTERS = 16

/** A cookie that lets the browser that started an attempt finish it. The hash is stored with the attempt. */
interface AttemptCookie {
  header: string
  hash: string
}

/** Creates the cookie of an attempt. Each state has its own cookie, so attempts in several tabs are independent. */
function makeAttemptCookie(config: SiteConfig, state: string, seconds: number): AttemptCookie {
  const secret = newToken('ac')
  return { header: setCookie(cookieOf(config, state), secret, seconds), hash: hashToken(secret) }
}

/** Returns the hash of a browser's cookie for a state, or null if the browser has none. */
export function readAttemptCookie(
  config: SiteConfig,
  state: string,
  cookies: string | undefined,
): string | null {
  const secret = readCookie(cookies, cookieOf(config, state).name)
  return secret === null ? null : hashToken(secret)
}

/** Returns the Set-Cookie header that deletes the cookie of a state. */
export const clearAttemptCookie = (config: SiteConfig, state: string): string =>
  clearCookie(cookieOf(config, state))

/** Moves the cookie of connect_account from the response body into a header, where scripts cannot read it. */
export function moveCookieToHeader(answer: ConnectionAttempt): Presented<ConnectionAttempt> {
  if (!('cookie' in answer)) return { answer, headers: {} }
  const { cookie, ...body } = answer
  return { answer: body, headers: typeof cookie === 'string' ? { 'Set-Cookie': cookie } : {} }
}

type SiteConfig = Pick<Config, 'baseUrl'>

/**
 * Describes the cookie of a state. With the prefix `__Host-`, neither other hosts of the site nor HTTP pages can set
 * it (RFC 6265bis, 4.1.3.2). SameSite is Lax, because the provider returns the browser by a top-level navigation from
 * another site.
 */
function cookieOf({ baseUrl }: SiteConfig, state: string): Cookie {
  const isSecure = baseUrl.startsWith('https:')
  const name = `${isSecure ? '__Host-' : ''}parley_mcp_${hashToken(state).slice(0, NAME_CHARACTERS)}`
  return { name, path: '/', sameSite: 'Lax', isSecure }
}
