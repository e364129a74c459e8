import { type Composio, type ComposioAddress, ComposioError } from '#platform/mcp/composio.ts'
import type { CatalogueServer, McpDependencies } from './dependencies.ts'

interface Account {
  server: CatalogueServer
  userId: string
  accountId: string
  authConfigId: string
}

/**
 * Where Composio speaks MCP for an account. Its server is made once for each server of the catalogue, and anew where
 * Composio knows it no more.
 */
export async function composioAddress(
  deps: McpDependencies,
  composio: Composio,
  account: Account,
  signal: AbortSignal,
): Promise<ComposioAddress> {
  const { server, userId, accountId } = account
  const known = server.composioServerId
  const serverId = known ?? (await makeServer(deps, composio, account, null, signal))
  try {
    return await composio.addressOf({ serverId, userId, accountId }, signal)
  } catch (error) {
    if (known === null || !(error instanceof ComposioError && error.status === 404)) throw error
    const another = await makeServer(deps, composio, account, known, signal)
    return composio.addressOf({ serverId: another, userId, accountId }, signal)
  }
}

/** Of several that are made at the same time one stays. */
async function makeServer(
  { database: { sql } }: McpDependencies,
  composio: Composio,
  { server, authConfigId }: Account,
  gone: string | null,
  signal: AbortSignal,
): Promise<string> {
  const made = await composio.createServer(server.toolkitSlug, authConfigId, signal)
  const updated = await sql`
    update mcp_servers set composio_server_id = ${made}
    where id = ${server.id} and composio_server_id is not distinct from ${gone}`
  if (updated.count > 0) return made
  await composio.deleteServer(made, signal).catch(() => {})
  const [row] = await sql<{ id: string | null }[]>`
    select composio_server_id as id from mcp_servers where id = ${server.id}`
  return row?.id ?? made
}
