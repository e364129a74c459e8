import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Passwords may have any composition and are compared exactly (ASVS 6.2). Sessions have a maximum lifetime. */

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const signUp = (password: string, email = `${crypto.randomUUID()}@example.com`) =>
  server.call('POST', '/api/auth/signup', {
    body: { email, password, first_name: 'Augusta', last_name: 'Lovelace' },
  })

test.each([
  'zkqvpwty',
  'ZKQVPWTY',
  '        ',
  '✓ über die Brücke',
  `${'long '.repeat(25)}on`,
  'parley is where lovelace talks',
])('%s is accepted, and signs in exactly as it was written', async (password) => {
  const { status, body } = await signUp(password)
  expect(status).toBe(201)
  const logIn = async (candidate: string) =>
    (
      await server.call('POST', '/api/auth/login', {
        body: { email: body.user.email, password: candidate },
      })
    ).status
  expect(await logIn(password)).toBe(200)
  expect(await logIn(password.slice(0, -1))).toBe(401)
  expect(await logIn(`${password} `.slice(0, 128))).toBe(401)
})

test('a session in continuous use ends after 90 days', async () => {
  const { refreshToken } = await server.signUp()
  const { sql } = server.server.services.database
  await sql`update sessions set created_at = now() - interval '89 days'`
  const refresh = (token: string) =>
    server.call('POST', '/api/auth/refresh', { body: { refresh_token: token } })
  const { body } = await refresh(refreshToken)
  const { body: sessions } = await server.call('GET', '/api/auth/sessions', { token: body.access_token })
  const daysLeft = (Date.parse(sessions.data[0].expires_at) - Date.now()) / 86_400_000
  expect(daysLeft).toBeLessThan(1.01)
  await sql`update sessions set created_at = now() - interval '91 days', expires_at = now() - interval '1 day'`
  expect((await refresh(body.refresh_token)).status).toBe(401)
})
