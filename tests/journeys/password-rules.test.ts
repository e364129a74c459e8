import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mailTo } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Passwords that people may choose (ASVS 6.2): of any composition, but none that attackers try first. */

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const signUp = (password: string, email = `${crypto.randomUUID()}@example.com`) =>
  server.call('POST', '/api/auth/signup', {
    body: { email, password, first_name: 'Augusta', last_name: 'Lovelace' },
  })

describe('at sign-up', () => {
  test.each(['password', 'PassWord1', 'qwertyuiop', '1234567890', 'iloveyou', 'trustno1', 'abcd1234'])(
    '%s is refused, since it was leaked often',
    async (password) => {
      const { status, body } = await signUp(password)
      expect([status, body.code]).toEqual([400, 'auth.password_common'])
    },
  )

  test.each(['parley2026', 'Parley-Parley-1!', 'lovelace1815', 'augusta.lovelace', 'ada.bytes!'])(
    '%s is refused, since it says who or what it is for',
    async (password) => {
      const { status, body } = await signUp(password, `ada.bytes+${password.length}@example.com`)
      expect([status, body.code]).toEqual([400, 'auth.password_personal'])
    },
  )

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
})

test('a change and a reset refuse them, too', async () => {
  const person = await server.signUp()
  const changed = await server.call('PUT', '/api/users/me', {
    token: person.token,
    body: { password: 'password1', current_password: person.password },
  })
  expect([changed.status, changed.body.code]).toEqual([400, 'auth.password_common'])
  await server.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
  const { token } = await mailTo(server, person.email, 'password')
  const reset = (password: string) =>
    server.call('POST', '/api/auth/reset_password', { body: { token, password } })
  const refused = await reset('parley123')
  expect([refused.status, refused.body.code]).toEqual([400, 'auth.password_personal'])
  expect((await reset('a new horse battery')).status).toBe(200)
})

test('a session that is used all the time ends after 90 days', async () => {
  const { refreshToken } = await server.signUp()
  const { sql } = server.server.rooms.database
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
