import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Default models: the model that new chats and agents start with, chosen by the organization or by each member. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: Person
let member: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  owner = await server.signUp()
  const joined = await colleaguesOf(server, owner).join('member')
  member = { ...joined, organizationId: owner.organizationId }
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const call = (method: string, path: string, person: Person, body?: object) =>
  server.call(method, `${path}?org_id=${person.organizationId}`, {
    token: person.token,
    ...(body && { body }),
  })
const defaults = async (person: Person) => (await call('GET', '/api/llm/defaults', person)).body
const setOwn = (person: Person, own_model_id: string | null) =>
  call('PUT', '/api/llm/update_own_default', person, { own_model_id })
const setOrganizations = (person: Person, organization_model_id: string | null) =>
  call('PUT', '/api/llm/update_default', person, { organization_model_id })
const addModel = (name: string, more: object = {}) =>
  server.addModel(owner, {
    name,
    provider: 'openai-compatible',
    version: 'emu-n2',
    config: { base_url: `${provider.url}/v1` },
    ...more,
  })

test("a member's default precedes the organization's, which precedes the oldest model; the demo comes last", async () => {
  const demo = await addModel('Own demo', { provider: 'demo', version: 'parley-demo', config: {} })
  expect((await defaults(owner)).model_id).toBe(demo)
  const oldest = await addModel('Oldest')
  const second = await addModel('Second')
  const newest = await addModel('Newest', { version: 'emu-n5' })
  expect(await defaults(owner)).toEqual({ model_id: oldest, own_model_id: null, organization_model_id: null })

  expect((await setOrganizations(owner, second)).body).toMatchObject({ model_id: second })
  expect((await setOwn(member, newest)).body).toEqual({
    model_id: newest,
    own_model_id: newest,
    organization_model_id: second,
  })
  expect((await defaults(owner)).model_id).toBe(second)

  const prompts = await call('POST', '/api/chat/prompt', member, { text: 'Ferns' })
  expect(prompts.status).toBe(200)
  expect(provider.requests.at(-1)?.body).toMatchObject({ model: 'emu-n5' })

  // An inactive default is skipped, and a deleted one is gone.
  const update = (id: string, body: object) =>
    server.call('PUT', `/api/llm/update?model_id=${id}`, { token: owner.token, body })
  await update(newest, { is_active: false })
  expect(await defaults(member)).toMatchObject({ model_id: second, own_model_id: newest })
  await server.call('DELETE', `/api/llm/delete?model_id=${newest}`, { token: owner.token })
  expect(await defaults(member)).toMatchObject({ model_id: second, own_model_id: null })
  await setOrganizations(owner, null)
  expect(await defaults(member)).toEqual({
    model_id: oldest,
    own_model_id: null,
    organization_model_id: null,
  })
  const audit = await call('GET', '/api/audit/list', owner)
  expect(audit.body.data.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['default_model.created', 'default_model.deleted']),
  )
})

test('only a model that the caller can use becomes a default', async () => {
  const stranger = await server.signUp()
  const foreign = await server.addModel(stranger, { provider: 'demo', version: 'parley-demo' })
  const mute = await addModel('Mute', {
    config: { base_url: `${provider.url}/v1`, capabilities: ['embedding'] },
  })
  const off = await addModel('Off', { is_active: false })
  const outcomes = await Promise.all([
    setOwn(member, foreign),
    setOrganizations(owner, crypto.randomUUID()),
    setOwn(member, mute),
    setOwn(member, off),
    setOrganizations(member, foreign),
    setOwn({ ...stranger, organizationId: owner.organizationId }, foreign),
  ])
  expect(outcomes.map(({ status, body }) => [status, body.code])).toEqual([
    [404, 'llm.not_found'],
    [404, 'llm.not_found'],
    [400, 'llm.cannot_chat'],
    [400, 'llm.inactive'],
    [403, 'access.missing_permission'],
    [404, 'org.not_found'],
  ])
})

test('concurrent choices leave one default', async () => {
  const models = await Promise.all(['A', 'B', 'C'].map((name) => addModel(name)))
  const answers = await Promise.all(models.map((id) => setOwn(owner, id)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(models).toContain((await defaults(owner)).own_model_id)
})
