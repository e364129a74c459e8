import type { Database } from '#database/connect.ts'
import type { Fragment, TenantSql, TenantStatements } from '#database/tenant-sql.ts'
import { McpAuthorizer } from '#platform/mcp/authorization.ts'
import { Composio } from '#platform/mcp/composio.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { IMPLEMENTATION } from '#platform/mcp/implementation.ts'
import type { Services } from '#platform/services.ts'

/** Dependencies of this part. */
export interface McpDependencies extends Pick<Services, 'config' | 'log' | 'net' | 'secrets'> {
  /** Files named `*-system.ts` run statements with it; the others have the statements of a tenant. */
  database: Database
  connections: McpConnections
  authorizer: McpAuthorizer
  /** Null: the operator has no key of Composio. */
  composio: Composio | null
}

const CALLBACK = '/api/mcp/callback'
export const CLIENT_DOCUMENT = '/api/mcp/client.json'

export function createMcpDependencies({ config, database, log, net, secrets }: Services): McpDependencies {
  const { apiKey, baseUrl } = config.composio
  return {
    config,
    database,
    log,
    net,
    secrets,
    connections: new McpConnections(net, log),
    authorizer: new McpAuthorizer(net, {
      redirectUri: callbackAddress(config),
      clientMetadataUrl: isPublicSite(config.baseUrl) ? config.baseUrl + CLIENT_DOCUMENT : null,
      clientName: IMPLEMENTATION.name,
    }),
    composio: apiKey === null ? null : new Composio(net, apiKey, baseUrl),
  }
}

/** The address that providers redirect browsers to. */
export const callbackAddress = ({ baseUrl }: Services['config']): string => baseUrl + CALLBACK

/** Whether authorization servers on the internet can fetch this site: https and a public DNS name. */
function isPublicSite(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  const isName = /\.[a-z][a-z\d-]*$/i.test(hostname)
  return (
    protocol === 'https:' &&
    isName &&
    !/\.(local|localhost|internal|test|example|invalid|arpa)$/.test(hostname)
  )
}

/** Identifies an instance's connection in this process. A server that has moved gets another one. */
export const connectionKey = (instanceId: string, url: string): string => `${instanceId} ${url}`

/** An instance, with the statements of the user and organization whose it is. */
export interface OwnedInstance {
  id: string
  organizationId: string
  userId: string
  sql: TenantSql
}

/** The condition that a row of mcp_instances is this one. */
export const isInstance = (
  sql: TenantStatements,
  { id, organizationId, userId }: Omit<OwnedInstance, 'sql'>,
): Fragment => sql`id = ${id} and organization_id = ${organizationId} and user_id = ${userId}`
