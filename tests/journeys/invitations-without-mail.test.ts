import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Without a mail server, nobody gets a link by email: the response says so. */

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

test('every way to invite says that no email is sent', async () => {
  const { token, organizationId } = await server.signUp()
  const call = (path: string, body?: object) =>
    server.call('POST', `${path}?org_id=${organizationId}`, { token, ...(body && { body }) })
  const roles = await server.call('GET', `/api/roles/list_roles?org_id=${organizationId}`, { token })
  const role_id = roles.body.data.find(({ name }: { name: string }) => name === 'member').id
  const email = () => `${crypto.randomUUID()}@example.com`

  const one = await call('/api/invitations/create', { email: email(), role_id })
  expect([one.status, one.body.email_sent]).toEqual([201, false])
  const many = await call('/api/invitations/bulk_create', { invitations: [{ email: email(), role_id }] })
  expect(many.body.data[0].invitation.email_sent).toBe(false)
  const again = await server.call('POST', `/api/invitations/resend?invitation_id=${one.body.id}`, { token })
  expect([again.status, again.body.email_sent]).toEqual([200, false])
  const names = { first_name: 'Grace', last_name: 'Hopper' }
  const user = await call('/api/users/invite', { email: email(), ...names, role: role_id })
  expect([user.status, user.body.email_sent]).toEqual([201, false])
})
