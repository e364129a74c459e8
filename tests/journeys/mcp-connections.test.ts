import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { type McpServerOptions, startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

const CONSOLE = 'https://console.example.com'
const NOBODY = '00000000-0000-4000-8000-000000000000'
const API_KEY = 'key-canary-0123456789'

let server: TestServer
let provider: AuthorizedMcpServer
let open: TestMcpServer
let keyed: TestMcpServer
let bearing: TestMcpServer
let connector: Connector
let ids: { oauth: string; none: string; key: string; nothing: string }
beforeAll(async () => {
  server = await startTestServer({ FRONTEND_URL: CONSOLE })
  provider = await startAuthorizedMcpServer()
  open = await startMcpServer()
  keyed = await startMcpServer({ before: unless('x-key', API_KEY) })
  bearing = await startMcpServer({ before: unless('authorization', `Bearer ${API_KEY}`) })
  connector = await mcpConnector(server)
  ids = {
    oauth: await connector.addServer(provider.url, { type: 'oauth' }),
    none: await connector.addServer(open.url, { type: 'none' }),
    key: await connector.addServer(keyed.url, { type: 'api_key', header: 'X-Key' }),
    nothing: await connector.addServer(open.url, null),
  }
})
afterAll(async () => {
  await server.stop()
  await Promise.all([provider, open, keyed, bearing].map((one) => one.close()))
})

/** Returns a handler that responds with 401 to requests without this header. */
function unless(header: string, value: string): NonNullable<McpServerOptions['before']> {
  return (request, response) => {
    if (request.headers[header] === value) return false
    response.writeHead(401).end()
    return true
  }
}

const instancesOf = ({ userId }: Person) =>
  server.server.services.database.sql`select * from mcp_instances where user_id = ${userId} order by id`

describe('connecting an account', () => {
  test('by OAuth: pending, the provider, active, and a redirect to the console', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth, { flow_type: 'chat' })
    const instanceId = asked.body.connectionData.mcp_session_id
    expect([asked.status, asked.body]).toEqual([
      201,
      {
        id: instanceId,
        status: 'pending',
        redirect_url: expect.stringContaining(`${provider.issuer}/authorize?`),
        connectionData: { mcp_session_id: instanceId, server_id: ids.oauth },
      },
    ])
    expect((await somebody.list('pending')).body).toMatchObject([{ id: instanceId, status: 'pending' }])
    const back = await somebody.comeBack(await provider.consent(asked.body.redirect_url))
    expect(back.status).toBe(302)
    expect(back.headers.get('referrer-policy')).toBe('no-referrer')
    expect(back.location.href).toBe(
      `${CONSOLE}/mcp/callback?mcp_server_id=${ids.oauth}&mcp_session_id=${instanceId}&flow_type=chat`,
    )
    const { body } = await somebody.list()
    expect(body).toEqual([
      {
        id: instanceId,
        status: 'active',
        mcp_server_id: ids.oauth,
        name: null,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        server_name: 'Server',
        toolkit_slug: `server-${ids.oauth}`,
        error: null,
        shared_agent_ids: [],
        tools_changed_at: null,
      },
    ])
  })

  test('registers once at a provider', async () => {
    const registrations = provider.counts.registrations
    const somebody = await mcpConnector(server)
    await somebody.connect(ids.oauth, provider.consent)
    expect(provider.counts.registrations).toBe(registrations)
  })

  test('registers again at a provider that has forgotten the client', async () => {
    const somebody = await mcpConnector(server)
    const { registrations } = provider.counts
    const forgetful = async (url: string) => {
      const back = await provider.consent(url)
      provider.faults.forgetClients = true
      return back
    }
    await expect(somebody.connect(ids.oauth, forgetful)).rejects.toThrow('invalid_client')
    await somebody.connect(ids.oauth, provider.consent)
    expect(provider.counts.registrations).toBe(registrations + 1)
  })

  test('without authorization, the URL leads directly to the callback', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.none)
    expect(asked.body.redirect_url).toMatch(/^http:\/\/parley\.test\/api\/mcp\/callback\?state=/)
    const { location } = await somebody.comeBack(asked.body.redirect_url)
    expect(location.searchParams.get('error')).toBeNull()
    expect(location.searchParams.has('flow_type')).toBe(false)
    expect((await somebody.list('active')).body).toHaveLength(1)
  })

  test('with a key, which is tested before it is stored', async () => {
    const somebody = await mcpConnector(server)
    const id = await somebody.connect(ids.key, undefined, { api_key: API_KEY })
    expect((await somebody.list('active')).body).toMatchObject([{ id }])
    await expect(somebody.connect(ids.key, undefined, { api_key: 'another' })).rejects.toThrow(
      'The server does not accept this API key. Check the key and enter it again.',
    )
    // The refused connection was deleted.
    expect((await somebody.list()).body).toHaveLength(1)
  })

  test('with a key for Authorization, with the scheme Bearer by default', async () => {
    const serverId = await connector.addServer(bearing.url, { type: 'api_key', header: 'Authorization' })
    for (const api_key of [API_KEY, `Bearer ${API_KEY}`]) {
      const somebody = await mcpConnector(server)
      await somebody.connect(serverId, undefined, { api_key })
      expect((await somebody.list('active')).body).toHaveLength(1)
    }
    const another = connector.connect(serverId, undefined, { api_key: `Basic ${API_KEY}` })
    await expect(another).rejects.toThrow(
      'The server does not accept this API key. Check the key and enter it again.',
    )
  })

  test('a key that the server repeats is masked', async () => {
    const echoing = await startMcpServer({
      before(request, response, _message, id) {
        const message = `No such key: ${request.headers['x-key']}`
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
        return true
      },
    })
    const somebody = await mcpConnector(server)
    const id = await somebody.addServer(echoing.url, { type: 'api_key', header: 'X-Key' })
    const asked = await somebody.ask(id, { api_key: API_KEY })
    const { location } = await somebody.comeBack(asked.body.redirect_url)
    expect(location.searchParams.get('error')).toMatch(/refused/)
    expect(location.href).not.toContain('canary')
    await echoing.close()
  })

  test('stores and shows no credentials in plain text', async () => {
    const somebody = await mcpConnector(server)
    const shown: string[] = []
    const note = async (url: string) => {
      shown.push(url)
      return provider.consent(url)
    }
    await somebody.connect(ids.oauth, note)
    await somebody.connect(ids.key, undefined, { api_key: API_KEY })
    const { sql } = server.server.services.database
    const stored = JSON.stringify([
      await sql`select * from mcp_instances`,
      await sql`select * from mcp_attempts`,
      await sql`select * from mcp_clients`,
      await sql`select * from audit_entries`,
    ])
    for (const secret of [API_KEY, 'access-', 'refresh-']) expect(stored).not.toContain(secret)
    expect((await somebody.list()).text + shown.join()).not.toMatch(/access-|refresh-|canary/)
  })

  test('is refused without an auth config, with a missing or extra key, and for unknown ids', async () => {
    const answers = await Promise.all([
      connector.ask(ids.nothing),
      connector.ask(ids.key),
      connector.ask(ids.none, { api_key: 'x' }),
      connector.ask(NOBODY),
      connector.ask(ids.none, { mcp_instance_id: NOBODY }),
      connector.ask(ids.none, {}, { org_id: NOBODY }),
      connector.ask('x'),
      connector.ask(ids.none, { flow_type: 'a b' }),
      connector.ask(ids.none, { redirect_url: 'https://evil.example' }),
    ])
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [400, `No auth config found for server: ${ids.nothing}`],
      [400, 'api_key is required because each user of this server has their own key.'],
      [400, 'Omit api_key: this server does not use a key.'],
      [404, expect.stringContaining('MCP server not found')],
      [404, 'MCP instance not found'],
      [404, expect.stringContaining('Organization not found')],
      [400, expect.stringContaining('server_id')],
      [400, expect.stringContaining('flow_type')],
      [400, expect.stringContaining('redirect_url')],
    ])
    expect(await instancesOf(connector.person)).toHaveLength(0)
  })

  test('an error at the provider is returned, and no instance is left', async () => {
    provider.faults.noS256 = true
    const answer = await connector.ask(ids.oauth)
    delete provider.faults.noS256
    expect([answer.status, answer.body.detail]).toEqual([
      500,
      expect.stringMatching(/^Failed to create connected account: ./),
    ])
    const away = await connector.ask(await connector.addServer('http://10.0.0.1/mcp', { type: 'oauth' }))
    expect([away.status, away.body.detail]).toEqual([
      500,
      expect.stringMatching(/^Failed to create connected account: 10\.0\.0\.1 is not a public address/),
    ])
    expect(await instancesOf(connector.person)).toHaveLength(0)
  })
})

describe('the callback', () => {
  test('accepts a state once: one of several concurrent requests wins', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.none)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => somebody.comeBack(asked.body.redirect_url)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(7).fill(400)])
    const late = await somebody.comeBack(asked.body.redirect_url)
    expect(late.body).toMatchObject({ code: 'mcp.state_invalid' })
  })

  test('refuses a state that is unknown, expired, replaced, or of a former member or another instance', async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const begin = async (more = {}) => (await somebody.ask(ids.none, more)).body
    const statusOf = async (address: string) => (await somebody.comeBack(address)).status
    expect(await statusOf('http://parley.test/api/mcp/callback?state=ms_x')).toBe(400)
    expect(await statusOf('http://parley.test/api/mcp/callback')).toBe(400)

    const expired = await begin()
    await sql`update mcp_attempts set expires_at = now() where instance_id = ${expired.connectionData.mcp_session_id}`
    expect(await statusOf(expired.redirect_url)).toBe(400)

    const first = await begin()
    const newer = await begin({ mcp_instance_id: first.connectionData.mcp_session_id })
    expect(await statusOf(first.redirect_url)).toBe(400)
    expect(await statusOf(`${newer.redirect_url}&mcp_session_id=${NOBODY}`)).toBe(400)
    expect(await statusOf(newer.redirect_url)).toBe(302)

    const left = await begin()
    await sql`update memberships set status = 'suspended' where user_id = ${somebody.person.userId}`
    expect(await statusOf(left.redirect_url)).toBe(400)
  })

  test('redirects to the console with the reason of a failure, and deletes the pending instance', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth, { flow_type: 'settings' })
    const { location } = await somebody.comeBack(await provider.consent(asked.body.redirect_url, 'no'))
    expect(location.origin + location.pathname).toBe(`${CONSOLE}/mcp/callback`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      mcp_server_id: ids.oauth,
      mcp_session_id: asked.body.connectionData.mcp_session_id,
      flow_type: 'settings',
      error: expect.stringContaining('The person said no.'),
    })
    expect(await instancesOf(somebody.person)).toHaveLength(0)

    provider.faults.iss = 'https://evil.example'
    await expect(somebody.connect(ids.oauth, provider.consent)).rejects.toThrow(
      'another authorization server',
    )
    delete provider.faults.iss
    provider.faults.tokenStatus = 500
    await expect(somebody.connect(ids.oauth, provider.consent)).rejects.toThrow()
    delete provider.faults.tokenStatus
    expect(await instancesOf(somebody.person)).toHaveLength(0)
  })

  test('grants no access to a server whose URL has changed since', async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const serverId = await somebody.addServer(provider.url, { type: 'oauth' })
    const id = await somebody.connect(serverId, provider.consent)
    const find = async () => {
      const { createMcp } = await import('#parts/mcp/index.ts')
      const mcp = createMcp(server.server.services)
      const found = await mcp.findInstances(somebody.person.userId, null, [id])
      await mcp.close()
      return found
    }
    expect(await find()).toHaveLength(1)
    await sql`update mcp_servers set url = ${open.url} where id = ${serverId}`
    expect(await find()).toEqual([])
  })
})

describe('the quota of connections', () => {
  test('is exact for concurrent requests, and does not count expired attempts', async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const { organizationId } = somebody.person
    await server.call('PUT', `/api/org/features?org_id=${organizationId}`, {
      token: await administratorToken(server),
      body: { mcp_sessions: 5 },
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => somebody.ask(ids.none)))
    const refused = answers.filter(({ status }) => status === 402)
    expect([answers.filter(({ status }) => status === 201).length, refused.length]).toEqual([5, 15])
    expect(refused[0]?.body.detail).toContain('5 MCP connections')
    await sql`update mcp_attempts set expires_at = now() where user_id = ${somebody.person.userId}`
    const again = await somebody.ask(ids.none)
    expect(again.status).toBe(201)
    // An inactive connection is reconnected and doesn't count as a new one.
    await sql`
      update mcp_instances set status = 'inactive'
      where user_id = ${somebody.person.userId} and id <> ${again.body.connectionData.mcp_session_id}`
    const reused = await somebody.ask(ids.none)
    expect(reused.status).toBe(201)
    expect((await somebody.list('inactive')).body.map(({ id }: { id: string }) => id)).toContain(
      reused.body.connectionData.mcp_session_id,
    )
    expect((await instancesOf(somebody.person)).length).toBe(6)
  })

  test('unfinished attempts are deleted', async () => {
    const { sql } = server.server.services.database
    const { sweepAttempts } = await import('#parts/mcp/attempts-system.ts')
    const somebody = await mcpConnector(server)
    const [old, young] = [await somebody.ask(ids.none), await somebody.ask(ids.none)]
    await sql`
      update mcp_attempts set expires_at = now() where instance_id = ${old.body.connectionData.mcp_session_id}`
    await sql`
      update mcp_instances set created_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'
      where user_id = ${somebody.person.userId}`
    await sweepAttempts(server.server.services)
    expect((await instancesOf(somebody.person)).map(({ id }) => id)).toEqual([
      young.body.connectionData.mcp_session_id,
    ])
  })
})

describe('reconnecting', () => {
  test('keeps an active connection active until it succeeds', async () => {
    const somebody = await mcpConnector(server)
    const id = await somebody.connect(ids.oauth, provider.consent)
    const asked = await somebody.ask(ids.oauth, { mcp_instance_id: id })
    expect(asked.body.connectionData.mcp_session_id).toBe(id)
    expect((await somebody.list()).body).toMatchObject([{ id, status: 'active' }])
    await somebody.comeBack(await provider.consent(asked.body.redirect_url, 'no'))
    expect((await somebody.list()).body).toMatchObject([{ id, status: 'active' }])
    const { exchanges, revocations } = provider.counts
    expect(await somebody.connect(ids.oauth, provider.consent, { mcp_instance_id: id })).toBe(id)
    expect((await somebody.list()).body).toMatchObject([{ id, status: 'active' }])
    // The old grant is not revoked, because many providers would revoke the new grant with it.
    expect([provider.counts.exchanges, provider.counts.revocations]).toEqual([exchanges + 1, revocations])
  })
})

test('authorization servers can read the client metadata', async () => {
  const { status, body } = await server.call('GET', '/api/mcp/client.json')
  expect([status, body.redirect_uris]).toEqual([200, ['http://parley.test/api/mcp/callback']])
})
