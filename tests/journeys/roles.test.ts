import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { createClient } from '#tests/support/client.ts'
import { sharedTestServer, startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, addPowerlessMember, administratorToken, roleOf } from '#tests/support/tenants.ts'

let server: TestServer
let owner: Person
let administrator: string
let permissions: Record<string, string>

beforeAll(async () => {
  server = await sharedTestServer()
  owner = await server.signUp()
  administrator = await administratorToken(server)
  const list = await server.call('GET', '/api/roles/list_permissions?limit=100', { token: owner.token })
  permissions = Object.fromEntries(
    list.body.data.map((one: { name: string; id: string }) => [one.name, one.id]),
  )
})
afterAll(() => server.stop())

const call = (by: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call(method, path, { token: by, ...(body !== undefined && { body }) })
const create = (by: string, level: number, names: string[], name: string = randomUUID()) =>
  call(by, 'POST', `/api/roles/create?org_id=${owner.organizationId}`, {
    name,
    hierarchy_level: level,
    permission_ids: names.map((permission) => permissions[permission]),
  })
const update = (by: string, roleId: string, body: unknown) =>
  call(by, 'PUT', `/api/roles/update?org_id=${owner.organizationId}&role_id=${roleId}`, body)
const remove = (by: string, roleId: string) =>
  call(by, 'DELETE', `/api/roles/remove?org_id=${owner.organizationId}&role_id=${roleId}`)

describe('roles', () => {
  test('are created, listed, changed and deleted', async () => {
    const made = await create(owner.token, 30, ['kb:read', 'kb:write'], '  Editor ')
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name: 'Editor',
      organization_id: owner.organizationId,
      member_count: 0,
    })
    expect(made.body.permissions.map((one: { name: string }) => one.name)).toEqual(['kb:read', 'kb:write'])
    const conflict = await create(owner.token, 30, [], 'EDITOR')
    expect([conflict.status, conflict.body.code]).toEqual([400, 'role.name_taken'])
    expect((await create(owner.token, 30, [], 'Owner')).status).toBe(400)
    const changed = await update(owner.token, made.body.id, {
      permission_ids: [permissions['kb:*']],
      description: 'x',
    })
    expect(changed.body).toMatchObject({
      name: 'Editor',
      description: 'x',
      permission_ids: [permissions['kb:*']],
    })
    expect((await update(owner.token, made.body.id, { permission_ids: [randomUUID()] })).status).toBe(404)
    expect((await update(owner.token, made.body.id, { is_system_role: true })).status).toBe(400)
    const list = await call(
      owner.token,
      'GET',
      `/api/roles/list_roles?org_id=${owner.organizationId}&limit=100`,
    )
    const system = list.body.data.filter((role: { is_system_role: boolean }) => role.is_system_role)
    expect(system.map((role: { organization_id: null }) => role.organization_id)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect((await remove(owner.token, made.body.id)).status).toBe(200)
    expect((await remove(owner.token, made.body.id)).status).toBe(404)
  })

  test.each(['owner', 'admin', 'member', 'guest'])(
    '%s is a system role and cannot be changed',
    async (name) => {
      const id = await roleOf(server, owner, name)
      expect((await update(owner.token, id, { description: 'x' })).body.code).toBe('role.system')
      expect((await remove(owner.token, id)).body.code).toBe('role.system')
    },
  )

  test('with members cannot be deleted', async () => {
    const made = await create(owner.token, 30, [], randomUUID())
    const person = await server.signUp()
    await addMemberWithRole(
      server.server.services.database.sql,
      owner.organizationId,
      person.userId,
      made.body.name,
    )
    const refused = await remove(owner.token, made.body.id)
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `This role is assigned to members: ${person.email}. Assign them another role first.`,
    ])
    await call(
      owner.token,
      'DELETE',
      `/api/users/remove?org_id=${owner.organizationId}&user_id=${person.userId}`,
    )
    expect((await remove(owner.token, made.body.id)).status).toBe(200)
  })

  test('take effect at the next request, also in another process', async () => {
    // The embedded database supports only one process.
    const second = server.server.services.database.embedded
      ? server
      : await startTestServer(server.environment)
    const elsewhere = createClient(second.url)
    const role = (await create(owner.token, 5, [])).body
    const person = await server.signUp()
    await addMemberWithRole(
      server.server.services.database.sql,
      owner.organizationId,
      person.userId,
      role.name,
    )
    const may = async () =>
      (await elsewhere.call('GET', `/api/chat/list?org_id=${owner.organizationId}`, { token: person.token }))
        .status
    expect(await may()).toBe(403)
    await update(owner.token, role.id, { permission_ids: [permissions['*:read']] })
    expect(await may()).toBe(200)
    await update(owner.token, role.id, { permission_ids: [permissions['chats:write']] })
    expect(await may()).toBe(403)
    await update(owner.token, role.id, { permission_ids: [permissions['chats:*']] })
    expect(await may()).toBe(200)
    if (second !== server) await second.server.stop()
  })
})

describe('members cannot raise their privileges', () => {
  const makeAdmin = async () => {
    const admin = await server.signUp()
    await addMemberWithRole(server.server.services.database.sql, owner.organizationId, admin.userId, 'admin')
    return admin.token
  }

  test('to their own level or above', async () => {
    const admin = await makeAdmin()
    for (const level of [80, 81, 100])
      expect((await create(admin, level, [])).body.code).toBe('role.too_high')
    const low = await create(admin, 79, ['kb:write'])
    expect(low.status).toBe(201)
    expect((await update(admin, low.body.id, { hierarchy_level: 80 })).body.code).toBe('role.too_high')
    const high = await create(owner.token, 90, ['kb:read'])
    expect((await update(admin, high.body.id, { description: 'x' })).body.code).toBe('role.too_high')
    expect((await remove(admin, high.body.id)).body.code).toBe('role.too_high')
    expect((await create(owner.token, 100, ['*:*'])).status).toBe(201)
  })

  test('by permissions that they do not hold', async () => {
    const admin = await makeAdmin()
    for (const name of ['organization:delete', 'organization:*', '*:*'])
      expect((await create(admin, 10, [name])).body.code).toBe('role.permission_not_held')
    // The admin's permissions kb:read, chats:read and so on cover *:read. Otherwise no admin could invite a
    // member.
    for (const name of ['*:read', 'kb:*', 'organization:write'])
      expect((await create(admin, 10, [name])).status).toBe(201)
    const invitation = {
      email: `${randomUUID()}@example.com`,
      role_id: await roleOf(server, owner, 'member'),
    }
    const path = `/api/invitations/create?org_id=${owner.organizationId}`
    expect((await call(admin, 'POST', path, invitation)).status).toBe(201)
    const mixed = await create(owner.token, 10, ['organization:delete'])
    const kept = await update(admin, mixed.body.id, {
      permission_ids: [permissions['organization:delete'], permissions['kb:read']],
    })
    expect(kept.status).toBe(200)
  })

  test('by changing the role that they have', async () => {
    const climber = await addPowerlessMember(server, owner.organizationId, ['roles:*', 'kb:*'])
    const list = await call(
      climber.token,
      'GET',
      `/api/roles/list_roles?org_id=${owner.organizationId}&limit=100`,
    )
    const { body: me } = await call(climber.token, 'GET', '/api/users/me')
    const mine = me.organizations.find((one: { id: string }) => one.id === owner.organizationId).role_id
    expect(list.body.data.map((role: { id: string }) => role.id)).toContain(mine)
    expect((await update(climber.token, mine, { permission_ids: [permissions['kb:read']] })).status).toBe(403)
    expect((await update(climber.token, mine, { hierarchy_level: 100 })).status).toBe(403)
  })

  test('by an API key with fewer permissions than its owner', async () => {
    const made = await call(owner.token, 'POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
      name: 'k',
      permissions: ['roles:write', 'organization:admin', 'users:write'],
    })
    const key = made.body.key
    expect((await create(key, 10, ['kb:read'])).body.code).toBe('role.permission_not_held')
    expect((await create(key, 10, ['roles:write'])).status).toBe(201)
    const other = await call(key, 'POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
      name: 'k2',
      permissions: ['*:*'],
    })
    expect(other.body.code).toBe('access.session_needed')
    const person = await server.signUp()
    await addMemberWithRole(server.server.services.database.sql, owner.organizationId, person.userId, 'guest')
    const promote = await call(
      key,
      'PUT',
      `/api/users/update?org_id=${owner.organizationId}&user_id=${person.userId}`,
      { role_id: await roleOf(server, owner, 'member') },
    )
    expect(promote.body.code).toBe('role.permission_not_held')
    const hand = await call(key, 'POST', `/api/org/transfer_ownership?org_id=${owner.organizationId}`, {
      user_id: person.userId,
    })
    expect(hand.body.code).toBe('access.session_needed')
  })
})

describe('permissions', () => {
  test('can be created by the system administrator, and removing one removes it from every role', async () => {
    const name = `r${randomUUID().replaceAll('-', '').slice(0, 12)}:read`
    const made = await call(administrator, 'POST', '/api/roles/permission', { name, description: 'Reports' })
    expect(made.status).toBe(201)
    expect((await call(administrator, 'POST', '/api/roles/permission', { name })).status).toBe(409)
    permissions[name] = made.body.id
    const role = await create(owner.token, 10, [name, 'kb:read'])
    expect(role.body.permissions).toHaveLength(2)
    const path = `/api/roles/permission?permission_id=${made.body.id}`
    expect((await call(administrator, 'DELETE', path)).status).toBe(200)
    expect((await call(administrator, 'DELETE', path)).status).toBe(404)
    const after = await update(owner.token, role.body.id, {})
    expect(after.body.permission_ids).toEqual([permissions['kb:read']])
    const builtIn = `/api/roles/permission?permission_id=${permissions['*:*']}`
    expect((await call(administrator, 'DELETE', builtIn)).body.code).toBe('permission.built_in')
  })

  test.each(['kb', 'kb:', ':read', 'KB:read', 'kb:read:x', 'kb read', '**:read'])(
    'with the name %s are refused',
    async (name) => {
      expect((await call(administrator, 'POST', '/api/roles/permission', { name })).status).toBe(400)
    },
  )
})
