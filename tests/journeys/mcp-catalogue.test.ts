import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NewServer } from '#parts/mcp/catalogue-schemas.ts'
import { readSeed, type SeedServer, seedCatalogue } from '#parts/mcp/catalogue-system.ts'
import { compileValidator } from '#platform/http/validation.ts'
import type { Answer } from '#tests/support/client.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

let server: TestServer
let administrator: string
let ann: Connector
let remote: TestMcpServer
let elsewhere: TestMcpServer

beforeAll(async () => {
  server = await startTestServer()
  administrator = await administratorToken(server)
  ann = await mcpConnector(server)
  remote = await startMcpServer()
  elsewhere = await startMcpServer()
})
afterAll(async () => {
  await remote.close()
  await elsewhere.close()
  await server.stop()
})

const weather = (more: Record<string, unknown> = {}) => ({
  name: 'Weather',
  toolkit_name: 'Weather station',
  toolkit_slug: `weather-${randomUUID()}`.slice(0, 50),
  description: 'Forecasts',
  url: 'https://mcp.example.com/mcp',
  ...more,
})
const add = (body: unknown): Promise<Answer> =>
  server.call('POST', '/api/mcp/servers', { token: administrator, body })
const addOne = async (more: Record<string, unknown> = {}): Promise<string> => {
  const { status, body, text } = await add(weather(more))
  if (status !== 201) throw new Error(text)
  return body.id
}
const change = (id: string, body: unknown): Promise<Answer> =>
  server.call('PUT', `/api/mcp/servers?server_id=${id}`, { token: administrator, body })
const remove = (id: string): Promise<Answer> =>
  server.call('DELETE', `/api/mcp/servers?server_id=${id}`, { token: administrator })
const list = async (connector = ann, query = '') => {
  const { body } = await server.call('GET', `/api/mcp/list_servers${query}`, {
    token: connector.person.token,
  })
  return body.servers as Record<string, unknown>[]
}
const listed = async (id: string, connector = ann, query = '') =>
  (await list(connector, query)).find((one) => one['id'] === id)
const sql = () => server.server.services.database.sql
const instancesOf = async (connector: Connector): Promise<Answer['body']> => (await connector.list()).body

describe('the seed', () => {
  test('is in the catalog completely, without URLs', async () => {
    const servers = await list()
    const seed = readSeed()
    expect(seed.length).toBeGreaterThanOrEqual(30)
    for (const { name, toolkit_name, toolkit_slug, description, auth } of seed)
      expect(servers).toContainEqual({
        id: expect.any(String),
        name,
        toolkit_name,
        toolkit_slug,
        toolkit_logo: null,
        description,
        created_at: expect.stringMatching(/Z$/),
        server_instance_count: 0,
        auth_type: auth?.type ?? null,
        is_connected: false,
      })
    const names = servers.map(({ name }) => String(name).toLowerCase())
    expect(names).toEqual(names.toSorted())
  })

  test('passes the checks for servers that an administrator adds', () => {
    const isNewServer = compileValidator(NewServer, 'body')
    const { net } = server.server.services
    for (const { key, auth, ...one } of readSeed()) {
      expect([key, isNewServer({ ...one, auth_config: auth })]).toEqual([key, true])
      expect(net.checkUrl(one.url).protocol).toBe('https:')
    }
  })

  const planted = (key: string, more: Partial<SeedServer> = {}): SeedServer => ({
    key,
    name: 'Planted',
    toolkit_name: 'Planted',
    toolkit_slug: key,
    url: 'https://planted.example.com/mcp',
    auth: { type: 'none' },
    description: 'first',
    ...more,
  })
  const sow = (...seed: SeedServer[]) => seedCatalogue(server.server.services, seed)
  const grown = async (slug: string) => (await list()).find((one) => one['toolkit_slug'] === slug)

  test('updates unmodified servers, even when several processes start concurrently', async () => {
    const key = `k${randomUUID()}`
    await Promise.all([1, 2, 3, 4].map(() => sow(planted(key), planted(`${key}b`))))
    expect((await grown(key))?.['description']).toBe('first')
    const later = planted(key, { description: 'second', auth: null })
    await Promise.all([1, 2, 3, 4].map(() => sow(planted(`${key}b`), later)))
    expect(await grown(key)).toMatchObject({ description: 'second', auth_type: null })
    const before = await sql()`select updated_at from mcp_servers where seed_key = ${key}`
    await sow(later)
    expect(await sql()`select updated_at from mcp_servers where seed_key = ${key}`).toEqual(before)
  })

  test('keeps servers that an administrator has changed, deleted or added with the same slug', async () => {
    const [changed, deleted, taken] = [`c${randomUUID()}`, `d${randomUUID()}`, `t${randomUUID()}`]
    await addOne({ toolkit_slug: taken, name: 'His own' })
    await sow(planted(changed), planted(deleted), planted(taken))
    await change((await grown(changed))?.['id'] as string, { description: 'his' })
    expect((await remove((await grown(deleted))?.['id'] as string)).status).toBe(200)
    const again = [changed, deleted, taken].map((key) => planted(key, { description: 'second' }))
    await sow(...again)
    expect((await grown(changed))?.['description']).toBe('his')
    expect(await grown(deleted)).toBeUndefined()
    expect((await grown(taken))?.['name']).toBe('His own')
    expect((await add(weather({ toolkit_slug: deleted }))).status).toBe(201)
  })

  test('ends connections to a server whose URL changes', async () => {
    const key = `m${randomUUID()}`
    await sow(planted(key, { url: remote.url }))
    const id = (await grown(key))?.['id'] as string
    const instance = await ann.connect(id)
    await sow(planted(key, { url: elsewhere.url }))
    expect(await instancesOf(ann)).toContainEqual(
      expect.objectContaining({
        id: instance,
        status: 'inactive',
        error: expect.stringContaining('URL'),
      }),
    )
  })
})

describe('administration', () => {
  test('a server is added, and users see it without administrative fields', async () => {
    const toolkit_logo = 'https://example.com/logo.png'
    const given = weather({
      toolkit_logo,
      url: 'https://MCP.example.com:443/mcp?mode=a#there',
      auth_config: { type: 'oauth', client_id: 'parley', client_secret: 's3cret', scopes: 'read write' },
    })
    const { status, body, text } = await add(given)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...given,
      url: 'https://mcp.example.com/mcp?mode=a',
      auth_config: { type: 'oauth', client_id: 'parley', scopes: 'read write' },
      has_client_secret: true,
      id: expect.any(String),
      server_instance_count: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(text).not.toContain('s3cret')
    const [row] = await sql()`select * from mcp_servers where id = ${body.id}`
    expect(JSON.stringify(row)).not.toContain('s3cret')
    expect(server.server.services.secrets.decrypt(row?.['client_secret'], body.id)).toBe('s3cret')
    const seen = await listed(body.id)
    expect(seen).toMatchObject({ auth_type: 'oauth', is_connected: false, toolkit_logo })
    expect(JSON.stringify(seen)).not.toContain('mcp.example.com')
  })

  const auth = (auth_config: unknown) => ({ auth_config })
  test.each([
    [{ name: '' }, 'name must not be empty'],
    [{ name: ' ' }, 'name'],
    [{ toolkit_name: 'x'.repeat(201) }, 'toolkit_name must have at most 200 characters'],
    [{ toolkit_slug: 'No Slug' }, 'toolkit_slug'],
    [{ toolkit_slug: 'x'.repeat(51) }, 'toolkit_slug must have at most 50 characters'],
    [{ toolkit_logo: 'javascript:alert(1)' }, 'toolkit_logo'],
    [{ description: 'x'.repeat(5_001) }, 'description'],
    [{ description: undefined }, 'description is required'],
    [{ url: 'mcp.example.com' }, 'url must be an absolute URL'],
    [{ url: 'ftp://mcp.example.com/' }, 'url: URLs that start with ftp: are not supported'],
    [{ url: 'https://me:pw@mcp.example.com/' }, 'url: A URL must not contain'],
    [{ url: 'http://10.0.0.1/mcp' }, 'url: 10.0.0.1 is not a public address'],
    [{ url: 'http://parley.test/mcp' }, 'url must not be an address of this installation.'],
    [{ is_changed: true }, 'is_changed is not a field'],
    [auth('none'), 'auth_config'],
    [auth({}), 'auth_config.type is required'],
    [auth({ type: 'basic' }), 'auth_config.type must be one of: none, oauth, api_key, composio'],
    [auth({ type: 'none', header: 'X-Key' }), 'auth_config.header is not a field'],
    [auth({ type: 'oauth', password: 'x' }), 'auth_config.password is not a field'],
    [auth({ type: 'oauth', header: 'X-Key' }), 'auth_config.header is not a field'],
    [auth({ type: 'oauth', client_secret: 'x' }), 'auth_config.client_secret requires client_id. Send both.'],
    [auth({ type: 'oauth', client_id: 'a', token_url: 'https://a.example.com/' }), 'both'],
    [
      auth({ type: 'oauth', authorization_url: 'https://a.example.com/', token_url: 'http://127.1.1.1:1/' }),
      undefined,
    ],
    [
      auth({ type: 'oauth', authorization_url: 'http://192.168.1.1/', token_url: 'https://a.example.com/' }),
      'auth_config.authorization_url: 192.168.1.1 is not a public address',
    ],
    [auth({ type: 'api_key' }), 'auth_config.header is required'],
    [auth({ type: 'api_key', header: 'X Key' }), 'auth_config.header'],
    [auth({ type: 'api_key', header: 'Host' }), 'auth_config.header must not be Host, which is reserved.'],
    [auth({ type: 'api_key', header: 'mcp-session-id' }), 'auth_config.header'],
    [auth({ type: 'composio' }), 'auth_config.auth_config_id is required'],
    [auth({ type: 'composio', auth_config_id: '../x' }), 'auth_config.auth_config_id'],
  ])('%j', async (more, sentence) => {
    const { status, body } = await add(weather(more))
    expect(status).toBe(sentence === undefined ? 201 : 400)
    if (sentence !== undefined) expect(body.detail).toContain(sentence)
  })

  test('a slug is unique, even for concurrent requests', async () => {
    const body = weather()
    const answers = await Promise.all([1, 2, 3].map(() => add(body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const other = await addOne()
    const taken = await change(other, { toolkit_slug: body.toolkit_slug })
    expect([taken.status, taken.body.detail]).toEqual([
      409,
      'An MCP server with this toolkit_slug already exists. Choose another slug.',
    ])
  })

  test('omitted fields stay unchanged, and an empty update changes nothing', async () => {
    const id = await addOne({ auth_config: { type: 'none' }, toolkit_logo: 'https://example.com/l.png' })
    const { body: before } = await change(id, {})
    const { body } = await change(id, { name: 'Other', toolkit_logo: null })
    expect(body).toEqual({ ...before, name: 'Other', toolkit_logo: null, updated_at: body.updated_at })
    expect((await change(id, { url: 'http://10.0.0.1/' })).status).toBe(400)
    expect((await change(id, { auth_config: { type: 'api_key' } })).status).toBe(400)
    expect((await change(randomUUID(), { name: 'x' })).status).toBe(404)
  })

  test('a secret is never sent to a URL other than the one it was set for', async () => {
    const addresses = { authorization_url: 'https://a.example.com/a', token_url: 'https://a.example.com/t' }
    const oauth = { type: 'oauth', client_id: 'parley', ...addresses }
    const id = await addOne({ auth_config: { ...oauth, client_secret: 'one' } })
    for (const moved of [
      { url: 'https://evil.example.com/mcp' },
      { auth_config: { ...oauth, token_url: 'https://evil.example.com/t' } },
      { auth_config: { ...oauth, authorization_url: 'https://evil.example.com/a' } },
      { auth_config: { ...oauth, client_id: 'another' } },
      { auth_config: { type: 'oauth', client_id: 'parley' } },
    ]) {
      const { status, body } = await change(id, moved)
      expect([status, body.code]).toEqual([400, 'mcp.secret_needed'])
    }
    const kept = await change(id, { auth_config: { ...oauth, scopes: 'read' } })
    expect(kept.body).toMatchObject({ has_client_secret: true, auth_config: { scopes: 'read' } })
    const url = 'https://new.example.com/mcp'
    const moved = await change(id, { url, auth_config: { ...oauth, client_secret: 'two' } })
    expect(moved.body).toMatchObject({ url, has_client_secret: true })
    const [row] = await sql()`select client_secret from mcp_servers where id = ${id}`
    expect(server.server.services.secrets.decrypt(row?.['client_secret'], id)).toBe('two')
    expect((await change(id, { auth_config: null })).body).toMatchObject({
      auth_config: null,
      has_client_secret: false,
    })
  })

  test('a server with connections cannot be deleted, but one with pending attempts can', async () => {
    const id = await addOne({ url: remote.url, auth_config: { type: 'none' } })
    const instance = await ann.connect(id)
    expect(await listed(id)).toMatchObject({ is_connected: true, server_instance_count: 1 })
    const refused = await remove(id)
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'This server still has connections (1). Set auth_config to null to prevent new ones.',
    ])
    await ann.remove(instance)
    const asked = await ann.ask(id)
    expect(asked.status).toBe(201)
    expect((await remove(id)).body).toEqual({ message: 'MCP server deleted' })
    expect(await listed(id)).toBeUndefined()
    expect((await ann.comeBack(asked.body.redirect_url)).status).toBe(400)
    expect((await remove(id)).status).toBe(404)
    expect((await change(id, {})).status).toBe(404)
  })
})

describe('connected users', () => {
  test('keep their connection after an unrelated change', async () => {
    const id = await addOne({ url: remote.url, auth_config: { type: 'api_key', header: 'X-Key' } })
    const instance = await ann.connect(id, undefined, { api_key: 'k' })
    await change(id, { name: 'Another name', url: `${remote.url}?mode=b` })
    await change(id, { auth_config: { type: 'api_key', header: 'X-Other-Key' } })
    await change(id, { auth_config: null })
    expect(await instancesOf(ann)).toContainEqual(expect.objectContaining({ id: instance, status: 'active' }))
    expect(await listed(id)).toMatchObject({ auth_type: null, is_connected: true })
    expect((await ann.ask(id)).body.detail).toBe(`No auth config found for server: ${id}`)
  })

  test.each([
    ['another origin', () => ({ url: elsewhere.url }), 'URL'],
    ['another authentication method', () => ({ auth_config: { type: 'oauth' } }), 'authentication method'],
  ])('lose it by %s, and no key is sent to the new URL', async (_, moved, sentence) => {
    const key = `key-${randomUUID()}`
    const id = await addOne({ url: remote.url, auth_config: { type: 'api_key', header: 'X-Key' } })
    const instance = await ann.connect(id, undefined, { api_key: key })
    const asked = await ann.ask(id, { api_key: key })
    expect((await change(id, moved())).status).toBe(200)
    expect(await instancesOf(ann)).toContainEqual(
      expect.objectContaining({ id: instance, status: 'inactive', error: expect.stringContaining(sentence) }),
    )
    expect(await listed(id)).toMatchObject({ is_connected: false, server_instance_count: 1 })
    expect((await ann.comeBack(asked.body.redirect_url)).status).toBe(400)
    const { token, organizationId } = ann.person
    const tools = await server.call('GET', `/api/mcp/server_with_tools?server_id=${id}&refresh=true`, {
      token,
    })
    expect(tools.body.error).toContain(sentence)
    expect(JSON.stringify(elsewhere.seen)).not.toContain(key)
    const { body } = await server.call('GET', `/api/audit/list?org_id=${organizationId}&limit=5`, { token })
    expect(body.data).toContainEqual(
      expect.objectContaining({
        action: 'mcp_instance.updated',
        record_id: instance,
        before: { status: 'active', error: null },
        after: { status: 'inactive', error: expect.stringContaining(sentence) },
      }),
    )
  })

  test('are connected per organization', async () => {
    const id = await addOne({ url: remote.url, auth_config: { type: 'none' } })
    await ann.connect(id)
    const { token } = ann.person
    const made = await server.call('POST', `/api/org/create_org?name=${randomUUID()}`, { token })
    expect(await listed(id, ann, `?org_id=${made.body.id}`)).toMatchObject({ is_connected: false })
    expect(await listed(id, ann, `?org_id=${ann.person.organizationId}`)).toMatchObject({
      is_connected: true,
    })
    const bob = await mcpConnector(server)
    expect(await listed(id, bob)).toMatchObject({ is_connected: false, server_instance_count: 1 })
  })
})
