import type { Database } from '#database/connect.ts'
import type { McpAuthConfig, McpToolRecord } from '#database/schema/mcp.ts'
import { type SystemStatements, systemSql, systemStatements, tenantSql } from '#database/system-sql.ts'
import type { FragmentSql, TenantStatements } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import { isStrongEnough, liveKey, liveSession } from '#platform/access/credentials.ts'
import { coverings, type Permission } from '#platform/access/permissions.ts'
import { isSuspended, refuseSuspended, type Suspendable } from '#platform/access/suspension.ts'
import { readFeatures } from '#platform/limits/features.ts'
import type { McpEndpoint } from '#platform/mcp/connection.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { parseTools } from './catalogue.ts'
import { type InstanceCredentials, openReplaced } from './credentials.ts'
import { connectionKey, type McpDependencies, type OwnedInstance } from './dependencies.ts'
import type { GatewayLink } from './gateway.ts'
import { endAccess } from './providers.ts'

/*
 * Reads instances across organizations. Agents use instances that other users share, and gateway URLs and the
 * playground use a user's instances in all organizations. Quotas count the instances of all members. Deleting a user
 * or organization ends all instances of that owner. Each returned instance has the tenant statements of its owner.
 */

/** An active instance, with its server and the endpoint that uses its credentials. */
export interface ReadyInstance extends OwnedInstance {
  serverId: string
  serverName: string
  toolkitSlug: string
  endpoint: McpEndpoint
}

/** An instance that its owner shares with an agent. */
export interface SharedInstance extends ReadyInstance {
  /** Version of the account's credentials. Each change of the credentials increases it. */
  credentialsVersion: number
  /** Stored tools, if they were listed within `FRESH_SECONDS`. Null otherwise. */
  freshTools: McpToolRecord[] | null
}

/** Maximum age of a stored list of tools that agents reuse. */
const FRESH_SECONDS = 60

/** Permissions on instances: mcp:read to see an instance's tools, mcp:write to use or change the instance. */
type McpPermission = Extract<Permission, 'mcp:read' | 'mcp:write'>

interface Row extends Omit<ReadyInstance, 'sql' | 'endpoint'>, Suspendable {
  url: string
  authConfig: McpAuthConfig | null
  credentials: string | null
}

type SharedRow = Row &
  Omit<SharedInstance, keyof ReadyInstance | 'freshTools'> & { freshTools: string | null }

export class InstanceFinder {
  readonly #deps: Pick<McpDependencies, 'database' | 'log'>
  readonly #credentials: InstanceCredentials

  constructor(deps: Pick<McpDependencies, 'database' | 'log'>, credentials: InstanceCredentials) {
    this.#deps = deps
    this.#credentials = credentials
  }

  /**
   * Returns the user's own instances with these ids, in the order of `ids`. Omits instances in organizations where
   * the user's role lacks `permission`. With `onlyOrganizationId`, considers only instances of that organization.
   */
  async findOwn(
    userId: string,
    onlyOrganizationId: string | null,
    ids: string[],
    permission: McpPermission,
  ): Promise<ReadyInstance[]> {
    const sql = systemSql(this.#deps.database)
    const rows = await sql<Row[]>`
      select ${columns(sql)} from ${usable(sql)}
      where i.user_id = ${userId} and i.id = any(${ids}::uuid[])
        and i.organization_id = coalesce(${onlyOrganizationId}::uuid, i.organization_id)
        and ${holds(sql, permission)}`
    return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id)).flatMap((row) => this.#open(row))
  }

  /**
   * Returns the instance of a gateway URL. Returns null if its owner lacks mcp:write, or if the session or API key
   * that created the URL is no longer live. Throws access.organization_suspended.
   */
  async findLinked({ instanceId, madeBy }: GatewayLink): Promise<ReadyInstance | null> {
    const sql = systemSql(this.#deps.database)
    const rows = await sql<Row[]>`
      select ${columns(sql)} from ${usable(sql)}
      where i.id = ${instanceId} and ${holds(sql, 'mcp:write')} and exists (${maker(sql, madeBy)})`
    rows.forEach(refuseSuspended)
    return rows.flatMap((row) => this.#open(row))[0] ?? null
  }

  /** Returns the instances shared with an agent, in the order of sharing. */
  async findShared(agentId: string): Promise<SharedInstance[]> {
    const sql = systemSql(this.#deps.database)
    const rows = await sql<SharedRow[]>`
      select ${columns(sql)}, i.credentials_version as "credentialsVersion",
        case when i.tools_read_at > now() - ${FRESH_SECONDS} * interval '1 second' then i.tools end::text as "freshTools"
      from ${usable(sql)}
      join agent_mcp_instances shared on shared.instance_id = i.id and shared.agent_id = ${agentId}
      order by shared.position, i.id`
    return rows
      .flatMap((row) => this.#open(row))
      .map((instance) => ({ ...instance, freshTools: parseTools(instance.freshTools) }))
  }

  /**
   * Adds the endpoint. Omits an instance if its organization is suspended, its server has moved or its credentials
   * were encrypted with another SECRET.
   */
  #open<Found extends Row>({ url, authConfig, credentials, ...found }: Found) {
    if (isSuspended(found)) return []
    const instance = { ...found, sql: tenantSql(this.#deps.database, found) }
    const keyHeader = authConfig?.type === 'api_key' ? authConfig.header : null
    try {
      const endpoint = this.#credentials.endpointOf({ ...instance, url, keyHeader, credentials })
      return [{ ...instance, endpoint }]
    } catch (error) {
      if (!(error instanceof McpError))
        this.#deps.log.error({ err: error, instanceId: instance.id }, 'an MCP instance could not be opened')
      return []
    }
  }
}

const columns = (sql: FragmentSql) => sql`
  i.id, i.server_id as "serverId", s.name as "serverName", s.toolkit_slug as "toolkitSlug",
  i.organization_id as "organizationId", i.user_id as "userId", s.url, s.auth_config as "authConfig", i.credentials,
  org.suspension_reason`

const usable = (sql: FragmentSql) => sql`
  mcp_instances i
  join mcp_servers s on s.id = i.server_id and not s.is_deleted
  join organizations org on org.id = i.organization_id
  join memberships m on m.organization_id = i.organization_id and m.user_id = i.user_id and m.status = 'active'
    and i.status = 'active'`

/** True if the role of the membership `m` includes the permission. */
export const holds = (sql: FragmentSql, permission: McpPermission) => sql`
  exists (
    select from role_permissions rp join permissions p on p.id = rp.permission_id
    where rp.role_id = m.role_id and p.name = any(${coverings(permission)}))`

/** Selects the session or API key that created a gateway URL, if it is live and belongs to the instance's owner. */
const maker = (sql: FragmentSql, { kind, id }: GatewayLink['madeBy']) =>
  kind === 'session'
    ? sql`select from sessions s join organizations o on o.id = i.organization_id and ${isStrongEnough(sql)}
      where s.id = ${id}::uuid and s.user_id = i.user_id and ${liveSession(sql)}`
    : sql`
      select from api_keys k
      where k.id = ${id}::uuid and k.user_id = i.user_id and ${liveKey(sql)}
        and k.permissions && ${coverings('mcp:write')}::text[]`

/** Returns the organization of an instance, or undefined if the instance doesn't exist. */
export async function organizationOf(database: Database, instanceId: string): Promise<string | undefined> {
  const [row] = await systemSql(database)<{ organizationId: string }[]>`
    select organization_id as "organizationId" from mcp_instances where id = ${instanceId}`
  return row?.organizationId
}

/**
 * Counts the connections of all members for the limit `mcp_sessions`. Pending connections count only while they can
 * still be finished.
 */
export async function countMcpSessions(database: Database, organizationId: string): Promise<number> {
  return countSessions(systemSql(database), organizationId)
}

async function countSessions(sql: SystemStatements, organizationId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from mcp_instances i
    where organization_id = ${organizationId} and (status <> 'pending' or exists (
      select from mcp_attempts a where a.instance_id = i.id and a.expires_at > now()))`
  return row?.count ?? 0
}

/** Throws mcp.too_many_instances if the connections of all members have reached the limit. */
export async function checkQuota(sql: TenantStatements, organizationId: string): Promise<void> {
  const all = systemStatements(sql)
  const { mcp_sessions: limit } = await readFeatures(all, organizationId)
  if ((await countSessions(all, organizationId)) >= limit) throw fail('mcp.too_many_instances', { limit })
}

export type LeavingOwner = { userId: string } | { organizationId: string }

interface Instance {
  id: string
  url: string
  credentials: string | null
  accountId: string | null
}

/** Maximum number of instances whose providers are called concurrently. */
const AT_ONCE = 10

/**
 * Revokes the access of all instances of a deleted user or organization, then deletes the instances. Failures of
 * providers are only logged, because no user is left to see them. Safe to run again after an interruption.
 */
export async function endAllAccess(deps: McpDependencies, owner: LeavingOwner): Promise<void> {
  const sql = systemSql(deps.database)
  const theirs =
    'userId' in owner ? sql`i.user_id = ${owner.userId}` : sql`i.organization_id = ${owner.organizationId}`
  while (true) {
    const instances = await sql<Instance[]>`
      select i.id, s.url, i.credentials, i.account_id as "accountId"
      from mcp_instances i join mcp_servers s on s.id = i.server_id
      where ${theirs} order by i.id limit ${AT_ONCE}`
    if (instances.length === 0) return
    await Promise.all(instances.map((instance) => end(deps, instance)))
    await sql`delete from mcp_instances where id = any(${instances.map(({ id }) => id)}::uuid[])`
  }
}

async function end(
  deps: McpDependencies,
  { id, url, credentials: sealed, accountId }: Instance,
): Promise<void> {
  const credentials = openReplaced(deps.secrets, id, sealed)
  await deps.connections.forget(connectionKey(id, credentials?.type === 'composio' ? credentials.url : url))
  await endAccess(deps, { credentials, accountId })
}
