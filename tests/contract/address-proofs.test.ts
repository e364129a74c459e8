import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { confirmAddress, mailTo } from '#tests/support/mail.ts'
import { type Authorizing, openAuthorizing } from '#tests/support/mcp/authorizing.ts'
import { OpenidBrowser } from '#tests/support/openid-browser.ts'
import { OPENID_CLIENT, type OpenidProvider, startOpenidProvider } from '#tests/support/openid-provider.ts'
import type { TestServer } from '#tests/support/server.ts'
import { roleOf } from '#tests/support/tenants.ts'

/** Tests which earlier access to an account survives each proof of its address. */

let deps: Authorizing
let server: TestServer
let provider: OpenidProvider
let owner: Person
let member: string

beforeAll(async () => {
  const port = await findFreePort()
  const baseUrl = `http://127.0.0.1:${port}`
  provider = await startOpenidProvider(`${baseUrl}/api/auth/oidc/callback`)
  deps = await openAuthorizing({
    PORT: String(port),
    BASE_URL: baseUrl,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: OPENID_CLIENT.id,
    OIDC_CLIENT_SECRET: OPENID_CLIENT.secret,
  })
  ;({ server, person: owner } = deps)
  member = await roleOf(server, owner, 'member')
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const PASSWORD = 'older horse battery'
const post = (path: string, body: unknown, token?: string): Promise<Answer> =>
  server.call('POST', path, { body, ...(token && { token }) })
const inOrganization = (path: string) => `${path}?org_id=${owner.organizationId}`
const logIn = (email: string, password: string) => post('/api/auth/login', { email, password })

type State = 'unregistered' | 'unverified' | 'verified'
/**
 * `prepare` runs before the account exists, because an existing account cannot be invited. `prove` proves the address
 * and returns the response.
 */
interface Proof {
  prepare?(email: string): Promise<unknown>
  prove(email: string, person: Older | null): Promise<Answer>
}

const PROOFS = {
  'verifying in a session': {
    async prove(email, person) {
      await post('/api/auth/resend_verification', {}, person?.token)
      const { token } = await mailTo(server, email, 'Confirm your email')
      return post('/api/auth/verify_email', { token }, person?.token)
    },
  },
  'accepting a magic link': {
    prepare: (email) =>
      post(
        inOrganization('/api/users/invite'),
        { email, first_name: 'G', last_name: 'H', role: member },
        owner.token,
      ),
    async prove(email) {
      const { token } = await mailTo(server, email, 'created a Parley account')
      return post('/api/auth/magic_link/accept', { token })
    },
  },
  'accepting an invitation': {
    prepare: (email) =>
      post(inOrganization('/api/invitations/create'), { email, role_id: member }, owner.token),
    async prove(email) {
      const { token } = await mailTo(server, email, 'invited you')
      const person = { password: PASSWORD, first_name: 'G', last_name: 'H' }
      return post('/api/auth/signup_invite', { token, ...person })
    },
  },
  'resetting the password': {
    async prove(email) {
      await post('/api/auth/forgot_password', { email })
      const { token } = await mailTo(server, email, 'Reset your password')
      return post('/api/auth/reset_password', { token, password: 'a newer password' })
    },
  },
  'signing in with an OpenID provider': {
    async prove(email) {
      provider.account = { id: randomUUID(), email, email_verified: true, given_name: 'G' }
      const browser = new OpenidBrowser()
      return browser.exchange(server.url, await browser.open(`${server.url}/api/auth/oidc/start`))
    },
  },
} satisfies Record<string, Proof>

interface Older extends Person {
  key: string
  grant: string
}

/** Signs up with an address and collects every kind of access to the account. */
async function signUpOlder(email: string): Promise<Older> {
  const body = { email, password: PASSWORD, first_name: 'Older', last_name: 'Access' }
  const { body: made } = await post('/api/auth/signup', body)
  const organizationId: string = made.user.organizations[0].id
  const token: string = made.access_token
  const person = {
    userId: made.user.id,
    email,
    password: PASSWORD,
    token,
    refreshToken: made.refresh_token,
    organizationId,
  }
  const wanted = { name: 'older', permissions: ['chats:read'], org_id: organizationId }
  const { body: key } = await post('/api/api_keys/create', wanted, token)
  const { kept } = await deps.connect('An older app', person)
  return { ...person, key: key.key, grant: kept?.access_token ?? '' }
}

async function accessOf(person: Older) {
  const me = async (token: string) => (await server.call('GET', '/api/users/me', { token })).status === 200
  const refreshed = await post('/api/auth/refresh', { refresh_token: person.refreshToken })
  return {
    session: await me(person.token),
    refresh: refreshed.status === 200,
    password: (await logIn(person.email, person.password)).status === 200,
    key: await me(person.key),
    grant: (await deps.ping(person.grant)) === 200,
  }
}

const ALL = { session: true, refresh: true, password: true, key: true, grant: true }
const NONE = { session: false, refresh: false, password: false, key: false, grant: false }
/** Only the password survives, because accepting the invitation required the password. */
const PASSWORD_ONLY = { ...NONE, password: true }

const TABLE: [keyof typeof PROOFS, State, status: number, isVerified: boolean, left: typeof ALL | null][] = [
  ['verifying in a session', 'unverified', 200, true, ALL],
  ['verifying in a session', 'verified', 410, true, ALL],
  ['accepting a magic link', 'unregistered', 200, true, null],
  ['accepting a magic link', 'unverified', 200, true, NONE],
  ['accepting a magic link', 'verified', 200, true, NONE],
  // The inviter also knows this token, so it proves nothing about the address.
  ['accepting an invitation', 'unregistered', 201, false, null],
  ['accepting an invitation', 'unverified', 201, false, PASSWORD_ONLY],
  ['accepting an invitation', 'verified', 201, true, PASSWORD_ONLY],
  ['resetting the password', 'unverified', 200, true, NONE],
  ['resetting the password', 'verified', 200, true, NONE],
  ['signing in with an OpenID provider', 'unregistered', 200, true, null],
  ['signing in with an OpenID provider', 'unverified', 200, true, NONE],
  ['signing in with an OpenID provider', 'verified', 200, true, NONE],
]

describe('earlier access to an account', () => {
  test.each(TABLE)(
    'survives %s with an address that is %s (%i) only as listed',
    async (name, state, status, isVerified, left) => {
      const email = `${randomUUID()}@example.com`
      const proof: Proof = PROOFS[name]
      await proof.prepare?.(email)
      const older = state === 'unregistered' ? null : await signUpOlder(email)
      if (older && state === 'verified') await confirmAddress(server, older)
      const answer = await proof.prove(email, older)
      expect(answer.status).toBe(status)
      const [row] = await server.server.services.database.sql<{ verified: boolean }[]>`
      select email_verified_at is not null as verified from users where email = ${email}`
      expect(row?.verified).toBe(isVerified)
      if (older) expect(await accessOf(older)).toEqual(left)
      if (older && !left?.refresh) {
        const { body } = await post('/api/auth/refresh', { refresh_token: older.refreshToken })
        expect(body.reason).toBe(name === 'resetting the password' ? 'password_changed' : 'address_proven')
      }
      const token: string | undefined = answer.body.access_token
      if (token) expect((await server.call('GET', '/api/users/me', { token })).status).toBe(200)
    },
  )
})

test('sends no password mail to an address known only from an invitation', async () => {
  const email = `${randomUUID()}@example.com`
  await PROOFS['accepting a magic link'].prepare(email)
  await mailTo(server, email, 'created a Parley account')
  expect((await post('/api/auth/forgot_password', { email })).status).toBe(200)
  const person = await server.signUp()
  await post('/api/auth/forgot_password', { email: person.email })
  await mailTo(server, person.email, 'Reset your password')
  const tokens = await server.server.services.database.sql`
    select from one_time_tokens t join users u on u.id = t.user_id where u.email = ${email}`
  expect(tokens.count).toBe(0)
})

test('the deleted keys are in the audit log of their organization, with their owner as the actor', async () => {
  const older = await signUpOlder(`${randomUUID()}@example.com`)
  await PROOFS['resetting the password'].prove(older.email)
  const { body } = await logIn(older.email, 'a newer password')
  const audit = await server.call('GET', `/api/audit/list?org_id=${older.organizationId}&limit=100`, {
    token: body.access_token,
  })
  const deleted = audit.body.data.filter(({ action }: { action: string }) => action === 'api_key.deleted')
  expect(deleted).toHaveLength(2)
  expect(deleted[0].actor_id ?? deleted[0].actor?.id).toBe(older.userId)
})
