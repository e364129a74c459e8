import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { confirmAddress, type MailServer, mailTo, startMailServer } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, roleOf } from '#tests/support/tenants.ts'

/**
 * Invitations are mail to strangers: the caps per day (docs/limits.md), and the text that an unverified sender may
 * include.
 */

let server: TestServer
let mails: MailServer
let owner: Person
let role_id: string
beforeAll(async () => {
  mails = await startMailServer()
  server = await startTestServer({ SMTP_URL: mails.url, MAIL_FROM: 'Parley <parley@example.com>' })
})
afterAll(async () => {
  await server.stop()
  await mails.close()
})
beforeEach(async () => {
  owner = await server.signUp()
  role_id = await roleOf(server, owner, 'member')
})

/** Adds a second admin to the owner's organization. */
async function addAdmin(): Promise<Person> {
  const admin = await server.signUp()
  await addMemberWithRole(server.server.services.database.sql, owner.organizationId, admin.userId, 'admin')
  return admin
}
const newEmail = () => `${randomUUID()}@example.com`
const ask = (path: string, body: unknown, person = owner) =>
  server.call('POST', `${path}${path.includes('?') ? '&' : '?'}org_id=${owner.organizationId}`, {
    token: person.token,
    body,
  })
const invite = (person = owner, message?: string) =>
  ask('/api/invitations/create', { email: newEmail(), role_id, ...(message && { message }) }, person)
const bulkInvite = async (count: number, person = owner): Promise<{ status: string; detail?: string }[]> => {
  const invitations = Array.from({ length: count }, () => ({ email: newEmail(), role_id }))
  return (await ask('/api/invitations/bulk_create', { invitations }, person)).body.data
}
/** Adds `count` to the invitations of everyone who has sent some today. */
const haveSentMore = (count: number) =>
  server.server.services.database.sql`update invitation_days set sent = sent + ${count}`
const count = (results: { status: string }[], status: string) =>
  results.filter((one) => one.status === status).length

describe('an unverified sender', () => {
  test('has invitations mailed without their message', async () => {
    const text = 'Win a prize at spam.example'
    const { status, body } = await invite(owner, text)
    expect([status, body.message, body.message_left_out]).toEqual([201, null, true])
    const first = await mailTo(mails, body.email, 'invited you')
    expect([first.text, first.html].join()).not.toContain('spam.example')
    expect((await server.call('GET', `/api/invitations/validate?token=${body.token}`)).body.message).toBe(
      null,
    )
    await confirmAddress(server, owner, mails)
    expect((await invite(owner)).body.message_left_out).toBe(false)
    expect((await invite(owner, 'Welcome')).body).toMatchObject({
      message: 'Welcome',
      message_left_out: false,
      email_sent: true,
    })
  })

  test("resends a verified colleague's invitation without its message", async () => {
    await confirmAddress(server, owner, mails)
    const admin = await addAdmin()
    const { body } = await invite(owner, 'Quoted once')
    expect((await mailTo(mails, body.email, 'invited you')).text).toContain('Quoted once')
    mails.received = mails.received.filter(({ to }) => to !== body.email)
    const resent = await server.call('POST', `/api/invitations/resend?invitation_id=${body.id}`, {
      token: admin.token,
    })
    expect([resent.status, resent.body.message_left_out]).toEqual([200, true])
    expect((await mailTo(mails, body.email, 'invited you')).text).not.toContain('Quoted once')
  })

  test('sends 10 invitations per day, in bulk or one by one', async () => {
    const results = await bulkInvite(12)
    expect([count(results, 'created'), count(results, 'error')]).toEqual([10, 2])
    expect(results.at(-1)?.detail).toContain('10 invitations per day until you confirm')
    const one = await invite()
    expect([one.status, one.body.code]).toEqual([429, 'invitation.unverified_cap'])
    expect(Number(one.headers.get('retry-after'))).toBeGreaterThan(0)
    const user = { email: newEmail(), first_name: 'Grace', last_name: 'Hopper', role: role_id }
    expect((await ask('/api/users/invite', user)).status).toBe(429)
    await confirmAddress(server, owner, mails)
    expect((await invite()).status).toBe(201)
  })
})

describe('a verified sender', () => {
  beforeEach(() => confirmAddress(server, owner, mails))

  test('sends 100 invitations per day, and resends count', async () => {
    const { body } = await invite()
    expect(count(await bulkInvite(98), 'created')).toBe(98)
    const resend = () =>
      server.call('POST', `/api/invitations/resend?invitation_id=${body.id}`, { token: owner.token })
    expect((await resend()).status).toBe(200)
    const over = await resend()
    expect([over.status, over.body.code]).toEqual([429, 'invitation.sender_cap'])
    expect((await invite()).status).toBe(429)
  })

  test('shares a limit of 200 per day with the organization; refused invitations do not count', async () => {
    const [second, third] = [await addAdmin(), await addAdmin()]
    for (const admin of [second, third]) await confirmAddress(server, admin, mails)
    expect((await ask('/api/invitations/create', { email: owner.email, role_id })).status).toBe(409)
    expect(count(await bulkInvite(9), 'created')).toBe(9)
    await haveSentMore(90)
    expect(count(await bulkInvite(10, second), 'created')).toBe(10)
    await haveSentMore(90)
    const results = await bulkInvite(2, third)
    expect(results.map(({ status }) => status)).toEqual(['created', 'error'])
    expect(results[1]?.detail).toContain('organization can send at most 200 invitations per day')
  })

  test('gets a new limit on the next day', async () => {
    await bulkInvite(10)
    await haveSentMore(90)
    expect((await invite()).status).toBe(429)
    await server.server.services.database.sql`update invitation_days set day = day - 1`
    expect((await invite()).status).toBe(201)
  })
})

test('bulk_create reports a malformed address like any other failed item', async () => {
  const email = newEmail()
  const invitations = ['no address', 'x'.repeat(300), email].map((one) => ({ email: one, role_id }))
  const { status, body } = await ask('/api/invitations/bulk_create', { invitations })
  expect(status).toBe(201)
  expect(body.data).toMatchObject([
    {
      email: 'no address',
      status: 'error',
      detail: '`no address` is not a valid email address. Enter an address such as name@example.com.',
      code: 'invitation.email',
      values: { email: 'no address' },
    },
    {
      status: 'error',
      detail: `\`${'x'.repeat(100)}\` is not a valid email address. Enter an address such as name@example.com.`,
    },
    { email, status: 'created' },
  ])
})

test('the response of a role change includes the time of the invitation', async () => {
  const { body } = await invite()
  const joined = await server.call('POST', '/api/auth/signup_invite', {
    body: { token: body.token, password: 'correct horse', first_name: 'Grace', last_name: 'Hopper' },
  })
  const update = (user_id: string, role: string) =>
    server.call('PUT', `/api/users/update?org_id=${owner.organizationId}&user_id=${user_id}`, {
      token: owner.token,
      body: { role_id: role },
    })
  const changed = await update(joined.body.user.id, await roleOf(server, owner, 'guest'))
  expect(changed.body).toMatchObject({ invite_id: null, invited_at: body.created_at })
  const added = await server.signUp()
  const member = { organization_id: owner.organizationId, user_id: added.userId, role_id }
  expect(
    (await server.call('POST', '/api/org/add_member', { token: owner.token, body: member })).status,
  ).toBe(201)
  const other = await update(added.userId, await roleOf(server, owner, 'guest'))
  expect(other.body).toMatchObject({ invite_id: null, invited_at: null })
})
