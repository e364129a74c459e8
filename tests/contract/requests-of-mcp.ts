import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer } from '#tests/support/mcp/index.ts'
import type { TestServer } from '#tests/support/server.ts'
import type { Sent } from './changed-request.ts'

const RESOURCE = { uri: 'x://one', name: 'one', mimeType: 'text/plain', text: 'One' }

interface Stage {
  server: TestServer
  /** A server of the catalogue without authorization. */
  serverId: string
  /** Receives what the test must close at its end. */
  ends: (() => Promise<void>)[]
}

/** Valid requests about connections to MCP servers, for repeated-requests.test.ts. */
export function requestsOfMcp(stageOf: () => Stage): Record<string, () => Promise<Sent>> {
  /** Returns a connection whose callback arrived in another browser than the one that started it. */
  const heldConnection = async (): Promise<Sent> => {
    const { server, serverId } = stageOf()
    const { token } = await server.signUp()
    const { body } = await server.call('POST', '/api/mcp/connect_account', {
      token,
      body: { server_id: serverId },
    })
    const { pathname, search } = new URL(body.redirect_url)
    const { headers } = await server.call('GET', pathname + search)
    return { token, body: { ticket: new URL(headers.get('location') ?? '').hash.slice(1) } }
  }
  return {
    post_mcp_pending_connection: heldConnection,
    post_mcp_confirm_connection: heldConnection,
    async post_mcp_attach_resource() {
      const { server, ends } = stageOf()
      const remote = await startMcpServer({ resources: [RESOURCE] })
      ends.push(() => remote.close())
      const { person, addServer, connect } = await mcpConnector(server)
      const instanceId = await connect(await addServer(remote.url, { type: 'none' }))
      return { token: person.token, query: { mcp_instance_id: instanceId }, body: { uri: RESOURCE.uri } }
    },
  }
}
