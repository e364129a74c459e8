import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { startAddressedServer } from '#tests/support/mcp/connecting.ts'
import { inspect } from '#tests/support/mcp/inspector.ts'
import type { TestServer } from '#tests/support/server.ts'
import { documentedRow, rowOf } from '#tests/support/table-of-clients.ts'

/** Runs other projects' MCP clients against this server's own MCP endpoint. */

let server: TestServer
let headers: { authorization: string }
beforeAll(async () => {
  server = await startAddressedServer()
  const keeper = await agentKeeper(server)
  await keeper.make({ name: 'Clerk' })
  const { token, organizationId } = keeper.person
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
    token,
    body: { name: 'mcp', permissions: ['agent:execute', 'kb:read'] },
  })
  headers = { authorization: `Bearer ${body.key}` }
})
afterAll(() => server.stop())

const address = (): URL => new URL(`${server.url}/mcp`)

interface McpClient {
  /** Name of the npm package. */
  name: string
  list(): Promise<{ tools: { name: string }[] }>
  call(tool: string, input: Record<string, string>): Promise<object>
}

const CLIENT_INFO = { name: 'test', version: '1' }

async function withFirstSdk<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(CLIENT_INFO)
  await client.connect(new StreamableHTTPClientTransport(address(), { requestInit: { headers } }) as never)
  return use(client).finally(() => client.close())
}

async function withSecondSdk<T>(use: (client: NewClient) => Promise<T>): Promise<T> {
  const client = new NewClient(CLIENT_INFO)
  await client.connect(new NewTransport(address(), { requestInit: { headers } }))
  return use(client).finally(() => client.close())
}

const runInspector = (...options: string[]) =>
  inspect(address().href, '--header', `Authorization: ${headers.authorization}`, ...options)

const CLIENTS: McpClient[] = [
  {
    name: '@modelcontextprotocol/sdk',
    list: () => withFirstSdk((client) => client.listTools()),
    call: (name, input) => withFirstSdk((client) => client.callTool({ name, arguments: input })),
  },
  {
    name: '@modelcontextprotocol/client',
    list: () => withSecondSdk((client) => client.listTools()),
    call: (name, input) => withSecondSdk((client) => client.callTool({ name, arguments: input })),
  },
  {
    name: '@modelcontextprotocol/inspector',
    list: () => runInspector('--method', 'tools/list'),
    call: (name, input) =>
      runInspector(
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...Object.entries(input).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]),
      ),
  },
]

describe.each(CLIENTS)('$name', ({ name, list, call }) => {
  test('lists and calls tools', async () => {
    const { tools } = await list()
    expect(tools.map((tool) => tool.name)).toContain('Clerk')
    const result = await call('Clerk', { message: 'Good day' })
    expect(result).toMatchObject({ content: [{ type: 'text', text: expect.stringMatching(/./) }] })
    expect(result).not.toHaveProperty('isError', true)
  })

  test('errors of a tool and of the protocol', async () => {
    const result = await call('search_knowledge_bases', { query: 'x', knowledge_base: 'Nowhere' })
    expect(result).toMatchObject({ isError: true })
    await expect(call('Nobody', { message: 'Good day' })).rejects.toThrow('Nobody')
  })

  test('docs/clients.md has its version and features', () => {
    expect(documentedRow(name)).toBe(rowOf(name, 'MCP', ['list and call tools', 'errors']))
  })
})
