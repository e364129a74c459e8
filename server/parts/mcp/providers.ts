import type { TenantStatements } from '#database/tenant-sql.ts'
import { sentence } from '#errors'
import type { OAuthClient } from '#platform/mcp/authorization.ts'
import { AuthorizationError } from '#platform/mcp/authorization-error.ts'
import { type Composio, type ComposioAddress, ComposioError } from '#platform/mcp/composio.ts'
import { McpError } from '#platform/mcp/mcp-error.ts'
import { NetError } from '#platform/net/index.ts'
import type { CatalogueServer } from './catalogue.ts'
import type { Credentials } from './credentials.ts'
import { callbackAddress, type McpDependencies } from './dependencies.ts'

/** Returns the OAuth client and URLs that an administrator configured for a server, with the secret decrypted. */
export function fixedClient({ secrets }: McpDependencies, { id, authConfig, clientSecret }: CatalogueServer) {
  if (authConfig?.type !== 'oauth') return {}
  const { type: _, ...fixed } = authConfig
  return { ...fixed, ...(clientSecret !== null && { client_secret: secrets.decrypt(clientSecret, id) }) }
}

/** Returns the OAuth client that was registered for this server, or null. */
export async function knownClient(
  { secrets }: McpDependencies,
  sql: TenantStatements,
  serverId: string,
): Promise<{ issuer: string; redirectUri: string; client: OAuthClient } | null> {
  const [row] = await sql<{ issuer: string; redirectUri: string; client: string }[]>`
    select issuer, redirect_uri as "redirectUri", client from mcp_clients where server_id = ${serverId}`
  try {
    return row ? { ...row, client: JSON.parse(secrets.decrypt(row.client, serverId)) as OAuthClient } : null
  } catch {
    return null // stored under another SECRET: register again
  }
}

/** Stores a registered client for later connections to the server. */
export async function keepClient(
  { config, secrets }: McpDependencies,
  sql: TenantStatements,
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

/**
 * Returns a handler for `.catch(…)`. If the authorization server no longer knows the client, deletes the client, so
 * that the next connection registers a new client.
 */
export const forgetLostClient =
  (sql: TenantStatements, serverId: string) =>
  async (error: unknown): Promise<never> => {
    if (error instanceof AuthorizationError && error.isClientUnknown)
      await sql`delete from mcp_clients where server_id = ${serverId}`
    throw error
  }

interface Account {
  server: CatalogueServer
  userId: string
  accountId: string
  authConfigId: string
}

/**
 * Returns Composio's MCP URL for an account. Creates one server at Composio per server of the catalogue, and creates
 * it again if Composio no longer knows it.
 */
export async function composioAddress(
  sql: TenantStatements,
  composio: Composio,
  account: Account,
  signal: AbortSignal,
): Promise<ComposioAddress> {
  const { server, userId, accountId } = account
  const known = server.composioServerId
  const serverId = known ?? (await makeServer(sql, composio, account, null, signal))
  try {
    return await composio.addressOf({ serverId, userId, accountId }, signal)
  } catch (error) {
    if (known === null || !(error instanceof ComposioError && error.status === 404)) throw error
    const another = await makeServer(sql, composio, account, known, signal)
    return composio.addressOf({ serverId: another, userId, accountId }, signal)
  }
}

/**
 * Creates a server at Composio and returns its id. If processes create the server concurrently, keeps only the first.
 */
async function makeServer(
  sql: TenantStatements,
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

/** Timeout for revoking access at a provider, in milliseconds. */
const REVOKE_TIMEOUT_MS = 10_000

/**
 * Asks the provider to revoke access (RFC 7009), and deletes the account at Composio. Returns null on success or if
 * there is nothing to revoke, otherwise the reason as a sentence. Never throws.
 */
export async function endAccess(
  { authorizer, composio, log }: McpDependencies,
  { credentials, accountId }: { credentials: Credentials | null; accountId: string | null },
): Promise<string | null> {
  const signal = AbortSignal.timeout(REVOKE_TIMEOUT_MS)
  try {
    if (credentials?.type === 'oauth') await authorizer.revoke(credentials.grant, signal)
    if (accountId === null) return null
    if (composio === null) return sentence('mcp.composio_off')
    await composio.deleteAccount(accountId, signal)
    return null
  } catch (error) {
    log.warn({ err: error }, 'a provider could not revoke access')
    return failureSentence(error) ?? sentence('mcp.provider_failed')
  }
}

/** Returns a sentence for the user about a provider's or server's failure. Returns null for an internal error. */
export function failureSentence(error: unknown): string | null {
  const hasMessage =
    error instanceof AuthorizationError ||
    error instanceof ComposioError ||
    error instanceof McpError ||
    error instanceof NetError
  if (hasMessage) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError') return sentence('mcp.provider_timeout')
  return null
}
