import type { OAuthClient } from '#platform/mcp/authorization.ts'
import { AuthorizationError } from '#platform/mcp/authorization-error.ts'
import { type CatalogueServer, callbackAddress, type McpDependencies } from './dependencies.ts'

/** What an administrator has fixed of a server's authorization, its secret opened. */
export function fixedClient({ secrets }: McpDependencies, { id, authConfig, clientSecret }: CatalogueServer) {
  if (authConfig?.type !== 'oauth') return {}
  const { type: _, ...fixed } = authConfig
  return { ...fixed, ...(clientSecret !== null && { client_secret: secrets.decrypt(clientSecret, id) }) }
}

/** Who we are to the server's authorization server, where that has registered us before. */
export async function knownClient(
  { database: { sql }, secrets }: McpDependencies,
  serverId: string,
): Promise<{ issuer: string; redirectUri: string; client: OAuthClient } | null> {
  const [row] = await sql<{ issuer: string; redirectUri: string; client: string }[]>`
    select issuer, redirect_uri as "redirectUri", client from mcp_clients where server_id = ${serverId}`
  try {
    return row ? { ...row, client: JSON.parse(secrets.decrypt(row.client, serverId)) as OAuthClient } : null
  } catch {
    return null // stored under another SECRET: we are registered anew
  }
}

/** Keeps a registration for everybody who connects after this. */
export async function keepClient(
  { config, database: { sql }, secrets }: McpDependencies,
  serverId: string,
  { issuer, client }: { issuer: string; client: OAuthClient },
): Promise<void> {
  const sealed = secrets.encrypt(JSON.stringify(client), serverId)
  await sql`
    insert into mcp_clients (server_id, issuer, redirect_uri, client)
    values (${serverId}, ${issuer}, ${callbackAddress(config)}, ${sealed})
    on conflict (server_id) do update set issuer = excluded.issuer, redirect_uri = excluded.redirect_uri,
      client = excluded.client, created_at = now()`
}

/** For `.catch(…)`: a registration that the authorization server has forgotten is made anew by whoever connects next. */
export const forgetLostClient =
  ({ database: { sql } }: McpDependencies, serverId: string) =>
  async (error: unknown): Promise<never> => {
    if (error instanceof AuthorizationError && error.isClientUnknown)
      await sql`delete from mcp_clients where server_id = ${serverId}`
    throw error
  }
