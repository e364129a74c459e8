import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { said } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, addPowerlessMember } from '#tests/support/tenants.ts'
import { type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

let server: TestServer
let person: Person
let smith: Toolsmith
let org: { org_id: string }
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  smith = toolsmith(server, person)
  org = { org_id: person.organizationId }
})
afterAll(() => server.stop())

const NOTHING = '00000000-0000-4000-8000-000000000000'

test('a category is created, listed, changed and deleted, with audit entries', async () => {
  const made = await smith.call('POST', '/create_category', org, { name: ' Search ', description: 'Finds' })
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.any(String),
      organization_id: person.organizationId,
      created_by: person.userId,
      name: 'Search',
      description: 'Finds',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  const one = { ...org, category_id: made.body.id }
  const changed = await smith.call('PUT', '/update_category', one, { description: 'Finds things' })
  expect([changed.status, changed.body.name, changed.body.description]).toEqual([
    200,
    'Search',
    'Finds things',
  ])
  expect((await smith.call('GET', '/list_categories')).body).toEqual({
    data: [changed.body],
    pagination: { next_cursor: null, has_more: false },
  })
  const removed = await smith.call('DELETE', '/delete_category', one)
  expect([removed.status, removed.body]).toEqual([200, { message: 'Tool category deleted' }])
  expect(said(await smith.call('DELETE', '/delete_category', one))).toEqual([
    404,
    expect.stringContaining('Tool category not found'),
  ])
  const audit = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(audit.body.data.map(({ action }: { action: string }) => action).slice(0, 3)).toEqual([
    'tool_category.deleted',
    'tool_category.updated',
    'tool_category.created',
  ])
})

test('names are unique in an organization, regardless of case', async () => {
  const name = `Name ${crypto.randomUUID()}`
  const create = (called: string) =>
    smith.call('POST', '/create_category', org, { name: called, description: '' })
  const all = await Promise.all([name, name.toUpperCase(), `${name} `].map(create))
  expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const taken = [409, 'A tool category with this name already exists. Choose another name.']
  expect(said(await create(name))).toEqual(taken)
  const other = { ...org, category_id: await smith.category() }
  expect(said(await smith.call('PUT', '/update_category', other, { name }))).toEqual(taken)
  expect((await toolsmith(server, await server.signUp()).category(name)).length).toBe(36)
})

test.each<[Record<string, unknown>, string]>([
  [{ description: '' }, 'name is required'],
  [{ name: 'a' }, 'description is required'],
  [{ name: ' ', description: '' }, 'name'],
  [{ name: 'a'.repeat(201), description: '' }, 'name must have at most 200 characters'],
  [{ name: 'a', description: 'a'.repeat(5_001) }, 'description must have at most 5000 characters'],
  [{ name: 'a', description: '', icon: 'b' }, 'icon is not a field of this request.'],
])('%j is refused: %s', async (body, sentence) => {
  const answer = await smith.call('POST', '/create_category', org, body)
  expect(said(answer)).toEqual([400, expect.stringContaining(sentence)])
})

test('a category with tools cannot be deleted, and the error names them', async () => {
  const category_id = await smith.category()
  await smith.make({ fields: { name: 'Weather', version: '2.0', category_id } })
  expect(said(await smith.call('DELETE', '/delete_category', { ...org, category_id }))).toEqual([
    409,
    'This category contains tools: Weather 2.0. Move or delete them first.',
  ])
})

test('the list covers all organizations in which the caller can read tools, in pages', async () => {
  const reader = await server.signUp()
  const [first, second] = [await server.signUp(), await server.signUp()]
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, first.organizationId, reader.userId, 'guest')
  const ids = [
    await toolsmith(server, first).category(),
    await toolsmith(server, reader).category(),
    await toolsmith(server, first).category(),
  ].reverse()
  await toolsmith(server, second).category()
  const own = toolsmith(server, reader)
  const page = await own.call('GET', '/list_categories', { limit: '2' })
  const rest = await own.call('GET', '/list_categories', { cursor: page.body.pagination.next_cursor })
  expect([...page.body.data, ...rest.body.data].map(({ id }: { id: string }) => id)).toEqual(ids)
  expect((await own.call('GET', '/list_categories', { cursor: 'x' })).status).toBe(400)

  const powerless = await addPowerlessMember(server, second.organizationId)
  expect((await toolsmith(server, powerless).call('GET', '/list_categories')).body.data).toEqual([])
})

test('a category of another organization gets 404', async () => {
  const foreign = await toolsmith(server, await server.signUp()).category()
  for (const category_id of [foreign, NOTHING])
    for (const [method, path] of [
      ['PUT', '/update_category'],
      ['DELETE', '/delete_category'],
    ] as const) {
      const answer = await smith.call(
        method,
        path,
        { ...org, category_id },
        method === 'PUT' ? {} : undefined,
      )
      expect(said(answer)).toEqual([404, expect.stringContaining('Tool category not found')])
    }
  expect(said(await smith.submit({ fields: { category_id: foreign } }))).toEqual([
    404,
    expect.stringContaining('Tool category not found'),
  ])
})

test('creating a tool in a category while it is deleted: exactly one of the two succeeds', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => smith.category()))
  const outcomes = await Promise.all(
    ids.map(async (category_id) => {
      const tool = smith.submit({ fields: { category_id } })
      const removed = await smith.call('DELETE', '/delete_category', { ...org, category_id })
      return [(await tool).status, removed.status]
    }),
  )
  for (const outcome of outcomes)
    expect([
      [201, 409],
      [404, 200],
    ]).toContainEqual(outcome)
})
