import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeConfig, readConfig } from '#config'
import { createMcp } from '#parts/mcp/index.ts'
import { McpConnections } from '#platform/mcp/connection.ts'
import { COMPOSIO_KEY, type EmulatedComposio, startComposio } from '#tests/support/mcp/composio.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Accounts at Composio, tested with its official client's wire format. */

const AUTH_CONFIG = { type: 'composio', auth_config_id: 'ac_1' } as const

let server: TestServer
let upstream: TestMcpServer
let composio: EmulatedComposio
let connector: Connector
let serverId: string
beforeAll(async () => {
  upstream = await startMcpServer()
  composio = await startComposio(() => upstream.url)
  server = await startTestServer({ COMPOSIO_API_KEY: COMPOSIO_KEY, COMPOSIO_BASE_URL: composio.url })
  connector = await mcpConnector(server)
  serverId = await connector.addServer('https://mcp.composio.dev', AUTH_CONFIG)
})
afterAll(async () => {
  await server.stop()
  await Promise.all([composio.close(), upstream.close()])
})

test('an account is connected, used with a separate URL, and deleted at Composio', async () => {
  const asked = await connector.ask(serverId)
  const account = [...composio.accounts.values()].at(-1)
  expect(asked.body).toMatchObject({ id: account?.id, status: 'pending' })
  expect(asked.body.redirect_url).toBe(`${composio.url}/link/lt_${account?.id}`)
  expect(account).toMatchObject({ userId: connector.person.userId, authConfigId: 'ac_1' })
  await connector.comeBack(await composio.consent(asked.body.redirect_url))
  const id = asked.body.connectionData.mcp_session_id
  expect((await connector.list()).body).toMatchObject([{ id, status: 'active' }])

  const { services } = server.server
  const mcp = createMcp(services)
  const connections = new McpConnections(services.net, services.log)
  const [instance] = await mcp.findInstances(connector.person.userId, null, [id])
  if (!instance) throw new Error('it cannot be used')
  const signal = AbortSignal.timeout(10_000)
  const connection = await connections.open(instance.endpoint, signal)
  const { output } = await connection.callTool('echo', { text: 'hello' }, { signal })
  expect(output).toBe('hello')
  expect(upstream.seen.at(-1)?.path).toBe(
    `/mcp?connected_account_id=${account?.id}&user_id=${connector.person.userId}`,
  )
  // The MCP server's origin differs from that of the operator's Composio, so it must not receive Composio's API key.
  expect(upstream.seen.some(({ headers }) => headers['x-api-key'] !== undefined)).toBe(false)
  await Promise.all([connections.close(), mcp.close()])

  expect((await connector.remove(id)).body).toEqual({ message: 'MCP instance deleted' })
  expect(composio.accounts.size).toBe(0)
})

test('its MCP server is created once, and again if Composio has lost it', async () => {
  const before = composio.asked.filter((line) => line.endsWith('/custom')).length
  await connector.connect(serverId, composio.consent)
  expect(composio.asked.filter((line) => line.endsWith('/custom')).length).toBe(before)
  composio.servers.clear()
  await connector.connect(serverId, composio.consent)
  expect(composio.asked.filter((line) => line.endsWith('/custom')).length).toBe(before + 1)
  const other = await connector.addServer('https://mcp.composio.dev', AUTH_CONFIG)
  // If two MCP servers are created concurrently, one is kept.
  const both = Promise.withResolvers<void>()
  let making = 0
  composio.beforeMaking = async () => {
    making += 1
    if (making === 2) both.resolve()
    await both.promise
  }
  await Promise.all([connector.connect(other, composio.consent), connector.connect(other, composio.consent)])
  composio.beforeMaking = async () => {}
  expect(making).toBe(2)
  expect(composio.servers.size).toBe(2)
})

test('a replaced account is deleted at Composio', async () => {
  const somebody = await mcpConnector(server)
  const id = await somebody.connect(serverId, composio.consent)
  const own = () => [...composio.accounts.values()].filter(({ userId }) => userId === somebody.person.userId)
  const [before] = own()
  expect(await somebody.connect(serverId, composio.consent, { mcp_instance_id: id })).toBe(id)
  expect(own()).toHaveLength(1)
  expect(own()).not.toContain(before)
})

test("an unconnected account, or another user's account, creates no instance", async () => {
  const somebody = await mcpConnector(server)
  const no = (url: string) => composio.consent(url, 'no')
  await expect(somebody.connect(serverId, no)).rejects.toThrow(
    'The provider did not connect the account. Try again.',
  )
  const taken = async (url: string) => {
    const back = await composio.consent(url)
    for (const account of composio.accounts.values()) account.userId = 'somebody else'
    return back
  }
  await expect(somebody.connect(serverId, taken)).rejects.toThrow(
    'The provider did not connect the account. Try again.',
  )
  expect((await somebody.list()).body).toEqual([])
})

test('a browser that did not start it connects nothing: the account is not read until its user confirms', async () => {
  const somebody = await mcpConnector(server)
  const { body } = await somebody.ask(serverId)
  const address = await composio.consent(body.redirect_url)
  const requests = composio.asked.length
  const { status, location } = await somebody.comeBackElsewhere(address)
  expect([status, location.pathname]).toEqual([303, '/connections/confirm'])
  expect((await somebody.list()).body).toMatchObject([{ status: 'pending' }])
  expect(composio.asked.length).toBe(requests)
  const confirmed = await server.call('POST', '/api/mcp/confirm_connection', {
    token: somebody.person.token,
    body: { ticket: location.hash.slice(1) },
  })
  expect(confirmed.body.status).toBe('active')
})

test('errors at Composio are returned, and an incomplete deletion says so', async () => {
  const somebody = await mcpConnector(server)
  const id = await somebody.connect(serverId, composio.consent)
  composio.failure = 500
  const asked = await somebody.ask(serverId)
  expect([asked.status, asked.body.detail]).toEqual([
    500,
    'Failed to create connected account: Composio refused the request: Composio has a bad day',
  ])
  const removed = await somebody.remove(id)
  composio.failure = null
  expect([removed.status, removed.body.message]).toEqual([200, expect.stringContaining('bad day')])
  expect((await somebody.list()).body).toEqual([])
})

test('without a Composio API key, connecting is refused', async () => {
  const without = await startTestServer()
  const somebody = await mcpConnector(without)
  const { status, body } = await somebody.ask(
    await somebody.addServer('https://mcp.composio.dev', AUTH_CONFIG),
  )
  await without.stop()
  expect([status, body.detail]).toEqual([
    500,
    'Failed to create connected account: Composio is not configured on this server. Ask the operator to set COMPOSIO_API_KEY.',
  ])
})

test('the configuration shows whether a key is set, but not the key', () => {
  const lineOf = (environment: Record<string, string>) =>
    describeConfig(readConfig(environment)).find((line) => line.startsWith('composio'))
  expect(lineOf({})).toBe('composio: no key, https://backend.composio.dev')
  expect(lineOf({ COMPOSIO_API_KEY: COMPOSIO_KEY, COMPOSIO_BASE_URL: 'https://composio.example/' })).toBe(
    'composio: key set, https://composio.example',
  )
  expect(() => readConfig({ COMPOSIO_BASE_URL: 'ftp://x' })).toThrow('COMPOSIO_BASE_URL')
})
