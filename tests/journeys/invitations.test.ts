import { randomUUID } from 'node:crypto'
import type { PendingQuery, Row } from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { type Inviting, startInviting } from '#tests/support/inviting.ts'
import { mailTo } from '#tests/support/mail.ts'
import { addMemberWithRole, roleOf } from '#tests/support/tenants.ts'

let admin: string
let { server, mailServer, owner, org, member, asOwner, stop } = {} as Inviting
beforeAll(async () => {
  ;({ server, mailServer, owner, org, member, asOwner, stop } = await startInviting())
  admin = await roleOf(server, owner, 'admin')
})
afterAll(() => stop())

const sql = () => server.server.services.database.sql
const becomes = ({ userId }: Person, change: PendingQuery<Row[]>) =>
  sql()`update memberships set ${change} where organization_id = ${owner.organizationId} and user_id = ${userId}`
const newEmail = () => `${randomUUID()}@example.com`
const invite = async (email = newEmail(), roleId = member) =>
  asOwner('POST', `/api/invitations/create?${org}`, { email, role_id: roleId, message: 'Come & see <us>' })
const accept = (token: string, password = 'correct horse') =>
  server.call('POST', '/api/auth/signup_invite', {
    body: { token, password, first_name: 'Grace', last_name: 'Hopper' },
  })
const statusOf = async (id: string) =>
  (await asOwner('GET', `/api/invitations/get?invitation_id=${id}`)).body.status
const age = (id: string) =>
  server.server.services.database
    .sql`update invitations set expires_at = now() - interval '1 second' where id = ${id}`

describe('an invitation', () => {
  test('is mailed, and its link works from the mail to the membership', async () => {
    const { status, body } = await invite()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'pending',
      role: { name: 'member' },
      organization: { id: owner.organizationId },
    })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * 86_400_000)

    const mail = await mailTo(mailServer, body.email, 'invited you')
    expect(mail.token).toBe(body.token)
    expect(mail.text).toContain(`https://console.example.com/invite?token=${body.token}`)
    expect(mail.html).toContain('Come &amp; see &lt;us&gt;')

    const valid = await server.call('GET', `/api/invitations/validate?token=${mail.token}`)
    expect(valid.body).toMatchObject({
      valid: true,
      email: body.email,
      role: { name: 'member' },
      inviter: 'Ada Lovelace',
      message: 'Come & see <us>',
      account: 'none',
    })
    const joined = await accept(mail.token)
    expect(joined.status).toBe(201)
    expect(joined.body.user).toMatchObject({ email: body.email, email_verified: false })
    expect(joined.body.user.organizations.map((one: { role_name: string }) => one.role_name).sort()).toEqual([
      'member',
      'owner',
    ])
    const chats = await server.call('GET', `/api/chat/list?${org}`, { token: joined.body.access_token })
    expect(chats.status).toBe(200)
    expect(await statusOf(body.id)).toBe('accepted')
    const again = await accept(mail.token)
    expect([again.status, again.body.detail]).toEqual([
      410,
      'This invitation is accepted. Ask an administrator of the organization for a new one.',
    ])
  })

  test.each<[change: string, roleId: () => string, make: (sender: Person) => PromiseLike<unknown>]>([
    ['was removed', () => member, (sender) => becomes(sender, sql()`status = 'deleted', role_id = null`)],
    ['is suspended', () => member, (sender) => becomes(sender, sql()`status = 'suspended'`)],
    ['is a member now', () => member, (sender) => becomes(sender, sql()`role_id = ${member}`)],
    [
      'has a role below that of the invitation',
      () => admin,
      (sender) => becomes(sender, sql()`role_id = ${admin}`),
    ],
  ])('is not accepted when its sender %s, until another person sends it', async (_change, roleId, change) => {
    const sender = await server.signUp()
    await addMemberWithRole(sql(), owner.organizationId, sender.userId, 'owner')
    const { body } = await server.call('POST', `/api/invitations/create?${org}`, {
      token: sender.token,
      body: { email: newEmail(), role_id: roleId() },
    })
    const shown = () => server.call('GET', `/api/invitations/validate?token=${body.token}`)
    expect((await shown()).status).toBe(200)
    await change(sender)
    for (const refused of [await shown(), await accept(body.token)])
      expect([refused.status, refused.body.code]).toEqual([410, 'invitation.sender_gone'])
    expect(await statusOf(body.id)).toBe('pending')
    const resent = await asOwner('POST', `/api/invitations/resend?invitation_id=${body.id}`)
    expect(resent.status).toBe(200)
    expect((await accept(resent.body.token)).status).toBe(201)
  })

  test('is accepted once by 100 concurrent requests', async () => {
    const { body } = await invite()
    const answers = await Promise.all(Array.from({ length: 100 }, () => accept(body.token)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    // All other requests get 410, and those that find the account of the first one don't count as attempts to sign in.
    expect(answers.filter(({ status }) => ![201, 410].includes(status))).toEqual([])
    const members = await server.server.services.database.sql`
      select from memberships m join users u on u.id = m.user_id
      where u.email = ${body.email} and m.organization_id = ${owner.organizationId}`
    expect(members.count).toBe(1)
  })

  test('can be accepted by an account created since, only with its password', async () => {
    const person = { email: newEmail(), password: 'correct horse', first_name: 'A', last_name: 'B' }
    const { body } = await invite(person.email)
    await server.call('POST', '/api/auth/signup', { body: person })
    expect((await accept(body.token, 'wrong horse')).status).toBe(401)
    expect(await statusOf(body.id)).toBe('pending')
    expect((await accept(body.token)).status).toBe(201)
  })

  test('to a deleted role is refused and stays pending', async () => {
    const role = await asOwner('POST', `/api/roles/create?${org}`, {
      name: randomUUID(),
      hierarchy_level: 5,
      permission_ids: [],
    })
    const { body } = await invite(newEmail(), role.body.id)
    expect((await asOwner('DELETE', `/api/roles/remove?${org}&role_id=${role.body.id}`)).status).toBe(200)
    const answer = await accept(body.token)
    expect([answer.status, answer.body.code]).toEqual([410, 'invitation.role_gone'])
    expect((await server.call('GET', `/api/invitations/validate?token=${body.token}`)).status).toBe(410)
    expect(await statusOf(body.id)).toBe('pending')
  })

  test('is refused for an address with an account, a membership or another invitation', async () => {
    const stranger = await server.signUp()
    expect((await invite(stranger.email)).body.code).toBe('user.exists')
    expect((await invite(owner.email)).body.code).toBe('user.is_member')
    const email = newEmail()
    const both = await Promise.all([invite(email), invite(email.toUpperCase())])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test("cannot grant the owner role or another organization's role", async () => {
    expect((await invite(newEmail(), await roleOf(server, owner, 'owner'))).status).toBe(403)
    const stranger = await server.signUp()
    const answer = await invite(newEmail(), await roleOf(server, stranger, 'member'))
    expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining('Role not found')])
  })

  test('a mail that the server refuses temporarily is sent again', async () => {
    mailServer.refuse = 1
    const { body } = await invite()
    const { sql } = server.server.services.database
    // The first retry waits 20 s: bring it forward.
    const sooner = setInterval(
      () => sql`update jobs.job set start_after = now() where state = 'retry'`.catch(() => {}),
      200,
    )
    const mail = await mailTo(mailServer, body.email, 'invited you')
    clearInterval(sooner)
    expect(mail.token).toBe(body.token)
    const jobs = await sql`select data from jobs.job where name = 'mail'`
    expect(JSON.stringify(jobs)).not.toContain(body.token)
  })
})

/** Spec, Invitation status: the response and effect of each action in each state. */
describe('the states of an invitation', () => {
  const states = {
    pending: async () => (await invite()).body,
    expired: async () => {
      const { body } = await invite()
      await age(body.id)
      return body
    },
    revoked: async () => {
      const { body } = await invite()
      await asOwner('DELETE', `/api/invitations/revoke?invitation_id=${body.id}`)
      return body
    },
    accepted: async () => {
      const { body } = await invite()
      await accept(body.token)
      return body
    },
  }
  type Made = { id: string; token: string }
  const acts = {
    resend: ({ id }: Made) => asOwner('POST', `/api/invitations/resend?invitation_id=${id}`),
    revoke: ({ id }: Made) => asOwner('DELETE', `/api/invitations/revoke?invitation_id=${id}`),
    accept: ({ token }: Made) => accept(token),
    validate: ({ token }: Made) => server.call('GET', `/api/invitations/validate?token=${token}`),
  }

  test.each([
    ['pending', 'resend', 200, 'pending'],
    ['pending', 'revoke', 200, 'revoked'],
    ['pending', 'accept', 201, 'accepted'],
    ['pending', 'validate', 200, 'pending'],
    ['expired', 'resend', 200, 'pending'],
    ['expired', 'revoke', 400, 'expired'],
    ['expired', 'accept', 410, 'expired'],
    ['expired', 'validate', 410, 'expired'],
    ['revoked', 'resend', 400, 'revoked'],
    ['revoked', 'revoke', 400, 'revoked'],
    ['revoked', 'accept', 410, 'revoked'],
    ['revoked', 'validate', 410, 'revoked'],
    ['accepted', 'resend', 400, 'accepted'],
    ['accepted', 'revoke', 400, 'accepted'],
    ['accepted', 'accept', 410, 'accepted'],
    ['accepted', 'validate', 410, 'accepted'],
  ] as const)('%s, %s: %i, then %s', async (state, act, status, after) => {
    const made = await states[state]()
    expect((await acts[act](made)).status).toBe(status)
    expect(await statusOf(made.id)).toBe(after)
  })

  test('resending creates a new link for seven days and invalidates the old one', async () => {
    const { body } = await invite()
    await age(body.id)
    const again = (await acts.resend(body)).body
    expect(again.token).not.toBe(body.token)
    expect(Date.parse(again.expires_at)).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
    expect((await accept(body.token)).status).toBe(404)
    expect((await accept(again.token)).status).toBe(201)
  })

  test('an email whose invitation has expired can be invited again', async () => {
    const { body } = await invite()
    await age(body.id)
    expect((await invite(body.email)).status).toBe(201)
    expect((await acts.resend(body)).body.code).toBe('invitation.exists')
  })

  test('the list can be filtered by status', async () => {
    const made = {
      expired: await states.expired(),
      revoked: await states.revoked(),
      pending: await states.pending(),
    }
    for (const [status, { id }] of Object.entries(made)) {
      const { body } = await asOwner('GET', `/api/invitations/list?${org}&status=${status}&limit=100`)
      expect(body.data.map((one: { id: string }) => one.id)).toContain(id)
      expect(new Set(body.data.map((one: { status: string }) => one.status))).toEqual(new Set([status]))
      expect(JSON.stringify(body)).not.toContain('token')
    }
  })
})

test('the invitations of a bulk request have separate results', async () => {
  const [good, owned] = [newEmail(), newEmail()]
  const { status, body } = await asOwner('POST', `/api/invitations/bulk_create?${org}`, {
    invitations: [
      { email: good, role_id: member },
      { email: owner.email, role_id: member },
      { email: good, role_id: member },
      { email: newEmail(), role_id: randomUUID() },
      { email: owned, role_id: await roleOf(server, owner, 'owner') },
    ],
    message: 'All of you',
  })
  expect(status).toBe(201)
  expect(body.data.map((one: { status: string; detail?: string }) => [one.status, one.detail])).toEqual([
    ['created', undefined],
    ['error', 'This user is already a member of the organization. Change their role instead.'],
    ['error', 'This email address already has a pending invitation. Resend or revoke it.'],
    ['error', expect.stringContaining('Role not found')],
    ['error', "The 'owner' role cannot be assigned to users"],
  ])
  expect(body.data.map((one: { code?: string }) => one.code)).toEqual([
    undefined,
    'user.is_member',
    'invitation.exists',
    'role.not_found',
    'user.owner_role',
  ])
  expect(body.data[0].invitation).toMatchObject({ email: good, message: 'All of you' })
  expect((await mailTo(mailServer, good, 'invited you')).token).toBe(body.data[0].invitation.token)
  expect(mailServer.received.filter(({ to }) => to === owned)).toEqual([])
})
