import type { McpToolRecord } from '#database/schema/mcp.ts'
import { systemSql } from '#database/system-sql.ts'
import { createStemmer, type Stemmer } from '#platform/retrieval/stems.ts'
import { SERVERS_MAX } from './catalogue.ts'
import type { McpDependencies } from './dependencies.ts'

/*
 * Queries for the search across organizations: servers, which belong to no organization, and a user's connections.
 */

type Dependencies = Pick<McpDependencies, 'database'>

export type Tool = Pick<McpToolRecord, 'name' | 'description' | 'left_out'>

export interface ServerRow {
  id: string
  name: string
  toolkitName: string
  toolkitSlug: string
  description: string
  /** Tools that the server offers without an account. Null if they were never listed. */
  tools: McpToolRecord[] | null
}

/** Returns a stemmer that uses the database's dictionaries. It reads no table. */
export const openStemmer = ({ database }: Dependencies): Stemmer => createStemmer(systemSql(database))

/** Returns a string that changes whenever a server is added, changed or deleted. */
export async function readStamp({ database }: Dependencies): Promise<string> {
  const [row] = await systemSql(database)<{ stamp: string }[]>`
    select concat_ws(' ', count(*), max(updated_at), sum(extract(epoch from updated_at))) as stamp from mcp_servers`
  return row?.stamp ?? ''
}

export function readCatalogue({ database }: Dependencies): Promise<ServerRow[]> {
  return systemSql(database)<ServerRow[]>`
    select id, name, toolkit_name as "toolkitName", toolkit_slug as "toolkitSlug", description, tools
    from mcp_servers where not is_deleted and auth_config is not null
    order by lower(name), id limit ${SERVERS_MAX}`
}

/** A user's active connection to a server. `stamp` changes with the connection's tools. */
export interface Connection {
  id: string
  serverId: string
  stamp: string
}

/** Returns a user's newest active connection per server, newest first. */
export const readConnections = (
  { database }: Dependencies,
  userId: string,
  onlyOrganizationId: string | null,
): Promise<Connection[]> => systemSql(database)<Connection[]>`
  select * from (
    select distinct on (i.server_id) i.id, i.server_id as "serverId",
      concat_ws(' ', i.tools is not null, i.tools_changed_at) as stamp
    from mcp_instances i
    join memberships m on m.organization_id = i.organization_id and m.user_id = i.user_id and m.status = 'active'
    where i.user_id = ${userId} and i.status = 'active'
      and i.organization_id = coalesce(${onlyOrganizationId}::uuid, i.organization_id)
    order by i.server_id, i.id desc) as newest
  order by id desc limit ${SERVERS_MAX}`

/** Returns the tools of these connections, by connection id. Omits connections whose tools were never listed. */
export async function readTools(
  { database }: Dependencies,
  connections: Connection[],
): Promise<Map<string, Tool[]>> {
  const ids = connections.map(({ id }) => id)
  const rows = await systemSql(database)<{ id: string; tools: Tool[] }[]>`
    select id, tools from mcp_instances where id = any(${ids}) and tools is not null`
  return new Map(rows.map(({ id, tools }) => [id, tools]))
}
