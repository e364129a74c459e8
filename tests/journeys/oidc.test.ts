import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findFreePort } from '#tests/support/free-port.ts'
import { OpenidBrowser } from '#tests/support/openid-browser.ts'
import {
  OPENID_CLIENT,
  type OpenidAccount,
  type OpenidProvider,
  startOpenidProvider,
} from '#tests/support/openid-provider.ts'
import { sharedTestServer, startTestServer, type TestServer } from '#tests/support/server.ts'

const CONSOLE = 'https://console.example.com'

let server: TestServer
let provider: OpenidProvider
let environment: Record<string, string>

beforeAll(async () => {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  provider = await startOpenidProvider(`${baseUrl}/api/auth/oidc/callback`)
  environment = {
    BASE_URL: baseUrl,
    FRONTEND_URL: CONSOLE,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OPENID_CLIENT.id,
    OIDC_CLIENT_SECRET: OPENID_CLIENT.secret,
  }
  server = await startTestServer({ ...environment, PORT: String(port) })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const newAccount = (change: Partial<OpenidAccount> = {}): OpenidAccount => ({
  id: randomUUID(),
  email: `${randomUUID()}@example.com`,
  email_verified: true,
  given_name: 'Grace',
  family_name: 'Hopper',
  ...change,
})
const signIn = async (account: OpenidAccount, browser = new OpenidBrowser()): Promise<URL> => {
  provider.account = account
  return browser.open(`${server.url}/api/auth/oidc/start`)
}
/** Signs in, from the start to the tokens. */
const enter = async (account: OpenidAccount) => {
  const browser = new OpenidBrowser()
  return browser.exchange(server.url, await signIn(account, browser))
}

describe('signing in with an OpenID provider', () => {
  test('creates an account the first time, and finds it the next time', async () => {
    const account = newAccount()
    const first = await enter(account)
    expect(first.status).toBe(200)
    expect(first.body.user).toMatchObject({
      email: account.email,
      full_name: 'Grace Hopper',
      email_verified: true,
    })
    expect(first.body.user.organizations).toHaveLength(1)
    expect((await server.call('GET', '/api/users/me', { token: first.body.access_token })).status).toBe(200)
    // The provider's subject identifies the user, not the current email address.
    const again = await enter({ ...account, email: 'new@example.com' })
    expect(again.body.user.id).toBe(first.body.user.id)
    const password = { email: account.email, password: '' }
    expect(
      (await server.call('POST', '/api/auth/login', { body: { ...password, password: 'x' } })).status,
    ).toBe(401)
  })

  test('the code is valid once, and expires', async () => {
    const browser = new OpenidBrowser()
    const url = await signIn(newAccount(), browser)
    expect(url.pathname).toBe('/oidc')
    expect((await browser.exchange(server.url, url)).status).toBe(200)
    expect((await browser.exchange(server.url, url)).status).toBe(410)
    const late = await signIn(newAccount(), browser)
    await server.server.services.database
      .sql`update one_time_tokens set expires_at = now() where purpose = 'oidc_sign_in'`
    expect((await browser.exchange(server.url, late)).status).toBe(410)
  })

  test('the code signs in only the browser that started (login CSRF)', async () => {
    const attacker = new OpenidBrowser()
    const url = await signIn(newAccount(), attacker)
    const stranger = await new OpenidBrowser().exchange(server.url, url)
    expect([stranger.status, stranger.body.code]).toEqual([410, 'auth.link_gone'])
    const victim = new OpenidBrowser()
    await signIn(newAccount(), victim)
    expect((await victim.exchange(server.url, url)).status).toBe(410)
    expect((await attacker.exchange(server.url, url)).status).toBe(200)
  })

  test('links to the account with the same email if the provider has verified it', async () => {
    const person = await server.signUp()
    const errorOf = async (account: OpenidAccount) => (await signIn(account)).searchParams.get('error')
    const theirs = newAccount({ email: person.email.toUpperCase() })
    expect(await errorOf({ ...theirs, email_verified: false })).toContain('has not verified')
    const { email: _, ...nameless } = theirs
    expect(await errorOf(nameless)).toContain('has not verified')
    const linked = await enter(theirs)
    expect(linked.body.user).toMatchObject({ id: person.userId, email_verified: true })
  })

  test('cannot be completed in another browser, twice, or with an unknown state', async () => {
    provider.account = newAccount()
    const begun = await fetch(`${server.url}/api/auth/oidc/start`, { redirect: 'manual' })
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const cookie = begun.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^parley_oidc=br_[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    const end = (given: string, headers: Record<string, string> = {}) =>
      server.call('GET', `/api/auth/oidc/callback?code=x&state=${given}`, { headers })
    expect((await end(state)).status).toBe(400)
    expect((await end(state, { cookie: 'parley_oidc=br_another' })).status).toBe(400)
    expect((await end('st_never')).status).toBe(400)
    const own = { cookie: cookie.split(';')[0] ?? '' }
    const failed = await end(state, own)
    expect([failed.status, failed.headers.get('location')]).toEqual([
      302,
      expect.stringContaining('/oidc?error='),
    ])
    expect((await end(state, own)).status).toBe(400)
  })

  test('a refusal at the provider is returned as an error', async () => {
    const begun = await fetch(`${server.url}/api/auth/oidc/start`, { redirect: 'manual' })
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state')
    const answer = await server.call('GET', `/api/auth/oidc/callback?error=access_denied&state=${state}`, {
      headers: { cookie: begun.headers.get('set-cookie')?.split(';')[0] ?? '' },
    })
    expect(answer.headers.get('location')).toContain('/oidc?error=')
  })
})

test('under https the cookie is bound to this host', async () => {
  const secure = await startTestServer({ ...environment, BASE_URL: 'https://parley.example.com' })
  const begun = await secure.call('GET', '/api/auth/oidc/start')
  expect(begun.headers.get('set-cookie')).toMatch(
    /^__Host-parley_oidc=br_[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  await secure.stop()
})

test('creates no account if sign-up requires an invitation', async () => {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const other = await startOpenidProvider(`${baseUrl}/api/auth/oidc/callback`)
  other.account = newAccount()
  const closed = await startTestServer({
    ...environment,
    PORT: String(port),
    BASE_URL: baseUrl,
    OIDC_ISSUER: other.issuer,
    SIGNUP: 'invite',
  })
  const methods = await closed.call('GET', '/api/auth/methods')
  expect(methods.body).toEqual({ signup: 'invite', oidc: true, email: false })
  const url = await new OpenidBrowser().open(`${baseUrl}/api/auth/oidc/start`)
  expect(url.searchParams.get('error')).toContain('by invitation only')
  await closed.stop()
  await other.close()
})

test('is unavailable without a provider, and reports an unreachable one', async () => {
  const without = await sharedTestServer()
  const methods = await without.call('GET', '/api/auth/methods')
  expect(methods.body).toEqual({ signup: 'open', oidc: false, email: false })
  expect((await without.call('GET', '/api/auth/oidc/start')).status).toBe(404)
  await without.stop()
  const away = await startTestServer({
    ...environment,
    OIDC_ISSUER: `http://127.0.0.1:${await findFreePort()}`,
  })
  expect((await away.call('GET', '/api/auth/oidc/start')).status).toBe(503)
  await away.stop()
})
