import { connectionKey, findServer, type McpDependencies } from './dependencies.ts'
import { endAccess } from './end-access.ts'
import { openReplaced } from './stored-credentials.ts'

/** Whose connections end: a user's everywhere, or those of everybody in an organization. */
export type LeavingOwner = { userId: string } | { organizationId: string }

interface Instance {
  id: string
  serverId: string
  credentials: string | null
  accountId: string | null
}

/** So many providers are told at once. */
const AT_ONCE = 10

/**
 * Deletes all connections of somebody who is being deleted, after each provider was told to end the access. What a
 * provider does not follow in is logged: nobody is there any more who could be told. Can be done again after it was
 * cut off.
 */
export async function endAllAccess(deps: McpDependencies, owner: LeavingOwner): Promise<void> {
  const { sql } = deps.database
  const theirs =
    'userId' in owner ? sql`user_id = ${owner.userId}` : sql`organization_id = ${owner.organizationId}`
  while (true) {
    const instances = await sql<Instance[]>`
      select id, server_id as "serverId", credentials, account_id as "accountId" from mcp_instances
      where ${theirs} order by id limit ${AT_ONCE}`
    if (instances.length === 0) return
    await Promise.all(instances.map((instance) => end(deps, instance)))
    await sql`delete from mcp_instances where id = any(${instances.map(({ id }) => id)}::uuid[])`
  }
}

async function end(
  deps: McpDependencies,
  { id, serverId, credentials: sealed, accountId }: Instance,
): Promise<void> {
  const credentials = openReplaced(deps.secrets, id, sealed)
  const server = await findServer(deps, serverId)
  const url = credentials?.type === 'composio' ? credentials.url : server?.url
  if (url !== undefined) await deps.connections.forget(connectionKey(id, url))
  await endAccess(deps, { credentials, accountId })
}
