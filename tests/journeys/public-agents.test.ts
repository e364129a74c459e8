import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agents, createAgents } from '#parts/agents/index.ts'
import { createKnowledgeBases } from '#parts/kb/index.ts'
import { ModelFinder, PaidCalls } from '#parts/llm/index.ts'
import { createMcp } from '#parts/mcp/index.ts'
import { createTools } from '#parts/tools/index.ts'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { librarian, said, textSource } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** Access to agents: what other organizations see of a public one, and what its users get. */

const NOTHING = '00000000-0000-4000-8000-000000000000'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: AgentKeeper
let stranger: AgentKeeper
let agents: Agents
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  owner = await agentKeeper(server)
  stranger = await agentKeeper(server)
  const { services } = server.server
  const models = new ModelFinder(services)
  const knowledge = createKnowledgeBases(services, models, new PaidCalls(services))
  agents = createAgents(services, models, knowledge, createTools(services), createMcp(services))
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const refusal = (finding: Promise<unknown>): Promise<string> =>
  finding.then(
    () => 'found',
    (error) => error.code,
  )
const orgOf = ({ person }: AgentKeeper): string => person.organizationId

describe('an agent of another organization', () => {
  test('is indistinguishable from an unknown agent', async () => {
    const id = await owner.make()
    for (const [answer, nothing] of [
      [await stranger.get(id), await stranger.get(NOTHING)],
      [await stranger.update(id, { name: 'x' }), await stranger.update(NOTHING, { name: 'x' })],
      [await stranger.remove(id), await stranger.remove(NOTHING)],
    ] as const) {
      expect(said(answer)).toEqual([404, expect.stringContaining('Agent not found')])
      const { request_id: _, ...body } = answer.body
      const { request_id: _id, ...known } = JSON.parse(nothing.text.replaceAll(NOTHING, id))
      expect(body).toEqual(known)
    }
    expect(await refusal(agents.find(orgOf(stranger), id))).toBe('agent.not_found')
  })

  test('shows only its description if public, and cannot be changed from outside', async () => {
    const kb = await librarian(server, owner.person).create()
    const { body: own } = await owner.ask({
      is_public: true,
      params: { system_prompt: 'secret-canary' },
      knowledge_base_ids: [kb],
    })
    const seen = await stranger.get(own.id)
    expect(seen.body).toEqual({
      ...own,
      created_by: null,
      model_id: null,
      params: null,
      knowledge_base_ids: [],
    })
    for (const answer of [
      await stranger.update(own.id, { name: 'Mine', is_public: false }),
      await stranger.update(own.id, { params: {} }),
      await stranger.remove(own.id),
    ])
      expect(said(answer)).toEqual([404, expect.stringContaining('Agent not found')])
    expect((await owner.get(own.id)).body).toEqual(own)
    const { body: list } = await stranger.call('GET', '/list', { org_id: orgOf(stranger) })
    expect(list.data.map(({ id }: { id: string }) => id)).not.toContain(own.id)
    expect((await stranger.call('GET', '/list', { org_id: orgOf(owner) })).status).toBe(404)

    await owner.update(own.id, { is_public: false })
    expect((await stranger.get(own.id)).status).toBe(404)
  })

  test('is shown completely to members of both organizations', async () => {
    const member = await agentKeeper(server)
    const { sql } = server.server.services.database
    await addMemberWithRole(sql, orgOf(owner), member.person.userId, 'guest')
    const { body: own } = await owner.ask({ is_public: true })
    expect((await member.get(own.id)).body).toEqual(own)
    expect(said(await member.update(own.id, { name: 'x' }))).toEqual([403, 'Missing permission: agent:write'])
    expect(said(await member.remove(own.id))).toEqual([403, 'Missing permission: agent:delete'])
  })
})

describe('an agent in use', () => {
  test('is loaded completely, for its own organization and for others', async () => {
    const kb = await librarian(server, owner.person).create()
    const params = { system_prompt: 'Be brief.', temperature: 0.5, max_tokens: 7 }
    const id = await owner.make({ name: 'Clerk', is_public: true, params, knowledge_base_ids: [kb] })
    const own = await agents.find(orgOf(owner), id)
    expect(own).toEqual({
      id,
      name: 'Clerk',
      organizationId: orgOf(owner),
      isForeign: false,
      model: expect.objectContaining({ id: owner.modelId, inputRatio: 1 }),
      system: 'Be brief.',
      temperature: 0.5,
      maxTokens: 7,
      tools: [],
      sharedToolsBytes: 0,
      knowledgeBaseIds: [kb],
    })
    const members = own.model.members.map((member) => ({ ...member, trustsUsage: false }))
    expect(await agents.find(orgOf(stranger), id)).toEqual({
      ...own,
      isForeign: true,
      model: { ...own.model, trustsUsage: false, members },
    })
    const bare = await agents.find(orgOf(owner), await owner.make())
    expect(bare).toMatchObject({ system: '', temperature: undefined, maxTokens: undefined })
  })

  test('is found per caller in concurrent requests', async () => {
    const [a, b] = [await owner.make(), await owner.make({ is_public: true })]
    const asked = Array.from({ length: 60 }, (_, place) =>
      place % 3 === 0
        ? refusal(agents.find(orgOf(stranger), a))
        : agents.find(orgOf(place % 3 === 1 ? owner : stranger), b).then(({ isForeign }) => isForeign),
    )
    const found = await Promise.all(asked)
    found.forEach((one, place) => {
      expect(one).toBe(['agent.not_found', false, true][place % 3])
    })
  })

  test('must be active, and so must its model, which strangers cannot see', async () => {
    const own = await agentKeeper(server)
    const id = await own.make({ is_public: true })
    const both = async () => [
      await refusal(agents.find(orgOf(own), id)),
      await refusal(agents.find(orgOf(stranger), id)),
    ]
    const change = (body: object) =>
      server.call('PUT', `/api/llm/update?model_id=${own.modelId}`, { token: own.person.token, body })
    await change({ is_active: false })
    expect(await both()).toEqual(['llm.inactive', 'agent.inactive'])
    await change({ is_active: true })
    expect(await both()).toEqual(['found', 'found'])
    await own.update(id, { is_active: false })
    expect(await both()).toEqual(['agent.inactive', 'agent.inactive'])
    expect(await refusal(agents.find(orgOf(own), NOTHING))).toBe('agent.not_found')
  })

  test('is found by its id, or by its name in its own organization', async () => {
    const name = `Clerk ${randomUUID()}`
    const oldest = await owner.make({ name, is_public: true })
    const find = async (keeper: AgentKeeper, wanted = name) =>
      (await agents.findNamed(orgOf(keeper), wanted)).id
    expect(await find(owner)).toBe(oldest)
    expect(await refusal(find(stranger))).toBe('agent.not_found')
    const own = await stranger.make({ name: name.toUpperCase() })
    expect([await find(stranger), await find(stranger, oldest.toUpperCase())]).toEqual([own, oldest])
    await stranger.update(own, { is_active: false })
    expect(await refusal(find(stranger))).toBe('agent.inactive')
    await owner.update(oldest, { is_public: false })
    expect(await refusal(find(stranger, oldest))).toBe('agent.not_found')
    expect(await refusal(find(stranger, 'Nobody'))).toBe('agent.not_found')
  })
})

describe('the knowledge of an agent', () => {
  test('is searched in its organization, and charged to the caller', async () => {
    const library = librarian(server, owner.person)
    const embedder = await server.addModel(owner.person, {
      provider: 'openai-compatible',
      version: 'emu-vectors',
      config: { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['embedding'] },
    })
    const hours = textSource('Hours', 'The shop opens at nine.')
    const kbs = [
      await library.create({ sources: [hours], embedding_model: embedder }),
      await library.create({ sources: [textSource('Place', 'The shop is in Berlin.')] }),
    ]
    for (const kb of kbs) expect(await library.settle(kb)).toMatchObject({ status: 'ready' })
    const id = await owner.make({ is_public: true, knowledge_base_ids: kbs })
    const ready = await agents.find(orgOf(stranger), id)
    const before = (await ledgerOf(server, owner.person)).length
    const ask = (question = 'When does the shop open?') =>
      agents.retrieve(ready, { ...stranger.person, apiKeyId: null }, question)
    const found = await ask()
    expect(found.map(({ document_name }) => document_name)).toEqual(['Hours', 'Place'])
    expect(found[0]).toMatchObject({ content: 'The shop opens at nine.', score: expect.any(Number) })
    expect(kindsOf(await ledgerOf(server, stranger.person))).toEqual(['HOLD', 'DEBIT'])
    expect(await ledgerOf(server, owner.person)).toHaveLength(before)

    await library.call('DELETE', 'delete', { kb_id: kbs[0] ?? '' })
    expect((await ask()).map(({ document_name }) => document_name)).toEqual(['Place'])
    await library.call('DELETE', 'delete', { kb_id: kbs[1] ?? '' })
    expect(await ask()).toEqual([])
    expect((await agents.find(orgOf(owner), id)).knowledgeBaseIds).toEqual([])
  })
})
