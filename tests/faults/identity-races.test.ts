import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { mailTo } from '#tests/support/mail.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, roleOf } from '#tests/support/tenants.ts'

/* Two concurrent operations must keep all guarantees and must not crash the server. */

const ROUNDS = 8

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

interface Team {
  id: string
  owner: Person
  roles: Record<string, string>
}

async function makeTeam(): Promise<Team> {
  const owner = await server.signUp()
  const { body } = await server.call('POST', `/api/org/create_org?name=${randomUUID()}`, {
    token: owner.token,
  })
  const names = ['owner', 'admin', 'member', 'guest']
  const ids = await Promise.all(
    names.map((name) => roleOf(server, { ...owner, organizationId: body.id }, name)),
  )
  return {
    id: body.id,
    owner,
    roles: Object.fromEntries(names.map((name, index) => [name, ids[index] ?? ''])),
  }
}
async function join({ id }: Team, role: string): Promise<Person> {
  const person = await server.signUp()
  await addMemberWithRole(server.server.services.database.sql, id, person.userId, role)
  return person
}
const call = (team: Team, by: Person, method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call(method, `${path}${path.includes('?') ? '&' : '?'}org_id=${team.id}`, {
    token: by.token,
    ...(body !== undefined && { body }),
  })
const expectNoBreakdown = (answers: Answer[]) =>
  expect(answers.map(({ status, text }) => (status >= 500 ? text : 'fine'))).toEqual(
    answers.map(() => 'fine'),
  )

test('an organization has an owner, even if the new owner leaves during the transfer', async () => {
  for (let round = 0; round < ROUNDS * 2; round++) {
    const team = await makeTeam()
    const heir = await join(team, 'member')
    const answers = await Promise.all([
      call(team, team.owner, 'POST', '/api/org/transfer_ownership', { user_id: heir.userId }),
      call(team, heir, 'POST', '/api/org/leave'),
    ])
    expectNoBreakdown(answers)
    const owners = await server.server.services.database.sql`
      select from memberships where organization_id = ${team.id} and status = 'active'
        and role_id = ${team.roles['owner'] ?? ''}`
    expect(owners.count).toBe(1)
  }
})

test('a key created while its member is removed stays invalid when the member returns', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const team = await makeTeam()
    const admin = await join(team, 'admin')
    const answers = await Promise.all([
      call(team, admin, 'POST', '/api/api_keys/create', { name: 'k', permissions: ['chats:read'] }),
      call(team, team.owner, 'DELETE', `/api/users/remove?user_id=${admin.userId}`),
    ])
    expectNoBreakdown(answers)
    const { sql } = server.server.services.database
    expect((await sql`select from api_keys where user_id = ${admin.userId}`).count).toBe(0)
  }
})

describe('none of these pairs deadlocks', () => {
  type Pair = (team: Team) => Promise<(() => Promise<Answer>)[]>
  const newRole = (team: Team) =>
    call(team, team.owner, 'POST', '/api/roles/create', {
      name: randomUUID(),
      hierarchy_level: 5,
      permission_ids: [],
    })
  const invite = (team: Team) =>
    call(team, team.owner, 'POST', '/api/invitations/create', {
      email: `${randomUUID()}@example.com`,
      role_id: team.roles['guest'],
    })
  const deletion = (team: Team) => call(team, team.owner, 'DELETE', '/api/org/delete')

  const PAIRS: Record<string, Pair> = {
    'adding a member, changing their role': async (team) => {
      const [person, role] = [await server.signUp(), (await newRole(team)).body.id]
      const body = { organization_id: team.id, user_id: person.userId, role_id: role }
      return [
        () => server.call('POST', '/api/org/add_member', { token: team.owner.token, body }),
        () => call(team, team.owner, 'PUT', `/api/roles/update?role_id=${role}`, { description: 'x' }),
      ]
    },
    'resending and revoking an invitation': async (team) => {
      const { id } = (await invite(team)).body
      const act = (method: string, verb: string) => () =>
        server.call(method, `/api/invitations/${verb}?invitation_id=${id}`, { token: team.owner.token })
      return [act('POST', 'resend'), act('DELETE', 'revoke')]
    },
    'deleting a key and its member': async (team) => {
      const admin = await join(team, 'admin')
      const key = await call(team, admin, 'POST', '/api/api_keys/create', {
        name: 'k',
        permissions: ['chats:read'],
      })
      return [
        () => server.call('DELETE', `/api/api_keys/delete?api_key_id=${key.body.id}`, { token: admin.token }),
        () => call(team, team.owner, 'DELETE', `/api/users/remove?user_id=${admin.userId}`),
      ]
    },
    'deleting an organization, inviting into it': async (team) => [() => deletion(team), () => invite(team)],
    'deleting an organization, creating a role': async (team) => [() => deletion(team), () => newRole(team)],
    'deleting an organization, changing a role': async (team) => {
      const role = (await newRole(team)).body.id
      const change = () =>
        call(team, team.owner, 'PUT', `/api/roles/update?role_id=${role}`, { description: 'x' })
      return [() => deletion(team), change]
    },
    'deleting an organization, creating a key': async (team) => [
      () => deletion(team),
      () =>
        call(team, team.owner, 'POST', '/api/api_keys/create', { name: 'k', permissions: ['chats:read'] }),
    ],
    'deleting an organization, adding a model': async (team) => [
      () => deletion(team),
      () =>
        call(team, team.owner, 'POST', '/api/llm/add', {
          name: 'm',
          provider: 'demo',
          version: 'parley-demo',
        }),
    ],
  }

  test.each(Object.keys(PAIRS))('%s', async (name) => {
    const teams = await Promise.all(Array.from({ length: ROUNDS }, () => makeTeam()))
    const acts = (await Promise.all(teams.map((team) => PAIRS[name]?.(team) ?? []))).flat()
    expectNoBreakdown(await Promise.all(acts.map((act) => act())))
  })
})

describe('a password that is reset', () => {
  const reset = async (person: Person) => {
    await server.call('POST', '/api/auth/forgot_password', { body: { email: person.email } })
    const { token } = await mailTo(server, person.email, 'Reset your password')
    return () =>
      server.call('POST', '/api/auth/reset_password', { body: { token, password: 'the new password' } })
  }
  const logIn = (person: Person, password: string) =>
    server.call('POST', '/api/auth/login', { body: { email: person.email, password } })

  test('is the final one, even if the old password is changed concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await server.signUp()
      const act = await reset(person)
      const attack = { password: 'attackers password', current_password: person.password }
      const answers = await Promise.all([
        server.call('PUT', '/api/users/me', { token: person.token, body: attack }),
        act(),
        logIn(person, person.password),
      ])
      expectNoBreakdown(answers)
      expect((await logIn(person, 'the new password')).status).toBe(200)
      const left = answers[2]?.body.access_token
      if (left) expect((await server.call('GET', '/api/users/me', { token: left })).status).toBe(401)
    }
  })

  test('deletes the keys of a user who never confirmed the address', async () => {
    const squatter = await server.signUp()
    const made = await server.call('POST', `/api/api_keys/create?org_id=${squatter.organizationId}`, {
      token: squatter.token,
      body: { name: 'k', permissions: ['chats:read'] },
    })
    const act = await reset(squatter)
    expect((await act()).status).toBe(200)
    expect((await server.call('GET', '/api/users/me', { token: made.body.key })).status).toBe(401)
  })
})

test('only a member who may create an invitation can resend it', async () => {
  const team = await makeTeam()
  const admin = await join(team, 'admin')
  const { token } = team.owner
  const all = await server.call('GET', '/api/roles/list_permissions?limit=100', { token })
  const everything = all.body.data.find(({ name }: { name: string }) => name === '*:*').id
  const high = await call(team, team.owner, 'POST', '/api/roles/create', {
    name: 'high',
    hierarchy_level: 95,
    permission_ids: [everything],
  })
  const invitation = { email: `${randomUUID()}@example.com`, role_id: high.body.id }
  const made = await call(team, team.owner, 'POST', '/api/invitations/create', invitation)
  const resend = (by: Person) =>
    server.call('POST', `/api/invitations/resend?invitation_id=${made.body.id}`, { token: by.token })
  expect((await resend(admin)).body.code).toBe('role.too_high')
  expect((await resend(team.owner)).status).toBe(200)
})

describe('unusual values', () => {
  test.each([
    'urn:uuid:0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60',
    '{0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60}',
    '0195f3c48a5e7cc39e0f3a7d1c2b4e60',
  ])('%s is not an id', async (id) => {
    const person = await server.signUp()
    const answer = await server.call('GET', `/api/users/list?org_id=${encodeURIComponent(id)}`, {
      token: person.token,
    })
    expect([answer.status, answer.body.detail]).toEqual([400, 'org_id must be a UUID.'])
  })

  test.each([
    '2030-12-31T23:59:60Z',
    '9999-12-31T23:59:59-23:59',
    '2030-01-01T00:00:00+05',
    '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '+012026-01-01T00:00:00Z',
  ])('%s is not a time', async (time) => {
    const person = await server.signUp()
    const org = `org_id=${person.organizationId}`
    const key = await server.call('POST', `/api/api_keys/create?${org}`, {
      token: person.token,
      body: { name: 'k', permissions: ['chats:read'], expires_at: time },
    })
    expect(key.status).toBe(400)
    const audit = await server.call('GET', `/api/audit/list?${org}&from=${encodeURIComponent(time)}`, {
      token: person.token,
    })
    expect(audit.status).toBe(400)
  })

  test('an id in upper case is the same id', async () => {
    const team = await makeTeam()
    const loud = team.owner.userId.toUpperCase()
    const self = await call(team, team.owner, 'PUT', `/api/users/update_status?user_id=${loud}`, {
      status: 'suspended',
    })
    expect(self.body.code).toBe('user.self')
    const give = await call(team, team.owner, 'POST', '/api/org/transfer_ownership', { user_id: loud })
    expect(give.body.code).toBe('user.same_role')
  })
})
