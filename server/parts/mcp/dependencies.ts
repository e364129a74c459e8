import { McpAuthorizer } from '#platform/mcp/authorization.ts'
import { Composio } from '#platform/mcp/composio.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { IMPLEMENTATION } from '#platform/mcp/implementation.ts'
import type { Services } from '#platform/services.ts'

/** What this part works with. */
export interface McpDependencies extends Pick<Services, 'config' | 'database' | 'log' | 'net' | 'secrets'> {
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

/** Where providers send browsers back to. */
export const callbackAddress = ({ baseUrl }: Services['config']): string => baseUrl + CALLBACK

/** Whether authorization servers elsewhere can fetch what is here: by https, under a name of the public DNS. */
function isPublicSite(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  const isName = /\.[a-z][a-z\d-]*$/i.test(hostname)
  return (
    protocol === 'https:' &&
    isName &&
    !/\.(local|localhost|internal|test|example|invalid|arpa)$/.test(hostname)
  )
}

/** Which of the process's connections an instance uses: another one where the server has moved. */
export const connectionKey = (instanceId: string, url: string): string => `${instanceId} ${url}`

export const instanceOf = (key: string): string => key.split(' ', 1)[0] ?? key
