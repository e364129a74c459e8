import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import {
  type App,
  addApp,
  addPasskey,
  answerChallenge,
  answerWithCode,
  logIn,
  signUpVerified,
} from '#tests/support/factors.ts'
import { type Inviting, startInviting } from '#tests/support/inviting.ts'
import { mailTo } from '#tests/support/mail.ts'
import { readZip } from '#tests/support/read-zip.ts'

/* All ways to sign in other than the password also require the factor. */

let inviting: Inviting
let person: Person
let app: App

beforeAll(async () => {
  inviting = await startInviting()
  person = await signUpVerified(inviting.server)
  ;({ app } = await addApp(inviting.server, person))
})
afterAll(() => inviting.stop())

const finish = (challenge: string) => answerWithCode(inviting.server, person, app, challenge)

/**
 * Invites a person, who then signs up and adds a second factor. The invitation comes first, because only unknown
 * addresses can be invited.
 */
async function inviteAndAddApp(
  path: string,
  invitation: object,
): Promise<{ ada: Person; app: App; token: string }> {
  const { server, mailServer, asOwner, org } = inviting
  const email = `${randomUUID()}@example.com`
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  const invited = await asOwner('POST', `${path}?${org}`, { email, ...invitation })
  const token = invited.body.token ?? (await mailTo(mailServer, email, 'created a Parley account')).token
  const password = 'correct horse battery'
  const { body } = await server.call('POST', '/api/auth/signup', { body: { email, password, ...names } })
  await server.server.services.database
    .sql`update users set email_verified_at = now() where id = ${body.user.id}`
  const ada: Person = { ...person, userId: body.user.id, email, password, token: body.access_token }
  return { ada, token, app: (await addApp(server, ada)).app }
}

test('resetting the password keeps the factor', async () => {
  const { server, mailServer } = inviting
  await server.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
  const { token } = await mailTo(mailServer, person.email, 'Reset your password')
  person.password = `new ${randomUUID()}`
  const reset = await server.call('POST', '/api/auth/reset_password', {
    body: { token, password: person.password },
  })
  expect(reset.status).toBe(200)
  const asked = await logIn(server, person)
  expect(asked.body.code).toBe('auth.second_factor_needed')
  const { access_token } = (await finish(asked.body.challenge)).body
  expect(access_token).toEqual(expect.any(String))
  person.token = access_token
})

test('resetting the password between the two steps ends the sign-in', async () => {
  const { server, mailServer } = inviting
  const { challenge } = (await logIn(server, person)).body
  const before = mailServer.received.length
  await server.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
  await expect.poll(() => mailServer.received.length).toBeGreaterThan(before)
  const { token } = await mailTo(mailServer, person.email, 'Reset your password')
  person.password = `newer ${randomUUID()}`
  await server.call('POST', '/api/auth/reset_password', { body: { token, password: person.password } })
  expect((await finish(challenge)).body.code).toBe('auth.challenge_gone')
  person.token = (await finish((await logIn(server, person)).body.challenge)).body.access_token
})

describe('an invitation', () => {
  const isMember = async ({ email }: Person) => {
    const { body } = await inviting.asOwner('GET', `/api/users/list?${inviting.org}&limit=100`)
    return body.users.some(
      (user: Person & { status: string }) => user.email === email && user.status === 'active',
    )
  }

  test('requires password and factor to accept', async () => {
    const { server, member } = inviting
    const { ada, app, token } = await inviteAndAddApp('/api/invitations/create', { role_id: member })
    const join = { token, password: ada.password, first_name: 'Ada', last_name: 'L' }
    const asked = await server.call('POST', '/api/auth/signup_invite', { body: join })
    expect(asked.status).toBe(401)
    expect(asked.body).toMatchObject({
      code: 'auth.second_factor_needed',
      methods: ['totp', 'recovery_code'],
    })
    expect(asked.body.access_token).toBeUndefined()
    expect(await isMember(ada)).toBe(false)
    const done = await answerWithCode(server, ada, app, asked.body.challenge)
    expect(done.status).toBe(200)
    expect(await isMember(ada)).toBe(true)
    expect((await server.call('POST', '/api/auth/signup_invite', { body: join })).status).toBe(410)
  })

  test('by magic link requires the factor', async () => {
    const { server, member } = inviting
    const names = { first_name: 'Ada', last_name: 'Lovelace' }
    const { ada, app, token } = await inviteAndAddApp('/api/users/invite', { role: member, ...names })
    const accept = (body: object) => server.call('POST', '/api/auth/magic_link/accept', { body })
    const asked = await accept({ token, password: 'another password' })
    expect(asked.body.code).toBe('auth.second_factor_needed')
    expect((await answerChallenge(server, asked.body.challenge, { code: app.wrongCode() })).status).toBe(401)
    expect(await isMember(ada)).toBe(false)
    const done = await answerWithCode(server, ada, app, asked.body.challenge)
    expect(done.status).toBe(200)
    expect(await isMember(ada)).toBe(true)
    expect((await accept({ token })).status).toBe(410)
    // Accepting has proved the address: older access has ended, but the factor remains.
    expect((await server.call('GET', '/api/users/me', { token: ada.token })).status).toBe(401)
    expect((await logIn(server, ada)).body.code).toBe('auth.invalid_credentials')
    const again = await logIn(server, { ...ada, password: 'another password' })
    expect(again.body.code).toBe('auth.second_factor_needed')
  })

  test('without a magic link issues no challenge without the password', async () => {
    const { token } = await inviteAndAddApp('/api/invitations/create', { role_id: inviting.member })
    const answer = await inviting.server.call('POST', '/api/auth/magic_link/accept', { body: { token } })
    expect(answer.status).toBe(404)
  })
})

test('sessions from before the factor continue', async () => {
  const { server } = inviting
  const ada = await signUpVerified(server)
  const other = (await logIn(server, ada)).body
  await addPasskey(server, ada)
  expect((await server.call('GET', '/api/users/me', { token: other.access_token })).status).toBe(200)
  const refreshed = await server.call('POST', '/api/auth/refresh', {
    body: { refresh_token: other.refresh_token },
  })
  expect(refreshed.status).toBe(200)
})

test('API keys require no factor', async () => {
  const { server } = inviting
  const { key } = (
    await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'k', permissions: ['chats:read'] },
    })
  ).body
  const listed = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}`, {
    headers: { 'x-api-key': key },
  })
  expect(listed.status).toBe(200)
})

test('an export lists the factors without secrets; deleting the account deletes them', async () => {
  const { server } = inviting
  const ada = await signUpVerified(server)
  await addPasskey(server, ada)
  await addApp(server, ada)
  const response = await fetch(`${server.url}/api/users/me/export`, {
    headers: { authorization: `Bearer ${ada.token}` },
  })
  const entries = await readZip(Buffer.from(await response.arrayBuffer()))
  const manifest = JSON.parse(entries.get('manifest.json')?.toString() ?? '')
  expect(manifest.user.second_factors).toEqual([
    { type: 'passkey', name: 'Laptop', created_at: expect.any(String), last_used_at: null },
    {
      type: 'totp',
      name: 'Authenticator app',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
    },
  ])
  await server.call('DELETE', '/api/users/me', { token: ada.token, body: { current_password: ada.password } })
  const { sql } = server.server.services.database
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'auth_challenges'])
    expect((await sql`select from ${sql(table)} where user_id = ${ada.userId}`).count).toBe(0)
})
