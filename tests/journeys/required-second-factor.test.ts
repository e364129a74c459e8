import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import {
  type App,
  addApp,
  addPasskey,
  answerWithCode,
  logIn,
  signUpVerified,
} from '#tests/support/factors.ts'
import { openReady } from '#tests/support/live-socket.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/* An organization that requires a second factor refuses sessions without one. */

let server: TestServer
let owner: Person
let org: string

beforeAll(async () => {
  server = await sharedTestServer()
  owner = await signUpVerified(server)
  org = `org_id=${owner.organizationId}`
})
afterAll(() => server.stop())

const require = (required: boolean, token = owner.token) =>
  server.call('PUT', `/api/org/update?${org}`, { token, body: { require_second_factor: required } })
const list = (token: string) => server.call('GET', `/api/chat/list?${org}`, { token })

/** Signs in again with the current code. */
async function signInWithCode(person: Person, app: App): Promise<string> {
  const { challenge } = (await logIn(server, person)).body
  return (await answerWithCode(server, person, app, challenge)).body.access_token
}

test('only an owner with a factor can require one, and not by an API key', async () => {
  expect((await require(true)).body.code).toBe('org.factor_needed')
  await addPasskey(server, owner)
  const admin = await signUpVerified(server)
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, owner.organizationId, admin.userId, 'admin')
  expect((await require(true, admin.token)).body.code).toBe('org.owner_needed')
  const key = await server.call('POST', `/api/api_keys/create?${org}`, {
    token: owner.token,
    body: { name: 'k', permissions: ['organization:write', 'chats:read'] },
  })
  expect((await require(true, key.body.key)).body.code).toBe('access.session_needed')
  const required = await require(true)
  expect(required.body).toMatchObject({ require_second_factor: true })
  expect((await list(owner.token)).status).toBe(200)
  expect((await list(key.body.key)).status).toBe(200)
  const { body } = await server.call('GET', `/api/audit/list?${org}`, { token: owner.token })
  expect(body.data[0]).toMatchObject({
    action: 'organization.updated',
    before: { require_second_factor: false },
    after: { require_second_factor: true },
  })
})

describe('a member without a factor', () => {
  let member: Person

  beforeAll(async () => {
    member = await signUpVerified(server)
    const { sql } = server.server.services.database
    await addMemberWithRole(sql, owner.organizationId, member.userId, 'member')
  })

  test('cannot access this organization, but can access others', async () => {
    const refused = await list(member.token)
    expect(refused.status).toBe(403)
    expect(refused.body.code).toBe('access.second_factor_required')
    expect((await server.call('GET', `/v1/chat/list?${org}`, { token: member.token })).status).toBe(403)
    const own = `/api/chat/list?org_id=${member.organizationId}`
    expect((await server.call('GET', own, { token: member.token })).status).toBe(200)
  })

  test('can still read their profile, organizations, factors and sessions', async () => {
    const { token } = member
    for (const path of ['/api/users/me', '/api/org/list', '/api/auth/factors/list', '/api/auth/sessions'])
      expect((await server.call('GET', path, { token })).status).toBe(200)
    const listed = (await server.call('GET', '/api/org/list', { token })).body.data
    expect(listed.find(({ id }: { id: string }) => id === owner.organizationId).require_second_factor).toBe(
      true,
    )
  })

  test('does not see its records in lists over all organizations', async () => {
    const category = await server.call('POST', `/api/tools/create_category?${org}`, {
      token: owner.token,
      body: { name: 'Only ours', description: '' },
    })
    expect(category.status).toBe(201)
    const names = async (token: string) =>
      (await server.call('GET', '/api/tools/list_categories', { token })).body.data.map(
        ({ name }: { name: string }) => name,
      )
    expect(await names(owner.token)).toContain('Only ours')
    expect(await names(member.token)).not.toContain('Only ours')
  })

  test('gets none of its live events', async () => {
    const live = await openReady(server.url, member.token)
    const owners = await openReady(server.url, owner.token)
    const publish = async (title: string) => {
      server.server.services.events.publish({
        type: 'chat.title_updated',
        organizationId: owner.organizationId,
        data: { chat_id: randomUUID(), title },
        to: { permission: 'chats:read' },
      })
      expect((await owners.next()).data.title).toBe(title)
    }
    await publish('while it is required')
    await require(false)
    await publish('while it is not')
    expect((await live.next()).data.title).toBe('while it is not')
    await require(true)
    for (const one of [live, owners]) one.socket.close()
  })

  test('gets access in the session that adds one, but not in earlier sessions', async () => {
    const earlier = (await logIn(server, member)).body.access_token
    const { app, factorId } = await addApp(server, member)
    expect((await list(member.token)).status).toBe(200)
    expect((await list(earlier)).status).toBe(403)
    expect((await list(await signInWithCode(member, app))).status).toBe(200)
    const { token, password } = member
    const body = { factor_id: factorId, proof: { password } }
    expect((await server.call('POST', '/api/auth/factors/remove', { token, body })).status).toBe(200)
    expect((await list(token)).body.code).toBe('access.second_factor_required')
  })
})
