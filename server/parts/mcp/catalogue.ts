import { parseExactJson } from '#database/exact-json.ts'
import type { McpAuthConfig, McpToolRecord } from '#database/schema/mcp.ts'
import type { FragmentSql, TenantStatements } from '#database/tenant-sql.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { type ListedServer, type ServerView, viewServer } from './catalogue-schemas.ts'

/**
 * Maximum number of servers in the catalogue. Limited because lists of servers have no pages.
 * @limit servers in the catalogue
 */
export const SERVERS_MAX = 1_000

/**
 * Returns the servers of the catalogue, ordered by name. `is_connected` is true if the caller has an active
 * connection in this organization.
 */
export async function listServers({ sql, organizationId, userId }: Scope<'mcp:read'>): Promise<ServerView[]> {
  const rows = await sql<ListedServer[]>`
    select ${columns(sql)}, exists (
        select from mcp_instances i
        where i.server_id = s.id and i.organization_id = ${organizationId} and i.user_id = ${userId}
          and i.status = 'active') as "isConnected"
    from mcp_servers s where not s.is_deleted
    order by lower(s.name), s.id limit ${SERVERS_MAX}`
  return rows.map(viewServer)
}

/** Parses stored tools. Numbers in their schemas keep all digits. */
export const parseTools = (json: string | null): McpToolRecord[] | null =>
  json === null ? null : (parseExactJson(json) as McpToolRecord[])

export interface KnownTools {
  tools: McpToolRecord[] | null
  readAt: string | null
  changedAt: string | null
}

/** A server with the tools that it offers without an account, and a connection of the caller with its tools. */
export interface ServerOfCaller extends ListedServer {
  url: string
  authConfig: McpAuthConfig | null
  shared: KnownTools
  instance: (KnownTools & { id: string; isActive: boolean; error: string | null }) | null
}

interface Row extends Omit<ServerOfCaller, 'shared' | 'instance'> {
  /** JSON, because the driver would round the numbers in schemas. */
  sharedTools: string | null
  sharedReadAt: string | null
  sharedChangedAt: string | null
  instanceId: string | null
  instanceStatus: string | null
  instanceError: string | null
  tools: string | null
  readAt: string | null
  changedAt: string | null
}

/**
 * Returns a server with the caller's newest active connection. Without an active connection, returns the newest
 * inactive one, or else the newest pending one. Throws mcp.server_not_found.
 */
export async function readServer(
  { sql, organizationId, userId }: Scope<'mcp:read'>,
  serverId: string,
): Promise<ServerOfCaller> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)}, s.url, s.auth_config as "authConfig", s.tools::text as "sharedTools",
      s.tools_read_at as "sharedReadAt", s.tools_changed_at as "sharedChangedAt", i.id as "instanceId",
      i.status as "instanceStatus", i.error as "instanceError", i.tools::text, i.tools_read_at as "readAt",
      i.tools_changed_at as "changedAt", coalesce(i.status = 'active', false) as "isConnected"
    from mcp_servers s left join lateral (
      select * from mcp_instances
      where server_id = s.id and organization_id = ${organizationId} and user_id = ${userId}
      order by status = 'active' desc, status = 'pending', id desc limit 1) i on true
    where s.id = ${serverId} and not s.is_deleted`
  if (!row) throw fail('mcp.server_not_found', { value: serverId })
  return {
    ...row,
    shared: { tools: parseTools(row.sharedTools), readAt: row.sharedReadAt, changedAt: row.sharedChangedAt },
    instance:
      row.instanceId === null
        ? null
        : {
            id: row.instanceId,
            isActive: row.instanceStatus === 'active',
            error: row.instanceError,
            tools: parseTools(row.tools),
            readAt: row.readAt,
            changedAt: row.changedAt,
          },
  }
}

const columns = (sql: FragmentSql) => sql`
  s.id, s.name, s.toolkit_name as "toolkitName", s.toolkit_slug as "toolkitSlug", s.toolkit_logo as "toolkitLogo",
  s.description, s.created_at as "createdAt", s.instance_count as "instanceCount",
  s.auth_config ->> 'type' as "authType"`

/** A server of the catalogue, with the fields needed to connect an account. */
export interface CatalogueServer {
  id: string
  name: string
  toolkitSlug: string
  url: string
  authConfig: McpAuthConfig | null
  /** OAuth client secret, encrypted and bound to the server's id. */
  clientSecret: string | null
  composioServerId: string | null
}

/** Finds a server that is not deleted. Servers belong to no organization. */
export async function findServer(
  sql: TenantStatements,
  serverId: string,
): Promise<CatalogueServer | undefined> {
  const [row] = await sql<CatalogueServer[]>`
    select id, name, toolkit_slug as "toolkitSlug", url, auth_config as "authConfig",
      client_secret as "clientSecret", composio_server_id as "composioServerId"
    from mcp_servers where id = ${serverId} and not is_deleted`
  return row
}
