import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Inviting, startInviting } from '#tests/support/inviting.ts'
import { mailTo } from '#tests/support/mail.ts'

let { server, mailServer, org, member, asOwner, stop } = {} as Inviting
beforeAll(async () => {
  ;({ server, mailServer, org, member, asOwner, stop } = await startInviting())
})
afterAll(() => stop())

const newEmail = () => `${randomUUID()}@example.com`
describe('an account created by /api/users/invite', () => {
  const inviteUser = async (email = newEmail()) =>
    asOwner('POST', `/api/users/invite?${org}`, {
      email,
      first_name: 'Grace',
      last_name: 'Hopper',
      role: member,
    })
  const open = (token: string, password?: string) =>
    server.call('POST', '/api/auth/magic_link/accept', { body: { token, ...(password && { password }) } })

  test('is opened by the mailed link, once, and the inviter never sees the link', async () => {
    const { status, body, text } = await inviteUser()
    expect([status, body.full_name, body.organizations[0].role_name]).toEqual([201, 'Grace Hopper', 'member'])
    expect(text).not.toContain('token')
    const { token } = await mailTo(mailServer, body.email, 'created a Parley account')
    const listed = await asOwner('GET', `/api/users/list?${org}&q=${body.email}`)
    expect(listed.body.users).toMatchObject([{ id: null, status: 'pending', first_name: 'Grace' }])
    const resent = await asOwner(
      'POST',
      `/api/invitations/resend?invitation_id=${listed.body.users[0].invite_id}`,
    )
    expect([resent.status, 'token' in resent.body]).toEqual([200, false])
    expect((await open(token)).status).toBe(404)

    await expect.poll(() => mailServer.received.filter(({ to }) => to === body.email).length).toBe(2)
    const fresh = await mailTo(mailServer, body.email, 'created a Parley account')
    const asInvitation = { token: fresh.token, password: 'my own password', first_name: 'G', last_name: 'H' }
    expect((await server.call('POST', '/api/auth/signup_invite', { body: asInvitation })).status).toBe(404)
    const opened = await open(fresh.token, 'my own password')
    expect(opened.status).toBe(200)
    expect(opened.body.user).toMatchObject({ id: body.id, email_verified: true })
    expect(opened.body.user.organizations).toHaveLength(2)
    expect((await open(fresh.token)).status).toBe(410)
    const login = { email: body.email, password: 'my own password' }
    expect((await server.call('POST', '/api/auth/login', { body: login })).status).toBe(200)
  })

  test('locks out an earlier sign-up with the address when its owner opens the link', async () => {
    const { body } = await inviteUser()
    const squatter = { email: body.email, password: 'squatters password', first_name: 'S', last_name: 'Q' }
    const login = { email: squatter.email, password: squatter.password }
    const signedUp = await server.call('POST', '/api/auth/signup', { body: squatter })
    expect(signedUp.status).toBe(201)
    expect(signedUp.body.user.organizations).toHaveLength(1)
    const { token } = await mailTo(mailServer, body.email, 'created a Parley account')
    const opened = await open(token)
    expect(opened.status).toBe(200)
    const me = (bearer: string) => server.call('GET', '/api/users/me', { token: bearer })
    expect((await me(opened.body.access_token)).status).toBe(200)
    expect((await me(signedUp.body.access_token)).status).toBe(401)
    expect((await server.call('POST', '/api/auth/login', { body: login })).status).toBe(401)
  })

  test('keeps only the password set through the last link', async () => {
    const { body } = await inviteUser()
    const { token } = await mailTo(mailServer, body.email, 'created a Parley account')
    expect((await open(token)).status).toBe(200)
    const again = () =>
      server.server.services.database
        .sql`update invitations set status = 'pending' where email = ${body.email}`
    await again()
    expect((await open(token, 'my own password')).status).toBe(200)
    await again()
    expect((await open(token, 'another password')).status).toBe(200)
    const logIn = (password: string) =>
      server.call('POST', '/api/auth/login', { body: { email: body.email, password } })
    expect((await logIn('my own password')).status).toBe(401)
    expect((await logIn('another password')).status).toBe(200)
  })

  test('leaves the organization when the invitation is revoked', async () => {
    const { body } = await inviteUser()
    const { token } = await mailTo(mailServer, body.email, 'created a Parley account')
    const { body: list } = await asOwner('GET', `/api/users/list?${org}&q=${body.email}`)
    await asOwner('DELETE', `/api/invitations/revoke?invitation_id=${list.users[0].invite_id}`)
    expect((await asOwner('GET', `/api/users/list?${org}&q=${body.email}`)).body.total).toBe(0)
    expect((await open(token)).status).toBe(410)
    expect((await inviteUser(body.email)).status).toBe(201)
  })
})
