import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { eq } from '#database/drizzle.ts'
import { newId } from '#database/new-id.ts'
import { type McpAuthConfig, mcpServers } from '#database/schema/mcp.ts'
import { onUniqueViolation } from '#database/sql-state.ts'
import { systemDb, systemSql } from '#database/system-sql.ts'
import type { FragmentSql } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Actor } from '#platform/access/scope.ts'
import { recordEvents } from '#platform/audit/audit.ts'
import { SERVERS_MAX } from './catalogue.ts'
import {
  checkAddress,
  checkAuthConfig,
  type NewServer,
  type RecordedServer,
  type ServerChange,
  type ServerRecord,
  type ServerView,
  viewRecord,
} from './catalogue-schemas.ts'
import { connectionKey, type McpDependencies } from './dependencies.ts'

/*
 * Changes the catalogue for administrators and from the seed file. Servers of the catalogue belong to no organization.
 */

type Dependencies = Pick<McpDependencies, 'config' | 'database' | 'net' | 'secrets' | 'connections'>

/** Adds a server to the catalogue. Throws mcp.server_invalid, mcp.server_taken, mcp.too_many_servers. */
export async function addServer(deps: Dependencies, input: NewServer): Promise<ServerRecord> {
  const { database, net, secrets } = deps
  const { config, clientSecret } = checkAuthConfig(net, input.auth_config ?? null)
  const url = checkServerAddress(deps, input.url)
  const servers = await systemDb(database).$count(mcpServers, eq(mcpServers.isDeleted, false))
  if (servers >= SERVERS_MAX) throw fail('mcp.too_many_servers', { limit: SERVERS_MAX })
  const id = newId()
  const [row] = await systemDb(database)
    .insert(mcpServers)
    .values({
      id,
      name: input.name,
      toolkitName: input.toolkit_name,
      toolkitSlug: input.toolkit_slug,
      toolkitLogo: input.toolkit_logo ?? null,
      description: input.description,
      url,
      authConfig: config,
      clientSecret: clientSecret === null ? null : secrets.encrypt(clientSecret, id),
    })
    .returning()
    .catch(onUniqueViolation('mcp.server_taken'))
  return viewRecord(row as RecordedServer)
}

/**
 * Updates the given fields. A new auth_config replaces the whole previous auth_config, but an omitted client_secret
 * is kept. If the server's URL or the OAuth client changes, the secret must be sent again, so that a secret never
 * reaches another server.
 *
 * Moving the server to another origin or changing the type of authentication deactivates all connections. Throws
 * mcp.server_not_found, mcp.server_invalid, mcp.server_taken, mcp.secret_needed.
 */
export async function updateServer(
  deps: Dependencies,
  actor: Actor,
  serverId: string,
  change: ServerChange,
): Promise<ServerRecord> {
  const { database, net, secrets, connections } = deps
  const given = change.auth_config === undefined ? null : checkAuthConfig(net, change.auth_config)
  const url = change.url === undefined ? undefined : checkServerAddress(deps, change.url)
  const { before, after, retired } = await systemSql(database).begin(async (tx) => {
    const [before] = await tx<RecordedServer[]>`
      select ${columns(tx)} from mcp_servers where id = ${serverId} and not is_deleted for update`
    if (!before) throw fail('mcp.server_not_found', { value: serverId })
    const to = { url: url ?? before.url, authConfig: given ? given.config : before.authConfig }
    const clientSecret = secretAfter(before, to, given?.clientSecret ?? null, (secret) =>
      secrets.encrypt(secret, serverId),
    )
    const reason = whyRetire(before, to)
    const retired = reason === null ? [] : await retireConnections(tx, [serverId], reason, actor)
    // A new auth_config may name another client or authorization server, so the registered client is deleted. A client
    // secret that is sent again accepts another authorization server.
    const isNewConfig =
      given !== null && (given.clientSecret !== null || !isDeepStrictEqual(given.config, before.authConfig))
    if (isNewConfig) await tx`delete from mcp_clients where server_id = ${serverId}`
    const isElsewhere = to.url !== before.url || to.authConfig?.type !== before.authConfig?.type
    if (isElsewhere)
      await tx`update mcp_instances set tools_read_at = null where server_id = ${serverId} and tools_read_at is not null`
    const changed = Object.keys(change).length > 0
    const [after = before] = await tx<RecordedServer[]>`
      update mcp_servers set
        name = ${change.name ?? before.name}, toolkit_name = ${change.toolkit_name ?? before.toolkitName},
        toolkit_slug = ${change.toolkit_slug ?? before.toolkitSlug},
        toolkit_logo = ${change.toolkit_logo === undefined ? before.toolkitLogo : change.toolkit_logo},
        description = ${change.description ?? before.description}, url = ${to.url},
        auth_config = ${to.authConfig && JSON.stringify(to.authConfig)}::text::jsonb,
        client_secret = ${clientSecret}, is_changed = is_changed or ${changed},
        composio_server_id = case when ${reason === null} then composio_server_id end,
        tools = case when ${isElsewhere} then null else tools end,
        tools_read_at = case when ${isElsewhere} then null else tools_read_at end,
        updated_at = case when ${changed} then now() else updated_at end
      where id = ${serverId} returning ${columns(tx)}`.catch(onUniqueViolation('mcp.server_taken'))
    return { before, after, retired }
  })
  await Promise.all(retired.map((id) => connections.forget(connectionKey(id, before.url))))
  return viewRecord(after)
}

/**
 * Returns a server with all fields that an administrator can have read: those of its record and of the list of servers.
 * Throws mcp.server_not_found.
 */
export async function readServerRecord(
  { database }: Pick<Dependencies, 'database'>,
  { userId }: Actor,
  serverId: string,
): Promise<ServerRecord & Pick<ServerView, 'auth_type' | 'is_connected'>> {
  const sql = systemSql(database)
  const [row] = await sql<(RecordedServer & { isConnected: boolean })[]>`
    select ${columns(sql)}, exists (
      select from mcp_instances i where i.server_id = s.id and i.user_id = ${userId} and i.status = 'active'
    ) as "isConnected"
    from mcp_servers s where id = ${serverId} and not is_deleted`
  if (!row) throw fail('mcp.server_not_found', { value: serverId })
  return { ...viewRecord(row), auth_type: row.authConfig?.type ?? null, is_connected: row.isConnected }
}

/**
 * Normalizes a server's address. Throws mcp.server_invalid, also for this installation's own /mcp: agents could call
 * each other endlessly, and each call costs credits.
 */
function checkServerAddress({ config, net }: Dependencies, address: string): string {
  const url = checkAddress(net, 'url', address)
  if (new URL(url).host === new URL(config.baseUrl).host)
    throw fail('mcp.server_invalid', { reason: sentence('mcp.own_address') })
  return url
}

const columns = (sql: FragmentSql) => sql`
  id, name, toolkit_name as "toolkitName", toolkit_slug as "toolkitSlug", toolkit_logo as "toolkitLogo", description,
  url, auth_config as "authConfig", client_secret as "clientSecret", instance_count as "instanceCount",
  created_at as "createdAt", updated_at as "updatedAt"`

type Address = Pick<RecordedServer, 'url' | 'authConfig'>

/**
 * Returns the encrypted client secret to store, or null if there is none. Throws mcp.secret_needed if the secret
 * belongs to another address or client.
 */
function secretAfter(
  before: RecordedServer,
  to: Address,
  given: string | null,
  encrypt: (secret: string) => string,
): string | null {
  if (given !== null) return encrypt(given)
  const [from, config] = [before.authConfig, to.authConfig]
  if (before.clientSecret === null || from?.type !== 'oauth') return null
  if (config?.type !== 'oauth' || config.client_id === undefined) return null
  const isSame =
    before.url === to.url &&
    from.client_id === config.client_id &&
    from.authorization_url === config.authorization_url &&
    from.token_url === config.token_url
  if (!isSame) throw fail('mcp.secret_needed')
  return before.clientSecret
}

/** Returns the reason why a change deactivates connections, or null if it deactivates none. */
function whyRetire(before: Address, to: Address): string | null {
  if (new URL(before.url).origin !== new URL(to.url).origin) return MOVED
  const [from, config] = [before.authConfig, to.authConfig]
  if (!from || !config) return null
  return accountsOf(from) === accountsOf(config) ? null : OTHER_WAY
}

const accountsOf = (config: McpAuthConfig): string =>
  config.type === 'composio' ? `composio ${config.auth_config_id}` : config.type

/**
 * Deletes a server that has no connections, including its open attempts. A server of the seed file is only hidden, so
 * that the next start doesn't add it again. Throws mcp.server_not_found, and mcp.server_in_use with the number of
 * connections.
 */
export async function deleteServer(
  { database }: Pick<Dependencies, 'database'>,
  serverId: string,
): Promise<void> {
  await systemSql(database).begin(async (tx) => {
    const [server] = await tx<{ seedKey: string | null; instanceCount: number }[]>`
      select seed_key as "seedKey", instance_count as "instanceCount" from mcp_servers
      where id = ${serverId} and not is_deleted for update`
    if (!server) throw fail('mcp.server_not_found', { value: serverId })
    if (server.instanceCount > 0) throw fail('mcp.server_in_use', { count: server.instanceCount })
    await tx`delete from mcp_instances where server_id = ${serverId} and status = 'pending'`
    // The slug becomes free in either case.
    if (server.seedKey === null) await tx`delete from mcp_servers where id = ${serverId}`
    else
      await tx`
        update mcp_servers set is_deleted = true, toolkit_slug = id::text, client_secret = null, tools = null,
          updated_at = now()
        where id = ${serverId}`
  })
}

const MOVED = sentence('mcp.address_changed')
const OTHER_WAY = sentence('mcp.auth_changed')

/**
 * Deactivates the connections to servers whose address or authentication changed, because credentials must not be
 * sent to another address. Deletes open attempts and registered clients. If there is an actor, records the change in
 * the audit log of each organization. Returns the ids of the deactivated connections.
 */
async function retireConnections(
  tx: FragmentSql,
  serverIds: readonly string[],
  reason: string,
  actor: Actor | null,
): Promise<string[]> {
  await tx`
    delete from mcp_attempts a using mcp_instances i
    where i.id = a.instance_id and i.server_id = any(${serverIds as string[]})`
  await tx`delete from mcp_clients where server_id = any(${serverIds as string[]})`
  const retired = await tx<{ id: string; organizationId: string }[]>`
    update mcp_instances set status = 'inactive', error = ${reason}, updated_at = now()
    where server_id = any(${serverIds as string[]}) and status = 'active'
    returning id, organization_id as "organizationId"`
  if (actor)
    await recordEvents(
      tx,
      actor,
      retired.map(({ id, organizationId }) => ({
        organizationId,
        event: {
          action: 'mcp_instance.updated',
          recordId: id,
          before: { status: 'active', error: null },
          after: { status: 'inactive', error: reason },
        },
      })),
    )
  return retired.map(({ id }) => id)
}

export interface SeedServer {
  /** Stable key that identifies the server across releases. */
  key: string
  name: string
  toolkit_name: string
  toolkit_slug: string
  url: string
  auth: McpAuthConfig | null
  description: string
}

const FILE = new URL('./catalogue-seed.json', import.meta.url)

export const readSeed = (): SeedServer[] => JSON.parse(readFileSync(FILE, 'utf8')) as SeedServer[]

/**
 * Updates the catalogue from the seed file: adds new servers, and updates servers that no administrator has changed
 * or deleted. Skips servers whose slug is taken. Concurrent processes are safe, because the second one finds nothing
 * to do.
 */
export async function seedCatalogue(
  { database, log }: Pick<McpDependencies, 'database' | 'log'>,
  seed: SeedServer[] = readSeed(),
): Promise<void> {
  const given = JSON.stringify(seed.map((server) => ({ ...server, id: newId() })))
  await systemSql(database).begin(async (tx) => {
    // Locks rows in a fixed order, so that two starting processes cannot deadlock.
    await tx`select from mcp_servers where seed_key is not null order by seed_key for no key update`
    const moved = await tx<{ id: string }[]>`
      with given as (
        select * from json_to_recordset(${given}::text::json) as g (id uuid, key text, name text,
          toolkit_name text, toolkit_slug text, url text, auth jsonb, description text)
      ), known as (
        select s.id, s.url as url_before, g.url as url_after, g.name, g.toolkit_name, g.toolkit_slug, g.auth,
          g.description
        from given g join mcp_servers s on s.seed_key = g.key
        where not s.is_changed and not s.is_deleted
          and (s.name, s.toolkit_name, s.toolkit_slug, s.url, s.auth_config, s.description)
            is distinct from (g.name, g.toolkit_name, g.toolkit_slug, g.url, g.auth, g.description)
          and not exists (select from mcp_servers o where o.toolkit_slug = g.toolkit_slug and o.id <> s.id)
      ), changed as (
        update mcp_servers s set name = k.name, toolkit_name = k.toolkit_name, toolkit_slug = k.toolkit_slug,
          url = k.url_after, auth_config = k.auth, description = k.description, updated_at = now(),
          tools = case when s.url = k.url_after then s.tools end
        from known k where s.id = k.id
      ), unread as (
        update mcp_instances i set tools_read_at = null from known k
        where i.server_id = k.id and k.url_before <> k.url_after and i.tools_read_at is not null
      ), added as (
        insert into mcp_servers (id, seed_key, name, toolkit_name, toolkit_slug, url, auth_config, description)
        select id, key, name, toolkit_name, toolkit_slug, url, auth, description from given
        where not exists (select from mcp_servers s where s.seed_key = given.key)
        on conflict do nothing
      )
      select id from known where substring(lower(url_before) from ${ORIGIN}) <> substring(lower(url_after) from ${ORIGIN})`
    if (moved.length === 0) return
    const ids = moved.map(({ id }) => id)
    const retired = await retireConnections(tx, ids, MOVED, null)
    log.warn({ servers: ids, connections: retired.length }, 'MCP servers in the catalogue have moved')
  })
}

/** PostgreSQL pattern that matches the origin of a URL. */
const ORIGIN = '^[a-z]+://[^/?#]+'
