import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSavedMail } from '#platform/mail/saved-mail.ts'
import type { Person } from '#tests/support/client.ts'
import { askForToken, deploy, newVisitorKey, readSession, update, visit } from '#tests/support/deployments.ts'
import { mailTo } from '#tests/support/mail.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken, roleOf } from '#tests/support/tenants.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sentTo = async (email: string) =>
  (await readSavedMail(server.environment['DATA_DIR'] ?? '', 100)).filter(({ to }) => to === email)

const WIDGET = { deployment_type: 'widget' }

describe("a visitor's token", () => {
  test('is returned with only the public data of the deployment', async () => {
    const config = {
      theme: { primary_color: '#0b5fff' },
      branding: { company_name: 'Example' },
      widget_placement: 'bottom-left',
      welcome_message: 'Hello',
      allowed_origins: ['https://www.example.com'],
      daily_message_limit: 7,
    }
    const { id } = await deploy(server, provider, { ...WIDGET, config })
    const key = newVisitorKey()
    const { status, body } = await askForToken(server, id, key)
    expect(status).toBe(200)
    const { theme, branding, widget_placement, welcome_message } = config
    expect(body).toEqual({
      token: body.token,
      expires_in: 3600,
      deployment: {
        id,
        name: 'Shop',
        deployment_type: 'widget',
        config: { theme, branding, widget_placement, welcome_message },
      },
    })
    const claims = JSON.parse(
      Buffer.from(body.token.slice('vt_'.length).split('.')[1], 'base64url').toString(),
    )
    expect(claims).toMatchObject({
      sub: createHash('sha256').update(key).digest('base64url'),
      deployment: id,
    })
    expect((await readSession(server, body.token, crypto.randomUUID())).status).toBe(404)
    const bare = await deploy(server, provider, { deployment_type: 'iframe' })
    expect((await askForToken(server, bare.id)).body.deployment.config).toEqual({ theme: {}, branding: {} })
  })

  test("is issued only to this server's pages and to allowed_origins", async () => {
    const { id } = await deploy(server, provider, {
      ...WIDGET,
      config: { allowed_origins: ['https://www.example.com', 'http://localhost:8080'] },
    })
    const ask = async (origin: string) => (await askForToken(server, id, undefined, { origin })).status
    const own = ['http://parley.test', server.url]
    for (const origin of [...own, 'https://www.example.com', 'http://localhost:8080'])
      expect([origin, await ask(origin)]).toEqual([origin, 200])
    const others = [
      'null',
      'https://example.com',
      'http://www.example.com',
      'https://www.example.com.evil.test',
    ]
    for (const origin of [...others, 'https://www.example.com:444', 'http://localhost'])
      expect([origin, await ask(origin)]).toEqual([origin, 403])
    const open = await deploy(server, provider, { deployment_type: 'iframe' })
    const refused = await askForToken(server, open.id, undefined, { origin: 'https://www.example.com' })
    expect([refused.status, refused.body.code]).toEqual([403, 'deployment.origin_not_allowed'])
  })

  test('is not issued for an unknown, API or paused deployment', async () => {
    const api = await deploy(server, provider)
    for (const id of [api.id, crypto.randomUUID()])
      expect((await askForToken(server, id)).body).toMatchObject({
        detail: expect.stringContaining('Deployment not found'),
      })
    const widget = await deploy(server, provider, WIDGET)
    const token = await visit(server, widget)
    await update(server, widget, { status: 'paused' })
    expect([
      (await askForToken(server, widget.id)).status,
      (await readSession(server, token, api.id)).status,
    ]).toEqual([403, 403])
    await update(server, widget, { status: 'active' })
    expect((await readSession(server, token, api.id)).status).toBe(404)
  })

  test.each([
    ['no key', {}],
    ['a short key', { visitor_key: 'A'.repeat(42) }],
    ['a long key', { visitor_key: 'A'.repeat(44) }],
    ['other characters', { visitor_key: `${'A'.repeat(42)}=` }],
    ['two lines', { visitor_key: `${'A'.repeat(43)}\n` }],
    ['more', { visitor_key: 'A'.repeat(43), visitor_id: 'x' }],
  ])('is not issued for %s', async (_what, body) => {
    const { id } = await deploy(server, provider, WIDGET)
    const answer = await server.call('POST', `/api/agent_deploy/create_visitor?deployment_id=${id}`, { body })
    expect(answer.status).toBe(400)
  })

  test('stops working when the deployment is deleted', async () => {
    const widget = await deploy(server, provider, WIDGET)
    const token = await visit(server, widget)
    const path = `/api/agent_deploy/delete?deployment_id=${widget.id}`
    expect((await server.call('DELETE', path, { token: widget.owner.token })).status).toBe(200)
    expect((await readSession(server, token, widget.id)).status).toBe(401)
    expect((await askForToken(server, widget.id)).status).toBe(404)
  })

  test('cannot be forged', async () => {
    const widget = await deploy(server, provider, WIDGET)
    const token = await visit(server, widget)
    const [head, , signature] = token.split('.')
    const claims = { deployment: widget.id, sub: 'x', exp: 9_999_999_999, iat: 1, iss: 'http://parley.test' }
    const made = Buffer.from(JSON.stringify(claims)).toString('base64url')
    for (const forged of [
      `${head}.${made}.${signature}`,
      token.slice('vt_'.length),
      `vt_${widget.owner.token}`,
    ])
      expect((await readSession(server, forged, widget.id)).status).toBe(401)
  })
})

describe('the user that represents visitors', () => {
  let owner: Person
  let email: string
  let userId: string
  beforeAll(async () => {
    const widget = await deploy(server, provider, WIDGET)
    owner = widget.owner
    const { sql } = server.server.services.database
    const [user] = await sql`
      select u.* from users u join agent_deployments d on d.visitor_user_id = u.id where d.id = ${widget.id}`
    email = user?.['email']
    userId = user?.['id']
    expect(email).toMatch(/^visitors\+[\da-f]{32}@deployment\.invalid$/)
    expect(user).toMatchObject({ password_hash: null, registered_at: null, email_verified_at: null })
  })

  const names = { first_name: 'Eve', last_name: 'X' }

  test('cannot sign up, and neither can another address of its domain', async () => {
    for (const address of [email, email.toUpperCase(), 'eve@deployment.invalid']) {
      const answer = await server.call('POST', '/api/auth/signup', {
        body: { email: address, password: 'correct horse battery', ...names },
      })
      expect([answer.status, answer.body.code]).toEqual([400, 'auth.email_reserved'])
    }
  })

  test('cannot sign in and receives no mail', async () => {
    const login = await server.call('POST', '/api/auth/login', {
      body: { email, password: 'correct horse battery' },
    })
    expect([login.status, login.body.detail]).toEqual([401, 'Invalid email or password'])
    const forgot = (address: string) =>
      server.call('POST', '/api/auth/forgot_password', { body: { email: address } })
    expect((await forgot(email)).status).toBe(200)
    // Jobs run in order, so mail for the first request would arrive before the mail for the second one.
    expect((await forgot(owner.email)).status).toBe(200)
    await mailTo(server, owner.email, 'password')
    expect(await sentTo(email)).toEqual([])
  })

  test('cannot be invited', async () => {
    const { token, organizationId } = owner
    const role_id = await roleOf(server, owner, 'member')
    const org = `org_id=${organizationId}`
    const calls = [
      await server.call('POST', `/api/users/invite?${org}`, {
        token,
        body: { email, ...names, role: role_id },
      }),
      await server.call('POST', `/api/invitations/create?${org}`, { token, body: { email, role_id } }),
    ]
    for (const { status, body } of calls) expect([status, body.code]).toEqual([400, 'auth.email_reserved'])
    const bulk = await server.call('POST', `/api/invitations/bulk_create?${org}`, {
      token,
      body: { invitations: [{ email, role_id }] },
    })
    expect(bulk.body.data[0].status).toBe('error')
    const added = await server.call('POST', '/api/org/add_member', {
      token,
      body: { organization_id: organizationId, user_id: userId, role_id },
    })
    expect(added.status).toBe(404)
    expect(await sentTo(email)).toEqual([])
  })

  test('is absent from all lists', async () => {
    const { token, organizationId } = owner
    const org = `org_id=${organizationId}`
    for (const path of [`/api/users/list?${org}`, `/api/org/list`, `/api/audit/list?${org}`, '/api/users/me'])
      expect((await server.call('GET', path, { token })).text).not.toContain('deployment.invalid')
    const admin = await administratorToken(server)
    expect((await server.call('GET', '/api/org/list', { token: admin })).text).not.toContain(email)
  })

  test('cannot become a person, even in the database', async () => {
    const { sql } = server.server.services.database
    for (const change of [
      { password_hash: 'x' },
      { registered_at: '2026-01-31' },
      { email_verified_at: '2026-01-31' },
      { is_system_admin: true },
    ])
      await expect(sql`update users set ${sql(change)} where id = ${userId}`).rejects.toThrow(
        'users_visitors',
      )
  })
})
