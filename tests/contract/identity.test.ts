import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { mailTo } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
beforeAll(async () => {
  // Requests set the client's address, so that a test can act as many clients.
  server = await startTestServer({ TRUST_PROXY: '1' })
})
afterAll(() => server.stop())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  server.call('POST', `/api/auth/${path}`, { body, headers })
const get = (person: Person, path: string) => server.call('GET', path, { token: person.token })
const logIn = (email: string, password: string, address = '192.0.2.1') =>
  post('login', { email, password }, { 'x-forwarded-for': address })

describe('guessing passwords', () => {
  const attempts = async (email: string, address: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => logIn(email, 'wrong password', address)))
  /** Adds attempts to the counters without the delays that real ones would take. */
  const countAs = async (count: number) =>
    server.server.services.database.sql`update login_attempts set attempts = attempts + ${count}`

  test('is blocked from one address, and the owner can sign in from another', async () => {
    const person = await server.signUp()
    await attempts(person.email, '198.51.100.7', 2)
    await countAs(30)
    const stopped = await logIn(person.email, person.password, '198.51.100.7')
    expect([stopped.status, stopped.headers.get('retry-after')]).toEqual([429, '900'])
    expect((await logIn(person.email, person.password, '203.0.113.9')).status).toBe(200)
    expect((await logIn(person.email, person.password, '198.51.100.7')).status).toBe(429)
  })

  test('is slowed for an account from any address, but never blocked', async () => {
    const person = await server.signUp()
    await logIn(person.email, 'wrong password', '198.51.100.8')
    await countAs(100)
    const before = performance.now()
    expect((await logIn(person.email, person.password, '203.0.113.10')).status).toBe(200)
    const waited = performance.now() - before
    expect(waited).toBeGreaterThan(1_900)
    await server.server.services.database.sql`delete from login_attempts`
  })

  test('is blocked for an address that tries many accounts', async () => {
    const person = await server.signUp()
    await logIn(`${randomUUID()}@example.com`, 'wrong password', '198.51.100.9')
    await countAs(300)
    expect((await logIn(person.email, person.password, '198.51.100.9')).status).toBe(429)
    await server.server.services.database.sql`delete from login_attempts`
  })

  test('counts an IPv6 network, not each address in it', async () => {
    const person = await server.signUp()
    await logIn(person.email, 'wrong password', '2001:db8:7:7::1')
    await countAs(30)
    const neighbour = await logIn(person.email, person.password, '2001:db8:7:7:ffff:1:2:3')
    expect([neighbour.status, neighbour.headers.get('retry-after')]).toEqual([429, '900'])
    expect((await logIn(person.email, person.password, '2001:db8:7:8::1')).status).toBe(200)
    await server.server.services.database.sql`delete from login_attempts`
  })

  test('stores only hashes: the table contains no email and no address', async () => {
    await logIn('nobody@example.com', 'wrong password', '198.51.100.10')
    const rows = await server.server.services.database.sql`select * from login_attempts`
    expect(JSON.stringify(rows)).not.toMatch(/nobody|198\.51/)
  })
})

describe('sessions', () => {
  test('are listed, and can be ended one by one or all except the current one', async () => {
    const person = await server.signUp()
    const phone = await post(
      'login',
      { email: person.email, password: person.password },
      { 'user-agent': 'Phone/1.0', 'x-forwarded-for': '203.0.113.77' },
    )
    const laptop = await logIn(person.email, person.password)
    const { body } = await get(person, '/api/auth/sessions')
    expect(body.data).toHaveLength(3)
    expect(body.data.filter((one: { is_current: boolean }) => one.is_current)).toHaveLength(1)
    const ofPhone = body.data.find((one: { user_agent: string }) => one.user_agent === 'Phone/1.0')
    expect(ofPhone.ip_address).toBe('203.0.113.77')
    const end = (query: string) =>
      server.call('DELETE', `/api/auth/sessions${query}`, { token: person.token })
    expect((await end(`?session_id=${ofPhone.id}`)).status).toBe(200)
    const alive = async (token: string) => (await server.call('GET', '/api/users/me', { token })).status
    expect([await alive(phone.body.access_token), await alive(laptop.body.access_token)]).toEqual([401, 200])
    expect((await end('')).body.message).toBe('Sessions ended: 1')
    expect([await alive(laptop.body.access_token), await alive(person.token)]).toEqual([401, 200])
    const stranger = await server.signUp()
    const [foreign] = (await get(stranger, '/api/auth/sessions')).body.data
    expect((await end(`?session_id=${foreign.id}`)).status).toBe(404)
  })
})

describe('the profile', () => {
  const change = (person: Person, body: unknown) =>
    server.call('PUT', '/api/users/me', { token: person.token, body })

  test('changes names freely, and the password with the old one, which ends other sessions', async () => {
    const person = await server.signUp()
    const other = await logIn(person.email, person.password)
    expect((await change(person, { first_name: 'Augusta', last_name: 'King' })).body.full_name).toBe(
      'Augusta King',
    )
    for (const wrong of [
      { password: 'a new password' },
      { password: 'a new password', current_password: 'x' },
    ])
      expect((await change(person, wrong)).body.code).toBe('user.wrong_password')
    const done = await change(person, { password: 'a new password', current_password: person.password })
    expect(done.status).toBe(200)
    expect((await server.call('GET', '/api/users/me', { token: other.body.access_token })).status).toBe(401)
    expect((await get(person, '/api/users/me')).status).toBe(200)
    expect((await logIn(person.email, person.password)).status).toBe(401)
    expect((await logIn(person.email, 'a new password')).status).toBe(200)
  })

  test('limits guesses of the old password', async () => {
    const person = await server.signUp()
    const guess = { password: 'a new password', current_password: 'wrong password' }
    await change(person, guess)
    await server.server.services.database.sql`update login_attempts set attempts = 100`
    expect((await change(person, guess)).status).toBe(429)
    await server.server.services.database.sql`delete from login_attempts`
  })

  test.each([
    { email: 'x@example.com' },
    { is_system_admin: true },
    { first_name: ' ' },
    { password: 'short' },
  ])('%o is refused', async (body) => {
    expect((await change(await server.signUp(), body)).status).toBe(400)
  })
})

describe('mailed links', () => {
  test('confirm an address, once', async () => {
    const person = await server.signUp()
    expect((await get(person, '/api/users/me')).body.email_verified).toBe(false)
    const { token } = await mailTo(server, person.email, 'Confirm your email')
    const verify = (who?: Person) =>
      server.call('POST', '/api/auth/verify_email', { body: { token }, ...(who && { token: who.token }) })
    expect((await verify()).status).toBe(401)
    const other = await verify(await server.signUp())
    expect([other.status, other.body.code]).toEqual([403, 'auth.link_of_another'])
    expect((await get(person, '/api/users/me')).body.email_verified).toBe(false)
    expect((await verify(person)).status).toBe(200)
    expect((await get(person, '/api/users/me')).body.email_verified).toBe(true)
    const again = await verify(person)
    expect([again.status, again.body.detail]).toEqual([
      410,
      'This link has expired or was already used. Request a new one.',
    ])
  })

  test('set a new password, once, within an hour, and end every session', async () => {
    const person = await server.signUp()
    const known = await post('forgot_password', { email: person.email.toUpperCase() })
    const unknown = await post('forgot_password', { email: `${randomUUID()}@example.com` })
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
    const { token } = await mailTo(server, person.email, 'Reset your password')
    expect(
      (await server.call('POST', '/api/auth/verify_email', { token: person.token, body: { token } })).status,
    ).toBe(410)
    expect((await post('reset_password', { token, password: 'short' })).status).toBe(400)
    expect((await post('reset_password', { token, password: 'a new password' })).status).toBe(200)
    expect((await post('reset_password', { token, password: 'another one' })).status).toBe(410)
    expect((await get(person, '/api/users/me')).status).toBe(401)
    expect((await logIn(person.email, person.password)).status).toBe(401)
    const { body } = await logIn(person.email, 'a new password')
    expect(body.user.email_verified).toBe(true)
    const left = await server.server.services.database.sql`
      select from one_time_tokens where user_id = ${person.userId}`
    expect(left.count).toBe(0)
  })

  test('reach the first administrator, whose address has no dot', async () => {
    expect((await post('forgot_password', { email: 'admin@localhost' })).status).toBe(200)
    const { to } = await mailTo(server, 'admin@localhost', 'Reset your password')
    expect(to).toBe('admin@localhost')
  })

  test('expire', async () => {
    const person = await server.signUp()
    await post('forgot_password', { email: person.email })
    const { token } = await mailTo(server, person.email, 'Reset your password')
    await server.server.services.database
      .sql`update one_time_tokens set expires_at = now() - interval '1 second'`
    expect((await post('reset_password', { token, password: 'a new password' })).status).toBe(410)
  })

  test('are not mailed again on every request', async () => {
    const person = await server.signUp()
    for (let count = 0; count < 12; count++)
      await server.call('POST', '/api/auth/resend_verification', { token: person.token })
    const tokens = await server.server.services.database.sql`
      select from one_time_tokens where user_id = ${person.userId}`
    expect(tokens.count).toBe(5)
  })

  test('are not readable in the job queue or in the tables', async () => {
    const person = await server.signUp()
    const { token } = await mailTo(server, person.email, 'Confirm your email')
    const { sql } = server.server.services.database
    for (const rows of [await sql`select * from jobs.job`, await sql`select * from one_time_tokens`])
      expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('are at /dev/mail only with DEV_MAIL', async () => {
    expect((await server.call('GET', '/dev/mail')).status).toBe(404)
    const open = await startTestServer({ DEV_MAIL: '1' })
    const person = await open.signUp()
    await mailTo(open, person.email, 'Confirm your email')
    const page = await open.call('GET', '/dev/mail')
    expect(page.status).toBe(200)
    expect(page.text).toContain(person.email)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    await open.stop()
  })
})
