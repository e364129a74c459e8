import type { Database } from '#database/connect.ts'
import type { Fragment, TenantSql, TenantStatements } from '#database/tenant-sql.ts'
import { McpAuthorizer } from '#platform/mcp/authorization.ts'
import { Composio } from '#platform/mcp/composio.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { IMPLEMENTATION } from '#platform/mcp/implementation.ts'
import type { Services } from '#platform/services.ts'

export interface McpDependencies
  extends Pick<
    Services,
    'config' | 'documents' | 'log' | 'net' | 'secrets' | 'stalls' | 'storage' | 'uploads'
  > {
  /** Only for files named `*-system.ts`. All other files use tenant statements. */
  database: Database
  connections: McpConnections
  authorizer: McpAuthorizer
  /** Composio client. Null if the operator has no Composio API key. */
  composio: Composio | null
}

const CALLBACK = '/api/mcp/callback'
export const CLIENT_DOCUMENT = '/api/mcp/client.json'

export function createMcpDependencies(services: Services): McpDependencies {
  const { config, database, documents, log, net, secrets, stalls, storage, uploads } = services
  const { apiKey, baseUrl } = config.composio
  return {
    config,
    database,
    documents,
    log,
    net,
    secrets,
    stalls,
    storage,
    uploads,
    connections: new McpConnections(net, log),
    authorizer: new McpAuthorizer(net, {
      redirectUri: callbackAddress(config),
      clientMetadataUrl: isPublicSite(config.baseUrl) ? config.baseUrl + CLIENT_DOCUMENT : null,
      clientName: IMPLEMENTATION.name,
    }),
    composio: apiKey === null ? null : new Composio(net, apiKey, baseUrl),
  }
}

/** Returns the URL that providers redirect browsers to. */
export const callbackAddress = ({ baseUrl }: Services['config']): string => baseUrl + CALLBACK

/** True if authorization servers on the internet can fetch this site: it has HTTPS and a public DNS name. */
function isPublicSite(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  const isName = /\.[a-z][a-z\d-]*$/i.test(hostname)
  return (
    protocol === 'https:' &&
    isName &&
    !/\.(local|localhost|internal|test|example|invalid|arpa)$/.test(hostname)
  )
}

/** Returns the key of an instance's MCP connection in this process. A server that moves gets a new connection. */
export const connectionKey = (instanceId: string, url: string): string => `${instanceId} ${url}`

/** An instance, with the tenant statements of its user and organization. */
export interface OwnedInstance {
  id: string
  organizationId: string
  userId: string
  sql: TenantSql
}

/** For a row of mcp_instances: true if the row is this instance. */
export const isInstance = (
  sql: TenantStatements,
  { id, organizationId, userId }: Omit<OwnedInstance, 'sql'>,
): Fragment => sql`id = ${id} and organization_id = ${organizationId} and user_id = ${userId}`

/** The row that stores the tools: an instance, or a server while it has this URL. */
export type ToolHolder =
  | { table: 'mcp_servers'; id: string; url: string }
  | { table: 'mcp_instances'; id: string; organizationId: string; userId: string }

/** Returns the holder of an instance's tools. */
export const holderOf = ({ id, organizationId, userId }: Omit<OwnedInstance, 'sql'>): ToolHolder => ({
  table: 'mcp_instances',
  id,
  organizationId,
  userId,
})
