import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { mailTo } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { roleOf } from '#tests/support/tenants.ts'

/** Browsers store the refresh token in a cookie that scripts cannot read. Other clients get it in the body. */

let server: TestServer
let owner: Person
let port: number
beforeAll(async () => {
  port = await findFreePort()
  server = await startTestServer({ PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` })
  owner = await server.signUp()
})
afterAll(() => server.stop())

const newEmail = () => `${randomUUID()}@example.com`
const NAMES = { first_name: 'Grace', last_name: 'Hopper' }
const password = 'correct horse battery'
const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.call('POST', path, { headers, ...(body !== undefined && { body }) })
const logIn = (more: object = {}, headers: Record<string, string> = {}) =>
  post('/api/auth/login', { email: owner.email, password: owner.password, ...more }, headers)
const enter = () => logIn({ session: 'cookie' })

const linesOf = ({ headers }: Answer): string[] => headers.getSetCookie()
/** Returns the cookie as the browser sends it to /api/auth. */
const cookieOf = (answer: Answer): string =>
  linesOf(answer)
    .find((line) => line.includes('Path=/api/auth;'))
    ?.split(';')[0] ?? ''
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }
const refresh = (cookie: string, headers: Record<string, string> = OWN_PAGE) =>
  post('/api/auth/refresh', undefined, { cookie, ...headers })
const isAlive = async (token: string) => (await server.call('GET', '/api/users/me', { token })).status === 200

async function invite(path: string, body: object): Promise<string> {
  const email = newEmail()
  const role = await roleOf(server, owner, 'member')
  await server.call('POST', `${path}?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { email, ...body, ...(path.includes('users') ? { role } : { role_id: role }) },
  })
  return (await mailTo(server, email, path.includes('users') ? 'created a Parley account' : 'invited you'))
    .token
}

const SIGN_INS: Record<string, (session: object) => Promise<Answer>> = {
  signup: (session) => post('/api/auth/signup', { email: newEmail(), password, ...NAMES, ...session }),
  login: (session) => logIn(session),
  async signup_invite(session) {
    const token = await invite('/api/invitations/create', {})
    return post('/api/auth/signup_invite', { token, password, ...NAMES, ...session })
  },
  async magic_link(session) {
    const token = await invite('/api/users/invite', NAMES)
    return post('/api/auth/magic_link/accept', { token, ...session })
  },
}

describe.each(Object.keys(SIGN_INS))('%s', (name) => {
  const signIn = SIGN_INS[name] as (session: object) => Promise<Answer>

  test('with session: cookie keeps the refresh token out of the body', async () => {
    const answer = await signIn({ session: 'cookie' })
    expect([200, 201]).toContain(answer.status)
    expect(answer.text).not.toContain('rt_')
    expect(linesOf(answer)).toEqual(
      ['api', 'v1'].map((prefix) =>
        expect.stringMatching(
          `^parley_refresh_${port}=rt_[\\w-]+; Path=/${prefix}/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$`,
        ),
      ),
    )
    expect((await refresh(cookieOf(answer))).status).toBe(200)
  })

  test('without session: cookie returns the refresh token in the body and sets no cookie', async () => {
    const answer = await signIn({})
    expect(linesOf(answer)).toEqual([])
    expect((await post('/api/auth/refresh', { refresh_token: answer.body.refresh_token })).status).toBe(200)
  })
})

describe('the session cookie', () => {
  test('is accepted only from pages of this server', async () => {
    const cookie = cookieOf(await enter())
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: 'null' },
    ]) {
      const answer = await refresh(cookie, headers)
      expect([headers, answer.status, answer.body.code]).toEqual([headers, 403, 'auth.cookie_origin'])
      expect((await post('/api/auth/logout', undefined, { cookie, ...headers })).status).toBe(403)
    }
    expect((await refresh(cookie, { origin: `http://127.0.0.1:${port}` })).status).toBe(200)
    expect((await refresh(cookie)).status).toBe(200)
  })

  test('is not required of other clients: without it and without a body, the token is missing', async () => {
    for (const [path, body] of [
      ['/api/auth/refresh', undefined],
      ['/api/auth/refresh', {}],
      ['/api/auth/logout', {}],
    ] as const) {
      const answer = await post(path, body)
      expect([answer.status, answer.body.code]).toEqual([400, 'request.invalid'])
      expect(answer.body.detail).toContain('refresh_token is required')
    }
  })

  test('rotates with a grace period of ten seconds for two tabs, and reuse ends the session', async () => {
    const first = cookieOf(await enter())
    const tabs = await Promise.all([refresh(first), refresh(first)])
    for (const tab of tabs) {
      expect([tab.status, tab.body.refresh_token]).toEqual([200, undefined])
      expect(cookieOf(tab)).not.toBe(first)
      expect(await isAlive(tab.body.access_token)).toBe(true)
    }
    await server.server.services.database.sql`
      update refresh_tokens set replaced_at = replaced_at - interval '11 seconds' where replaced_at is not null`
    expect((await refresh(first)).status).toBe(401)
    expect((await refresh(cookieOf(tabs[0]))).status).toBe(401)
    expect(await isAlive(tabs[0].body.access_token)).toBe(false)
  })

  test('is cleared by signing out', async () => {
    const entered = await enter()
    const cookie = cookieOf(entered)
    const out = await post('/api/auth/logout', undefined, { cookie, ...OWN_PAGE })
    expect(out.status).toBe(200)
    expect(linesOf(out)).toEqual([
      expect.stringMatching(`^parley_refresh_${port}=; Path=/api/auth; Max-Age=0;`),
      expect.stringMatching(`^parley_refresh_${port}=; Path=/v1/auth; Max-Age=0;`),
    ])
    expect(await isAlive(entered.body.access_token)).toBe(false)
    expect((await refresh(cookie)).status).toBe(401)
    expect((await post('/api/auth/logout', undefined, OWN_PAGE)).status).toBe(200)
    expect((await refresh('')).status).toBe(401)
  })

  test('gives no other access, and is ignored if the client sends a token', async () => {
    const cookie = cookieOf(await enter())
    expect((await server.call('GET', '/api/users/me', { headers: { cookie, ...OWN_PAGE } })).status).toBe(401)
    const other = await logIn()
    const own = await post('/api/auth/refresh', { refresh_token: other.body.refresh_token }, { cookie })
    expect([own.status, linesOf(own)]).toEqual([200, []])
    expect(own.body.refresh_token).toMatch(/^rt_/)
  })

  test('works under /v1, and is set again by a repeated request', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const [once, again] = [await logIn({ session: 'cookie' }, key), await logIn({ session: 'cookie' }, key)]
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(linesOf(again)).toEqual(linesOf(once))
    const cookie = cookieOf(once)
    const answer = await post('/v1/auth/refresh', undefined, { cookie, ...OWN_PAGE })
    expect([answer.status, Object.keys(answer.body.data).sort()]).toEqual([
      200,
      ['access_token', 'expires_in', 'token_type'],
    ])
    // The same key from another browser counts as another request.
    const other = cookieOf(await enter())
    const shared = { ...OWN_PAGE, 'idempotency-key': randomUUID() }
    const [mine, theirs] = [await refresh(cookieOf(answer), shared), await refresh(other, shared)]
    expect([mine.status, theirs.headers.get('idempotent-replayed')]).toEqual([200, null])
  })
})

test('under https the cookie is Secure', async () => {
  const secure = await startTestServer({ BASE_URL: 'https://parley.example.com' })
  const { email } = await secure.signUp()
  const entered = await secure.call('POST', '/api/auth/login', {
    body: { email, password, session: 'cookie' },
  })
  expect(linesOf(entered)[0]).toMatch(
    /^__Secure-parley_refresh=rt_[\w-]+; Path=\/api\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
  )
  await secure.stop()
})
