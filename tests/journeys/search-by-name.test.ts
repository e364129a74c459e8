import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import type { Person } from '#tests/support/client.ts'
import { create as deploy } from '#tests/support/deployments.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Lists of records, limited to those that contain words. */

const WALRUS = 'Walrus keeper 100%'
const SEAL = 'Seal keeper'
const DESCRIPTIONS: Record<string, string> = { [WALRUS]: 'Feeds at noon', [SEAL]: 'Feeds at night' }

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  person = await withRecords()
  await withRecords()
})
afterAll(() => server.stop())

/** Creates two records of each kind in an organization of its own. */
async function withRecords(): Promise<Person> {
  const keeper = await agentKeeper(server)
  const { token, organizationId } = keeper.person
  const post = async (path: string, body: object) => {
    const answer = await server.call('POST', `${path}?org_id=${organizationId}`, { token, body })
    expect(answer.status, answer.text).toBe(201)
  }
  for (const name of [WALRUS, SEAL]) {
    const description = DESCRIPTIONS[name] ?? ''
    const agentId = await keeper.make({ name, description })
    await deploy(server, keeper.person, agentId, { name, description })
    await librarian(server, keeper.person).create({ name, description, sources: [] })
    await toolsmith(server, keeper.person).make({ fields: { name, description } })
    await post('/api/llm/add', { name, provider: 'demo', version: description })
    await post('/api/roles/create', { name, description, hierarchy_level: 10, permission_ids: [] })
    await post('/api/api_keys/create', { name, permissions: ['chats:read'] })
    await post('/api/instructions/create', { name, content: 'Feed them.' })
  }
  return keeper.person
}

const DESCRIBED = [
  '/api/agents/list',
  '/api/kb/list',
  '/api/chat/available_knowledge_bases',
  '/api/agent_deploy/list',
  '/api/tools/list_all',
  '/api/llm/list',
  '/api/roles/list_roles',
]

describe.each([...DESCRIBED, '/api/api_keys/list', '/api/instructions/list'])('%s', (path) => {
  const call = (query: Record<string, string>) => {
    const inOrganization = path.startsWith('/api/tools') ? {} : { org_id: person.organizationId }
    return server.call('GET', `${path}?${new URLSearchParams({ ...inOrganization, ...query })}`, {
      token: person.token,
    })
  }
  const namesOf = async (query: Record<string, string>): Promise<string[]> =>
    (await call(query)).body.data.map(({ name }: { name: string }) => name)

  test('finds words of the name in any order, page by page, only in the own organization', async () => {
    expect(await namesOf({ q: ' KEEPER walr' })).toEqual([WALRUS])
    expect(await namesOf({ q: '0%' })).toEqual([WALRUS])
    expect(await namesOf({ q: '%' })).toEqual([WALRUS])
    expect(await namesOf({ q: 'walrus seal' })).toEqual([])
    // The list of tools also has what other tests' organizations share.
    expect(await namesOf({ q: ' ' })).toEqual(expect.arrayContaining([SEAL, WALRUS]))
    const first = (await call({ q: 'keeper', limit: '1' })).body
    expect(first.data).toHaveLength(1)
    expect(await namesOf({ q: 'keeper', cursor: first.pagination.next_cursor })).toEqual([WALRUS])
  })

  if (DESCRIBED.includes(path))
    test('finds words of the description, or of both', async () => {
      expect(await namesOf({ q: 'noon' })).toEqual([WALRUS])
      expect(await namesOf({ q: 'night keeper' })).toEqual([SEAL])
      expect(await namesOf({ q: 'night walrus' })).toEqual([])
    })

  test('refuses a search that is too long or repeated', async () => {
    const { status, body } = await call({ q: 'x'.repeat(201) })
    expect([status, body.code]).toEqual([400, 'request.invalid'])
    const repeated = await server.call('GET', `${path}?org_id=${person.organizationId}&q=walrus&q=seal`, {
      token: person.token,
    })
    expect([repeated.status, repeated.body.code]).toEqual([400, 'request.invalid'])
    expect(await namesOf({ q: 'x'.repeat(200) })).toEqual([])
  })
})

test('an API key is found by the beginning of the key that the list shows', async () => {
  const read = async (q: string) =>
    (
      await server.call(
        'GET',
        `/api/api_keys/list?${new URLSearchParams({ org_id: person.organizationId, q })}`,
        {
          token: person.token,
        },
      )
    ).body.data
  const [key] = await read('walrus')
  expect(await read(key.prefix)).toEqual([key])
})

test('a model can be read by each member, and not from another organization', async () => {
  const stranger = await server.signUp()
  const read = (reader: Person, organizationId: string, modelId: string) =>
    server.call('GET', `/api/llm/get?org_id=${organizationId}&model_id=${modelId}`, { token: reader.token })
  const list = await server.call('GET', `/api/llm/list?org_id=${person.organizationId}&q=walrus`, {
    token: person.token,
  })
  const [model] = list.body.data
  expect((await read(person, person.organizationId, model.id)).body).toEqual(model)
  const foreign = await read(stranger, stranger.organizationId, model.id)
  expect([foreign.status, foreign.body.code]).toEqual([404, 'llm.not_found'])
  expect((await read(stranger, person.organizationId, model.id)).status).toBe(404)
})
