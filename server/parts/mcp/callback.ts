import { fail, sentence } from '#errors'
import { lockOrganization } from '#platform/access/organization-lock.ts'
import type { Caller, Client } from '#platform/access/scope.ts'
import { recordEvent } from '#platform/audit/audit.ts'
import type { Redirect } from '#platform/http/define-route.ts'
import { ComposioError } from '#platform/mcp/composio.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import {
  type Attempt,
  findHeld,
  type HeldAttempt,
  holdAnswer,
  type ProviderAnswer,
  takeByCookie,
  takeHeld,
} from './attempts-system.ts'
import { type CatalogueServer, findServer } from './catalogue.ts'
import { type AttemptPayload, clearAttemptCookie, readAttemptCookie } from './connect.ts'
import { type Credentials, openReplaced, sealCredentials } from './credentials.ts'
import { connectionKey, isInstance, type McpDependencies } from './dependencies.ts'
import { composioAddress, endAccess, failureSentence, forgetLostClient } from './providers.ts'
import type { CallbackQuery, ConfirmedConnection, PendingConnection } from './schemas.ts'

/** Console page where users confirm a connection that another browser or a program started. */
const CONFIRM_PAGE = '/connections/confirm'

/**
 * Handles the redirect from a provider after connect_account. If the browser has the attempt's cookie and its session
 * is live, finishes the connection and redirects to the console, with the reason if it failed.
 *
 * In any other browser, only stores the provider's response. The user who started the attempt must then sign in and
 * confirm. Otherwise, an attacker could start a connection, send the provider's URL to a victim, and get access to the
 * victim's account.
 *
 * Throws mcp.state_invalid if the state is unknown, used or expired, or doesn't match the ids in the query.
 */
export async function returnFromProvider(
  deps: McpDependencies,
  client: Client,
  query: CallbackQuery,
  cookies: string | undefined,
): Promise<Redirect> {
  const { config } = deps
  const state = query.state ?? ''
  const cookieHash = readAttemptCookie(config, state, cookies)
  const attempt = cookieHash === null ? null : await takeByCookie(deps, query, cookieHash)
  const headers = {
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    ...(cookieHash !== null && { 'Set-Cookie': clearAttemptCookie(config, state) }),
  }
  if (attempt === null) {
    const ticket = await holdAnswer(deps, query)
    if (ticket === null) throw fail('mcp.state_invalid')
    // Browsers don't send the fragment to servers, so the ticket appears in no log.
    return { status: 303, location: `${config.frontendUrl}${CONFIRM_PAGE}#${ticket}`, headers }
  }
  const failure = await finishConnection(deps, client, attempt, query)
  const parameters = new URLSearchParams({
    ...returnParameters(attempt),
    ...(failure !== null && { error: failure }),
  })
  return { location: `${config.frontendUrl}/mcp/callback?${parameters}`, headers }
}

const returnParameters = ({ serverId, instance, flowType }: Attempt) => ({
  mcp_server_id: serverId,
  mcp_session_id: instance.id,
  ...(flowType !== null && { flow_type: flowType }),
})

/**
 * Returns the pending connection of a ticket. Any signed-in user can read it, so the email address of the user who
 * started the connection is masked: only that user recognizes it. Throws mcp.attempt_gone.
 */
export async function describePending(
  deps: McpDependencies,
  caller: Caller,
  ticket: string,
): Promise<PendingConnection> {
  const { userId, email, serverName, toolkitLogo, expiresAt } = await find(deps, ticket)
  return {
    server_name: serverName,
    toolkit_logo: toolkitLogo,
    started_by: maskEmail(email),
    is_yours: userId === caller.userId,
    expires_at: new Date(expiresAt).toISOString(),
  }
}

/**
 * Finishes a connection for the user who started it. Throws mcp.attempt_gone, mcp.attempt_of_another, and
 * mcp.connect_failed with the reason. The ticket cannot be used again, even after a failure.
 */
export async function confirmConnection(
  deps: McpDependencies,
  caller: Caller,
  ticket: string,
): Promise<ConfirmedConnection> {
  if ((await find(deps, ticket)).userId !== caller.userId) throw fail('mcp.attempt_of_another')
  const claimed = await takeHeld(deps, ticket, caller.userId)
  if (claimed === null) throw fail('mcp.attempt_gone')
  const { attempt, answer } = claimed
  const failure = await finishConnection(deps, caller.client, attempt, answer)
  if (failure !== null) throw fail('mcp.connect_failed', { reason: failure })
  return {
    status: 'active',
    mcp_server_id: attempt.serverId,
    mcp_session_id: attempt.instance.id,
    flow_type: attempt.flowType,
  }
}

async function find(deps: McpDependencies, ticket: string): Promise<HeldAttempt> {
  const held = await findHeld(deps, ticket)
  if (held === null) throw fail('mcp.attempt_gone')
  return held
}

/** Masks `ada@example.com` as `a•••@example.com`. Always inserts three dots, to hide the length. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${[...email][0] ?? ''}•••${email.slice(at)}`
}

interface Connected {
  credentials: Credentials | null
  accountId: string | null
}

/** Timeout for calls to the provider and server together. The user waits at a blank page. */
const FINISH_TIMEOUT_MS = 30_000
const SENTENCE_CHARACTERS_MAX = 300
/**
 * Number of characters at the beginning of a key by which an error that repeats the key is recognized. The rest of the
 * key is ignored, because servers may truncate it.
 */
const KEY_CHARACTERS_TELLING = 16
const OURS = sentence('mcp.connect_broke')

/**
 * Finishes an attempt with the provider's response. On success, activates the instance and returns null. On failure,
 * deletes an instance that was never active, and returns the reason as a sentence.
 */
async function finishConnection(
  deps: McpDependencies,
  client: Client,
  attempt: Attempt,
  answer: ProviderAnswer,
): Promise<string | null> {
  const { id: instanceId, organizationId, userId, sql } = attempt.instance
  try {
    const server = await findServer(sql, attempt.serverId)
    if (!server) throw new McpError('refused', sentence('mcp.server_removed'))
    const connected = await finish(deps, attempt, server, answer)
    await activate(deps, client, attempt, server, connected)
    return null
  } catch (error) {
    const sentence = failureSentence(error)
    if (sentence === null) deps.log.error({ err: error }, 'an MCP connection attempt could not be completed')
    else deps.log.info({ err: error }, 'an MCP account could not be connected')
    // Keeps a pending instance for which the user has started another attempt.
    await sql`
      delete from mcp_instances where ${isInstance(sql, attempt.instance)} and status = 'pending'
        and not exists (
          select from mcp_attempts
          where instance_id = ${instanceId} and organization_id = ${organizationId} and user_id = ${userId})`
    return sentence ?? OURS
  }
}

function finish(
  deps: McpDependencies,
  attempt: Attempt,
  server: CatalogueServer,
  answer: ProviderAnswer,
): Promise<Connected> {
  const payload = JSON.parse(deps.secrets.decrypt(attempt.payload, attempt.id)) as AttemptPayload
  const signal = AbortSignal.timeout(FINISH_TIMEOUT_MS)
  if (payload.type !== server.authConfig?.type) throw new McpError('refused', sentence('mcp.way_changed'))
  switch (payload.type) {
    case 'none':
      return Promise.resolve({ credentials: null, accountId: null })
    case 'api_key':
      return finishWithKey(deps, attempt, server, payload.key, signal)
    case 'oauth':
      return finishOAuth(deps, attempt, server, payload, answer, signal)
    case 'composio':
      return finishComposio(deps, attempt, server, payload, answer, signal)
  }
}

/** Returns the first characters of a key, without its authentication scheme. */
const beginningOf = (apiKey: string): string =>
  (apiKey.split(' ').at(-1) ?? '').slice(0, KEY_CHARACTERS_TELLING)

/** Tests a key by listing the server's tools. Throws McpError if the server refuses the key or fails. */
async function finishWithKey(
  { connections }: McpDependencies,
  { id }: Attempt,
  { url, authConfig }: CatalogueServer,
  apiKey: string,
  signal: AbortSignal,
): Promise<Connected> {
  const header = authConfig?.type === 'api_key' ? authConfig.header : ''
  const key = connectionKey(id, url)
  try {
    const headers = async () => ({ [header]: apiKey })
    const connection = await connections.open({ key, url, net: 'guarded', headers }, signal)
    await connection.listTools(signal)
  } catch (error) {
    if (error instanceof McpError && error.kind === 'unauthorized')
      throw new McpError('unauthorized', sentence('mcp.key_refused'))
    // Some servers repeat the key in their error, which would then appear in a URL and in the log.
    if (error instanceof McpError && error.message.includes(beginningOf(apiKey)))
      throw new McpError(error.kind, sentence('mcp.key_echoed'))
    if (error instanceof McpError) throw new McpError(error.kind, error.message)
    throw error
  } finally {
    await connections.forget(key)
  }
  return { credentials: { type: 'api_key', origin: new URL(url).origin, key: apiKey }, accountId: null }
}

async function finishOAuth(
  deps: McpDependencies,
  { instance }: Attempt,
  { id, url }: CatalogueServer,
  { pending }: Extract<AttemptPayload, { type: 'oauth' }>,
  { code = '', iss, error, error_description }: ProviderAnswer,
  signal: AbortSignal,
): Promise<Connected> {
  const result = error === undefined ? { code, iss } : { error, error_description, iss }
  const grant = await deps.authorizer
    .finish(pending, result, signal)
    .catch(forgetLostClient(instance.sql, id))
  return { credentials: { type: 'oauth', origin: new URL(url).origin, grant }, accountId: null }
}

function refusalSentence(error: string, description: string | undefined): string {
  const words = (description || error).replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return `The provider denied access: ${words.slice(0, SENTENCE_CHARACTERS_MAX)}`
}

async function finishComposio(
  deps: McpDependencies,
  { instance: { userId, sql } }: Attempt,
  server: CatalogueServer,
  { accountId, authConfigId }: Extract<AttemptPayload, { type: 'composio' }>,
  { error, error_description: description }: ProviderAnswer,
  signal: AbortSignal,
): Promise<Connected> {
  const { composio } = deps
  if (composio === null) throw new ComposioError(sentence('mcp.composio_gone'), null)
  if (error !== undefined) throw new ComposioError(refusalSentence(error, description), null)
  const account = await composio.readAccount(accountId, signal)
  if (account.userId !== userId || account.status !== 'ACTIVE')
    throw new ComposioError(sentence('mcp.account_not_connected'), null)
  const address = await composioAddress(sql, composio, { server, userId, accountId, authConfigId }, signal)
  return { credentials: { type: 'composio', ...address }, accountId }
}

/**
 * Activates the instance, and deletes the Composio account that it used before. If the instance was deleted in the
 * meantime, revokes the new grant and throws McpError.
 */
async function activate(
  deps: McpDependencies,
  client: Client,
  attempt: Attempt,
  server: CatalogueServer,
  { credentials, accountId }: Connected,
): Promise<void> {
  const { secrets, connections } = deps
  const { id: instanceId, organizationId, userId, sql } = attempt.instance
  const { sealed, expiresIn } = sealCredentials(secrets, instanceId, credentials)
  const before = await sql.begin(async (tx) => {
    await lockOrganization(tx, organizationId, 'records')
    // Lock order: the server before the instance (docs/lock-order.md).
    await tx`select from mcp_servers where id = ${server.id} for no key update`
    const [row] = await tx<{ status: string; sealed: string | null; accountId: string | null }[]>`
      select status, credentials as sealed, account_id as "accountId" from mcp_instances
      where ${isInstance(tx, attempt.instance)} for update`
    if (!row) return null
    await tx`
      update mcp_instances set status = 'active', error = null, account_id = ${accountId},
        credentials = ${sealed}, credentials_version = credentials_version + 1,
        expires_at = now() + ${expiresIn}::float8 * interval '1 second',
        refresh_claim = null, refresh_claimed_until = null, tools_read_at = null, updated_at = now()
      where ${isInstance(tx, attempt.instance)}`
    await recordEvent(
      tx,
      organizationId,
      { userId, apiKeyId: null, client },
      {
        action: 'mcp_instance.connected',
        recordId: instanceId,
        before: { status: row.status },
        after: { status: 'active', server_name: server.name },
      },
    )
    return row
  })
  if (!before) {
    await endAccess(deps, { credentials, accountId })
    throw new McpError('refused', sentence('mcp.connection_deleted'))
  }
  const replaced = openReplaced(secrets, instanceId, before.sealed)
  if (replaced?.type === 'composio') await connections.forget(connectionKey(instanceId, replaced.url))
  await connections.forget(connectionKey(instanceId, server.url))
  // Replaced tokens are not revoked and expire by themselves. At many providers, revoking them would also end the new
  // grant.
  if (before.accountId !== null && before.accountId !== accountId)
    await endAccess(deps, { credentials: null, accountId: before.accountId })
}
