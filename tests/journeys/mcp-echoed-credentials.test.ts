import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectClient } from '#tests/support/mcp/clients.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer, textResult } from '#tests/support/mcp/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Credentials of an account are masked if its MCP server repeats them. */

const KEY = 'key-of-the-account-0123456789'
const TOLD = `The header was Bearer ${KEY}, as Basic ${btoa(`me:${KEY}`)}`

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

const startEcho = (kind: 'stateless' | 'sse'): Promise<TestMcpServer> =>
  startMcpServer({
    kind,
    tools: [
      { name: 'describe', description: TOLD, run: () => textResult(TOLD) },
      { name: 'data', run: () => ({ content: [], structuredContent: { [KEY]: [TOLD] } }) },
      { name: 'fail', run: () => ({ ...textResult(TOLD), isError: true }) },
      {
        name: 'break',
        run: () => {
          throw new Error(TOLD)
        },
      },
    ],
  })

test.each(['stateless', 'sse'] as const)(
  'keys that a server repeats in descriptions, results and errors are masked: %s',
  async (kind) => {
    const echo = await startEcho(kind)
    const connector = await mcpConnector(server)
    const serverId = await connector.addServer(echo.url, { type: 'api_key', header: 'x-key' })
    const session_id = await connector.connect(serverId, undefined, { api_key: KEY })
    const { body } = await server.call('POST', '/api/mcp/generate_url', {
      token: connector.person.token,
      body: { server_id: serverId, session_id },
    })
    const client = await connectClient('SDK 2, any', body.mcp_url.replace('http://parley.test', server.url))
    const { tools } = await client.listTools()
    const said = [JSON.stringify(tools)]
    for (const { name } of tools)
      said.push(JSON.stringify(await client.callTool({ name, arguments: {} }).catch(String)))
    expect(echo.seen.some(({ headers }) => headers['x-key'] === KEY)).toBe(true)
    expect(said).toHaveLength(5)
    for (const text of said) {
      expect(text).toContain('***')
      expect(text).not.toMatch(/key-of-the-account|a2V5LW9mLXRoZS1hY2NvdW50/)
    }
    await client.close()
    await echo.close()
  },
)
