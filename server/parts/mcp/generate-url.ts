import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { McpDependencies } from './dependencies.ts'
import { type GatewayLink, gatewayAddress } from './gateway-address.ts'
import type { GatewayUrl, UrlRequest } from './schemas.ts'

/**
 * Returns a gateway address for the caller's own account at a server, in any organization where the caller holds
 * mcp:write. Throws access.missing_permission, mcp.no_attempt, and mcp.instance_inactive for an instance that is
 * pending or inactive.
 */
export async function generateUrl(
  deps: McpDependencies,
  scopes: Scope<'mcp:write'>[],
  { server_id: serverId, session_id: instanceId }: UrlRequest,
): Promise<GatewayUrl> {
  const [scope] = scopes
  if (!scope) throw fail('access.missing_permission', { permission: 'mcp:write' })
  const organizationIds = scopes.map((each) => each.organizationId)
  const [instance] = await deps.database.sql<{ status: string }[]>`
    select i.status from mcp_instances i join mcp_servers s on s.id = i.server_id and not s.is_deleted
    where i.id = ${instanceId} and i.server_id = ${serverId} and i.user_id = ${scope.userId}
      and i.organization_id = any(${organizationIds}::uuid[])`
  if (!instance) throw fail('mcp.no_attempt')
  if (instance.status !== 'active') throw fail('mcp.instance_inactive')
  return { mcp_url: gatewayAddress(deps, { instanceId, madeBy: makerOf(scope) }), status: 'active' }
}

function makerOf({ sessionId, apiKeyId }: Scope<'mcp:write'>): GatewayLink['madeBy'] {
  if (apiKeyId !== null) return { kind: 'key', id: apiKeyId }
  if (sessionId === null) throw new Error('a caller with neither a session nor an API key')
  return { kind: 'session', id: sessionId }
}
