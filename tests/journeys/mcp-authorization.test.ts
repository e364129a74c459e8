import { createHash, randomBytes } from 'node:crypto'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MockAgent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthRecords } from '#parts/mcp-server/oauth-records.ts'
import type { Person } from '#tests/support/client.ts'
import {
  allow,
  MemoryAuth,
  REDIRECT_URI,
  startAddressedServer,
  Visitor,
} from '#tests/support/mcp/connecting.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startAddressedServer({ TRUST_PROXY: '1' })
  person = await server.signUp()
})
afterAll(() => server.stop())

const serverUrl = (): string => `${server.url}/mcp`

async function connect(name?: string): Promise<MemoryAuth> {
  const provider = new MemoryAuth(name)
  expect(await auth(provider, { serverUrl: serverUrl() })).toBe('REDIRECT')
  const back = await allow(provider.sentTo as URL, person)
  const authorizationCode = back.searchParams.get('code') ?? ''
  expect(await auth(provider, { serverUrl: serverUrl(), authorizationCode })).toBe('AUTHORIZED')
  return provider
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const HEADERS = { accept: 'application/json, text/event-stream' }
const ping = async (token: string | undefined, at: Pick<TestServer, 'call'> = server): Promise<number> =>
  (await at.call('POST', '/mcp', { token: token ?? '', body: PING, headers: HEADERS })).status

// biome-ignore lint/suspicious/noExplicitAny: what comes over the wire
async function post(path: string, form: Record<string, string>, url = server.url): Promise<any> {
  const response = await fetch(`${url}/mcp/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const text = await response.text()
  return { status: response.status, ...(text && JSON.parse(text)) }
}

/** Each from an address of its own: one may not register many. */
const register = (body: object) => {
  const headers = { 'x-forwarded-for': `192.0.2.${++registrations}` }
  return server.call('POST', '/mcp/oauth/register', { body, headers })
}
let registrations = 0

async function registered(more: object = {}): Promise<string> {
  const body = {
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    client_name: 'By hand',
    ...more,
  }
  const answer = await register(body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.client_id
}

const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

const authorizeUrl = (clientId: string, more: Record<string, string | undefined> = {}): string => {
  const parameters = {
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: serverUrl(),
    state: 'the state',
    ...more,
  }
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `${server.url}/mcp/oauth/authorize?${new URLSearchParams(given)}`
}

/** A client, and a code that it has not redeemed. */
async function withCode(): Promise<{ clientId: string; code: string }> {
  const clientId = await registered()
  const back = await allow(authorizeUrl(clientId), person)
  return { clientId, code: back.searchParams.get('code') ?? '' }
}

const redeem = (clientId: string, code: string, more: Record<string, string> = {}) =>
  post('token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
    ...more,
  })

const refresh = (clientId: string, token: string, more: Record<string, string> = {}) =>
  post('token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })

const keysOf = async (): Promise<{ id: string; name: string; permissions: string[] }[]> => {
  const { organizationId, token } = person
  const { body } = await server.call('GET', `/api/api_keys/list?org_id=${organizationId}&limit=100`, {
    token,
  })
  return body.data
}

const clientIdOf = ({ client }: MemoryAuth): string => client?.client_id ?? ''

describe('connecting an app', () => {
  test('metadata is where clients look for it', async () => {
    for (const path of ['/mcp', '']) {
      const { body } = await server.call('GET', `/.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({ resource: serverUrl(), authorization_servers: [server.url] })
      const told = await server.call('GET', `/.well-known/oauth-authorization-server${path}`)
      expect(told.body).toMatchObject({
        issuer: server.url,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      })
    }
  })

  test('registration, consent, tokens, tools; the app stands among the API keys', async () => {
    const provider = await connect('Editor')
    expect(provider.kept).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'mcp' })
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(serverUrl()), { authProvider: provider })
    await client.connect(transport as never)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_knowledge_bases', 'list_knowledge_bases'])
    await client.close()
    expect(await keysOf()).toContainEqual(
      expect.objectContaining({
        name: 'MCP: Editor',
        permissions: ['agent:read', 'agent:execute', 'kb:read'],
      }),
    )
  })

  test('what comes back says who sent it, and what was sent along', async () => {
    const back = await allow(authorizeUrl(await registered()), person)
    expect(back.origin + back.pathname).toBe(REDIRECT_URI)
    expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([server.url, 'the state'])
  })

  test('a client that names no resource and no scope gets the same', async () => {
    const clientId = await registered({ token_endpoint_auth_method: 'client_secret_post' }).catch(() => '')
    expect(clientId).not.toBe('')
    const other = await registered()
    const back = await allow(authorizeUrl(other, { resource: undefined }), person)
    const tokens = await redeem(other, back.searchParams.get('code') ?? '')
    expect(tokens).toMatchObject({ status: 200, scope: 'mcp' })
    expect(await ping(tokens.access_token)).toBe(200)
  })

  test('a client with a secret must show it', async () => {
    const { body } = await register({ redirect_uris: [REDIRECT_URI], client_name: 'Secretive' })
    const back = await allow(authorizeUrl(body.client_id), person)
    const code = back.searchParams.get('code') ?? ''
    expect((await redeem(body.client_id, code)).status).toBe(401)
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT_URI,
    }
    const response = await fetch(`${server.url}/mcp/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${body.client_id}:${body.client_secret}`)}` },
      body: new URLSearchParams(form),
    })
    expect(response.status).toBe(200)
  })

  test('no more than the person may do: a guest of an organization lets an app only search', async () => {
    const guest = await server.signUp()
    const { sql } = server.server.rooms.database
    await addMemberWithRole(sql, person.organizationId, guest.userId, 'guest')
    const clientId = await registered({ client_name: 'For a guest' })
    const back = await allow(authorizeUrl(clientId), guest, person.organizationId)
    const tokens = await redeem(clientId, back.searchParams.get('code') ?? '')
    expect(await ping(tokens.access_token)).toBe(200)
    const key = (await keysOf()).find(({ name }) => name === 'MCP: For a guest')
    expect(key?.permissions).toEqual(['agent:read', 'kb:read'])
    await sql`
      update memberships set status = 'suspended'
      where user_id = ${guest.userId} and organization_id = ${person.organizationId}`
    expect(await ping(tokens.access_token)).toBe(404)
  })
})

describe('a client whose id is the address of what it says of itself', () => {
  const ID = 'https://app.example/client.json'
  const BACK = 'https://app.example/back'

  async function whereItSays(id: string, said: object | string): Promise<void> {
    const agent = new MockAgent()
    agent.disableNetConnect()
    const content = typeof said === 'string' ? said : JSON.stringify(said)
    const headers = { 'content-type': 'application/json' }
    agent
      .get('https://app.example')
      .intercept({ path: new URL(id).pathname })
      .reply(200, content, { headers })
    const { rooms } = server.server
    rooms.net = { ...rooms.net, guarded: agent }
  }

  test('is known without registration', async () => {
    const document = {
      client_id: ID,
      client_name: 'By address',
      redirect_uris: [BACK],
      token_endpoint_auth_method: 'none',
    }
    await whereItSays(ID, document)
    const back = await allow(authorizeUrl(ID, { redirect_uri: BACK }), person)
    expect(back.href).toContain(BACK)
    const tokens = await redeem(ID, back.searchParams.get('code') ?? '', { redirect_uri: BACK })
    expect(await ping(tokens.access_token)).toBe(200)
    expect((await keysOf()).map(({ name }) => name)).toContain('MCP: By address')
  })

  test.each([
    ['another id', { client_id: ID, redirect_uris: [BACK] }],
    ['an address that is not safe', { client_id: 'SAME', redirect_uris: ['http://app.example/back'] }],
    ['too much', 'x'.repeat(70_000)],
    ['no JSON', 'x'],
  ])('is refused where it says %s', async (name, said) => {
    const id = `https://app.example/${name.replaceAll(' ', '-')}.json`
    const told = typeof said === 'string' ? said : { token_endpoint_auth_method: 'none', ...said }
    await whereItSays(
      id,
      typeof told === 'object' && told.client_id === 'SAME' ? { ...told, client_id: id } : told,
    )
    const redirect_uri = typeof said === 'object' ? said.redirect_uris[0] : BACK
    const answer = await new Visitor().visit(authorizeUrl(id, { redirect_uri }))
    expect([answer.status, answer.location]).toEqual([400, ''])
  })
})

describe('tokens', () => {
  test('are renewed, and the old one of a pair ends the connection when it comes again', async () => {
    const provider = await connect('Renewing')
    const first = provider.kept?.refresh_token ?? ''
    expect(await auth(provider, { serverUrl: serverUrl() })).toBe('AUTHORIZED')
    expect(provider.kept?.refresh_token).not.toBe(first)
    expect(await ping(provider.kept?.access_token)).toBe(200)
    const again = await refresh(clientIdOf(provider), first)
    expect(again).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await ping(provider.kept?.access_token)).toBe(401)
    const last = await refresh(clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(last).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect((await keysOf()).map(({ name }) => name)).not.toContain('MCP: Renewing')
  })

  test('of several that renew at once one has the new pair', async () => {
    const provider = await connect()
    const token = provider.kept?.refresh_token ?? ''
    const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(clientIdOf(provider), token)))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  test('are revoked, and the key with them', async () => {
    const provider = await connect('Revoking')
    const { access_token = '', refresh_token = '' } = provider.kept ?? {}
    const client_id = clientIdOf(provider)
    expect((await post('revoke', { client_id, token: refresh_token })).status).toBe(200)
    expect(await ping(access_token)).toBe(401)
    expect((await keysOf()).map(({ name }) => name)).not.toContain('MCP: Revoking')
    const { body } = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, {
      token: person.token,
    })
    expect(body.data[0]).toMatchObject({ action: 'api_key.deleted', before: { name: 'MCP: Revoking' } })
  })

  test('end when the key is deleted, which is how a person ends a connection', async () => {
    const provider = await connect('Deleting')
    const key = (await keysOf()).find(({ name }) => name === 'MCP: Deleting')
    await server.call('DELETE', `/api/api_keys/delete?api_key_id=${key?.id}`, { token: person.token })
    expect(await ping(provider.kept?.access_token)).toBe(401)
    const renewed = await refresh(clientIdOf(provider), provider.kept?.refresh_token ?? '')
    expect(renewed).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  test('open nothing but /mcp', async () => {
    const { kept } = await connect()
    for (const path of [
      '/api/org/list',
      `/api/billing/balance?org_id=${person.organizationId}`,
      '/openai/v1/models',
    ]) {
      const token = kept?.access_token ?? ''
      expect((await server.call('GET', path, { token })).status).toBe(401)
      expect((await server.call('GET', path, { token: kept?.refresh_token ?? '' })).status).toBe(401)
    }
    expect(await ping(kept?.refresh_token)).toBe(401)
  })

  test('are known to every process on the database, and stored as nothing that could be used', async () => {
    const { BASE_URL = '', DATABASE_URL, SECRET = '' } = server.environment
    const { kept, client } = await connect()
    const { sql } = server.server.rooms.database
    const rows = JSON.stringify(await sql`select * from oauth_records`)
    for (const secret of [kept?.access_token, kept?.refresh_token, client?.client_id])
      expect(rows).not.toContain(secret)
    if (DATABASE_URL === undefined) return
    const second = await startTestServer({ DATABASE_URL, SECRET, BASE_URL })
    expect(await ping(kept?.access_token, second)).toBe(200)
    const form = {
      grant_type: 'refresh_token',
      client_id: client?.client_id ?? '',
      refresh_token: kept?.refresh_token ?? '',
    }
    const renewed = await post('token', form, second.url)
    expect(renewed.status).toBe(200)
    expect(await ping(renewed.access_token)).toBe(200)
    await second.stop()
  })
})

describe('a code', () => {
  test('is good for one use; another ends what the first has brought', async () => {
    const { clientId, code } = await withCode()
    const tokens = await redeem(clientId, code)
    expect(tokens.status).toBe(200)
    expect(await redeem(clientId, code)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await ping(tokens.access_token)).toBe(401)
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:8912/other' }, 'invalid_grant'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('with %s brings nothing', async (_name, more, error) => {
    const { clientId, code } = await withCode()
    expect(await redeem(clientId, code, more)).toMatchObject({ status: 400, error })
  })

  test('brings nothing to another client', async () => {
    const { code } = await withCode()
    expect(await redeem(await registered(), code)).toMatchObject({ status: 400, error: 'invalid_grant' })
  })
})

describe('a request for authorization', () => {
  const ask = async (more: Record<string, string | undefined>) =>
    new Visitor().visit(authorizeUrl(await registered(), more))
  const errorIn = (location: string) => new URL(location.replace('#', '?')).searchParams.get('error')

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for our API', { resource: 'BASE' }, 'invalid_target'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['that must not ask', { prompt: 'none' }, 'login_required'],
  ])('%s goes back with an error', async (_name, more: Record<string, string | undefined>, error) => {
    const answer = await ask(more['resource'] === 'BASE' ? { resource: server.url } : more)
    expect(answer.location).toMatch(new RegExp(`^${REDIRECT_URI}[?#]`))
    expect(errorIn(answer.location)).toBe(error)
  })

  test.each([
    ['to an address that is not registered', { redirect_uri: 'https://evil.example/' }],
    ['of a client that nobody knows', { client_id: 'nobody' }],
    ['of a client at a private address', { client_id: 'https://10.0.0.1/client.json' }],
  ])('%s goes nowhere', async (_name, more) => {
    const answer = await ask(more)
    expect([answer.status, answer.location]).toEqual([400, ''])
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.text).toContain('This does not work')
  })

  test('is decided once, and in the browser that began it', async () => {
    const visitor = new Visitor()
    const { location: page } = await visitor.visit(authorizeUrl(await registered()))
    expect((await new Visitor().visit(page)).status).toBe(400)
    const body = { organization_id: person.organizationId }
    const decide = (by: Visitor, token = person.token) =>
      by.visit(`${page}/allow`, { method: 'POST', token, body })
    expect((await decide(new Visitor())).text).toContain('oauth.consent_gone')
    expect((await decide(visitor, 'x')).status).toBe(401)
    const many = await Promise.all([decide(visitor), decide(visitor), decide(visitor)])
    expect(many.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await visitor.visit(page)).status).toBe(400)
  })

  test('is not for keys, and for no organization of others', async () => {
    const visitor = new Visitor()
    const { location: page } = await visitor.visit(authorizeUrl(await registered()))
    const decide = (token: string, organization_id: unknown) =>
      visitor.visit(`${page}/allow`, { method: 'POST', token, body: { organization_id } })
    const made = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'k', permissions: ['*:*'] },
    })
    expect((await decide(made.body.key, person.organizationId)).text).toContain('access.session_needed')
    const stranger = await server.signUp()
    expect((await decide(person.token, stranger.organizationId)).text).toContain('oauth.nothing_allowed')
    expect((await decide(person.token, 'x')).status).toBe(400)
    const denied = await visitor.visit(`${page}/deny`, { method: 'POST', body: {} })
    const back = await visitor.visit(JSON.parse(denied.text).location)
    expect(errorIn(back.location)).toBe('access_denied')
  })
})

test('one address registers twenty clients in an hour', async () => {
  const other = await startAddressedServer()
  const statuses: number[] = []
  for (let number = 0; number < 21; number++) {
    const body = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
    statuses.push((await other.call('POST', '/mcp/oauth/register', { body })).status)
  }
  expect(statuses).toEqual([...Array(20).fill(201), 429])
  await other.stop()
})

test('grants that nobody uses end with their keys', async () => {
  const { kept } = await connect('Forgotten')
  const { sql } = server.server.rooms.database
  await sql`
    update oauth_records set expires_at = now() - interval '1 second'
    where kind = 'Grant' and api_key_id = (select id from api_keys where name = 'MCP: Forgotten')`
  await new OAuthRecords(server.server.rooms).sweep()
  expect(await ping(kept?.access_token)).toBe(401)
  expect((await keysOf()).map(({ name }) => name)).not.toContain('MCP: Forgotten')
})
