import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, administratorToken, createOrganization } from '#tests/support/tenants.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

interface Team {
  id: string
  owner: Person
  roles: Record<string, string>
  call(person: Person, method: string, path: string, body?: unknown): ReturnType<TestServer['call']>
  join(role: string, status?: string): Promise<Person>
}

/** Creates an organization with a new owner. */
async function makeTeam(): Promise<Team> {
  const owner = await server.signUp()
  const { organizationId: id } = await createOrganization(server, owner, { credits: 10_000 })
  const { sql } = server.server.services.database
  const roles = await sql<
    { name: string; id: string }[]
  >`select name, id from roles where organization_id = ${id}`
  return {
    id,
    owner,
    roles: Object.fromEntries(roles.map((role) => [role.name, role.id])),
    call: (person, method, path, body) =>
      server.call(method, `${path}${path.includes('?') ? '&' : '?'}org_id=${id}`, {
        token: person.token,
        ...(body !== undefined && { body }),
      }),
    async join(role, status = 'active') {
      const person = await server.signUp()
      await addMemberWithRole(sql, id, person.userId, role)
      await sql`update memberships set status = ${status} where organization_id = ${id} and user_id = ${person.userId}`
      return person
    },
  }
}

const update = (team: Team, by: Person, who: Person, roleId: string | undefined) =>
  team.call(by, 'PUT', `/api/users/update?user_id=${who.userId}`, { role_id: roleId })
const setStatus = (team: Team, by: Person, who: Person, status: string) =>
  team.call(by, 'PUT', `/api/users/update_status?user_id=${who.userId}`, { status })
const remove = (team: Team, by: Person, who: Person) =>
  team.call(by, 'DELETE', `/api/users/remove?user_id=${who.userId}`)
const isIn = async (team: Team, person: Person): Promise<boolean> =>
  (await team.call(person, 'GET', '/api/chat/list')).status === 200

describe('organizations', () => {
  test('have an owner, and a unique name regardless of case', async () => {
    const person = await server.signUp()
    const name = `Engines ${randomUUID()}`
    const create = (wanted: string) =>
      server.call('POST', `/api/org/create_org?${new URLSearchParams({ name: wanted })}`, {
        token: person.token,
      })
    const made = await create(name)
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name,
      user_role: { role_name: 'owner', level: 100, permissions: ['*:*'] },
    })
    expect((await create(` ${name.toUpperCase()} `)).status).toBe(409)
    const other = await create(`${name} 2`)
    const rename = await server.call('PUT', `/api/org/update?org_id=${other.body.id}`, {
      token: person.token,
      body: { name: name.toLowerCase() },
    })
    expect([rename.status, rename.body.detail]).toEqual([
      409,
      'An organization with this name already exists. Choose another name.',
    ])
    const list = await server.call('GET', '/api/org/list', { token: person.token })
    expect(list.body.data.map((one: { name: string }) => one.name)).toEqual([
      `${name} 2`,
      name,
      'Ada Lovelace',
    ])
    expect(list.body.data.map((one: { is_personal: boolean }) => one.is_personal)).toEqual([
      false,
      false,
      true,
    ])
  })

  test('are deleted with all their data, except personal ones', async () => {
    const team = await makeTeam()
    const member = await team.join('member')
    const model = await team.call(team.owner, 'POST', '/api/llm/add', {
      name: 'm',
      provider: 'demo',
      version: 'parley-demo',
    })
    await server.say({ ...member, organizationId: team.id }, { model_id: model.body.id }, { content: 'Hi' })
    expect((await team.call(member, 'DELETE', '/api/org/delete')).status).toBe(403)
    expect((await team.call(team.owner, 'DELETE', '/api/org/delete')).status).toBe(200)
    expect((await team.call(team.owner, 'GET', '/api/org/features')).status).toBe(404)
    const { sql } = server.server.services.database
    for (const table of ['chats', 'ledger_entries', 'audit_entries', 'memberships', 'roles'])
      expect((await sql`select from ${sql(table)} where organization_id = ${team.id}`).count).toBe(0)
    const personal = await server.call('DELETE', `/api/org/delete?org_id=${team.owner.organizationId}`, {
      token: team.owner.token,
    })
    expect([personal.status, personal.body.code]).toEqual([400, 'org.personal'])
  })

  test('show their features, which the system administrator sets', async () => {
    const team = await makeTeam()
    const newcomer = await server.signUp()
    const admin = await administratorToken(server)
    const set = (body: unknown) =>
      server.call('PUT', `/api/org/features?org_id=${team.id}`, { token: admin, body })
    const defaults = {
      daily_chat_limit: null,
      file_upload: 1_073_741_824,
      chat_uploads: 20,
      mcp_sessions: 20,
      team_members: true,
    }
    expect((await team.call(team.owner, 'GET', '/api/org/features')).body).toMatchObject(defaults)
    expect((await set({ team_members: false, daily_chat_limit: 7 })).body).toEqual({
      ...defaults,
      team_members: false,
      daily_chat_limit: 7,
    })
    expect((await set({ file_upload: -1 })).status).toBe(400)
    const read = (organizationId: string, token = admin) =>
      server.call('GET', `/api/org/features?org_id=${organizationId}`, { token })
    expect((await read(team.id)).body).toEqual((await team.call(team.owner, 'GET', '/api/org/features')).body)
    expect((await read(randomUUID())).status).toBe(404)
    expect((await read(team.id, newcomer.token)).status).toBe(404)
    const add = () =>
      server.call('POST', '/api/org/add_member', {
        token: team.owner.token,
        body: { organization_id: team.id, user_id: newcomer.userId, role_id: team.roles['member'] },
      })
    expect((await add()).body.detail).toBe(
      'The team_members feature is not enabled for this organization. Ask a system administrator to enable it.',
    )
    await set({ team_members: true })
    expect((await add()).status).toBe(201)
    expect(await isIn(team, newcomer)).toBe(true)
    expect((await add()).status).toBe(409)
  })
})

describe('roles of members', () => {
  test('can be changed only by owners', async () => {
    const team = await makeTeam()
    const [admin, member] = [await team.join('admin'), await team.join('member')]
    const suspended = await team.join('member', 'suspended')
    const refusals: [Promise<{ status: number; body: { detail: string } }>, number, string][] = [
      [
        update(team, admin, member, team.roles['guest']),
        403,
        "Only users with 'owner' role can update user roles",
      ],
      [
        update(team, team.owner, member, team.roles['owner']),
        403,
        "The 'owner' role cannot be assigned to users",
      ],
      [
        update(team, team.owner, member, team.roles['member']),
        400,
        'User already has the member role assigned',
      ],
      [
        update(team, team.owner, suspended, team.roles['guest']),
        400,
        'Cannot update role for user with status suspended',
      ],
      [
        update(team, team.owner, await server.signUp(), team.roles['guest']),
        404,
        expect.stringContaining('User not found'),
      ],
      [update(team, team.owner, member, randomUUID()), 404, expect.stringContaining('Role not found')],
      [
        update(team, team.owner, team.owner, team.roles['guest']),
        400,
        'An organization must always keep at least one owner. Transfer the organization to another member first.',
      ],
    ]
    for (const [answer, status, detail] of refusals) {
      const { status: got, body } = await answer
      expect([got, body.detail]).toEqual([status, detail])
    }
    const done = await update(team, team.owner, member, team.roles['admin'])
    expect(done.body).toMatchObject({
      id: member.userId,
      status: 'active',
      invite_id: null,
      role: { name: 'admin' },
    })
    expect(done.body.last_active_at).toMatch(/Z$/)
  })
})

/** Spec, Organization membership status: the response and effect of each action in each state. */
describe('the status of a member', () => {
  test.each([
    ['active', 'suspend', 200, 'suspended'],
    ['active', 'activate', 400, 'active'],
    ['active', 'remove', 200, 'deleted'],
    ['suspended', 'suspend', 400, 'suspended'],
    ['suspended', 'activate', 200, 'active'],
    ['suspended', 'remove', 200, 'deleted'],
    ['invited', 'suspend', 400, 'invited'],
    ['invited', 'activate', 400, 'invited'],
    ['invited', 'remove', 200, 'deleted'],
    ['deleted', 'suspend', 404, 'deleted'],
    ['deleted', 'activate', 404, 'deleted'],
    ['deleted', 'remove', 404, 'deleted'],
  ] as const)('%s, %s: %i, then %s', async (state, act, status, after) => {
    const team = await makeTeam()
    const person = await team.join('member', state)
    const answer =
      act === 'remove'
        ? await remove(team, team.owner, person)
        : await setStatus(team, team.owner, person, act === 'suspend' ? 'suspended' : 'active')
    expect(answer.status).toBe(status)
    const [row] = await server.server.services.database.sql`
      select status from memberships where organization_id = ${team.id} and user_id = ${person.userId}`
    expect(row?.['status']).toBe(after)
    expect(await isIn(team, person)).toBe(after === 'active')
  })

  test('suspending a member disables their tokens and keys immediately, only in this organization', async () => {
    const team = await makeTeam()
    const admin = await team.join('admin')
    const made = await team.call(admin, 'POST', '/api/api_keys/create', {
      name: 'k',
      permissions: ['chats:read'],
    })
    const byKey = { ...admin, token: made.body.key }
    expect([await isIn(team, admin), await isIn(team, byKey)]).toEqual([true, true])
    await setStatus(team, team.owner, admin, 'suspended')
    expect([await isIn(team, admin), await isIn(team, byKey)]).toEqual([false, false])
    const own = await server.call('GET', `/api/chat/list?org_id=${admin.organizationId}`, {
      token: admin.token,
    })
    expect(own.status).toBe(200)
    await setStatus(team, team.owner, admin, 'active')
    expect(await isIn(team, byKey)).toBe(true)
    await remove(team, team.owner, admin)
    await server.server.services.database.sql`
      update memberships set status = 'active', role_id = ${team.roles['admin'] ?? ''}
      where organization_id = ${team.id} and user_id = ${admin.userId}`
    expect([await isIn(team, admin), await isIn(team, byKey)]).toEqual([true, false])
  })

  test('cannot be changed by members of the same or a lower level, or by the member', async () => {
    const team = await makeTeam()
    const [one, other] = [await team.join('admin'), await team.join('admin')]
    expect((await setStatus(team, one, other, 'suspended')).body.code).toBe('role.too_high')
    expect((await remove(team, one, team.owner)).body.code).toBe('role.too_high')
    expect((await setStatus(team, one, one, 'suspended')).body.code).toBe('user.self')
    expect((await remove(team, team.owner, one)).status).toBe(200)
  })
})

describe('an organization always has an owner', () => {
  const makeSecondOwner = async (team: Team) => team.join('owner')
  const leave = (team: Team, person: Person) => team.call(person, 'POST', '/api/org/leave')

  test('the only owner cannot leave, but others can', async () => {
    const team = await makeTeam()
    const member = await team.join('member')
    expect((await leave(team, member)).status).toBe(200)
    expect(await isIn(team, member)).toBe(false)
    expect((await leave(team, team.owner)).body.code).toBe('org.last_owner')
    const personal = await server.call('POST', `/api/org/leave?org_id=${member.organizationId}`, {
      token: member.token,
    })
    expect(personal.body.code).toBe('org.personal')
  })

  test('members can leave a personal organization, but its owner cannot', async () => {
    const person = await server.signUp()
    const { join } = colleaguesOf(server, person)
    const guest = await join('guest')
    const leavePersonal = ({ token }: Person) =>
      server.call('POST', `/api/org/leave?org_id=${person.organizationId}`, { token })
    expect((await leavePersonal(guest)).status).toBe(200)
    expect((await leavePersonal(guest)).body.code).toBe('org.not_found')
    await join('admin')
    expect((await leavePersonal(person)).body.code).toBe('org.personal')
  })

  test('even if two owners act concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const team = await makeTeam()
      const second = await makeSecondOwner(team)
      const acts =
        round % 2 === 0
          ? [leave(team, team.owner), leave(team, second)]
          : [setStatus(team, team.owner, second, 'suspended'), remove(team, second, team.owner)]
      const answers = await Promise.all(acts)
      const owners = await server.server.services.database.sql`
        select from memberships where organization_id = ${team.id} and status = 'active'
          and role_id = ${team.roles['owner'] ?? ''}`
      expect(owners.count).toBe(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })

  test('who can transfer ownership, once', async () => {
    const team = await makeTeam()
    const [one, other] = [await team.join('member'), await team.join('guest')]
    const give = (by: Person, to: Person) =>
      team.call(by, 'POST', '/api/org/transfer_ownership', { user_id: to.userId })
    expect((await give(team.owner, await server.signUp())).status).toBe(404)
    expect((await give(team.owner, await team.join('member', 'suspended'))).status).toBe(400)
    const answers = await Promise.all([give(team.owner, one), give(team.owner, other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const { body } = await team.call(team.owner, 'GET', '/api/users/list?limit=100')
    const names = body.users.map((user: { role: { name: string } }) => user.role.name)
    expect(names.filter((name: string) => name === 'owner')).toHaveLength(1)
    expect(body.users.find((user: { id: string }) => user.id === team.owner.userId).role.name).toBe('admin')
  })
})

describe('the list of users', () => {
  test('has members and invitations, in pages without gaps or duplicates', async () => {
    const team = await makeTeam()
    for (let count = 0; count < 6; count++) await team.join('member')
    await team.join('member', 'suspended')
    const emails = Array.from({ length: 5 }, (_, index) => `invitee${index}_${randomUUID()}@example.com`)
    const bulk = await team.call(team.owner, 'POST', '/api/invitations/bulk_create', {
      invitations: emails.map((email) => ({ email, role_id: team.roles['guest'] })),
    })
    const expired = bulk.body.data[0].invitation.id
    await server.server.services.database.sql`
      update invitations set expires_at = now() - interval '1 day' where id = ${expired}`
    const list = async (query: string) =>
      (await team.call(team.owner, 'GET', `/api/users/list?${query}`)).body
    const pages = [
      await list('limit=5&offset=0'),
      await list('limit=5&offset=1'),
      await list('limit=5&offset=2'),
    ]
    expect(pages.map(({ total, users }) => [total, users.length])).toEqual([
      [12, 5],
      [12, 5],
      [12, 2],
    ])
    const all = pages.flatMap(({ users }) => users)
    expect(new Set(all.map(({ email }) => email)).size).toBe(12)
    expect(all.map(({ status }) => status)).toEqual([
      ...Array(7).fill('active'),
      'expired',
      ...Array(4).fill('pending'),
    ])
    expect(all.at(-1)).toMatchObject({
      id: null,
      invite_id: expect.any(String),
      invited_at: expect.any(String),
    })
    expect(all[0]).toMatchObject({ id: team.owner.userId, invite_id: null, invited_at: null })
    expect((await list('')).users).toHaveLength(10)
    expect((await list('status=suspended')).total).toBe(1)
    expect((await list(`q=${emails[3]?.slice(0, 9).toUpperCase()}`)).users).toMatchObject([
      { email: emails[3] },
    ])
    expect((await list('q=_')).total).toBe(5)
    expect((await list('q=%25')).total).toBe(0)
    expect((await team.call(team.owner, 'GET', '/api/users/list?limit=101')).status).toBe(400)
  })
})
