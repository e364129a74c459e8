import { fail } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { McpDesk } from './desk.ts'
import { gatewayAddress } from './gateway-address.ts'
import type { GatewayUrl, UrlRequest } from './schemas.ts'

/**
 * Where an MCP client finds the caller's own account at a server, in whatever organization he may read it. Throws
 * mcp.no_attempt, and mcp.instance_inactive for one that is pending or has ended.
 */
export async function generateUrl(
  desk: McpDesk,
  scopes: Scope<'mcp:read'>[],
  { server_id: serverId, session_id: instanceId }: UrlRequest,
): Promise<GatewayUrl> {
  const [scope] = scopes
  if (!scope) throw fail('mcp.no_attempt')
  const organizationIds = scopes.map((each) => each.organizationId)
  const [instance] = await desk.database.sql<{ status: string }[]>`
    select i.status from mcp_instances i join mcp_servers s on s.id = i.server_id and not s.is_deleted
    where i.id = ${instanceId} and i.server_id = ${serverId} and i.user_id = ${scope.userId}
      and i.organization_id = any(${organizationIds}::uuid[])`
  if (!instance) throw fail('mcp.no_attempt')
  if (instance.status !== 'active') throw fail('mcp.instance_inactive')
  return { mcp_url: gatewayAddress(desk, { instanceId, apiKeyId: scope.apiKeyId }), status: 'active' }
}
