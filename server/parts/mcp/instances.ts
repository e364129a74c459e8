import { and, asc, desc, eq, inArray } from '#database/drizzle.ts'
import { agents } from '#database/schema/agents.ts'
import { agentMcpInstances, mcpInstances } from '#database/schema/mcp.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { ScopedStatements } from '#platform/access/scoped-database.ts'
import { findServer } from './catalogue.ts'
import { openReplaced } from './credentials.ts'
import { connectionKey, type McpDependencies } from './dependencies.ts'
import { endAccess } from './providers.ts'
import {
  type DeletedInstance,
  type InstanceChange,
  type InstanceRow,
  type InstanceView,
  viewInstance,
} from './schemas.ts'

/** Maximum number of instances in a list. */
const LISTED_MAX = 1_000
/** Maximum number of instances per agent. The limit in parts/agents is the same. @limit connections of an agent */
const INSTANCES_OF_AGENT_MAX = 20

/** Returns the caller's own instances in the organization, newest first. */
export const listInstances = (
  scope: Scope<'mcp:read'>,
  status?: InstanceView['status'],
): Promise<InstanceView[]> => readInstances(scope, { status })

async function readInstances(
  { sql, organizationId, userId }: Pick<Scope<'mcp:read'>, 'sql' | 'organizationId' | 'userId'>,
  { id, status }: { id?: string; status?: InstanceView['status'] | undefined },
): Promise<InstanceView[]> {
  const rows = await sql<InstanceRow[]>`
    select i.id, i.status, i.server_id as "serverId", i.name, i.created_at as "createdAt", i.error,
      i.tools_changed_at as "toolsChangedAt", s.name as "serverName", s.toolkit_slug as "toolkitSlug",
      array(
        select agent_id from agent_mcp_instances
        where instance_id = i.id and organization_id = i.organization_id order by agent_id) as "sharedAgentIds"
    from mcp_instances i join mcp_servers s on s.id = i.server_id
    where i.organization_id = ${organizationId} and i.user_id = ${userId}
      and i.status = coalesce(${status ?? null}, i.status) and i.id = coalesce(${id ?? null}::uuid, i.id)
    order by i.id desc limit ${LISTED_MAX}`
  return rows.map(viewInstance)
}

/**
 * Renames the caller's own instance and sets the agents that use it. Sharing changes an agent for all its users, so
 * it requires agent:write. Throws mcp.instance_not_found, mcp.instance_inactive, agent.not_found, mcp.agent_full,
 * access.missing_permission.
 */
export async function updateInstance(
  scope: Scope<'mcp:write'>,
  instanceId: string,
  { name, shared_agent_ids: agentIds }: InstanceChange,
): Promise<InstanceView> {
  await scope.transaction(async (database) => {
    // Lock order: agents before instances, as in parts/agents.
    const found = agentIds === undefined ? [] : await lockAgents(database, agentIds)
    const [row] = await database.select(mcpInstances, { where: eq(mcpInstances.id, instanceId), lock: true })
    if (!row) throw fail('mcp.instance_not_found', { value: instanceId })
    const before = await sharedWith(database, instanceId)
    const after = agentIds === undefined ? before : [...new Set(agentIds)].sort()
    const auditDetails = { before: { shared_agent_ids: before }, after: { shared_agent_ids: after } }
    await database.update(mcpInstances, eq(mcpInstances.id, instanceId), { name: name.trim() }, auditDetails)
    const gone = before.filter((id) => !after.includes(id))
    if (gone.length > 0)
      await database.delete(
        agentMcpInstances,
        and(eq(agentMcpInstances.instanceId, instanceId), inArray(agentMcpInstances.agentId, gone)),
      )
    const added = after.filter((id) => !before.includes(id))
    if (added.length === 0) return
    if (!scope.holds('agent:write')) throw fail('access.missing_permission', { permission: 'agent:write' })
    if (row.status !== 'active') throw fail('mcp.instance_inactive')
    const missing = added.find((id) => !found.includes(id))
    if (missing !== undefined) throw fail('agent.not_found', { value: missing })
    for (const agentId of added) await share(database, scope.userId, instanceId, agentId)
  })
  return readInstance(scope, instanceId)
}

/** Returns the caller's own instance. Throws mcp.instance_not_found. */
export async function readInstance(scope: Scope<'mcp:write'>, instanceId: string): Promise<InstanceView> {
  const [instance] = await readInstances(scope, { id: instanceId })
  if (!instance) throw fail('mcp.instance_not_found', { value: instanceId })
  return instance
}

const sharedWith = async (database: ScopedStatements, instanceId: string): Promise<string[]> =>
  (
    await database.select(agentMcpInstances, {
      where: eq(agentMcpInstances.instanceId, instanceId),
      orderBy: [asc(agentMcpInstances.agentId)],
    })
  ).map(({ agentId }) => agentId)

/**
 * Locks agents in the order of their ids, which prevents deadlocks. The locks also keep concurrent requests from
 * exceeding INSTANCES_OF_AGENT_MAX. Returns the ids of the agents that exist.
 */
const lockAgents = async (database: ScopedStatements, agentIds: string[]): Promise<string[]> =>
  agentIds.length === 0
    ? []
    : (
        await database.select(agents, {
          where: inArray(agents.id, agentIds),
          orderBy: [asc(agents.id)],
          lock: true,
        })
      ).map(({ id }) => id)

async function share(
  database: ScopedStatements,
  ownerId: string,
  instanceId: string,
  agentId: string,
): Promise<void> {
  const others = await database.select(agentMcpInstances, {
    where: eq(agentMcpInstances.agentId, agentId),
    orderBy: [desc(agentMcpInstances.position)],
  })
  if (others.length >= INSTANCES_OF_AGENT_MAX) throw fail('mcp.agent_full', { limit: INSTANCES_OF_AGENT_MAX })
  const position = (others[0]?.position ?? -1) + 1
  await database.insertAll(agentMcpInstances, [{ ownerId, agentId, instanceId, position }])
}

/**
 * Deletes the caller's own instance and asks the provider to revoke its access. If the provider fails, the instance is
 * still deleted, and the response has the reason. Throws mcp.instance_not_found.
 */
export async function deleteInstance(
  deps: McpDependencies,
  scope: Scope<'mcp:write'>,
  instanceId: string,
): Promise<DeletedInstance> {
  // Deletes the row first. The deleted row contains the latest token, which must be revoked, even after a concurrent
  // renewal.
  const [row] = await scope.delete(mcpInstances, eq(mcpInstances.id, instanceId))
  if (!row) throw fail('mcp.instance_not_found', { value: instanceId })
  const credentials = openReplaced(deps.secrets, row.id, row.credentials)
  const server = await findServer(scope.sql, row.serverId)
  const url = credentials?.type === 'composio' ? credentials.url : server?.url
  if (url !== undefined) await deps.connections.forget(connectionKey(row.id, url))
  const reason = await endAccess(deps, { credentials, accountId: row.accountId })
  if (reason === null) return { message: 'MCP instance deleted' }
  const values = { reason }
  return { message: sentence('mcp.not_revoked', values), code: 'mcp.not_revoked', values }
}
