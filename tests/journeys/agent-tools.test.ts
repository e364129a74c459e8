import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agents, createAgents } from '#parts/agents/index.ts'
import { ModelFinder } from '#parts/llm/index.ts'
import { createMcp } from '#parts/mcp/index.ts'
import { createTools } from '#parts/tools/index.ts'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { said } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

/** The tools of agents: which are allowed, how they are configured, and what readers can see. */

const NOTHING = '00000000-0000-4000-8000-000000000000'
const SECRET = 'canary-0123456789'
const CONFIGURATION = [
  { name: 'api_key', type: 'str', description: '', required: true, default: null, secret: true },
  { name: 'region', type: 'str', description: '', required: false, default: 'eu' },
]

let server: TestServer
let owner: AgentKeeper
let smith: Toolsmith
let agents: Agents
beforeAll(async () => {
  server = await startTestServer()
  owner = await agentKeeper(server)
  smith = toolsmith(server, owner.person)
  const { services } = server.server
  agents = createAgents(
    services,
    new ModelFinder(services),
    { findPassages: async () => [] },
    createTools(services),
    createMcp(services),
  )
})
afterAll(() => server.stop())

let count = 0
/** Creates a tool with a unique function name, because an agent cannot have two tools with the same function name. */
const makeTool = async (by = smith, fields: object = {}, configuration: object[] = []) => {
  const name = `say_${++count}`
  const code = `export function ${name}({ text }) { return { text, region: config.region } }`
  return { id: await by.make({ function: name, code, configuration, fields: { ...fields } }), name }
}
const namesOf = async ({ person }: AgentKeeper, agentId: string): Promise<string[]> =>
  (await agents.find(person.organizationId, agentId)).tools.map(({ definition }) => definition.name)
const withKey = (toolId: string, region = 'us') => ({
  tool_id: toolId,
  config: [
    { name: 'api_key', value: SECRET },
    { name: 'region', value: region },
  ],
})

describe('the tools of an agent', () => {
  test('are shown without secrets, replaced as a whole, and keep omitted secrets', async () => {
    const [plain, configured] = [await makeTool(), await makeTool(smith, {}, CONFIGURATION)]
    const { status, body } = await owner.ask({ tools: [{ tool_id: plain.id }, withKey(configured.id)] })
    expect(status).toBe(201)
    const shown = {
      tool_id: configured.id,
      name: expect.any(String),
      config: [
        { name: 'api_key', value: null },
        { name: 'region', value: 'us' },
      ],
      needs_confirmation: false,
      revision: 0,
    }
    expect(body.tools).toEqual([{ ...shown, tool_id: plain.id, config: [] }, shown])
    const { body: list } = await owner.call('GET', '/list', { org_id: owner.person.organizationId })
    for (const seen of [(await owner.get(body.id)).body, list.data[0]]) expect(seen).toEqual(body)
    expect(await namesOf(owner, body.id)).toEqual([plain.name, configured.name])

    const again = body.tools.toReversed().map((tool: typeof shown) => ({
      tool_id: tool.tool_id,
      config: tool.config.map((one) => (one.name === 'region' ? { ...one, value: 'asia' } : one)),
    }))
    const changed = await owner.update(body.id, { tools: again })
    expect(changed.body.tools.map((tool: typeof shown) => tool.tool_id)).toEqual([configured.id, plain.id])
    expect(changed.body.tools[0].config).toContainEqual({ name: 'region', value: 'asia' })
    expect((await owner.update(body.id, { description: 'x' })).body.tools).toEqual(changed.body.tools)
    expect(await namesOf(owner, body.id)).toEqual([configured.name, plain.name])

    expect((await owner.update(body.id, { tools: [] })).body.tools).toEqual([])
    const forgotten = await owner.update(body.id, { tools: again })
    expect([forgotten.status, forgotten.body.detail]).toEqual([400, expect.stringContaining('api_key')])
  })

  test('need a model that can call tools', async () => {
    const tool = await makeTool()
    const mute = await server.addModel(owner.person, {
      provider: 'demo',
      version: 'x',
      config: { capabilities: ['text'] },
    })
    const refused = [
      400,
      'This language model cannot call tools. Choose one with the tools capability, or an agent without tools.',
    ]
    const tools = [{ tool_id: tool.id }]
    expect(said(await owner.ask({ model_id: mute, tools }))).toEqual(refused)
    const id = await owner.make({ model_id: mute })
    expect(said(await owner.update(id, { tools }))).toEqual(refused)
    expect((await owner.update(id, { model_id: owner.modelId, tools })).status).toBe(200)
    expect(said(await owner.update(id, { model_id: mute }))).toEqual(refused)
    expect((await owner.update(id, { model_id: mute, tools: [] })).status).toBe(200)
    // Each change alone is allowed, but not both: the second one fails.
    const other = await owner.make()
    const both = await Promise.all([owner.update(other, { model_id: mute }), owner.update(other, { tools })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('must be unique, accessible and configured as their schema requires', async () => {
    const stranger = await agentKeeper(server)
    const theirs = toolsmith(server, stranger.person)
    const hidden = await makeTool(theirs)
    const configured = await makeTool(smith, {}, CONFIGURATION)
    for (const tool_id of [NOTHING, hidden.id])
      expect(said(await owner.ask({ tools: [{ tool_id }] }))).toEqual([
        404,
        expect.stringContaining('Tool not found'),
      ])
    const tool_id = configured.id
    for (const tools of [
      [withKey(tool_id), withKey(tool_id)],
      [{ tool_id }],
      [{ tool_id, config: [{ name: 'api_key', value: 5 }] }],
      [{ tool_id, config: [...withKey(tool_id).config, { name: 'other', value: 'x' }] }],
    ])
      expect((await owner.ask({ tools })).status).toBe(400)
    expect(said(await owner.ask({ tools: [withKey(tool_id, 'x'.repeat(70_000))] }))).toEqual([
      400,
      'tools can have at most 65536 bytes of JSON. Remove a tool, or shorten its config.',
    ])
  })

  test('are omitted when another organization no longer shares them', async () => {
    const stranger = await agentKeeper(server)
    const theirs = toolsmith(server, stranger.person)
    const [shared, own] = [await makeTool(theirs, { is_public: true }), await makeTool()]
    const id = await owner.make({
      is_public: true,
      tools: [{ tool_id: shared.id }, { tool_id: own.id }],
    })
    expect(await namesOf(owner, id)).toEqual([shared.name, own.name])
    // Users of a public agent have its tools, but cannot see them.
    const third = await agentKeeper(server)
    expect(await namesOf(third, id)).toEqual([shared.name, own.name])
    expect((await third.get(id)).body.tools).toEqual([])
    const query = { org_id: stranger.person.organizationId, tool_id: shared.id }
    expect((await theirs.call('PUT', '', query, { is_public: false })).status).toBe(200)
    expect([await namesOf(owner, id), await namesOf(third, id)]).toEqual([[own.name], [own.name]])
  })

  test('are read by one statement, regardless of their number', async () => {
    const tools = await Promise.all(Array.from({ length: 5 }, () => makeTool()))
    const bare = await owner.make()
    const id = await owner.make({ tools: tools.map((tool) => ({ tool_id: tool.id })) })
    const { options } = server.server.services.database.sql
    let statements = 0
    const org_id = owner.person.organizationId
    const find = (agentId: string) => () => agents.find(org_id, agentId)
    const list = (limit: string) => () => owner.call('GET', '/list', { org_id, limit })
    const count = async (work: () => Promise<unknown>) => {
      // A background sweep may add statements, so the lowest count is used.
      const counts: number[] = []
      for (let round = 0; round < 5; round++) {
        statements = 0
        await work()
        counts.push(statements)
      }
      return Math.min(...counts)
    }
    const before = options.debug
    options.debug = () => {
      statements++
    }
    try {
      expect([await count(find(bare)), await count(find(id))]).toEqual([1, 2])
      expect(await count(list('5'))).toBe(await count(list('1')))
    } finally {
      options.debug = before
    }
  })

  test('are in the audit log by id, without secrets in plain text', async () => {
    const { sql } = server.server.services.database
    const [first, second] = [
      await makeTool(smith, {}, CONFIGURATION),
      await makeTool(smith, {}, CONFIGURATION),
    ]
    const id = await owner.make({ tools: [withKey(first.id)] })
    await owner.update(id, { tools: [withKey(second.id), { tool_id: first.id }] })
    await owner.update(id, { tools: [{ tool_id: second.id }, withKey(first.id)] })
    const entries =
      await sql`select action, before, after from audit_entries where record_id = ${id} order by id`
    const [a, b] = [first.id, second.id]
    expect(entries.map(({ before, after }) => [before?.['tools'] ?? null, after?.['tools']])).toEqual([
      [null, [a]],
      [[a], [b, a]],
      [null, undefined],
    ])
    expect(entries.map(({ after }) => after['configured_tools'])).toEqual([[a], [b], [a]])
    const stored = await sql`select * from agent_tools where agent_id = ${id}`
    for (const kept of [entries, stored, (await owner.get(id)).text])
      expect(JSON.stringify(kept)).not.toContain(SECRET)
  })
})

describe('concurrent requests', () => {
  test('two concurrent lists of tools leave the agent with exactly one of them', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => makeTool()))
    const lists = [all.slice(0, 3), all.slice(1), [...all].reverse(), [], all.slice(2, 3)]
    const id = await owner.make()
    const answers = await Promise.all(
      lists.map((tools) => owner.update(id, { tools: tools.map((tool) => ({ tool_id: tool.id })) })),
    )
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(lists.map((tools) => tools.map(({ name }) => name))).toContainEqual(await namesOf(owner, id))
  })

  test('deleting a tool while an agent adds it: exactly one of the two succeeds', async () => {
    for (let round = 0; round < 4; round++) {
      const [kept, leaving] = [await makeTool(), await makeTool()]
      const id = await owner.make({ tools: [{ tool_id: kept.id }] })
      const query = { org_id: owner.person.organizationId, tool_id: leaving.id }
      const [updated, removed] = await Promise.all([
        owner.update(id, { tools: [{ tool_id: leaving.id }, { tool_id: kept.id }] }),
        smith.call('DELETE', '', query),
      ])
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([updated.status, removed.status])
      const names = removed.status === 200 ? [kept.name] : [leaving.name, kept.name]
      expect(await namesOf(owner, id)).toEqual(names)
    }
  })
})
