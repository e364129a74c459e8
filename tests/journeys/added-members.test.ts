import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { mailTo } from '#tests/support/mail.ts'
import { readZip } from '#tests/support/read-zip.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { roleOf } from '#tests/support/tenants.ts'

/**
 * A user who is added by id stays hidden from the organization until they open it, and can leave through a mailed
 * link.
 */

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

let owner: Person
let person: Person
beforeEach(async () => {
  ;[owner, person] = await Promise.all([server.signUp(), server.signUp()])
  await server.call('PUT', '/api/users/me', {
    token: person.token,
    body: { first_name: 'Ludwig', last_name: 'Secret' },
  })
})

const as = (who: Person, method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call(method, `${path}${path.includes('?') ? '&' : '?'}org_id=${owner.organizationId}`, {
    token: who.token,
    ...(body !== undefined && { body }),
  })
async function add(role = 'member', who = person): Promise<void> {
  const role_id = await roleOf(server, owner, role)
  const body = { organization_id: owner.organizationId, user_id: who.userId, role_id }
  const answer = await server.call('POST', '/api/org/add_member', { token: owner.token, body })
  if (answer.status !== 201) throw new Error(answer.text)
}
const open = () => as(person, 'GET', '/api/chat/list')
const listed = async () => {
  const { users } = (await as(owner, 'GET', '/api/users/list?limit=100')).body
  return users.find(({ id }: { id: string | null }) => id === person.userId)
}
const HIDDEN = { email: '', first_name: '', last_name: '', full_name: '' }
/** Creates an organization that both users have opened. */
async function shareOrganization(): Promise<void> {
  const third = await server.signUp()
  const role_id = await roleOf(server, third, 'guest')
  for (const { userId, token } of [owner, person]) {
    const body = { organization_id: third.organizationId, user_id: userId, role_id }
    await server.call('POST', '/api/org/add_member', { token: third.token, body })
    await server.call('GET', `/api/chat/list?org_id=${third.organizationId}`, { token })
  }
}

describe('an added person', () => {
  test('has no visible name or address before they open the organization', async () => {
    await add()
    expect(await listed()).toMatchObject({ id: person.userId, status: 'active', ...HIDDEN })
    for (const q of [person.email, 'Secret'])
      expect((await as(owner, 'GET', `/api/users/list?q=${q}`)).body.total).toBe(0)
    const guest = await roleOf(server, owner, 'guest')
    const update = `/api/users/update?user_id=${person.userId}`
    const changed = await as(owner, 'PUT', update, { role_id: guest })
    expect(changed.body).toMatchObject({ ...HIDDEN, last_active_at: null })
    const invited = await as(owner, 'POST', '/api/invitations/create', {
      email: person.email,
      role_id: guest,
    })
    expect([invited.status, invited.body.code]).toEqual([409, 'user.exists'])
    await open()
    expect(await listed()).toMatchObject({ email: person.email, full_name: 'Ludwig Secret' })
    expect((await as(owner, 'GET', '/api/users/list?q=Secret')).body.total).toBe(1)
  })

  test('has no address in the error of a role in use or in an export', async () => {
    const role = await as(owner, 'POST', '/api/roles/create', {
      name: randomUUID(),
      hierarchy_level: 5,
      permission_ids: [],
    })
    const body = {
      organization_id: owner.organizationId,
      user_id: person.userId,
      role_id: role.body.id,
    }
    await server.call('POST', '/api/org/add_member', { token: owner.token, body })
    const removal = await as(owner, 'DELETE', `/api/roles/remove?role_id=${role.body.id}`)
    expect([removal.body.code, removal.text.includes(person.email)]).toEqual(['role.in_use', false])
    const response = await fetch(`${server.url}/api/org/export?org_id=${owner.organizationId}`, {
      headers: { authorization: `Bearer ${owner.token}` },
    })
    const entries = await readZip(Buffer.from(await response.arrayBuffer()))
    const members = entries.get('members.jsonl')?.toString() ?? ''
    expect([members.includes(person.userId), members.includes(person.email)]).toEqual([true, false])
  })

  test('is visible to users who share another organization with them', async () => {
    await shareOrganization()
    await add()
    expect(await listed()).toMatchObject({ email: person.email, full_name: 'Ludwig Secret' })
  })

  test('stays hidden from members of two organizations that both added them', async () => {
    const made = await server.call('POST', `/api/org/create_org?name=${randomUUID()}`, {
      token: owner.token,
    })
    await add()
    owner = { ...owner, organizationId: made.body.id }
    await add()
    expect(await listed()).toMatchObject(HIDDEN)
  })

  test('opens an organization with a request to it, not with the list of their organizations', async () => {
    await add()
    const opened = async () => {
      const { body } = await server.call('GET', '/api/org/list', { token: person.token })
      return body.data.find(({ id }: { id: string }) => id === owner.organizationId).is_opened
    }
    expect(await opened()).toBe(false)
    await server.call('GET', '/api/tools/list_categories', { token: person.token })
    expect(await opened()).toBe(false)
    await open()
    expect(await opened()).toBe(true)
  })

  test('can leave through the mailed link, once, without signing in or becoming visible', async () => {
    await add()
    const mail = await mailTo(server, person.email, 'added you to')
    const link = (method: string) =>
      method === 'GET'
        ? server.call('GET', `/api/org/get_leave_link?token=${mail.token}`)
        : server.call('POST', '/api/org/leave_by_link', { body: { token: mail.token } })
    expect((await link('GET')).body.organization.id).toBe(owner.organizationId)
    expect((await link('POST')).status).toBe(200)
    expect((await open()).status).toBe(404)
    expect(await listed()).toBeUndefined()
    expect([(await link('POST')).status, (await link('GET')).status]).toEqual([410, 410])
  })

  test('can leave without opening the organization', async () => {
    await add()
    expect((await as(person, 'POST', '/api/org/leave')).status).toBe(200)
    const [row] = await server.server.services.database.sql`
      select opened_at, status from memberships
      where user_id = ${person.userId} and organization_id = ${owner.organizationId}`
    expect(row).toMatchObject({ opened_at: null, status: 'deleted' })
  })

  test('gets no further mail when added repeatedly', async () => {
    const remove = () => as(owner, 'DELETE', `/api/users/remove?user_id=${person.userId}`)
    for (let time = 0; time < 7; time++) {
      await add()
      await remove()
    }
    const tokens = await server.server.services.database.sql`
      select from one_time_tokens where user_id = ${person.userId} and purpose = 'leave_organization'`
    expect(tokens.count).toBe(5)
  })
})

test('GET /api/users/find finds only people who share an organization with the caller', async () => {
  const find = (email: string) => as(owner, 'GET', `/api/users/find?email=${encodeURIComponent(email)}`)
  const nobody = `${randomUUID()}@example.com`
  const unknown = await find(nobody)
  const stranger = await find(person.email)
  expect([unknown.status, stranger.status]).toEqual([404, 404])
  const alike = JSON.stringify({ ...unknown.body, request_id: null }).replaceAll(nobody, person.email)
  expect({ ...stranger.body, request_id: null }).toEqual(JSON.parse(alike))
  await add()
  expect((await find(person.email)).status).toBe(404)
  await shareOrganization()
  const found = await find(person.email.toUpperCase())
  expect([found.status, found.body]).toEqual([
    200,
    {
      id: person.userId,
      email: person.email,
      first_name: 'Ludwig',
      last_name: 'Secret',
      full_name: 'Ludwig Secret',
    },
  ])
})

test('requests of a member who has opened the organization write nothing to the membership', async () => {
  await add()
  await open()
  const { sql } = server.server.services.database
  const writes = async () => {
    const [row] = await sql<{ xmin: string }[]>`
      select xmin::text from memberships
      where user_id = ${person.userId} and organization_id = ${owner.organizationId}`
    return row?.xmin
  }
  const before = await writes()
  for (let time = 0; time < 5; time++) expect((await open()).status).toBe(200)
  expect(await writes()).toBe(before)
})
