import { randomUUID } from 'node:crypto'
import { startMcpServer } from '#tests/support/mcp/index.ts'
import type { Stage } from './stage.ts'
import type { Installation } from './tenant.ts'

/** Adds an emulated MCP server to the catalogue, so that tenants can connect to it. */
export async function openInstallation(stage: Stage): Promise<Installation & { close(): Promise<void> }> {
  const mcp = await startMcpServer()
  const asAdministrator = { token: stage.administrator }
  const server = await stage.call('POST', '/api/mcp/servers', {
    ...asAdministrator,
    body: {
      name: 'Echo',
      toolkit_name: 'echo',
      toolkit_slug: randomUUID(),
      description: '',
      url: mcp.url,
      auth_config: { type: 'none' },
    },
  })
  const permissions = await stage.call('GET', '/api/roles/list_permissions?limit=100', asAdministrator)
  return {
    mcpServerId: server.body.id,
    permissionId: permissions.body.data[0].id,
    close: () => mcp.close(),
  }
}
