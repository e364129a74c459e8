import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { create } from '#tests/support/deployments.ts'
import { type Librarian, librarian, said } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

/** Agents: created, shown, changed, deleted. */

const NOTHING = '00000000-0000-4000-8000-000000000000'

let server: TestServer
let person: Person
let keeper: AgentKeeper
let library: Librarian
beforeAll(async () => {
  server = await sharedTestServer()
  keeper = await agentKeeper(server)
  person = keeper.person
  library = librarian(server, person)
})
afterAll(() => server.stop())

const sql = () => server.server.services.database.sql
const auditOf = async (id: string): Promise<Answer['body'][]> =>
  (
    await server.call('GET', `/api/audit/list?org_id=${person.organizationId}&record_id=${id}`, {
      token: person.token,
    })
  ).body.data
/** Requests a deployment. Another part creates deployments; these tests only need one to exist. */
const deploy = (agentId: string) => create(server, person, agentId, { name: 'Front desk' })

describe('an agent', () => {
  test('is created, shown, changed and deleted', async () => {
    const kb = await library.create()
    const params = { system_prompt: 'Be brief.', temperature: 0.3, max_tokens: 800 }
    const made = await keeper.ask({
      name: '  Concierge ',
      description: 'Answers guests',
      agent_type: 'function',
      params,
      knowledge_base_ids: [kb, kb],
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(String),
      organization_id: person.organizationId,
      created_by: person.userId,
      name: 'Concierge',
      description: 'Answers guests',
      agent_type: 'function',
      model_id: keeper.modelId,
      tools: [],
      params,
      is_public: false,
      is_active: true,
      knowledge_base_ids: [kb],
      mcp_instance_ids: [],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { id } = made.body
    expect((await keeper.get(id)).body).toEqual(made.body)

    const changed = await keeper.update(id, { params: { temperature: 1 }, is_active: false, is_public: true })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...made.body,
      params: { ...params, temperature: 1 },
      is_active: false,
      is_public: true,
      updated_at: expect.any(String),
    })
    expect(changed.body.updated_at > made.body.updated_at).toBe(true)
    expect((await keeper.get(id)).body).toEqual(changed.body)

    const removed = await keeper.remove(id)
    expect([removed.status, removed.body]).toEqual([200, { message: 'Agent deleted' }])
    for (const answer of [await keeper.get(id), await keeper.update(id, {}), await keeper.remove(id)])
      expect(said(answer)).toEqual([404, expect.stringContaining('Agent not found')])
  })

  test('is listed with its knowledge bases, newest first, in pages', async () => {
    const own = await agentKeeper(server)
    const shelf = librarian(server, own.person)
    const [first, second] = [await shelf.create(), await shelf.create()]
    const ids = [
      await own.make({ knowledge_base_ids: [second, first] }),
      await own.make({ is_active: false }),
      await own.make({ knowledge_base_ids: [first] }),
    ].reverse()
    const org_id = own.person.organizationId
    const page = await own.call('GET', '/list', { org_id, limit: '2' })
    const rest = await own.call('GET', '/list', { org_id, cursor: page.body.pagination.next_cursor })
    const all = [...page.body.data, ...rest.body.data]
    expect(all.map((agent) => [agent.id, agent.knowledge_base_ids])).toEqual([
      [ids[0], [first]],
      [ids[1], []],
      [ids[2], [second, first]],
    ])
    expect(all[2]).toEqual((await own.get(ids[2] ?? '')).body)
    expect(rest.body.pagination).toEqual({ next_cursor: null, has_more: false })
    for (const wrong of [{ cursor: 'x' }, { limit: '101' }, { limit: '0' }])
      expect((await own.call('GET', '/list', { org_id, ...wrong })).status).toBe(400)
  })

  test('with a long system prompt limits the length of a page', async () => {
    const own = await agentKeeper(server)
    const params = { system_prompt: 'é'.repeat(100_000) }
    const ids = await Promise.all(Array.from({ length: 12 }, () => own.make({ params })))
    const org_id = own.person.organizationId
    const page = await own.call('GET', '/list', { org_id, limit: '100' })
    expect([page.body.data.length, page.body.pagination.has_more]).toEqual([11, true])
    const rest = await own.call('GET', '/list', { org_id, cursor: page.body.pagination.next_cursor })
    const seen = [...page.body.data, ...rest.body.data].map(({ id }) => id)
    expect(seen).toEqual(ids.sort().reverse())
  })

  test('has a unique name in its organization, regardless of case, even for concurrent requests', async () => {
    const name = `Name ${randomUUID()}`
    const all = await Promise.all(
      ['', ' ', '', ' '].map((pad) => keeper.ask({ name: name.toUpperCase() + pad })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const taken = [409, 'An agent with this name already exists. Choose another name.']
    expect(said(await keeper.ask({ name }))).toEqual(taken)
    const other = await keeper.make()
    expect(said(await keeper.update(other, { name }))).toEqual(taken)
    const own = all.find(({ status }) => status === 201)?.body.id
    expect((await keeper.update(own, { name })).body.name).toBe(name)
    const stranger = await agentKeeper(server)
    expect((await stranger.ask({ name })).status).toBe(201)
  })

  test.each<[Record<string, unknown>, string]>([
    [{ name: ' ' }, 'name'],
    [{ name: 'n'.repeat(201) }, 'name'],
    [{ name: null }, 'name'],
    [{ description: undefined }, 'description'],
    [{ description: 'd'.repeat(5_001) }, 'description'],
    [{ agent_type: 'a'.repeat(51) }, 'agent_type'],
    [{ agent_type: ' ' }, 'agent_type'],
    [{ model_id: 'gpt' }, 'model_id'],
    [{ params: undefined }, 'params'],
    [{ params: { top_p: 1 } }, 'top_p'],
    [{ params: { temperature: 1.1 } }, 'temperature must be at most 1'],
    [{ params: { temperature: '1' } }, 'temperature'],
    [{ params: { max_tokens: 0 } }, 'max_tokens'],
    [{ params: { max_tokens: 1.5 } }, 'max_tokens'],
    [{ params: { system_prompt: 'x'.repeat(100_001) } }, 'system_prompt'],
    [{ tools: Array.from({ length: 51 }, () => ({ tool_id: NOTHING })) }, 'tools'],
    [{ tools: [{ tool_id: NOTHING, config: { key: 'value' } }] }, 'config'],
    [{ tools: [{ tool_id: NOTHING, config: [{ name: 'key' }] }] }, 'value'],
    [{ tools: [{ id: NOTHING }] }, 'id'],
    [{ knowledge_base_ids: Array(21).fill(NOTHING) }, 'knowledge_base_ids'],
    [{ is_public: 'yes' }, 'is_public'],
    [{ organization_id: NOTHING }, 'organization_id'],
    [{ created_by: NOTHING }, 'created_by'],
  ])('is refused with %j', async (body, named) => {
    const answer = await keeper.ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toContain(named)
  })

  test('accepts a system prompt of 100,000 characters, and empty params', async () => {
    const system_prompt = 'ü'.repeat(100_000)
    const { body } = await keeper.ask({ params: { system_prompt } })
    expect((await keeper.get(body.id)).body.params).toEqual({ system_prompt })
    expect((await keeper.update(body.id, { params: {} })).body.params).toEqual({ system_prompt })
    const merged = { system_prompt, temperature: 0.5 }
    expect((await keeper.update(body.id, { params: { temperature: 0.5 } })).body.params).toEqual(merged)
    const removed = { params: { system_prompt: null } }
    expect((await keeper.update(body.id, removed)).body.params).toEqual({ temperature: 0.5 })
    expect((await keeper.update(body.id, { params: null })).status).toBe(400)
    expect((await keeper.update(body.id, { api_key: 'x' })).status).toBe(400)
  })
})

describe('the parts of an agent', () => {
  test('the model must generate text and be available to the organization', async () => {
    const stranger = await agentKeeper(server)
    const id = await keeper.make()
    const refusals = async (model_id: string) =>
      [await keeper.ask({ model_id }), await keeper.update(id, { model_id })].map(said)
    const twice = (...refusal: unknown[]) => [refusal, refusal]
    for (const model_id of [NOTHING, stranger.modelId])
      expect(await refusals(model_id)).toEqual(
        twice(404, expect.stringContaining('Language model not found')),
      )
    const embedder = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'x',
      config: { base_url: 'https://models.example.com/v1', capabilities: ['embedding'] },
    })
    expect(await refusals(embedder)).toEqual(
      twice(400, 'This model does not generate text. Choose one that does.'),
    )
    const off = await server.addModel(person, { provider: 'demo', version: 'x', is_active: false })
    expect(await refusals(off)).toEqual(
      twice(400, 'This language model is not active. Activate it, or choose another model.'),
    )
    const keyless = await server.addModel(person, { provider: 'openai', version: 'gpt-5' })
    expect((await refusals(keyless))[0]?.[1]).toContain('LLM provider openai is not configured correctly')
    expect((await keeper.get(id)).body.model_id).toBe(keeper.modelId)
  })

  test('the model can come from the environment', async () => {
    const { body } = await server.call('GET', `/api/llm/list?org_id=${person.organizationId}&limit=100`, {
      token: person.token,
    })
    const shared = body.data.find(
      (model: { organization_id: string | null; version: string }) =>
        model.organization_id === null && model.version === 'parley-demo',
    )
    expect((await keeper.ask({ model_id: shared.id })).body.model_id).toBe(shared.id)
  })

  test('a model used by knowledge bases or agents cannot be deleted, and the error names them', async () => {
    const own = await agentKeeper(server)
    const shelf = librarian(server, own.person)
    const model = await server.addModel(own.person, {
      provider: 'openai-compatible',
      version: 'x',
      config: { base_url: 'https://models.example.com/v1', capabilities: ['text', 'embedding'] },
    })
    const remove = () =>
      server.call('DELETE', `/api/llm/delete?model_id=${model}`, { token: own.person.token })
    const agent = await own.make({ name: 'Concierge', model_id: model })
    const kb = await shelf.create({ name: 'Handbook', embedding_model: model })
    expect(said(await remove())).toEqual([
      409,
      'This language model is used by the knowledge base Handbook, the agent Concierge. Choose another model there first.',
    ])
    await shelf.call('DELETE', 'delete', { kb_id: kb })
    expect((await remove()).body.detail).toContain('used by the agent Concierge.')
    await own.update(agent, { model_id: own.modelId })
    expect((await remove()).status).toBe(200)
  })

  test('knowledge bases are replaced as a whole, keep their order, and must belong to the organization', async () => {
    const [a, b, c] = [await library.create(), await library.create(), await library.create()]
    const id = await keeper.make({ knowledge_base_ids: [a, b] })
    const becomes = async (knowledge_base_ids: string[]) => {
      const { body } = await keeper.update(id, { knowledge_base_ids })
      expect((await keeper.get(id)).body).toEqual(body)
      return body.knowledge_base_ids
    }
    for (const wanted of [[b, c, a], [c], [], [a, b], [b, a]])
      expect(await becomes(wanted as string[])).toEqual(wanted)
    const foreign = await librarian(server, await server.signUp()).create()
    for (const unknown of [NOTHING, foreign]) {
      const refused = [404, expect.stringContaining('Knowledge base not found')]
      expect(said(await keeper.ask({ knowledge_base_ids: [a, unknown] }))).toEqual(refused)
      expect(said(await keeper.update(id, { name: 'New', knowledge_base_ids: [unknown] }))).toEqual(refused)
    }
    expect((await keeper.get(id)).body).toMatchObject({
      name: expect.not.stringMatching(/^New$/),
      knowledge_base_ids: [b, a],
    })
    await library.call('DELETE', 'delete', { kb_id: b })
    expect((await keeper.get(id)).body.knowledge_base_ids).toEqual([a])
  })

  test('a caller without permission to read knowledge bases cannot add one to an agent', async () => {
    const kb = await library.create()
    const member = await addPowerlessMember(server, person.organizationId, ['agent:write', 'agent:read'])
    const id = await keeper.make({ knowledge_base_ids: [kb] })
    const put = (body: object) =>
      server.call('PUT', `/api/agents/update?agent_id=${id}`, { token: member.token, body })
    const another = await library.create()
    expect(said(await put({ knowledge_base_ids: [kb, another] }))).toEqual([
      403,
      'Missing permission: kb:read',
    ])
    expect((await put({ description: 'x', knowledge_base_ids: [kb] })).body.knowledge_base_ids).toEqual([kb])
    expect((await put({ knowledge_base_ids: [] })).status).toBe(200)
  })

  test('unknown MCP instances are refused', async () => {
    const id = await keeper.make({ mcp_instance_ids: [] })
    for (const answer of [
      await keeper.ask({ mcp_instance_ids: [NOTHING] }),
      await keeper.update(id, { mcp_instance_ids: [NOTHING] }),
    ])
      expect(said(answer)).toEqual([404, 'MCP instance not found'])
  })
})

describe('a deployed agent', () => {
  test('cannot be deleted, and the error names its deployments', async () => {
    const id = await keeper.make()
    const { body } = await deploy(id)
    expect(said(await keeper.remove(id))).toEqual([
      409,
      'This agent is deployed as Front desk. Delete those deployments first.',
    ])
    await server.call('DELETE', `/api/agent_deploy/delete?deployment_id=${body.id}`, { token: person.token })
    expect((await keeper.remove(id)).status).toBe(200)
  })

  test('cannot be deleted while a concurrent request deploys it', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await keeper.make()
      const [removed, deployed] = await Promise.all([keeper.remove(id), deploy(id)])
      expect([removed.status, deployed.status]).toEqual(deployed.status === 201 ? [409, 201] : [200, 404])
      expect((await keeper.get(id)).status).toBe(deployed.status === 201 ? 200 : 404)
    }
  })
})

describe('concurrent requests', () => {
  test('updates to one agent run one after the other and change only the fields they name', async () => {
    const kbs = await Promise.all(Array.from({ length: 4 }, () => library.create()))
    const id = await keeper.make()
    const changes = kbs.flatMap((kb, place) => [
      keeper.update(id, { knowledge_base_ids: [kb, kbs[(place + 1) % 4]] }),
      keeper.update(id, { description: `d${place}` }),
      keeper.update(id, { params: { max_tokens: place + 1 } }),
    ])
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(12).fill(200))
    const { body } = await keeper.get(id)
    const [first, second] = body.knowledge_base_ids.map((kb: string) => kbs.indexOf(kb))
    expect(second).toBe((first + 1) % 4)
    expect([body.description, body.params.max_tokens]).toEqual([
      expect.stringMatching(/^d\d$/),
      expect.any(Number),
    ])
  })

  test('an agent deleted during an update is removed completely', async () => {
    for (let round = 0; round < 8; round++) {
      const kb = await library.create()
      const id = await keeper.make({ knowledge_base_ids: [kb] })
      const answers = await Promise.all([
        keeper.update(id, { name: `New ${randomUUID()}`, knowledge_base_ids: [kb] }),
        keeper.remove(id),
        keeper.update(id, { knowledge_base_ids: [] }),
        library.call('DELETE', 'delete', { kb_id: kb }),
      ])
      const [first, removed, second, removedKb] = answers.map(({ status }) => status)
      expect([removed, removedKb]).toEqual([200, 200])
      for (const status of [first, second]) expect([200, 404]).toContain(status)
      expect((await keeper.get(id)).status).toBe(404)
      const [left] =
        await sql()`select count(*)::int as rows from agent_knowledge_bases where agent_id = ${id}`
      expect(left?.['rows']).toBe(0)
    }
  })
})

test('the audit log has one entry per change of an agent, with its actor and fields', async () => {
  const kb = await library.create()
  const id = await keeper.make({ knowledge_base_ids: [kb] })
  await keeper.update(id, { knowledge_base_ids: [], description: 'other' })
  await keeper.update(id, { description: 'other' })
  await keeper.remove(id)
  const [deleted, updated, created, ...more] = await auditOf(id)
  expect(more).toEqual([])
  expect(created).toMatchObject({
    action: 'agent.created',
    actor_id: person.userId,
    before: null,
    after: { model_id: keeper.modelId, tools: [], knowledge_base_ids: [kb] },
  })
  expect(updated).toMatchObject({ action: 'agent.updated' })
  expect([updated.before, updated.after]).toEqual([
    { description: 'd', knowledge_base_ids: [kb] },
    { description: 'other', knowledge_base_ids: [] },
  ])
  expect(deleted).toMatchObject({ action: 'agent.deleted', after: null })
})
