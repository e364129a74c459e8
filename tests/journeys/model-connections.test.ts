import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Connections: a provider's key and base URL, entered once and used by several models. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let other: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  ;[provider, other] = await Promise.all([startProvider(), startProvider()])
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await Promise.all([provider.close(), other.close()])
})

const call = (method: string, path: string, body?: object, owner = person): Promise<Answer> =>
  server.call(method, path, { token: owner.token, ...(body && { body }) })
const connect = (name: string, more: object = {}, owner = person): Promise<Answer> =>
  call(
    'POST',
    `/api/llm/connections/create?org_id=${owner.organizationId}`,
    { name, provider: 'openai-compatible', api_key: 'key-1', base_url: `${provider.url}/v1`, ...more },
    owner,
  )
const change = (id: string, body: object): Promise<Answer> =>
  call('PUT', `/api/llm/connections/update?connection_id=${id}`, body)
const addModel = (config: object, more: object = {}): Promise<Answer> =>
  call('POST', `/api/llm/add?org_id=${person.organizationId}`, {
    name: 'connected',
    provider: 'openai-compatible',
    version: 'emu-n2',
    config,
    ...more,
  })
const say = (model_id: string) => server.say(person, { model_id }, { content: 'say: Good day' })
const keyAt = ({ requests }: typeof provider) => requests.at(-1)?.headers.authorization

test('models use the key and base URL of their connection, wherever it moves', async () => {
  const { status, body: connection } = await connect('One')
  expect([status, connection]).toEqual([
    201,
    expect.objectContaining({ name: 'One', base_url: `${provider.url}/v1`, has_api_key: true }),
  ])
  const { body: offered } = await call(
    'GET',
    `/api/llm/connections/list_models?connection_id=${connection.id}`,
  )
  expect(offered.data).toContainEqual({
    version: 'emu-n5',
    context_window: expect.toSatisfy(isWindow),
    capabilities: ['text', 'tools'],
  })
  const { body: model } = await addModel({ connection_id: connection.id, context_window: 9_000 })
  expect(model.config).toMatchObject({
    connection_id: connection.id,
    has_api_key: false,
    context_window: 9_000,
  })
  const route = await server.addModel(person, {
    provider: 'route',
    version: '1',
    config: { route: { strategy: 'ordered', members: [{ model_id: model.id }] } },
  })
  for (const id of [model.id, route]) {
    expect((await say(id)).text).toBe('Good day')
    expect(keyAt(provider)).toBe('Bearer key-1')
  }
  await change(connection.id, { api_key: 'key-2' })
  await say(model.id)
  expect(keyAt(provider)).toBe('Bearer key-2')
  const moved = { base_url: `${other.url}/v1` }
  const refused = await change(connection.id, moved)
  expect([refused.status, refused.body.code]).toEqual([400, 'llm.connection_key_needed'])
  expect((await change(connection.id, { ...moved, api_key: 'key-3', name: 'Uno' })).body).toMatchObject({
    ...moved,
    name: 'Uno',
  })
  await say(model.id)
  expect(keyAt(other)).toBe('Bearer key-3')
  const { body: audit, text } = await call('GET', `/api/audit/list?org_id=${person.organizationId}&limit=100`)
  expect(audit.data.map(({ action }: { action: string }) => action)).toContain('model_connection.updated')
  expect(text).not.toContain('key-3')
})

test('a connection in use cannot be deleted', async () => {
  const { body: connection } = await connect('Two')
  const { body: model } = await addModel({ connection_id: connection.id })
  const remove = () => call('DELETE', `/api/llm/connections/delete?connection_id=${connection.id}`)
  const { status, body } = await remove()
  expect([status, body.detail]).toEqual([
    409,
    'This connection is used by connected. Choose another connection there first.',
  ])
  const { body: own } = await call('PUT', `/api/llm/update?model_id=${model.id}`, {
    config: { connection_id: null, base_url: `${provider.url}/v1`, api_key: 'own' },
  })
  expect(own.config).toMatchObject({ has_api_key: true, base_url: `${provider.url}/v1` })
  await say(model.id)
  expect(keyAt(provider)).toBe('Bearer own')
  expect((await remove()).status).toBe(200)
})

test('of two changes at the same time, none gives the key of a connection an address', async () => {
  const { body: connection } = await connect('Racing')
  const { body: model } = await addModel({ base_url: `${provider.url}/v1`, api_key: 'own' })
  const update = (config: object) => call('PUT', `/api/llm/update?model_id=${model.id}`, { config })
  const get = () => call('GET', `/api/llm/get?org_id=${person.organizationId}&model_id=${model.id}`)
  for (let round = 0; round < 20; round += 1) {
    await update({ connection_id: null, base_url: `${provider.url}/v1`, api_key: 'own' })
    await update({ base_url: null, api_key: null })
    const both = await Promise.all([
      update({ connection_id: connection.id }),
      update({ base_url: `${other.url}/v1` }),
    ])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
    const { config } = (await get()).body
    expect([config.connection_id, config.base_url].filter(Boolean)).toHaveLength(1)
  }
})

test('connections are checked', async () => {
  const stranger = await server.signUp()
  const [{ body: own }, { body: foreign }] = await Promise.all([
    connect('Three'),
    connect('Three', {}, stranger),
  ])
  const outcomes = await Promise.all([
    connect('Three'),
    connect('Four', { provider: 'openai', api_key: undefined }),
    connect('Four', { base_url: undefined }),
    addModel({ connection_id: foreign.id }),
    addModel({ connection_id: own.id, api_key: 'k' }),
    addModel({ connection_id: own.id }, { provider: 'openai' }),
    change(foreign.id, { name: 'Mine' }),
  ])
  expect(outcomes.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'llm.connection_name_taken'],
    [400, 'llm.api_key_needed'],
    [400, 'llm.base_url_needed'],
    [404, 'llm.connection_not_found'],
    [400, 'llm.connection_or_key'],
    [400, 'llm.connection_of_another'],
    [404, 'llm.connection_not_found'],
  ])
  const { body: list } = await call(
    'GET',
    `/api/llm/connections/list?org_id=${stranger.organizationId}`,
    undefined,
    stranger,
  )
  expect(list.data).toEqual([foreign])
})

test('a failing provider is reported', async () => {
  const { body: connection } = await connect('Five', { base_url: 'http://127.0.0.1:1/v1' })
  const { status, body } = await call(
    'GET',
    `/api/llm/connections/list_models?connection_id=${connection.id}`,
  )
  expect([status, body.code]).toEqual([503, 'llm.failed'])
})

const isWindow = (value: unknown): boolean => value === null || typeof value === 'number'

test('a model can leave fields out that its server refuses without naming them', async () => {
  const at = { base_url: `${provider.url}/v1`, api_key: 'k' }
  const { status, body: model } = await addModel({ ...at, omit: ['stream_options'] })
  expect([status, model.config.omit]).toEqual([201, ['stream_options']])
  const sent = () => provider.requests.at(-1)?.body
  expect((await say(model.id)).text).toBe('Good day')
  expect(sent()).not.toHaveProperty('stream_options')
  const update = (config: object, id = model.id) => call('PUT', `/api/llm/update?model_id=${id}`, { config })
  expect((await update({ omit: null })).body.config).not.toHaveProperty('omit')
  await say(model.id)
  expect(sent()).toHaveProperty('stream_options')

  const claude = { provider: 'anthropic', version: 'claude-opus-4-5' }
  const { body: other } = await addModel(at, claude)
  for (const [answer, code] of [
    [await addModel({ ...at, omit: ['messages'] }), 'request.invalid'],
    [await addModel({ ...at, omit: 'stream_options' }), 'request.invalid'],
    [await addModel({ ...at, omit: ['stream_options'] }, claude), 'llm.setting_unknown'],
    [await update({ omit: ['encoding_format'] }, other.id), 'llm.setting_unknown'],
  ] as const)
    expect([answer.status, answer.body.code]).toEqual([400, code])
})
