import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { create } from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startAddressedServer } from '#tests/support/mcp/connecting.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer } from '#tests/support/mcp/index.ts'
import { inspect } from '#tests/support/mcp/inspector.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import type { TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, addPowerlessMember } from '#tests/support/tenants.ts'

const KNOWLEDGE = ['search_knowledge_bases', 'list_knowledge_bases']
const FACT = 'The lighthouse at Lindesnes was first lit in 1656.'

let server: TestServer
let keeper: AgentKeeper
let guest: Person
let apiKey: string
beforeAll(async () => {
  server = await startAddressedServer()
  keeper = await agentKeeper(server)
  const shelf = librarian(server, keeper.person)
  const kbId = await shelf.create({ name: 'Lighthouses', sources: [textSource('Lindesnes', FACT)] })
  await shelf.settle(kbId)
  await keeper.make({ name: 'Keeper of lights', description: 'Knows lights.', knowledge_base_ids: [kbId] })
  await keeper.make({ name: 'Asleep', is_active: false })
  guest = await server.signUp()
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, keeper.person.organizationId, guest.userId, 'guest')
  apiKey = await makeKey(['agent:execute', 'kb:read'])
})
afterAll(() => server.stop())

async function makeKey(permissions: string[]): Promise<string> {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${keeper.person.organizationId}`, {
    token: keeper.person.token,
    body: { name: 'mcp', permissions },
  })
  return body.key
}

const address = (query = ''): URL => new URL(`${server.url}/mcp${query}`)

async function connect(token: string, query = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(address(query), { requestInit }) as never)
  return client
}

async function toolNames(token: string, query = ''): Promise<string[]> {
  const client = await connect(token, query)
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name)
}

// biome-ignore lint/suspicious/noExplicitAny: messages on the wire are untyped
async function callTool(token: string, name: string, input: object, query = ''): Promise<any> {
  const client = await connect(token, query)
  try {
    return await client.callTool({ name, arguments: input as Record<string, unknown> })
  } finally {
    await client.close()
  }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
}
const ACCEPT = { accept: 'application/json, text/event-stream' }

describe('the offered tools', () => {
  test('are knowledge bases and active agents by name, in a stable order', async () => {
    expect(await toolNames(apiKey)).toEqual([...KNOWLEDGE, 'Keeper_of_lights'])
    const client = await connect(apiKey)
    const { tools } = await client.listTools()
    expect(tools.at(-1)).toMatchObject({
      title: 'Keeper of lights',
      description: expect.stringContaining('Knows lights.'),
      inputSchema: { type: 'object', required: ['message'] },
    })
    expect(await client.ping()).toEqual({})
    await client.close()
  })

  test('an agent answers from its knowledge bases, charged as one reply', async () => {
    const before = await ledgerOf(server, keeper.person)
    const result = await callTool(apiKey, 'Keeper_of_lights', { message: 'When was Lindesnes first lit?' })
    expect(result.isError).toBeUndefined()
    expect(result.content[0].text).toContain('1656')
    const after = await ledgerOf(server, keeper.person)
    expect(kindsOf(after.slice(before.length))).toEqual(['HOLD', 'DEBIT'])
  })

  test('an agent that calls a tool sends progress', async () => {
    const remote = await startMcpServer()
    const owner = await mcpConnector(server, keeper.person)
    const connection = await owner.connect(await owner.addServer(remote.url, { type: 'none' }))
    const agent = await keeper.make({ name: 'Caller', mcp_instance_ids: [connection] })
    const client = await connect(apiKey)
    const steps: unknown[] = []
    const call = { name: 'Caller', arguments: { message: 'TOOL:echo={"text":"Ahoy"}' } }
    const result = await client.callTool(call, undefined, { onprogress: (step) => steps.push(step) })
    expect(result.isError).toBeUndefined()
    expect(steps).toEqual([{ progress: 1, message: 'Calling echo' }])
    await client.close()
    await keeper.remove(agent)
    await remote.close()
  })

  test('passages have their documents and scores', async () => {
    const { structuredContent } = await callTool(apiKey, 'search_knowledge_bases', {
      query: 'lighthouse Lindesnes',
      knowledge_base: 'lighthouses',
      limit: 1,
    })
    expect(structuredContent.passages).toEqual([
      expect.objectContaining({ document_name: 'Lindesnes', content: FACT, headings: [] }),
    ])
    expect(structuredContent.passages[0].score).toBeGreaterThan(0.1)
    const everywhere = await callTool(apiKey, 'search_knowledge_bases', { query: 'lighthouse Lindesnes' })
    expect(everywhere.structuredContent).toEqual(structuredContent)
    const listed = await callTool(apiKey, 'list_knowledge_bases', {})
    expect(listed.structuredContent).toEqual({
      knowledge_bases: [{ name: 'Lighthouses', description: '' }],
      next_cursor: null,
    })
  })

  test.each([
    ['search_knowledge_bases', { query: '' }, 'query must be a non-empty string'],
    ['search_knowledge_bases', { query: 'x', limit: 21 }, 'limit must be an integer from 1 to 20'],
    ['search_knowledge_bases', { query: 'x', knowledge_base: 7 }, 'knowledge_base must be the name'],
    ['search_knowledge_bases', { query: 'x', knowledge_base: 'Nowhere' }, 'Knowledge base not found'],
    ['list_knowledge_bases', { cursor: 'x' }, 'cursor must be the next_cursor'],
    ['Keeper_of_lights', {}, 'message must be a non-empty string'],
    ['Keeper_of_lights', { message: 'x'.repeat(100_001) }, 'message must have at most 100000 characters'],
  ])('%s returns an error sentence for invalid input %#', async (name, input, sentence) => {
    const result = await callTool(apiKey, name, input)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(sentence) }] })
  })

  test('an unknown tool or cursor is a protocol error', async () => {
    await expect(callTool(apiKey, 'Asleep', { message: 'x' })).rejects.toThrow('Unknown tool: Asleep')
    const client = await connect(apiKey)
    await expect(client.listTools({ cursor: 'x' })).rejects.toThrow('Unknown cursor')
    await client.close()
  })

  test('agents are listed in pages of 100', async () => {
    const many = await agentKeeper(server)
    const { sql } = server.server.services.database
    const first = await many.make({ name: 'n 0' })
    for (let number = 1; number <= 100; number++)
      await sql`
        insert into agents (id, organization_id, created_by, name, description, agent_type, model_id, params)
        select ${crypto.randomUUID().replace(/^.{8}/, 'ffffffff')}, organization_id, created_by, ${`n ${number}`}, description, agent_type, model_id, params
        from agents where id = ${first}`
    const client = await connect(many.person.token)
    const page = await client.listTools()
    const rest = await client.listTools({ cursor: page.nextCursor as string })
    expect([page.tools.length, rest.tools.length, rest.nextCursor]).toEqual([102, 1, undefined])
    expect(new Set([...page.tools, ...rest.tools].map(({ name }) => name)).size).toBe(103)
    await client.close()
  })
})

describe('permissions', () => {
  test('a guest can search but sees no agents', async () => {
    const inOrganization = `?org_id=${keeper.person.organizationId}`
    expect(await toolNames(guest.token, inOrganization)).toEqual(KNOWLEDGE)
    const call = callTool(guest.token, 'Keeper_of_lights', { message: 'x' }, inOrganization)
    await expect(call).rejects.toThrow('Unknown tool')
    const found = await callTool(
      guest.token,
      'search_knowledge_bases',
      { query: 'Lindesnes' },
      inOrganization,
    )
    expect(found.structuredContent.passages).toHaveLength(1)
  })

  test('agent:execute alone shows only agents; a caller without permissions is refused', async () => {
    expect(await toolNames(await makeKey(['agent:execute']))).toEqual(['Keeper_of_lights'])
    expect(await toolNames(await makeKey(['kb:read']))).toEqual(KNOWLEDGE)
    const key = await makeKey(['organization:read'])
    const answer = await server.call('POST', '/mcp', { token: key, body: INITIALIZE, headers: ACCEPT })
    expect([answer.status, answer.body.code]).toEqual([403, 'access.missing_permission'])
    const nobody = await addPowerlessMember(server, keeper.person.organizationId)
    const there = `/mcp?org_id=${keeper.person.organizationId}`
    expect((await server.call('POST', there, { token: nobody.token, body: INITIALIZE })).status).toBe(403)
  })

  test("another organization's agents and documents are inaccessible", async () => {
    const other = await agentKeeper(server)
    await other.make({ name: 'Other' })
    expect(await toolNames(other.person.token)).toEqual([...KNOWLEDGE, 'Other'])
    const searched = await callTool(other.person.token, 'search_knowledge_bases', { query: 'Lindesnes' })
    expect(searched.structuredContent.passages).toEqual([])
    const named = { query: 'x', knowledge_base: 'Lighthouses' }
    expect(await callTool(other.person.token, 'search_knowledge_bases', named)).toMatchObject({
      isError: true,
    })
    const foreign = `/mcp?org_id=${keeper.person.organizationId}`
    const answers = [foreign, `/mcp?org_id=${crypto.randomUUID()}`].map((path) =>
      server.call('POST', path, { token: other.person.token, body: INITIALIZE }),
    )
    for (const { status, body } of await Promise.all(answers))
      expect([status, body.code]).toEqual([404, 'org.not_found'])
    const wrong = await server.call('POST', '/mcp?org_id=x', { token: other.person.token, body: INITIALIZE })
    expect(wrong.status).toBe(400)
  })

  test('an agent without credits returns an error', async () => {
    const poor = await agentKeeper(server)
    await poor.make({ name: 'Poor' })
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${poor.person.organizationId}`
    const result = await callTool(poor.person.token, 'Poor', { message: 'Hello' })
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/credit/i) }] })
  })

  test.each([
    ['nothing', {}],
    ['an invalid key', { authorization: `Bearer sk_${'x'.repeat(43)}` }],
    ['an invalid token', { authorization: `Bearer ${'x'.repeat(43)}` }],
    ['another scheme', { authorization: 'Basic eDp5' }],
  ])(
    'with %s the response is 401 and links to the authorization metadata',
    async (name, headers: Record<string, string>) => {
      const answer = await server.call('POST', '/mcp', {
        body: INITIALIZE,
        headers: { ...ACCEPT, ...headers },
      })
      expect(answer.status).toBe(401)
      const told = answer.headers.get('www-authenticate') ?? ''
      expect(told).toContain(`resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`)
      expect(told).toContain('scope="mcp"')
      expect(told.includes('error="invalid_token"')).toBe(name.startsWith('an invalid'))
    },
  )

  test("an API key is accepted as X-API-Key; a deployment's key is refused", async () => {
    const headers = { ...ACCEPT, 'x-api-key': apiKey }
    expect((await server.call('POST', '/mcp', { body: INITIALIZE, headers })).status).toBe(200)
    const open = await agentKeeper(server)
    const { body } = await create(server, open.person, await open.make())
    const token = body.api_key
    const refused = await server.call('POST', '/mcp', { token, body: INITIALIZE, headers: ACCEPT })
    expect([refused.status, refused.body.code]).toEqual([403, 'access.only_deployment'])
  })
})

describe('clients', () => {
  test.each([['auto'], ['legacy']] as const)('SDK 2, %s', async (mode) => {
    const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { authorization: `Bearer ${apiKey}` } }
    await client.connect(new NewTransport(address(), { requestInit }))
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...KNOWLEDGE, 'Keeper_of_lights'])
    const result = await client.callTool({ name: 'Keeper_of_lights', arguments: { message: 'Lindesnes?' } })
    expect(JSON.stringify(result.content)).toContain('1656')
    await client.close()
  })

  test('the inspector', async () => {
    const header = `Authorization: Bearer ${apiKey}`
    const listed = await inspect(address().href, '--method', 'tools/list', '--header', header)
    expect(listed.tools).toHaveLength(3)
  })

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('the protocol of %s', async (protocolVersion) => {
    const body = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion } }
    const { status, text } = await server.call('POST', '/mcp', { token: apiKey, body, headers: ACCEPT })
    expect(status).toBe(200)
    expect(text).toContain(`"protocolVersion":"${protocolVersion}"`)
  })

  test('sessions are not supported: GET and DELETE get 405', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await server.call(method, '/mcp', { token: apiKey, headers: ACCEPT })).status).toBe(405)
  })
})

describe('foreign pages', () => {
  test.each([
    ['evil.example.com', 'http://evil.example.com'],
    ['127.0.0.1', 'http://evil.example.com'],
    ['evil.example.com', undefined],
    ['127.0.0.1', 'null'],
  ])('Host %s with Origin %s is refused', async (host, origin) => {
    const answer = await ask({ host, ...(origin && { origin }) })
    expect(answer).toContain('403')
    expect(answer).toContain('mcp.sender_refused')
  })

  test.each([{ host: 'localhost' }, { host: 'parley:3000' }, { host: '[::1]:3000' }])(
    'a host that cannot be rebound is accepted: %j',
    async (headers) => expect(await ask(headers)).toContain('200 OK'),
  )

  test('its own page is accepted', async () => {
    expect(await ask({ host: new URL(server.url).host, origin: server.url })).toContain('200 OK')
  })

  const ask = async (headers: Record<string, string>): Promise<string> => {
    const body = JSON.stringify(INITIALIZE)
    const all = {
      ...ACCEPT,
      ...headers,
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
      connection: 'close',
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
    const sent = await sendRaw(server.url, `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    const { text } = await sent.answer()
    sent.socket.destroy()
    return text
  }
})
