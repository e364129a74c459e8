import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { CLIENT_KINDS, connectClient } from '#tests/support/mcp/clients.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import {
  echo,
  startMcpServer,
  type TestMcpServer,
  type TestTool,
  textResult,
} from '#tests/support/mcp/index.ts'
import { inspect } from '#tests/support/mcp/inspector.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Any MCP client can use an account's server through the gateway, which keeps the credentials secret. */

const KEY = 'key-that-nobody-sees'
const hanging: AbortSignal[] = []

const TOOLS: TestTool[] = [
  echo,
  {
    name: 'steps',
    async run(_input, { progress }) {
      for (let step = 1; step <= 3; step += 1) await progress({ progress: step, total: 3 })
      return { ...textResult('done'), structuredContent: { nextPageToken: 'two' } }
    },
  },
  {
    name: 'hang',
    run: (_input, { signal }) => {
      hanging.push(signal)
      return new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  },
  { name: 'long', run: () => textResult('x'.repeat(10_000_000)) },
  { name: 'fail', run: () => ({ ...textResult('No such city'), isError: true }) },
  {
    name: 'break',
    run: () => {
      throw new Error('Out of order')
    },
  },
  {
    name: 'unknown',
    run: () => {
      throw Object.assign(new Error('Unknown tool'), { code: -32602 })
    },
  },
]

let server: TestServer
let connector: Connector
let behindKey: TestMcpServer
let behindOAuth: AuthorizedMcpServer
let bySse: TestMcpServer
/** Gateway URLs by instance. */
const urls: Record<string, string> = {}
const instances: Record<string, { serverId: string; id: string }> = {}

beforeAll(async () => {
  server = await startTestServer({ CORS_ORIGINS: 'https://inspector.example' })
  connector = await mcpConnector(server)
  behindKey = await startMcpServer({ tools: TOOLS })
  behindOAuth = await startAuthorizedMcpServer()
  bySse = await startMcpServer({ tools: TOOLS, kind: 'sse' })
  await connect('key', behindKey.url, { type: 'api_key', header: 'x-key' }, { more: { api_key: KEY } })
  await connect('oauth', behindOAuth.url, { type: 'oauth' }, { consent: behindOAuth.consent })
  await connect('sse', bySse.url, { type: 'none' })
})
afterAll(async () => {
  await server.stop()
  await Promise.all([behindKey, behindOAuth, bySse].map((each) => each.close()))
})
afterEach(() => {
  hanging.length = 0
})

async function connect(
  name: string,
  url: string,
  authConfig: Parameters<Connector['addServer']>[1],
  how: { more?: Record<string, unknown>; consent?: (url: string) => Promise<string> } = {},
): Promise<void> {
  const serverId = await connector.addServer(url, authConfig)
  const id = await connector.connect(serverId, how.consent, how.more)
  instances[name] = { serverId, id }
  urls[name] = await addressOf(name)
}

const generate = (serverId: string, sessionId: string, token = connector.person.token) =>
  server.call('POST', '/api/mcp/generate_url', {
    token,
    body: { server_id: serverId, session_id: sessionId },
  })

/** Returns the URL on the test's port, which BASE_URL doesn't contain. */
async function addressOf(name: string, token?: string): Promise<string> {
  const { serverId = '', id = '' } = instances[name] ?? {}
  const { body, text } = await generate(serverId, id, token)
  if (body.mcp_url === undefined) throw new Error(text)
  return here(body.mcp_url)
}
const here = (url: string): string => url.replace('http://parley.test', server.url)

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const begin = async (url: string, headers: Record<string, string> = {}) => {
  const { pathname, search } = new URL(url)
  const accept = 'application/json, text/event-stream'
  return server.call('POST', pathname + search, { body: INITIALIZE, headers: { accept, ...headers } })
}

describe.each(CLIENT_KINDS)('a client of the %s', (kind) => {
  test.each(['key', 'oauth', 'sse'])('uses a server: %s', async (name) => {
    const client = await connectClient(kind, urls[name] ?? '')
    expect(client.getServerVersion()?.name).toBe('Server')
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
    const { tools } = await client.listTools()
    expect(tools[0]).toMatchObject({
      name: 'echo',
      inputSchema: { properties: { text: { type: 'string' } } },
    })
    const result = await client.callTool({ name: 'echo', arguments: { text: 'Hello' } })
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] })
    await client.close()
  })

  test.each(['key', 'sse'])('gets progress, and its cancellation reaches the server: %s', async (name) => {
    const client = await connectClient(kind, urls[name] ?? '')
    const steps: unknown[] = []
    const onprogress = ({ progress }: { progress: number }) => steps.push(progress)
    const call = { name: 'steps', arguments: {} }
    const result = await client.callTool(call, undefined, { onprogress })
    expect(result).toMatchObject({ structuredContent: { nextPageToken: 'two' } })
    expect(steps).toEqual([1, 2, 3])

    const abort = new AbortController()
    const options = { signal: abort.signal }
    const ended = client.callTool({ name: 'hang', arguments: {} }, undefined, options).catch(() => 'ended')
    await expect.poll(() => hanging.length).toBe(1)
    abort.abort()
    expect(await ended).toBe('ended')
    await expect.poll(() => hanging[0]?.aborted).toBe(true)
    await client.close()
  })

  test('gets the errors of tools, and the beginning of a long result', async () => {
    const client = await connectClient(kind, urls['key'] ?? '')
    const call = (name: string) => client.callTool({ name, arguments: {} })
    expect(await call('fail')).toMatchObject({ content: [{ text: 'No such city' }], isError: true })
    const { content } = await call('long')
    expect((content as { text: string }[])[0]?.text).toMatch(
      /^x{1000000}x*\n\[Truncated: the result has 10000000 bytes/,
    )
    expect(await call('break')).toMatchObject({
      content: [{ text: expect.stringContaining('refused the request: Out of order') }],
      isError: true,
    })
    await expect(call('unknown')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool'),
    })
    await client.close()
  })
})

test('the inspector can list tools and call one', async () => {
  const url = urls['oauth'] ?? ''
  const { tools } = await inspect(url, '--method', 'tools/list')
  expect(tools).toMatchObject([{ name: 'echo' }])
  const result = await inspect(
    url,
    '--method',
    'tools/call',
    '--tool-name',
    'echo',
    '--tool-arg',
    'text=Hello',
  )
  expect(result.content).toMatchObject([{ text: 'Hello' }])
})

describe('generate_url', () => {
  test('returns a URL that is valid for an hour', async () => {
    const { serverId = '', id = '' } = instances['key'] ?? {}
    const { status, body } = await generate(serverId, id)
    expect(status).toBe(200)
    expect(body).toEqual({
      mcp_url: expect.stringMatching(/^http:\/\/parley\.test\/api\/mcp\/gateway\//),
      status: 'active',
    })
    const expires = Number(new URL(body.mcp_url).searchParams.get('expires')) - Date.now() / 1000
    expect(expires).toBeGreaterThan(3_500)
    expect(expires).toBeLessThanOrEqual(3_600)
  })

  test("accepts only the caller's instances of that server", async () => {
    const { serverId = '', id = '' } = instances['key'] ?? {}
    const other = await server.signUp()
    await addMemberWithRole(
      server.server.services.database.sql,
      connector.person.organizationId,
      other.userId,
      'owner',
    )
    const unknown = await Promise.all([
      generate(serverId, id, other.token),
      generate(serverId, crypto.randomUUID()),
      generate(instances['sse']?.serverId ?? '', id),
      generate(crypto.randomUUID(), id),
    ])
    for (const { status, body } of unknown) {
      expect(status).toBe(404)
      expect(body.detail).toBe('No connection attempt found. Please connect your account first.')
    }
  })

  test('refuses an inactive connection', async () => {
    const serverId = instances['sse']?.serverId ?? ''
    const asked = await connector.ask(await connector.addServer(bySse.url, { type: 'none' }))
    const { mcp_session_id: pending, server_id: its } = asked.body.connectionData
    expect((await generate(its, pending)).body.code).toBe('mcp.instance_inactive')
    expect((await generate(serverId, 'not-an-id')).status).toBe(400)
  })
})

describe('a gateway URL', () => {
  const changed: [string, (url: URL) => void][] = [
    ['without a signature', (url) => url.searchParams.delete('signature')],
    [
      'with half a signature',
      (url) => url.searchParams.set('signature', url.searchParams.get('signature')?.slice(0, 20) ?? ''),
    ],
    ['with another signature', (url) => url.searchParams.set('signature', 'A'.repeat(43))],
    ['with another expiry time', (url) => url.searchParams.set('expires', '99999999999')],
    ['with an added key', (url) => url.searchParams.set('key', crypto.randomUUID())],
    [
      'of another instance',
      (url) => {
        url.pathname = url.pathname.replace(/[^/]+$/, instances['sse']?.id ?? '')
      },
    ],
    [
      'of an invalid instance',
      (url) => {
        url.pathname = url.pathname.replace(/[^/]+$/, '%00')
      },
    ],
    ['with two signatures', (url) => url.searchParams.append('signature', 'B')],
  ]
  test.each(changed)('%s is refused', async (_what, change) => {
    const url = new URL(urls['key'] ?? '')
    expect((await begin(url.href)).status).toBe(200)
    change(url)
    const { status, body } = await begin(url.href)
    expect([status, body.code]).toEqual([403, 'mcp.link_invalid'])
  })

  test('that has expired is refused', async () => {
    const { id: instanceId = '' } = instances['key'] ?? {}
    const session = new URL(urls['key'] ?? '').searchParams.get('session') ?? ''
    const expires = String(Math.floor(Date.now() / 1000) - 1)
    const signature = server.server.services.secrets.sign(
      `${expires}\n${instanceId}\nsession ${session}`,
      'MCP gateway addresses',
    )
    const query = new URLSearchParams({ session, expires, signature })
    const { status } = await begin(`${server.url}/api/mcp/gateway/${instanceId}?${query}`)
    expect(status).toBe(403)
  })

  test('ends with the instance, and pauses while it is inactive', async () => {
    const { sql } = server.server.services.database
    await connect('short', bySse.url, { type: 'none' })
    const { id = '' } = instances['short'] ?? {}
    const client = await connectClient('SDK 1', urls['short'] ?? '')
    await sql`update mcp_instances set status = 'inactive' where id = ${id}`
    await expect(client.listTools()).rejects.toThrow('MCP instance not found')
    await sql`update mcp_instances set status = 'active' where id = ${id}`
    expect((await client.listTools()).tools).not.toHaveLength(0)
    expect((await connector.remove(id)).status).toBe(200)
    await expect(client.listTools()).rejects.toThrow('MCP instance not found')
    await client.close()
  })

  test('ends with the membership, and with the API key that created it', async () => {
    const { sql } = server.server.services.database
    const { organizationId, userId, token } = connector.person
    const made = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token,
      body: { name: 'for MCP', permissions: ['mcp:write'] },
    })
    const keyed = await addressOf('key', made.body.key ?? made.body.api_key)
    expect((await begin(keyed)).status).toBe(200)
    await sql`delete from api_keys where user_id = ${userId}`
    expect((await begin(keyed)).body.code).toBe('mcp.instance_not_found')
    const url = urls['key'] ?? ''
    expect((await begin(url)).status).toBe(200)
    await sql`update memberships set status = 'inactive' where user_id = ${userId}`
    expect((await begin(url)).body.code).toBe('mcp.instance_not_found')
    await sql`update memberships set status = 'active' where user_id = ${userId}`
    expect((await begin(url)).status).toBe(200)
  })

  test('requires mcp:write: a read-only key is refused', async () => {
    const { organizationId, token } = connector.person
    const { serverId = '', id = '' } = instances['key'] ?? {}
    const { body } = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token,
      body: { name: 'reader', permissions: ['mcp:read'] },
    })
    const answer = await generate(serverId, id, body.key)
    expect([answer.status, answer.body.detail]).toEqual([403, 'Missing permission: mcp:write'])
  })

  test("ends when the owner's role loses mcp:write", async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const { organizationId, userId, token } = somebody.person
    const serverId = await somebody.addServer(bySse.url, { type: 'none' })
    const { body } = await generate(serverId, await somebody.connect(serverId), token)
    const url = here(body.mcp_url)
    expect((await begin(url)).status).toBe(200)
    await sql`
      update memberships set role_id = (
        select id from roles where organization_id = ${organizationId} and name = 'guest')
      where organization_id = ${organizationId} and user_id = ${userId}`
    expect((await begin(url)).body.code).toBe('mcp.instance_not_found')
  })

  test('ends with the session that created it', async () => {
    const somebody = await mcpConnector(server)
    const { token, refreshToken } = somebody.person
    const serverId = await somebody.addServer(bySse.url, { type: 'none' })
    const { body } = await generate(serverId, await somebody.connect(serverId), token)
    const url = here(body.mcp_url)
    expect((await begin(url)).status).toBe(200)
    await server.call('POST', '/api/auth/logout', { body: { refresh_token: refreshToken } })
    expect((await begin(url)).body.code).toBe('mcp.instance_not_found')
  })

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['https://inspector.example', 200],
    ['http://parley.test', 200],
  ])('responds to pages of %s with %i', async (origin, expected) => {
    const { status, headers } = await begin(urls['key'] ?? '', { origin })
    expect(status).toBe(expected)
    const isForeign = origin !== 'https://inspector.example'
    expect(headers.get('access-control-allow-origin')).toBe(isForeign ? null : origin)
  })

  test.each(['GET', 'DELETE', 'PUT'])('returns 405 for %s', async (method) => {
    const { pathname, search } = new URL(urls['key'] ?? '')
    const { status, headers } = await server.call(method, pathname + search, {})
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('POST')
  })

  test("reveals no credentials of the account to the client, and none of the client's to the server", async () => {
    const said = [await begin(urls['key'] ?? '', { authorization: 'Bearer ours', cookie: 'a=b' })]
    said.push(await begin(urls['oauth'] ?? ''))
    for (const { text, headers } of said) {
      expect(text).toContain('"serverInfo":{"name":"Server"')
      expect(text + JSON.stringify([...headers])).not.toMatch(
        /key-that-nobody-sees|(access|refresh)-[\w-]{32}/,
      )
    }
    const headers = behindKey.seen.at(-1)?.headers ?? {}
    expect(headers['x-key']).toBe(KEY)
    expect(headers.authorization).toBeUndefined()
    expect(headers.cookie).toBeUndefined()
    expect(behindKey.seen.every(({ path }) => !path.includes('signature'))).toBe(true)
  })
})

test('returns an error sentence if the server is down', async () => {
  const gone = await startMcpServer()
  await connect('gone', gone.url, { type: 'none' })
  await gone.close()
  const { status, text } = await begin(urls['gone'] ?? '')
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({
    id: 1,
    error: { code: -32603, message: expect.stringContaining('127.0.0.1') },
  })
})
