import { eq } from '#database/drizzle.ts'
import { mcpInstances } from '#database/schema/mcp.ts'
import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import { connectionKey, findServer, type McpDependencies } from './dependencies.ts'
import { endAccess } from './end-access.ts'
import { openReplaced } from './stored-credentials.ts'

/**
 * Deletes the caller's own instance with all that belongs to it, and has the provider end the access. It is gone here
 * whatever the provider does; the message says where that one did not follow. Throws mcp.instance_not_found.
 */
export async function deleteInstance(
  deps: McpDependencies,
  scope: Scope<'mcp:write'>,
  instanceId: string,
): Promise<string> {
  // The row first: what it holds at its end is what is to be revoked, also where a token was renewed a moment ago.
  const [row] = await scope.delete(mcpInstances, eq(mcpInstances.id, instanceId))
  if (!row) throw fail('mcp.instance_not_found')
  const credentials = openReplaced(deps.secrets, row.id, row.credentials)
  const server = await findServer(deps, row.serverId)
  const url = credentials?.type === 'composio' ? credentials.url : server?.url
  if (url !== undefined) await deps.connections.forget(connectionKey(row.id, url))
  const failure = await endAccess(deps, { credentials, accountId: row.accountId })
  return failure === null
    ? 'MCP instance deleted'
    : `MCP instance deleted. Its provider could not be told to end the access, so end it there too: ${failure}`
}
