import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import { createMcp, type Mcp } from '#parts/mcp/index.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Integers beyond 2^53 keep their digits between models, clients and MCP servers. */

const BIG = '12345678901234567890'
const CONTENT =
  '{"content":[{"type":"text","text":"a \\"1234567890123456789\\""}],"structuredContent":{"id":1234567890123456789,"list":[-9007199254740993,1.5],"text":"1234567890123456789"}}'

let server: TestServer
let connector: Connector
let mcp: Mcp
const bodies: string[] = []
const remotes: Server[] = []
beforeAll(async () => {
  server = await sharedTestServer()
  connector = await mcpConnector(server)
  mcp = createMcp(server.server.services)
})
afterAll(async () => {
  await mcp.close()
  await server.stop()
  for (const remote of remotes) remote.close().closeAllConnections()
})

/** Starts a server that writes its numbers itself, as JSON or as an event in small chunks, and connects to it. */
async function connect(isStream: boolean, content = CONTENT): Promise<{ serverId: string; id: string }> {
  const remote = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    bodies.push(body)
    const results: Record<string, string> = {
      initialize:
        '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
      'tools/list': `{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":${BIG}}}}}]}`,
      'tools/call': content,
    }
    const result = results[method]
    const outcome = result ? `"result":${result}` : '"error":{"code":-32601,"message":"Method not found"}'
    const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    for (const piece of (isStream ? `data: ${text}\n\n` : text).match(/[\s\S]{1,7}/g) ?? [])
      response.write(piece)
    response.end()
  })
  remotes.push(remote)
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`
  const serverId = await connector.addServer(url, { type: 'none' })
  return { serverId, id: await connector.connect(serverId) }
}

const EXPECTED = '{"id":1234567890123456789,"list":[-9007199254740993,1.5],"text":"1234567890123456789"}'

test.each([false, true])('of a tool of an agent (as a stream: %s)', async (isStream) => {
  const { id } = await connect(isStream)
  const signal = new AbortController().signal
  const { tools } = await mcp.openTools(await mcp.findInstances(connector.person.userId, null, [id]), signal)
  const [tool] = tools
  expect(JSON.stringify(tool?.definition.parameters)).toContain(`"maximum":${BIG}`)
  const input = parseExactJson(`{"id":${BIG}}`) as Record<string, unknown>
  const outcome = await tool?.run(input, signal)
  expect(JSON.stringify(outcome?.output)).toContain(EXPECTED)
  expect(bodies.at(-1)).toContain(`"arguments":{"id":${BIG}}`)
})

test('of a tool whose result is JSON as text', async () => {
  const json = `{"id":1234567890123456789,"list":[-9007199254740993,{"a":0.1234567890123456789}],"b":1e400}`
  const { id } = await connect(false, JSON.stringify({ content: [{ type: 'text', text: json }] }))
  const signal = new AbortController().signal
  const { tools } = await mcp.openTools(await mcp.findInstances(connector.person.userId, null, [id]), signal)
  const outcome = await tools[0]?.run({}, signal)
  expect(JSON.stringify(outcome?.output)).toBe(json)
})

test.each([false, true])('through the gateway (as a stream: %s)', async (isStream) => {
  const { serverId, id } = await connect(isStream)
  const { body } = await server.call('POST', '/api/mcp/generate_url', {
    token: connector.person.token,
    body: { server_id: serverId, session_id: id },
  })
  const { pathname, search } = new URL(body.mcp_url)
  const { text } = await server.call('POST', pathname + search, {
    headers: { accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get","arguments":{"id":${BIG}}}}`,
  })
  expect(text).toContain(EXPECTED)
  expect(bodies.at(-1)).toContain(`"arguments":{"id":${BIG}}`)
})

test('in the schema of a tool that is stored, and of one that the gateway lists', async () => {
  const { serverId, id } = await connect(false)
  const { token, organizationId } = connector.person
  const query = new URLSearchParams({ server_id: serverId, org_id: organizationId })
  const stored = () => server.call('GET', `/api/mcp/server_with_tools?${query}`, { token })
  expect((await stored()).text).toContain(`"maximum":${BIG}`)
  expect((await stored()).text).toContain(`"maximum":${BIG}`)
  const keeper = await agentKeeper(server, connector.person)
  const agentId = await keeper.make({ mcp_instance_ids: [id] })
  const signal = new AbortController().signal
  for (const times of [1, 2]) {
    const { tools } = await mcp.openShared(agentId, signal, {})
    expect(JSON.stringify(tools[0]?.definition), `${times}`).toContain(`"maximum":${BIG}`)
  }
  const { body } = await server.call('POST', '/api/mcp/generate_url', {
    token,
    body: { server_id: serverId, session_id: id },
  })
  const { pathname, search } = new URL(body.mcp_url)
  const { text } = await server.call('POST', pathname + search, {
    headers: { accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{}}',
  })
  expect(text).toContain(`"maximum":${BIG}`)
})
