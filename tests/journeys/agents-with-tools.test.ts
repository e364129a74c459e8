import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Real agents with tools that run in the sandbox. */

const ADD =
  'export function add({ text }) { return { sum: text.split("+").reduce((sum, one) => sum + Number(one), 0) } }'
const SPIN = 'export function spin() { for (;;); }'
const TELL = 'export function tell({ text }) { throw new Error("no " + text) }'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let keeper: AgentKeeper
let modelId: string
let agentId: string

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  keeper = await agentKeeper(server)
  const smith = toolsmith(server, keeper.person)
  modelId = await server.addModel(keeper.person, {
    provider: 'openai-compatible',
    version: 'emu',
    config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools'] },
  })
  const toolIds = [
    await smith.make({ function: 'add', code: ADD }),
    await smith.make({ function: 'spin', code: SPIN, inputs: [] }),
    await smith.make({ function: 'tell', code: TELL }),
  ]
  agentId = await keeper.make({
    model_id: modelId,
    is_public: true,
    params: { system_prompt: 'Count well.' },
    tools: toolIds.map((tool_id) => ({ tool_id })),
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

/** Counts the sandbox processes that compute; the others wait for a call. */
const busyProcesses = (): number =>
  execFileSync('ps', ['-o', 'stat=,comm=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith('R') && line.includes('deno')).length

test('tool results and errors are returned to the model and stored in the chat', async () => {
  const content = 'TOOL:add={"text":"1+2"} TOOL:tell={"text":"way"} THEN say: Three.'
  const { chatId, text } = await server.say(keeper.person, { agent_id: agentId }, { content })
  expect(text).toBe('Three.')
  const [, reply] = (await getChat(server, keeper.person, chatId)).messages
  expect(reply.tool_calls).toMatchObject([
    { name: 'add', input: { text: '1+2' }, output: { sum: 3 }, successful: true, error: null },
    { name: 'tell', successful: false, error: expect.stringContaining('no way') },
  ])
})

test('stopping a reply ends the process of its tool', async () => {
  const query = { agent_id: agentId, events: 'all' }
  const stream = await openMessage(server.url, keeper.person, query, { content: 'TOOL:spin={}' })
  await expect.poll(busyProcesses).toBe(1)
  const path = `/api/chat/stop?org_id=${keeper.person.organizationId}&chat_id=${idsOf(stream).chatId}`
  expect((await server.call('POST', path, { token: keeper.person.token })).status).toBe(200)
  const events = await stream.take()
  expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
  await expect.poll(busyProcesses).toBe(0)
})

test("users of other organizations pay for a public agent's replies and cannot see its configuration", async () => {
  const stranger = await server.signUp()
  const content = 'TOOL:add={"text":"2+2"} THEN say: Four.'
  const { chatId, text } = await server.say(stranger, { agent_id: agentId }, { content })
  expect(text).toBe('Four.')
  const chat = await getChat(server, stranger, chatId)
  expect(chat).toMatchObject({ agent_id: agentId, model_id: null })
  expect(JSON.stringify(chat)).not.toContain('Count well')
  expect(kindsOf(await ledgerOf(server, stranger))).toEqual(['HOLD', 'DEBIT'])
})

test('a message to an agent takes one more statement than one to a model, regardless of its tools', async () => {
  const { options } = server.server.services.database.sql
  const statementsOf = async (work: () => Promise<unknown>): Promise<Set<string>> => {
    const statements = new Set<string>()
    options.debug = (_connection, statement) => statements.add(statement)
    await work()
    options.debug = false
    return statements
  }
  // Background statements that run without any message.
  const ofNobody = await statementsOf(() => sleep(2_500))
  /** Returns how many statements every message causes, without background statements. */
  const count = async (query: Record<string, string>): Promise<number> => {
    const { chatId } = await server.say(keeper.person, query, { content: 'Hi' })
    const taken: Set<string>[] = []
    for (let times = 0; times < 6; times++)
      taken.push(
        await statementsOf(() => server.say(keeper.person, { ...query, chat_id: chatId }, { content: 'Hi' })),
      )
    const inAll = taken.reduce((one, other) => one.intersection(other))
    return inAll.difference(ofNobody).size
  }
  const ofModel = await count({ model_id: modelId })
  expect(ofModel).toBe(6)
  expect(await count({ agent_id: agentId })).toBe(ofModel + 1)
})
