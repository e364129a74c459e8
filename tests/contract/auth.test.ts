import { randomUUID } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (path: string, body: unknown) => server.call('POST', `/api/auth/${path}`, { body })
const mayCall = async (token: string, organizationId: string): Promise<number> =>
  (await server.call('GET', `/api/chat/list?org_id=${organizationId}`, { token })).status

describe('signing up', () => {
  const newUser = () => ({
    email: `${randomUUID()}@Example.com`,
    password: 'correct horse',
    first_name: 'Ada',
    last_name: 'Lovelace',
  })

  test('creates the personal organization with its four system roles and starting credits', async () => {
    const input = newUser()
    const { status, body } = await post('signup', input)
    expect(status).toBe(201)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    expect(body.user).toMatchObject({
      email: input.email.toLowerCase(),
      full_name: 'Ada Lovelace',
      organizations: [{ name: 'Ada Lovelace', role_name: 'owner' }],
    })
    const { sql } = server.server.services.database
    const organizationId = body.user.organizations[0].id
    const roles = await sql`
      select name, hierarchy_level from roles where organization_id = ${organizationId} and is_system_role
      order by hierarchy_level`
    expect(roles.map(({ name, hierarchy_level }) => [name, hierarchy_level])).toEqual([
      ['guest', 10],
      ['member', 20],
      ['admin', 80],
      ['owner', 100],
    ])
    const balance = await server.call('GET', `/api/billing/balance?org_id=${organizationId}`, {
      token: body.access_token,
    })
    expect(balance.body).toMatchObject({ balance: 1_000_000, held: 0, available: 1_000_000 })
  })

  test('returns 409 for a known email in any case, and for one of two concurrent requests', async () => {
    const input = newUser()
    const both = await Promise.all([
      post('signup', input),
      post('signup', { ...input, email: input.email.toLowerCase() }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await post('signup', input)).body.detail).toBe(
      'A user with this email address already exists. Sign in, or use another address.',
    )
  })

  test.each([
    [{ password: 'short' }, 'password must have at least 8 characters.'],
    [{ password: 'x'.repeat(129) }, 'password must have at most 128 characters.'],
    [{ email: 'nobody' }, 'email must be an email address.'],
    [{ first_name: '' }, 'first_name must not be empty.'],
    [{ is_system_admin: true }, 'is_system_admin is not a field of this request.'],
  ])('%o is refused', async (change, detail) => {
    const { status, body } = await post('signup', { ...newUser(), ...change })
    expect([status, body.detail]).toEqual([400, detail])
  })

  test('is disabled with SIGNUP set to invite', async () => {
    const closed = await startTestServer({ SIGNUP: 'invite' })
    const answer = await closed.call('POST', '/api/auth/signup', { body: newUser() })
    expect(answer.status).toBe(403)
    await closed.stop()
  })
})

describe('signing in', () => {
  test('accepts the right password, in any case of the email', async () => {
    const person = await server.signUp()
    const { status, body } = await post('login', {
      email: person.email.toUpperCase(),
      password: person.password,
    })
    expect([status, body.user.id]).toEqual([200, person.userId])
    expect(await mayCall(body.access_token, person.organizationId)).toBe(200)
  })

  test('returns the same error for a wrong password and an unknown email', async () => {
    const person = await server.signUp()
    const wrong = await post('login', { email: person.email, password: 'incorrect horse' })
    const unknown = await post('login', { email: `${randomUUID()}@example.com`, password: 'incorrect horse' })
    expect([wrong.status, wrong.body.detail]).toEqual([401, 'Invalid email or password'])
    expect({ ...wrong.body, request_id: null }).toEqual({ ...unknown.body, request_id: null })
  })
})

describe('access tokens', () => {
  test('can be verified with the public keys', async () => {
    const person = await server.signUp()
    const keys = createRemoteJWKSet(new URL(`${server.url}/.well-known/jwks.json`))
    const { payload, protectedHeader } = await jwtVerify(person.token, keys, {
      issuer: 'http://parley.test',
      audience: 'http://parley.test',
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    })
    expect(protectedHeader.typ).toBe('at+jwt')
    expect(payload).toMatchObject({ sub: person.userId, email: person.email })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900)
  })

  test('are invalid immediately after the session ends', async () => {
    const person = await server.signUp()
    expect(await mayCall(person.token, person.organizationId)).toBe(200)
    expect((await post('logout', { refresh_token: person.refreshToken })).status).toBe(200)
    expect(await mayCall(person.token, person.organizationId)).toBe(401)
    expect((await post('refresh', { refresh_token: person.refreshToken })).status).toBe(401)
  })
})

describe('refreshing', () => {
  test('rotates the token, and accepts the previous one for a short time for two tabs', async () => {
    const person = await server.signUp()
    const first = await post('refresh', { refresh_token: person.refreshToken })
    const second = await post('refresh', { refresh_token: person.refreshToken })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.body.refresh_token).not.toBe(person.refreshToken)
    expect(await mayCall(first.body.access_token, person.organizationId)).toBe(200)
    expect(await mayCall(second.body.access_token, person.organizationId)).toBe(200)
  })

  test('ends the whole session if a token was replaced long ago', async () => {
    const person = await server.signUp()
    const { body } = await post('refresh', { refresh_token: person.refreshToken })
    const { sql } = server.server.services.database
    await sql`update refresh_tokens set replaced_at = replaced_at - interval '11 seconds' where replaced_at is not null`
    const stolen = await post('refresh', { refresh_token: person.refreshToken })
    expect([stolen.status, stolen.body.detail]).toEqual([
      401,
      'Invalid or expired refresh token. Sign in again.',
    ])
    expect((await post('refresh', { refresh_token: body.refresh_token })).status).toBe(401)
    expect(await mayCall(body.access_token, person.organizationId)).toBe(401)
  })

  test('stores no token in plain text', async () => {
    const person = await server.signUp()
    const { sql } = server.server.services.database
    const found = await sql`select from refresh_tokens where token_hash = ${person.refreshToken}`
    expect(found.count).toBe(0)
  })
})

test('the administrator created at the first start can sign in, and no other user can grant credits', async () => {
  const administrator = await post('login', { email: 'admin@localhost', password: 'administrator' })
  const person = await server.signUp()
  const grant = (token: string) =>
    server.call('POST', '/api/billing/credits', {
      token,
      body: { organization_id: person.organizationId, amount: 5, reason: 'gift' },
    })
  expect((await grant(person.token)).status).toBe(403)
  const granted = await grant(administrator.body.access_token)
  expect([granted.status, granted.body.balance_after]).toEqual([201, 1_000_005])
})
