import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTools, type StoredAgentTool, type Tools } from '#parts/tools/index.ts'
import type { Scope } from '#platform/access/scope.ts'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { settingsOf, type ToolParts, type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

/** A public tool whose author changes it after another organization has configured secrets for it. */

const CONFIGURATION = [{ name: 'api_key', type: 'str', description: 'Of your account', required: false }]
const HONEST: ToolParts = {
  code: 'export function main() { return { code: "honest", length: config.api_key?.length } }',
  inputs: [],
  configuration: CONFIGURATION,
}
const OTHER: ToolParts = { ...HONEST, code: HONEST.code?.replace('honest', 'other') as string }
const KEY = [{ name: 'api_key', value: 'four' }]

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let keeper: AgentKeeper
let modelId: string
let author: Person
let smith: Toolsmith
let tools: Tools
beforeAll(async () => {
  ;[server, provider] = await Promise.all([sharedTestServer(), startProvider()])
  tools = createTools(server.server.services)
  keeper = await agentKeeper(server)
  author = await server.signUp()
  smith = toolsmith(server, author)
  modelId = await server.addModel(keeper.person, {
    provider: 'openai-compatible',
    version: 'emu',
    config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools'] },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const make = (by = smith) => by.make({ ...HONEST, fields: { is_public: true } })
const change = async (toolId: string, body: object, by = smith, of = author) => {
  const answer = await by.call('PUT', '', { org_id: of.organizationId, tool_id: toolId }, body)
  expect(answer.status, answer.text).toBe(200)
}
const agentWith = (toolId: string, config: object[] = KEY) =>
  keeper.make({ model_id: modelId, tools: [{ tool_id: toolId, config }] })
const toolOf = async (agentId: string) => (await keeper.get(agentId)).body.tools[0]

/** Has the agent's model call the tool. Returns the call. */
async function run(agentId: string) {
  const { chatId } = await server.say(
    keeper.person,
    { agent_id: agentId },
    { content: 'TOOL:main={} THEN say: So.' },
  )
  const [, reply] = (await getChat(server, keeper.person, chatId)).messages
  return reply.tool_calls[0]
}
const RAN = (code: string) => ({ successful: true, output: { code, length: 4 } })
const REFUSED = {
  successful: false,
  error: expect.stringMatching(/The author of .+ changed this tool.+ must save its tools again/),
}

const audit = async (person: Person, recordId: string) =>
  (
    await server.call('GET', `/api/audit/list?org_id=${person.organizationId}&limit=100`, {
      token: person.token,
    })
  ).body.data.filter((entry: { record_id: string }) => entry.record_id === recordId)

test('a changed tool gets no secrets until an editor of the agent confirms the change', async () => {
  const toolId = await make()
  const agentId = await agentWith(toolId)
  expect(await run(agentId)).toMatchObject(RAN('honest'))
  expect((await toolOf(agentId)).needs_confirmation).toBe(false)

  await change(toolId, { settings: settingsOf(OTHER) })
  expect(await run(agentId)).toMatchObject(REFUSED)
  expect(await toolOf(agentId)).toMatchObject({ needs_confirmation: true, config: [{ value: null }] })
  const [listed] = (await keeper.call('GET', '/list', { org_id: keeper.person.organizationId })).body.data
  expect(listed).toMatchObject({ id: agentId, tools: [{ needs_confirmation: true }] })
  expect((await audit(author, toolId))[0]).toMatchObject({
    action: 'tool.updated',
    before: { revision: 0 },
    after: { revision: 1 },
  })

  await keeper.update(agentId, { description: 'A change of something else confirms nothing' })
  expect(await run(agentId)).toMatchObject(REFUSED)
  const { tool_id, config } = await toolOf(agentId)
  await keeper.update(agentId, { tools: [{ tool_id, config, needs_confirmation: true }] })
  expect(await run(agentId)).toMatchObject(REFUSED)
  const confirmed = await keeper.update(agentId, { tools: [{ tool_id, config }] })
  expect(confirmed.body.tools).toMatchObject([{ needs_confirmation: false }])
  expect(await run(agentId)).toMatchObject(RAN('other'))
  expect((await audit(keeper.person, agentId))[0]).toMatchObject({
    action: 'agent.updated',
    actor_id: keeper.person.userId,
    before: { confirmed_tools: [] },
    after: { confirmed_tools: [toolId] },
  })
  expect(await audit(author, agentId)).toEqual([])
  expect(await audit(keeper.person, toolId)).toEqual([])
})

const SETTINGS = settingsOf(HONEST)
describe('a change of', () => {
  test.each<[what: string, body: object, isDangerous: boolean]>([
    ['the network', { settings: { ...SETTINGS, network: ['collect.example.com'] } }, true],
    [
      'the language',
      { settings: { ...SETTINGS, deployment: { ...SETTINGS.deployment, framework: 'typescript' } } },
      true,
    ],
    ['the configuration', { configuration: [{ ...CONFIGURATION[0], default: null, secret: false }] }, true],
    ['the name and version', { name: `Renamed ${crypto.randomUUID()}`, version: '2' }, false],
    ['the description', { description: 'Says more' }, false],
    ['nothing', { settings: SETTINGS, configuration: CONFIGURATION }, false],
  ])('%s', async (_what, body, isDangerous) => {
    const toolId = await make()
    const agentId = await agentWith(toolId)
    await change(toolId, body)
    expect((await toolOf(agentId)).needs_confirmation).toBe(isDangerous)
  })
})

describe('needs no confirmation:', () => {
  test('a use without stored values', async () => {
    const toolId = await make()
    const agentId = await agentWith(toolId, [])
    await change(toolId, { settings: settingsOf(OTHER) })
    expect((await toolOf(agentId)).needs_confirmation).toBe(false)
    expect(await run(agentId)).toMatchObject({ successful: true, output: { code: 'other' } })
  })

  test('a tool of the same organization', async () => {
    const own = toolsmith(server, keeper.person)
    const toolId = await make(own)
    const agentId = await agentWith(toolId)
    await change(toolId, { settings: settingsOf(OTHER) }, own, keeper.person)
    expect((await toolOf(agentId)).needs_confirmation).toBe(false)
    expect(await run(agentId)).toMatchObject(RAN('other'))
    await keeper.update(agentId, { tools: [{ tool_id: toolId, config: KEY }] })
    expect((await audit(keeper.person, agentId))[0].after).not.toHaveProperty('confirmed_tools')
  })
})

test('a client confirms only the revision that it has read', async () => {
  const toolId = await make()
  const agentId = await agentWith(toolId)
  const { name: _name, ...unchanged } = await toolOf(agentId)
  expect(unchanged).toMatchObject({ needs_confirmation: false, revision: 0 })
  await change(toolId, { settings: settingsOf(OTHER) })
  await keeper.update(agentId, { tools: [{ ...unchanged, config: [{ name: 'api_key', value: 'more' }] }] })
  expect(await toolOf(agentId)).toMatchObject({ needs_confirmation: true, revision: 1 })
  expect(await run(agentId)).toMatchObject(REFUSED)

  await change(toolId, { settings: settingsOf(HONEST) })
  await keeper.update(agentId, { tools: [{ tool_id: toolId, revision: 1 }] })
  expect(await toolOf(agentId)).toMatchObject({ needs_confirmation: true, revision: 2 })
  await keeper.update(agentId, { tools: [{ tool_id: toolId, revision: 2 }] })
  await keeper.update(agentId, { tools: [unchanged] })
  expect(await toolOf(agentId)).toMatchObject({ needs_confirmation: false, revision: 2 })
  expect(await run(agentId)).toMatchObject(RAN('honest'))
})

test('neither the author nor members who may only read can confirm', async () => {
  const toolId = await make()
  const agentId = await agentWith(toolId)
  await change(toolId, { settings: settingsOf(OTHER) })
  const reader = await colleaguesOf(server, keeper.person).join('guest')
  for (const [person, status] of [
    [author, 404],
    [reader, 403],
  ] as const) {
    const answer = await server.call('PUT', `/api/agents/update?agent_id=${agentId}`, {
      token: person.token,
      body: { tools: [{ tool_id: toolId }] },
    })
    expect(answer.status).toBe(status)
  }
  expect((await toolOf(agentId)).needs_confirmation).toBe(true)
})

describe('a change at the same moment', () => {
  const agent = () => ({ id: crypto.randomUUID(), organizationId: keeper.person.organizationId })
  const never = new AbortController().signal
  const prepare = (agentId: string, toolId: string): Promise<StoredAgentTool[]> =>
    tools.prepare(
      { organizationId: keeper.person.organizationId } as Scope<'agent:write'>,
      agentId,
      [{ tool_id: toolId, config: KEY }],
      [],
    )
  const open = async (of: ReturnType<typeof agent>, stored: StoredAgentTool[]) =>
    (await tools.open(of, stored, of.organizationId))[0]

  test('after the confirmed values were read runs nothing', async () => {
    const [of, toolId] = [agent(), await make()]
    const stored = await prepare(of.id, toolId)
    await change(toolId, { settings: settingsOf(OTHER) })
    expect(await (await open(of, stored))?.run({}, never)).toMatchObject(REFUSED)
    await change(toolId, { settings: settingsOf(HONEST) })
    expect(await (await open(of, stored))?.run({}, never)).toMatchObject(REFUSED)
  })

  test('after the code was read runs the confirmed code', async () => {
    const [of, toolId] = [agent(), await make()]
    const tool = await open(of, await prepare(of.id, toolId))
    await change(toolId, { settings: settingsOf(OTHER) })
    expect(await tool?.run({}, never)).toMatchObject(RAN('honest'))
  })

  test('as the confirmation is not confirmed', async () => {
    const toolId = await make()
    const agentId = await agentWith(toolId)
    await change(toolId, { settings: settingsOf(OTHER) })
    const stored = await prepare(agentId, toolId)
    await change(toolId, { settings: { ...settingsOf(OTHER), network: ['collect.example.com'] } })
    expect(await tools.view({ ...agent(), id: agentId }, stored)).toMatchObject([
      { needs_confirmation: true },
    ])
  })
})
