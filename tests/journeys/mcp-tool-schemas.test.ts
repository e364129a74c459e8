import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Agents with tools whose schemas providers refuse. One such tool fails the whole request at each of the providers. */

const text = { type: 'string' }
const TOOLS = [
  { name: 'good', inputSchema: { type: 'object', properties: { text } } },
  {
    name: 'alternatives',
    inputSchema: {
      type: 'object',
      anyOf: [
        { properties: { $a: text }, required: ['$a'] },
        { properties: { b: text }, required: ['b'] },
      ],
    },
  },
  {
    name: 'keys',
    inputSchema: {
      type: 'object',
      properties: {
        $filter: text,
        'page[size]': { type: 'integer' },
        sort: { type: 'array', items: { properties: { '@by': text } } },
      },
      required: ['$filter'],
    },
  },
  {
    name: 'lists',
    inputSchema: { type: 'object', properties: { tags: { type: 'array' }, pair: { items: [text, text] } } },
  },
  {
    name: 'recursive',
    inputSchema: {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    },
  },
  { name: 'texts', inputSchema: { type: 'string' } },
  {
    name: 'impossible',
    inputSchema: { type: 'object', allOf: [{ anyOf: [{ type: 'string' }, { type: 'array' }] }] },
  },
  { name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(100_000) } },
]
const LEFT_OUT = ['texts', 'impossible', 'huge']

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let remote: Server
let owner: Connector
let keeper: AgentKeeper
let serverId: string
let instanceId: string
const calls: { name: string; arguments: unknown }[] = []
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  remote = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') calls.push({ name: params.name, arguments: params.arguments })
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
      'tools/list': { tools: TOOLS },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    }
    const outcome = results[method]
      ? { result: results[method] }
      : { error: { code: -32601, message: 'Method not found' } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  owner = await mcpConnector(server)
  keeper = await agentKeeper(server, owner.person)
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`
  serverId = await owner.addServer(url, { type: 'none' })
  instanceId = await owner.connect(serverId)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
  remote.close().closeAllConnections()
})

async function makeAgent(kind: 'openai-compatible' | 'anthropic' | 'google') {
  const modelId = await server.addModel(owner.person, {
    provider: kind,
    version: 'emu-strict',
    config: {
      base_url: `${provider.url}${kind === 'google' ? '/v1beta' : '/v1'}`,
      api_key: 'k',
      capabilities: ['text', 'tools'],
    },
  })
  return keeper.make({ model_id: modelId, mcp_instance_ids: [instanceId] })
}

test.each(['openai-compatible', 'anthropic', 'google'] as const)(
  'an agent at %s answers, and the server receives its own keys',
  async (kind) => {
    const agentId = await makeAgent(kind)
    calls.length = 0
    const content =
      'TOOL:keys={"filter":"x","page_size":12345678901234567890,"sort":[{"by":"y"}]} TOOL:alternatives={"a":"z"} THEN say: Found.'
    const { text: said } = await server.say(owner.person, { agent_id: agentId }, { content })
    expect(said).toBe('Found.')
    expect(calls).toEqual(
      expect.arrayContaining([
        {
          name: 'keys',
          arguments: { $filter: 'x', 'page[size]': Number('12345678901234567890'), sort: [{ '@by': 'y' }] },
        },
        { name: 'alternatives', arguments: { $a: 'z' } },
      ]),
    )
    const sent = JSON.stringify(provider.requests.at(-1)?.body)
    for (const { name } of TOOLS) expect(sent).toContain(name)
    expect(sent).toContain('impossible (')
  },
)

test('the API names the tools that are left out, and why', async () => {
  const query = new URLSearchParams({
    server_id: serverId,
    org_id: owner.person.organizationId,
    refresh: 'true',
  })
  const { body } = await server.call('GET', `/api/mcp/server_with_tools?${query}`, {
    token: owner.person.token,
  })
  const reasons = new Map<string, string | null>(
    body.tools.map(({ name, left_out }: { name: string; left_out: string | null }) => [name, left_out]),
  )
  expect([...reasons.keys()].toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted())
  for (const [name, reason] of reasons)
    expect(reason).toEqual(LEFT_OUT.includes(name) ? expect.stringContaining('input schema') : null)
})
