import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const oneInstance = ({ mcpInstanceId }: Fixture): Call => ({ query: { mcp_instance_id: mcpInstanceId } })
const ticket = (): Call => ({ body: { ticket: crypto.randomUUID() } })

/** All signed-in users. Each has mcp:write in their personal organization. */
const SIGNED_IN = 'OAMGCNS'

/** The access matrix (access-matrix.ts) for connections to MCP servers and the playground. */
export const MCP: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  post_mcp_connect_account: [
    'OAM',
    (fixture) => ({ ...inOrganization(fixture), body: { server_id: fixture.mcpServerId } }),
  ],
  post_mcp_pending_connection: [SIGNED_IN, ticket],
  post_mcp_confirm_connection: [SIGNED_IN, ticket],
  post_mcp_generate_url: [
    SIGNED_IN,
    ({ mcpServerId, mcpInstanceId }) => ({ body: { server_id: mcpServerId, session_id: mcpInstanceId } }),
  ],
  get_mcp_list_instances: ['OAMG', inOrganization],
  // Only its user can access an instance, regardless of the permissions of others.
  put_mcp_instance: ['OAM', (fixture) => ({ ...oneInstance(fixture), body: { name: 'x' } })],
  get_mcp_resources: ['OAM', oneInstance],
  post_mcp_attach_resource: ['OAM', (fixture) => ({ ...oneInstance(fixture), body: { uri: 'x://one' } })],
  delete_mcp_instance: ['OAM', oneInstance],
  post_mcp_playground_chat: ['OAM', (fixture) => ({ ...inOrganization(fixture), body: { content: 'Hi' } })],
  get_mcp_playground_memory: ['OAM', inOrganization],
  delete_mcp_playground_memory: ['OAM', inOrganization],
}
