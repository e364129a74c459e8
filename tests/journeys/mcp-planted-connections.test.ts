import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from '#tests/support/mcp/authorized-server.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * An attacker starts a connection and sends the provider's URL to a victim, who signs in there. The attacker must
 * not get the victim's account: only the browser that started it, or its user after signing in, can finish it.
 */

const CONSOLE = 'https://console.example.com'

let server: TestServer
let provider: AuthorizedMcpServer
let open: TestMcpServer
let ids: { oauth: string; none: string; key: string }
let attacker: Connector
let victim: Person
beforeAll(async () => {
  server = await startTestServer({ FRONTEND_URL: CONSOLE })
  provider = await startAuthorizedMcpServer()
  open = await startMcpServer()
  attacker = await mcpConnector(server)
  victim = await server.signUp()
  ids = {
    oauth: await attacker.addServer(provider.url, { type: 'oauth' }),
    none: await attacker.addServer(open.url, { type: 'none' }),
    key: await attacker.addServer(open.url, { type: 'api_key', header: 'X-Key' }),
  }
})
afterAll(async () => {
  await server.stop()
  await Promise.all([provider, open].map((one) => one.close()))
})

const describePending = (ticket: string, { token }: Pick<Person, 'token'>): Promise<Answer> =>
  server.call('POST', '/api/mcp/pending_connection', { token, body: { ticket } })
const confirm = (ticket: string, { token }: Pick<Person, 'token'>): Promise<Answer> =>
  server.call('POST', '/api/mcp/confirm_connection', { token, body: { ticket } })
const codeOf = ({ status, body }: Answer) => [status, body?.code]
const ticketOf = ({ status, location }: { status: number; location: URL }): string => {
  expect([status, location.origin + location.pathname]).toEqual([303, `${CONSOLE}/connections/confirm`])
  expect(location.search).toBe('')
  return location.hash.slice(1)
}
/** Returns the statuses of a person's connections. */
const statusesOf = async (somebody: Connector): Promise<string[]> =>
  (await somebody.list()).body.map(({ status }: { status: string }) => status)

/**
 * Starts a connection as `somebody`, and opens the callback URL in another browser. Returns the ticket that the other
 * browser receives.
 */
async function returnedElsewhere(somebody: Connector, more?: Record<string, unknown>, serverId = ids.oauth) {
  const asked = await somebody.ask(serverId, more)
  const url = asked.body.redirect_url
  const address = serverId === ids.oauth ? await provider.consent(url) : url
  return { address, ticket: ticketOf(await somebody.comeBackElsewhere(address)) }
}

describe("a victim's browser that returns with an attacker's state", () => {
  test('connects nothing, and no code is exchanged', async () => {
    const { exchanges } = provider.counts
    const asked = await attacker.ask(ids.oauth)
    const address = await provider.consent(asked.body.redirect_url)
    const back = await attacker.comeBackElsewhere(address)
    expect(await statusesOf(attacker)).toEqual(['pending'])
    expect(provider.counts.exchanges).toBe(exchanges)
    const ticket = ticketOf(back)
    expect(back.headers.get('referrer-policy')).toBe('no-referrer')
    expect(back.headers.get('cache-control')).toBe('no-store')

    const { body } = await describePending(ticket, victim)
    expect(body).toEqual({
      server_name: 'Server',
      toolkit_logo: null,
      started_by: `${attacker.person.email[0]}•••@example.com`,
      is_yours: false,
      expires_at: expect.stringMatching(/Z$/),
    })
    expect(codeOf(await confirm(ticket, victim))).toEqual([403, 'mcp.attempt_of_another'])
    // The state is used up, even for the attacker's own browser.
    expect(codeOf(await attacker.comeBack(address))).toEqual([400, 'mcp.state_invalid'])
    expect(await statusesOf(attacker)).toEqual(['pending'])
    expect(provider.counts.exchanges).toBe(exchanges)
  })

  test.each([
    ['none', {}],
    ['key', { api_key: 'a key' }],
  ] as const)('connects nothing at a server without sign-in: %s', async (kind, more) => {
    const somebody = await mcpConnector(server)
    const { seen } = open
    const requests = seen.length
    await returnedElsewhere(somebody, more, ids[kind])
    expect(await statusesOf(somebody)).toEqual(['pending'])
    expect(seen.length).toBe(requests)
  })

  test('leaves no code in plain text, and nothing after it expires', async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const { address, ticket } = await returnedElsewhere(somebody)
    const stored = JSON.stringify(await sql`select * from mcp_attempts`)
    const parameters = [...new URL(address).searchParams.values()].filter((value) => value.length > 20)
    expect(parameters.length).toBeGreaterThan(1)
    for (const secret of [ticket, ...parameters]) expect(stored).not.toContain(secret)

    await sql`update mcp_attempts set expires_at = now() where user_id = ${somebody.person.userId}`
    const gone = [404, 'mcp.attempt_gone']
    expect(codeOf(await describePending(ticket, somebody.person))).toEqual(gone)
    expect(codeOf(await confirm(ticket, somebody.person))).toEqual(gone)
    const { sweepAttempts } = await import('#parts/mcp/attempts-system.ts')
    await sweepAttempts(server.server.services)
    expect(await sql`select from mcp_attempts where user_id = ${somebody.person.userId}`).toHaveLength(0)
  })
})

describe('a ticket', () => {
  test('completes the connection of the user who started it, once', async () => {
    const somebody = await mcpConnector(server)
    const { ticket } = await returnedElsewhere(somebody, { flow_type: 'chat' })
    const pending = await describePending(ticket, somebody.person)
    expect(pending.body).toMatchObject({ server_name: 'Server', is_yours: true })
    expect((await confirm(ticket, victim)).status).toBe(403)
    const { exchanges } = provider.counts
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(ticket, somebody.person)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
    const [{ id }] = (await somebody.list('active')).body
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      status: 'active',
      mcp_server_id: ids.oauth,
      mcp_session_id: id,
      flow_type: 'chat',
    })
    expect(provider.counts.exchanges).toBe(exchanges + 1)
    expect(codeOf(await describePending(ticket, somebody.person))).toEqual([404, 'mcp.attempt_gone'])
  })

  test('is refused for API keys and other users, and if it is invalid', async () => {
    const somebody = await mcpConnector(server)
    const { ticket } = await returnedElsewhere(somebody)
    const { organizationId, token } = somebody.person
    const { body } = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
      token,
      body: { name: 'all', permissions: ['*:*'] },
    })
    for (const ask of [describePending, confirm]) {
      expect(codeOf(await ask(ticket, { token: body.key }))).toEqual([403, 'access.session_needed'])
      expect((await ask(ticket, { token: '' })).status).toBe(401)
      for (const other of [ticket.slice(0, -1), `${ticket}x`, 'mt_', randomUUID()])
        expect(codeOf(await ask(other, somebody.person))).toEqual([404, 'mcp.attempt_gone'])
    }
    expect(await statusesOf(somebody)).toEqual(['pending'])
  })

  test('ends when the user starts again or loses the permission to connect', async () => {
    const { sql } = server.server.services.database
    const somebody = await mcpConnector(server)
    const first = await returnedElsewhere(somebody)
    const [{ id }] = (await somebody.list()).body
    const second = await returnedElsewhere(somebody, { mcp_instance_id: id })
    expect((await confirm(first.ticket, somebody.person)).status).toBe(404)
    const { organizationId, userId } = somebody.person
    await sql`
      update memberships set role_id = (
        select id from roles where organization_id = ${organizationId} and name = 'guest')
      where user_id = ${userId}`
    expect((await confirm(second.ticket, somebody.person)).status).toBe(404)
    expect(await statusesOf(somebody)).toEqual(['pending'])
  })

  test("returns the provider's reason for a refusal, and leaves nothing pending", async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth)
    const address = await provider.consent(asked.body.redirect_url, 'no')
    const answer = await confirm(ticketOf(await somebody.comeBackElsewhere(address)), somebody.person)
    expect([answer.status, answer.body.detail]).toEqual([500, expect.stringContaining('The person said no.')])
    expect(await statusesOf(somebody)).toEqual([])
  })
})

describe('the cookie of connect_account', () => {
  test('is HttpOnly and Lax, and only this host can set it under https', async () => {
    const asked = await (await mcpConnector(server)).ask(ids.oauth)
    expect(asked.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^parley_mcp_[\w-]{16}=ac_[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const secure = await startTestServer({ BASE_URL: 'https://parley.test' })
    const elsewhere = await mcpConnector(secure)
    const answer = await elsewhere.ask(await elsewhere.addServer(open.url, { type: 'none' }))
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-parley_mcp_.*; HttpOnly; SameSite=Lax; Secure$/)
    expect((await elsewhere.comeBack(answer.body.redirect_url)).status).toBe(302)
    expect(elsewhere.cookies()).toBe('')
    await secure.stop()
  })

  test('completes no other attempt', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth)
    const own = new Map(
      somebody
        .cookies()
        .split('; ')
        .map((cookie) => cookie.split('=') as [string, string]),
    )
    const [name = ''] = own.keys()
    await attacker.ask(ids.none)
    const stolen = attacker.cookies().split('=')[1] ?? ''
    const address = await provider.consent(asked.body.redirect_url)
    ticketOf(await somebody.comeBackElsewhere(address, `${name}=${stolen}; other=1`))
    expect(await statusesOf(somebody)).toEqual(['pending'])
  })

  test('completes nothing after its session is revoked: the user signs in and confirms', async () => {
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth)
    const { email, password, refreshToken } = somebody.person
    await server.call('POST', '/api/auth/logout', { body: { refresh_token: refreshToken } })
    const ticket = ticketOf(await somebody.comeBack(await provider.consent(asked.body.redirect_url)))
    expect((await confirm(ticket, somebody.person)).status).toBe(401)
    const { body } = await server.call('POST', '/api/auth/login', { body: { email, password } })
    expect((await confirm(ticket, { token: body.access_token })).status).toBe(200)
  })

  test('competes with another browser: exactly one of them gets the attempt', async () => {
    const { exchanges } = provider.counts
    const somebody = await mcpConnector(server)
    const asked = await somebody.ask(ids.oauth)
    const address = await provider.consent(asked.body.redirect_url)
    const cookies = somebody.cookies()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, place) =>
        somebody.comeBackElsewhere(address, place % 2 === 0 ? cookies : ''),
      ),
    )
    const won = answers.filter(({ status }) => status !== 400)
    expect(won).toHaveLength(1)
    const isConnected = won[0]?.status === 302
    expect(await statusesOf(somebody)).toEqual([isConnected ? 'active' : 'pending'])
    expect(provider.counts.exchanges - exchanges).toBe(isConnected ? 1 : 0)
  })

  test('is not set for API keys: their attempts always need confirmation', async () => {
    const { person } = await mcpConnector(server)
    const { body } = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'for MCP', permissions: ['mcp:write'] },
    })
    const program = await mcpConnector(server, { ...person, token: body.key })
    const asked = await program.ask(ids.none)
    expect(asked.headers.getSetCookie()).toEqual([])
    const ticket = ticketOf(await program.comeBack(asked.body.redirect_url))
    expect((await confirm(ticket, person)).body.status).toBe('active')
  })

  test('is set again for a repeated request', async () => {
    const { person, comeBackElsewhere } = await mcpConnector(server)
    const ask = () =>
      server.call('POST', '/api/mcp/connect_account', {
        token: person.token,
        body: { server_id: ids.none },
        headers: { 'idempotency-key': person.userId },
      })
    const [first, repeat] = [await ask(), await ask()]
    expect(repeat.headers.get('idempotent-replayed')).toBe('true')
    expect(repeat.headers.getSetCookie()).toEqual(first.headers.getSetCookie())
    const cookie = repeat.headers.getSetCookie()[0]?.split(';')[0]
    expect((await comeBackElsewhere(repeat.body.redirect_url, cookie)).status).toBe(302)
  })
})
