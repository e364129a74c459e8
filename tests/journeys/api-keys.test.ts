import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, roleOf } from '#tests/support/tenants.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.signUp()
})
afterAll(() => server.stop())

const create = (body: Record<string, unknown>, person = owner) =>
  server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { name: 'k', ...body },
  })
const chats = (headers: Record<string, string>, organizationId = owner.organizationId) =>
  server.call('GET', `/api/chat/list?org_id=${organizationId}`, { headers })
const audit = async (query = '') =>
  (
    await server.call('GET', `/api/audit/list?org_id=${owner.organizationId}&${query}`, {
      token: owner.token,
    })
  ).body

describe('an API key', () => {
  test('is shown once, stored as a hash, and accepted in both headers', async () => {
    const { status, body } = await create({ permissions: ['chats:*'], name: ' Nightly ' })
    expect([status, body.name, body.last_used_at]).toEqual([201, 'Nightly', null])
    expect(body.key).toMatch(/^sk_[\w-]{43}$/)
    expect(body.key.startsWith(body.prefix)).toBe(true)
    expect((await chats({ 'x-api-key': body.key })).status).toBe(200)
    expect((await chats({ authorization: `Bearer ${body.key}` })).status).toBe(200)
    const list = await server.call('GET', `/api/api_keys/list?org_id=${owner.organizationId}`, {
      token: owner.token,
    })
    expect(list.text).not.toContain(body.key)
    const shown = list.body.data.find(({ id }: { id: string }) => id === body.id)
    expect(Date.now() - Date.parse(shown.last_used_at)).toBeLessThan(60_000)
    const rows = await server.server.services.database.sql`select * from api_keys`
    expect(JSON.stringify(rows)).not.toContain(body.key)
  })

  test('is created for the organization named in the query or body', async () => {
    const ask = (query: string, body: Record<string, unknown>) =>
      server.call('POST', `/api/api_keys/create${query}`, {
        token: owner.token,
        body: { name: 'k', permissions: ['chats:*'], ...body },
      })
    const org_id = owner.organizationId
    const made = await ask('', { org_id })
    expect([made.status, made.body.organization_id]).toEqual([201, org_id])
    expect((await ask(`?org_id=${org_id}`, { org_id: org_id.toUpperCase() })).status).toBe(201)
    const stranger = await server.signUp()
    expect((await ask('', { org_id: stranger.organizationId })).status).toBe(404)
    const differing = await ask(`?org_id=${org_id}`, { org_id: stranger.organizationId })
    expect([differing.status, differing.body.detail]).toEqual([
      400,
      expect.stringContaining('must be the same'),
    ])
    const missing = await ask('', {})
    expect([missing.status, missing.body.detail]).toEqual([
      400,
      expect.stringContaining('org_id is required'),
    ])
  })

  test('sends messages as its owner, in its organization only', async () => {
    const modelId = await server.addModel(owner, { provider: 'demo', version: 'parley-demo' })
    const { body } = await create({ permissions: ['chats:*'] })
    const reply = await server.say({ ...owner, token: body.key }, { model_id: modelId }, { content: 'Hi' })
    const own = await server.call('GET', `/api/chat?org_id=${owner.organizationId}&chat_id=${reply.chatId}`, {
      token: owner.token,
    })
    expect(own.body.messages).toHaveLength(2)
    const made = await server.call('POST', `/api/org/create_org?name=${crypto.randomUUID()}`, {
      token: owner.token,
    })
    const elsewhere = await chats({ 'x-api-key': body.key }, made.body.id)
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([
      404,
      expect.stringContaining('Organization not found'),
    ])
    const me = await server.call('GET', '/api/users/me', { token: body.key })
    expect(me.body.organizations.map(({ id }: { id: string }) => id)).toEqual([owner.organizationId])
    const list = await server.call('GET', '/api/org/list', { token: body.key })
    expect(list.body.data).toHaveLength(1)
  })

  test('uses its own organization if none is named', async () => {
    const made = await server.call('POST', `/api/org/create_org?name=${crypto.randomUUID()}`, {
      token: owner.token,
    })
    const there = { ...owner, organizationId: made.body.id }
    const { body } = await create({ permissions: ['organization:write'] }, there)
    const model = await server.call('POST', '/api/llm/add', {
      token: body.key,
      body: { name: 'm', provider: 'demo', version: 'parley-demo' },
    })
    expect(model.status).toBe(201)
    const { sql } = server.server.services.database
    const [row] = await sql`select organization_id from llm_models where id = ${model.body.id}`
    expect(row?.['organization_id']).toBe(there.organizationId)
  })

  test('grants only permissions that its owner still holds', async () => {
    const reader = (await create({ permissions: ['chats:read'] })).body
    const write = (key: string, organizationId: string) =>
      server.call('POST', `/api/chat?org_id=${organizationId}`, { token: key, body: {} })
    expect((await write(reader.key, owner.organizationId)).body.detail).toBe(
      'Missing permission: chats:write',
    )
    const admin = await server.signUp()
    const { sql } = server.server.services.database
    await addMemberWithRole(sql, owner.organizationId, admin.userId, 'admin')
    const key = (
      await create({ permissions: ['chats:*', 'kb:*'] }, { ...admin, organizationId: owner.organizationId })
    ).body.key
    expect((await write(key, owner.organizationId)).status).toBe(201)
    await sql`
      update memberships set role_id = ${await roleOf(server, owner, 'guest')}
      where organization_id = ${owner.organizationId} and user_id = ${admin.userId}`
    expect((await write(key, owner.organizationId)).status).toBe(403)
  })

  test('cannot have permissions that its owner lacks', async () => {
    const admin = await server.signUp()
    await addMemberWithRole(server.server.services.database.sql, owner.organizationId, admin.userId, 'admin')
    const there = { ...admin, organizationId: owner.organizationId }
    expect((await create({ permissions: ['organization:delete'] }, there)).body.code).toBe(
      'role.permission_not_held',
    )
    expect((await create({ permissions: ['*:*'] }, there)).body.code).toBe('role.permission_not_held')
  })

  test('stops working when it expires or is deleted', async () => {
    const past = new Date(Date.now() - 1000).toISOString()
    expect((await create({ permissions: ['chats:*'], expires_at: past })).body.code).toBe(
      'api_key.expiry_past',
    )
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const { body } = await create({ permissions: ['chats:*'], expires_at: soon })
    expect([(await chats({ 'x-api-key': body.key })).status, body.expires_at]).toEqual([200, soon])
    await server.server.services.database.sql`update api_keys set expires_at = now() where id = ${body.id}`
    const expired = await chats({ 'x-api-key': body.key })
    expect([expired.status, expired.body.detail]).toEqual([
      401,
      expect.stringContaining('Invalid or revoked API key'),
    ])
    expect(expired.headers.get('www-authenticate')).toBe('Bearer realm="Parley", error="invalid_token"')
    const other = (await create({ permissions: ['chats:*'] })).body
    const path = `/api/api_keys/delete?api_key_id=${other.id}`
    expect((await server.call('DELETE', path, { token: owner.token })).status).toBe(200)
    expect((await chats({ 'x-api-key': other.key })).status).toBe(401)
    expect((await server.call('DELETE', path, { token: owner.token })).status).toBe(404)
  })

  test.each([
    [{ permissions: [] }],
    [{ permissions: ['chats'] }],
    [{ permissions: ['chats:*'], expires_at: 'tomorrow' }],
    [{ permissions: ['chats:*'], user_id: 'x' }],
    [{ name: ' ', permissions: ['chats:*'] }],
  ])('is refused with %o', async (body) => {
    expect((await create(body)).status).toBe(400)
  })
})

describe('the audit log', () => {
  test('records the actor, address, and values before and after a change, without secrets', async () => {
    const modelId = await server.addModel(owner, {
      provider: 'openai-compatible',
      version: 'x',
      config: { base_url: 'https://models.example.com/v1', api_key: 'sk-canary' },
    })
    await server.call('PUT', `/api/llm/update?model_id=${modelId}`, {
      token: owner.token,
      body: { name: 'Renamed' },
    })
    const key = (await create({ permissions: ['organization:write'] })).body
    await server.call('DELETE', `/api/llm/delete?model_id=${modelId}`, { headers: { 'x-api-key': key.key } })

    const { data } = await audit(`record_id=${modelId}`)
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      'model.deleted',
      'model.updated',
      'model.created',
    ])
    const [deleted, updated, created] = data
    expect(updated).toMatchObject({
      before: { name: 'Test model' },
      after: { name: 'Renamed' },
      actor_id: owner.userId,
    })
    expect(created).toMatchObject({ before: null, after: { api_key: '(hidden)' }, ip_address: '127.0.0.1' })
    expect(deleted).toMatchObject({ after: null, actor_id: owner.userId, api_key_id: key.id })
    const [ofKey] = (await audit(`record_type=api_key&record_id=${key.id}`)).data
    expect(ofKey.after).toMatchObject({ key_hash: '(hidden)', permissions: ['organization:write'] })
    expect(JSON.stringify(await audit('limit=100'))).not.toMatch(/canary|sk_[\w-]{20}/)
  })

  test("supports filters and pages, and contains only the organization's entries", async () => {
    const all = (await audit('limit=100')).data
    const first = await audit('limit=2')
    const second = await audit(`limit=2&cursor=${first.pagination.next_cursor}`)
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(
      all.slice(0, 4).map(({ id }: { id: string }) => id),
    )
    const since = all[3].created_at
    expect(
      (await audit(`to=${since}`)).data.every((one: { created_at: string }) => one.created_at < since),
    ).toBe(true)
    expect((await audit(`from=${since}&limit=100`)).data.length).toBeGreaterThanOrEqual(4)
    expect((await audit('action=model.updated')).data).toHaveLength(1)
    expect((await audit(`actor_id=${crypto.randomUUID()}`)).data).toEqual([])
    const stranger = await server.signUp()
    const theirs = await server.call('GET', `/api/audit/list?org_id=${stranger.organizationId}`, {
      token: stranger.token,
    })
    expect(theirs.body.data).toEqual([])
  })

  test.each([
    ['changed', (sql: Sql) => sql`update audit_entries set action = 'x.y'`],
    ['deleted', (sql: Sql) => sql`delete from audit_entries`],
    ['emptied', (sql: Sql) => sql`truncate audit_entries`],
  ])('cannot be %s, even in the database', async (_what, statement) => {
    await expect(statement(server.server.services.database.sql)).rejects.toThrow('never changed')
  })

  test('has no entry for a failed change', async () => {
    const before = (await audit('limit=100')).data.length
    const { sql } = server.server.services.database
    await sql`alter table api_keys add constraint refuse check (name <> 'refuse me')`
    expect((await create({ name: 'refuse me', permissions: ['chats:*'] })).status).toBe(500)
    await sql`alter table api_keys drop constraint refuse`
    expect((await audit('limit=100')).data).toHaveLength(before)
  })
})

type Sql = TestServer['server']['services']['database']['sql']
