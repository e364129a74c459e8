import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createMcp, type Mcp, type OpenBounds } from '#parts/mcp/index.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import {
  type McpServerOptions,
  startMcpServer,
  type TestMcpServer,
  type TestTool,
  textResult,
} from '#tests/support/mcp/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The combined tools of several servers, as a model receives them. */

const FOREVER = new AbortController().signal

let server: TestServer
let connector: Connector
let mcp: Mcp
let opened: TestMcpServer[] = []
beforeAll(async () => {
  server = await sharedTestServer()
  connector = await mcpConnector(server)
  mcp = createMcp(server.server.services)
})
afterAll(async () => {
  await mcp.close()
  await server.stop()
})
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()))
  opened = []
})

/** Adds a server to the catalog and connects an account. Returns the instance's id and the server's slug. */
async function connect(tools: TestTool[], slug?: string, before?: McpServerOptions['before']) {
  const remote = await startMcpServer({ tools, ...(before && { before }) })
  opened.push(remote)
  const serverId = await connector.addServer(remote.url, { type: 'none' })
  if (slug !== undefined)
    await server.server.services.database
      .sql`update mcp_servers set toolkit_slug = ${slug} where id = ${serverId}`
  return { id: await connector.connect(serverId), remote }
}

async function open(ids: string[], bounds?: OpenBounds) {
  const instances = await mcp.findInstances(connector.person.userId, null, ids)
  return mcp.openTools(instances, FOREVER, bounds)
}

const tool = (name: string, run: TestTool['run'] = () => textResult(name)): TestTool => ({
  name,
  description: `To ${name}`,
  run,
})

test('equal tool names of several servers get prefixes, and each tool runs on its server', async () => {
  const first = await connect([tool('search', () => textResult('of the first')), tool('fork')], 'first-kit')
  const second = await connect([tool('search', () => textResult('of the second'))], 'second-kit')
  const { tools, failed } = await open([first.id, second.id])
  expect(failed).toEqual([])
  expect(tools.map(({ definition }) => definition.name)).toEqual([
    'first-kit_search',
    'fork',
    'second-kit_search',
  ])
  expect(tools[1]).toMatchObject({
    definition: { description: 'To fork', parameters: { type: 'object' } },
    timeoutMs: 30_000,
  })
  expect(await Promise.all(tools.map((each) => each.run({}, FOREVER)))).toEqual([
    { output: 'of the first', successful: true, error: null },
    { output: 'fork', successful: true, error: null },
    { output: 'of the second', successful: true, error: null },
  ])
})

test('all servers are asked concurrently', async () => {
  const { promise: otherIsAsked, resolve } = Promise.withResolvers<void>()
  const one = await connect([], undefined, (_request, response) => {
    void otherIsAsked.then(() => response.writeHead(500).end())
    return true
  })
  const other = await connect([tool('it')], undefined, () => {
    resolve()
    return false
  })
  const { tools, failed } = await open([one.id, other.id])
  expect(tools).toHaveLength(1)
  expect(failed).toMatchObject([{ instanceId: one.id, error: expect.stringContaining('status 500') }])
})

test('a server that takes too long is omitted', async () => {
  const { id } = await connect([], undefined, () => true)
  expect((await open([id], { waitMs: 300 })).failed).toEqual([
    {
      instanceId: id,
      serverName: 'Server',
      isTooSlow: true,
      error: 'MCP server connection timed out. The server may be unavailable.',
    },
  ])
})

test('a server that does not respond is omitted and named', async () => {
  const good = await connect([tool('good')])
  const gone = await connect([tool('gone')])
  await gone.remote.close()
  const { tools, failed } = await open([gone.id, good.id])
  expect(tools.map(({ definition }) => definition.name)).toEqual(['good'])
  expect(failed).toEqual([
    {
      instanceId: gone.id,
      serverName: 'Server',
      isTooSlow: false,
      error: expect.stringContaining('127.0.0.1'),
    },
  ])
})

test('128 of 200 tools are selected, some from each of 3 servers', async () => {
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => tool(`${prefix}${index}`))
  const servers = [await connect(many(150, 'a')), await connect(many(2, 'b')), await connect(many(48, 'c'))]
  const { tools } = await open(servers.map(({ id }) => id))
  const names = tools.map(({ definition }) => definition.name)
  expect(names).toHaveLength(128)
  expect(names.slice(0, 2)).toEqual(['a0', 'a1'])
  expect(names.filter((name) => name.startsWith('a'))).toHaveLength(78)
  expect(names.filter((name) => name.startsWith('b'))).toHaveLength(2)
  expect(names.filter((name) => name.startsWith('c'))).toHaveLength(48)
})

test.each<[string, TestTool['run'], unknown]>([
  [
    'data with a page token',
    () => ({
      ...textResult('some'),
      structuredContent: { rows: [1], nextPageToken: 'two', resultSizeEstimate: 9 },
    }),
    {
      output: {
        structuredContent: { rows: [1], nextPageToken: 'two', resultSizeEstimate: 9 },
        content: [{ type: 'text', text: 'some' }],
      },
      successful: true,
      error: null,
    },
  ],
  [
    'data as text',
    () => textResult('{"nextPageToken":"two"}'),
    { output: { nextPageToken: 'two' }, successful: true, error: null },
  ],
  [
    'text that only begins like JSON',
    () => textResult('{x'),
    { output: '{x', successful: true, error: null },
  ],
  [
    'a failure',
    () => ({ ...textResult('No such city'), isError: true }),
    { output: null, successful: false, error: 'No such city' },
  ],
  [
    'a protocol error',
    () => {
      throw new Error('Out of order')
    },
    { output: null, successful: false, error: expect.stringMatching(/refused the request: Out of order$/) },
  ],
])('a tool can return %s', async (_what, run, outcome) => {
  const { id } = await connect([tool('it', run)])
  const { tools } = await open([id])
  expect(await tools[0]?.run({}, FOREVER)).toEqual(outcome)
})

test('an aborted call is cancelled at the server', async () => {
  const heard: AbortSignal[] = []
  const { id } = await connect([
    tool('it', (_input, { signal }) => {
      heard.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', resolve))
    }),
  ])
  const { tools } = await open([id])
  const abort = new AbortController()
  const ended = tools[0]?.run({}, abort.signal)
  await expect.poll(() => heard.length).toBe(1)
  abort.abort(new Error('enough'))
  await expect(ended).rejects.toThrow('enough')
  await expect.poll(() => heard[0]?.aborted).toBe(true)
})

test('a client that disconnects does not wait for servers', async () => {
  const { id } = await connect([tool('it')])
  const instances = await mcp.findInstances(connector.person.userId, null, [id])
  const left = AbortSignal.abort(new Error('left'))
  await expect(mcp.openTools(instances, left)).rejects.toThrow('left')
})
