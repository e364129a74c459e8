import { MockAgent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'
import { type Authorizing, openAuthorizing, VERIFIER } from '#tests/support/mcp/authorizing.ts'
import { allow, REDIRECT_URI, startAddressedServer, Visitor } from '#tests/support/mcp/connecting.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

let deps: Authorizing
beforeAll(async () => {
  deps = await openAuthorizing()
})
afterAll(() => deps.server.stop())

describe('connecting an app', () => {
  test('metadata is served at the well-known URLs', async () => {
    for (const path of ['/mcp', '']) {
      const { body } = await deps.server.call('GET', `/.well-known/oauth-protected-resource${path}`)
      expect(body).toMatchObject({ resource: deps.serverUrl(), authorization_servers: [deps.server.url] })
      const told = await deps.server.call('GET', `/.well-known/oauth-authorization-server${path}`)
      expect(told.body).toMatchObject({
        issuer: deps.server.url,
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
      })
    }
  })

  test('registers, consents, gets tokens, lists tools; the app is listed as an API key', async () => {
    const provider = await deps.connect('Editor')
    expect(provider.kept).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'mcp' })
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(deps.serverUrl()), { authProvider: provider })
    await client.connect(transport as never)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_knowledge_bases', 'list_knowledge_bases'])
    await client.close()
    expect(await deps.keysOf()).toContainEqual(
      expect.objectContaining({
        name: 'MCP: Editor',
        permissions: ['agent:read', 'agent:execute', 'kb:read', 'chats:read'],
      }),
    )
  })

  test('the redirect contains the issuer and the state', async () => {
    const back = await allow(deps.authorizeUrl(await deps.registered()), deps.person)
    expect(back.origin + back.pathname).toBe(REDIRECT_URI)
    expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([
      deps.server.url,
      'the state',
    ])
  })

  test('a client that sends no resource or scope gets the same access', async () => {
    const clientId = await deps
      .registered({ token_endpoint_auth_method: 'client_secret_post' })
      .catch(() => '')
    expect(clientId).not.toBe('')
    const other = await deps.registered()
    const back = await allow(deps.authorizeUrl(other, { resource: undefined }), deps.person)
    const tokens = await deps.redeem(other, back.searchParams.get('code') ?? '')
    expect(tokens).toMatchObject({ status: 200, scope: 'mcp' })
    expect(await deps.ping(tokens.access_token)).toBe(200)
  })

  test('a client with a secret must send it', async () => {
    const { body } = await deps.register({ redirect_uris: [REDIRECT_URI], client_name: 'Secretive' })
    const back = await allow(deps.authorizeUrl(body.client_id), deps.person)
    const code = back.searchParams.get('code') ?? ''
    expect((await deps.redeem(body.client_id, code)).status).toBe(401)
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT_URI,
    }
    const response = await fetch(`${deps.server.url}/mcp/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${body.client_id}:${body.client_secret}`)}` },
      body: new URLSearchParams(form),
    })
    expect(response.status).toBe(200)
  })

  test("an app gets only the user's permissions: a guest's app can only search and read", async () => {
    const guest = await deps.server.signUp()
    const { sql } = deps.server.server.services.database
    await addMemberWithRole(sql, deps.person.organizationId, guest.userId, 'guest')
    const clientId = await deps.registered({ client_name: 'For a guest' })
    const back = await allow(deps.authorizeUrl(clientId), guest, deps.person.organizationId)
    const tokens = await deps.redeem(clientId, back.searchParams.get('code') ?? '')
    expect(await deps.ping(tokens.access_token)).toBe(200)
    const key = (await deps.keysOf()).find(({ name }) => name === 'MCP: For a guest')
    expect(key?.permissions).toEqual(['agent:read', 'kb:read', 'chats:read'])
    await sql`
      update memberships set status = 'suspended'
      where user_id = ${guest.userId} and organization_id = ${deps.person.organizationId}`
    expect(await deps.ping(tokens.access_token)).toBe(404)
  })
})

describe('a client whose id is the URL of its metadata document', () => {
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
    const { services } = deps.server.server
    services.net = { ...services.net, guarded: agent }
  }

  test('needs no registration', async () => {
    const document = {
      client_id: ID,
      client_name: 'By address',
      redirect_uris: [BACK],
      token_endpoint_auth_method: 'none',
    }
    await whereItSays(ID, document)
    const back = await allow(deps.authorizeUrl(ID, { redirect_uri: BACK }), deps.person)
    expect(back.href).toContain(BACK)
    const tokens = await deps.redeem(ID, back.searchParams.get('code') ?? '', { redirect_uri: BACK })
    expect(await deps.ping(tokens.access_token)).toBe(200)
    expect((await deps.keysOf()).map(({ name }) => name)).toContain('MCP: By address')
  })

  test.each([
    ['another id', { client_id: ID, redirect_uris: [BACK] }],
    ['an unsafe redirect URI', { client_id: 'SAME', redirect_uris: ['http://app.example/back'] }],
    [
      'a scheme without a dot',
      { client_id: 'SAME', application_type: 'native', redirect_uris: ['app:/back'] },
    ],
    ['too many bytes', 'x'.repeat(70_000)],
    ['no JSON', 'x'],
  ])('is refused if its document has %s', async (name, said) => {
    const id = `https://app.example/${name.replaceAll(' ', '-')}.json`
    const told = typeof said === 'string' ? said : { token_endpoint_auth_method: 'none', ...said }
    await whereItSays(
      id,
      typeof told === 'object' && told.client_id === 'SAME' ? { ...told, client_id: id } : told,
    )
    const redirect_uri = typeof said === 'object' ? said.redirect_uris[0] : BACK
    const answer = await new Visitor().visit(deps.authorizeUrl(id, { redirect_uri }))
    expect([answer.status, answer.location]).toEqual([400, ''])
  })
})

describe('a code', () => {
  test('is valid once; a second use revokes the tokens of the first', async () => {
    const { clientId, code } = await deps.withCode()
    const tokens = await deps.redeem(clientId, code)
    expect(tokens.status).toBe(200)
    expect(await deps.redeem(clientId, code)).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await deps.ping(tokens.access_token)).toBe(401)
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:8912/other' }, 'invalid_grant'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('with %s is refused', async (_name, more, error) => {
    const { clientId, code } = await deps.withCode()
    expect(await deps.redeem(clientId, code, more)).toMatchObject({ status: 400, error })
  })

  test('of another client is refused', async () => {
    const { code } = await deps.withCode()
    expect(await deps.redeem(await deps.registered(), code)).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
  })
})

describe('an authorization request', () => {
  const ask = async (more: Record<string, string | undefined>) =>
    new Visitor().visit(deps.authorizeUrl(await deps.registered(), more))
  const errorIn = (location: string) => new URL(location.replace('#', '?')).searchParams.get('error')

  test.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with a plain challenge', { code_challenge_method: 'plain' }],
    ['for another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['for our API', { resource: 'BASE' }],
    ['for an implicit token', { response_type: 'token' }],
    ['without a type', { response_type: undefined }],
    ['with an unknown prompt', { prompt: 'select' }],
    ['that must not ask', { prompt: 'none' }],
  ])('%s gets an error page without a redirect', async (_name, more) => {
    const given: Record<string, string | undefined> = more
    const answer = await ask(given['resource'] === 'BASE' ? { resource: deps.server.url } : more)
    expect([answer.status, answer.location]).toEqual([400, ''])
    expect(answer.text).toContain('This request cannot continue')
  })

  test.each([
    ['to an unregistered URI', { redirect_uri: 'https://evil.example/' }],
    ['of an unknown client', { client_id: 'nobody' }],
    ['of a client at a private address', { client_id: 'https://10.0.0.1/client.json' }],
  ])('%s is not redirected', async (_name, more) => {
    const answer = await ask(more)
    expect([answer.status, answer.location]).toEqual([400, ''])
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.text).toContain('This request cannot continue')
  })

  test('is decided once, in the browser that started it', async () => {
    const visitor = new Visitor()
    const { location: page } = await visitor.visit(deps.authorizeUrl(await deps.registered()))
    expect((await new Visitor().visit(page)).status).toBe(400)
    const body = { organization_id: deps.person.organizationId }
    const decide = (by: Visitor, token = deps.person.token) =>
      by.visit(`${page}/allow`, { method: 'POST', token, body })
    expect((await decide(new Visitor())).text).toContain('oauth.consent_gone')
    expect((await decide(visitor, 'x')).status).toBe(401)
    const many = await Promise.all([decide(visitor), decide(visitor), decide(visitor)])
    expect(many.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await visitor.visit(page)).status).toBe(400)
  })

  test('cannot be decided by API keys or for other organizations', async () => {
    const visitor = new Visitor()
    const { location: page } = await visitor.visit(deps.authorizeUrl(await deps.registered()))
    const decide = (token: string, organization_id: unknown) =>
      visitor.visit(`${page}/allow`, { method: 'POST', token, body: { organization_id } })
    const made = await deps.server.call('POST', `/api/api_keys/create?org_id=${deps.person.organizationId}`, {
      token: deps.person.token,
      body: { name: 'k', permissions: ['*:*'] },
    })
    expect((await decide(made.body.key, deps.person.organizationId)).text).toContain('access.session_needed')
    const stranger = await deps.server.signUp()
    expect((await decide(deps.person.token, stranger.organizationId)).text).toContain('oauth.nothing_allowed')
    expect((await decide(deps.person.token, 'x')).status).toBe(400)
    const denied = await visitor.visit(`${page}/deny`, { method: 'POST', body: {} })
    const back = await visitor.visit(JSON.parse(denied.text).location)
    expect(errorIn(back.location)).toBe('access_denied')
  })
})

test.each([
  ['IPv4 address', () => '192.0.2.1'],
  ['IPv6 network', (number: number) => `2001:db8::${number}`],
])('one %s can register 20 clients per hour', async (_name, addressOf) => {
  const other = await startAddressedServer({ TRUST_PROXY: '1' })
  const statuses: number[] = []
  for (let number = 0; number < 21; number++) {
    const body = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
    const headers = { 'x-forwarded-for': addressOf(number) }
    statuses.push((await other.call('POST', '/mcp/oauth/register', { body, headers })).status)
  }
  expect(statuses).toEqual([...Array(20).fill(201), 429])
  await other.stop()
})
