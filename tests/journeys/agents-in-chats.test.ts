import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person, StreamEvent } from '#tests/support/client.ts'
import { endlessTool, PlayedAgents, succeeded, tool } from '#tests/support/played-agents.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Agents in chats, with tools in the test and models at the emulated provider. */

const FAILED = { output: null, successful: false, error: 'No such city' }
const CUT_OFF = 'The reply ended before this tool finished. Send the message again.'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
const agents = new PlayedAgents(() => provider.url)
const weather = tool('weather', async ({ city }) => succeeded({ city, degrees: 7 }))
const clock = tool('clock', async () => succeeded('noon'))
const broken = tool('broken', async () => FAILED)

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({}, { agents })
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const say = (agentId: string, content: string, query: Record<string, string> = {}) =>
  server.say(person, { agent_id: agentId, events: 'all', ...query }, { content })
const toolEvents = (events: StreamEvent[]) =>
  events.filter(({ event }) => event === 'tool').map(({ data }) => data)
const replyIn = async (chatId: string) => (await getChat(server, person, chatId)).messages.at(-1)
interface Asked {
  tools?: object[]
  messages: { role: string; content: string }[]
}
/** Returns the requests to the model for a message with this content, step by step, without titles. */
const askedFor = (content: string): Asked[] =>
  provider.requests
    .map(({ body }) => body as Asked)
    .filter(({ messages }) => messages.some((message) => message.content === content))
const inputTokensOf = (asked: Asked[]): number =>
  asked.reduce((sum, body) => sum + Math.ceil(JSON.stringify(body).length / 4), 0)
describe('a reply with tools', () => {
  test('is streamed, stored and charged as one', async () => {
    const agentId = agents.add('emu', [weather, clock])
    const content = 'say: Let me see. TOOL:weather={"city":"Oslo"} THEN say: It rains.'
    const { chatId, messageId, events, text } = await say(agentId, content)
    const [call] = toolEvents(events)
    const { id, ...begun } = call as { id: string }
    expect(begun).toEqual({ name: 'weather', input: { city: 'Oslo' }, output: null })
    const ended = { id, name: 'weather', input: { city: 'Oslo' }, output: { city: 'Oslo', degrees: 7 } }
    expect(toolEvents(events)[1]).toEqual({ ...ended, successful: true, error: null })
    expect(text).toBe('Let me see.\n\nIt rains.')

    const chat = await getChat(server, person, chatId)
    expect(chat).toMatchObject({ agent_id: agentId, model_id: agents.modelIdOf(agentId) })
    expect(chat.messages).toHaveLength(2)
    expect(chat.messages[0]).toMatchObject({ agent_id: agentId, tool_calls: [] })
    expect(chat.messages[1]).toMatchObject({
      id: messageId,
      agent_id: agentId,
      content: text,
      status: 'complete',
    })
    expect(chat.messages[1].tool_calls).toEqual([{ ...ended, successful: true, error: null }])

    const asked = askedFor(content)
    expect(asked.map(({ tools }) => tools?.length)).toEqual([2, 2])
    const [assistant, answer] = asked[1]?.messages.slice(-2) ?? []
    expect(assistant).toMatchObject({ role: 'assistant', content: 'Let me see.' })
    expect(answer).toMatchObject({ role: 'tool', content: expect.stringContaining('"degrees":7') })

    const entries = (await ledgerOf(server, person)).filter((entry) => entry.message_id === messageId)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    const usage = events.find(({ event }) => event === 'usage')?.data
    expect(usage).toMatchObject(entries[1]?.usage ?? {})
    expect(entries[1]?.usage?.input_tokens).toBe(inputTokensOf(asked))
  })

  test('sends no tool events to plain clients', async () => {
    const agentId = agents.add('emu', [weather])
    const body = { content: 'TOOL:weather={} THEN say: Dry.' }
    const { events } = await server.say(person, { agent_id: agentId }, body)
    expect(events.map(({ data }) => data)).toEqual([{ message: 'Dry.' }, { message: 'DONE' }])
  })

  test('runs concurrent calls and reports each when it ends', async () => {
    let release = (): void => {}
    const slow = tool('slow', async () => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return succeeded({ slow: true })
    })
    const quick = tool('quick', async () => {
      setTimeout(release, 20)
      return succeeded([1, 2])
    })
    const agentId = agents.add('emu', [slow, quick])
    const content = 'TOOL:slow={} TOOL:quick={} THEN say: Both.'
    const { chatId, events } = await say(agentId, content)
    const order = toolEvents(events).map(({ name, output }) => [name, output])
    expect(order).toEqual([
      ['slow', null],
      ['quick', null],
      ['quick', { result: [1, 2] }],
      ['slow', { slow: true }],
    ])
    const { tool_calls: calls } = await replyIn(chatId)
    expect(calls.map(({ name }: { name: string }) => name)).toEqual(['slow', 'quick'])
    const [, request] = askedFor(content)
    const answers = request?.messages.slice(-2).map((message) => message.content.includes('slow'))
    expect(answers).toEqual([true, false])
  })

  test('continues when a tool fails, breaks or does not exist', async () => {
    const bug = tool('bug', async () => {
      throw new Error('a secret of the code')
    })
    const agentId = agents.add('emu', [broken, bug])
    const { chatId, text } = await say(agentId, 'TOOL:broken={} TOOL:bug={} THEN say: Sorry.')
    expect(text).toBe('Sorry.')
    const { tool_calls: calls, status } = await replyIn(chatId)
    expect(status).toBe('complete')
    expect(calls[0]).toMatchObject({ successful: false, error: 'No such city', output: {} })
    expect(calls[1]).toMatchObject({ successful: false, output: {} })
    expect(JSON.stringify(calls)).not.toContain('secret')
  })

  test('stores unusual tool outputs as far as possible', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const deep = JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`)
    const outputs = [
      'a\0b\ud800',
      'x'.repeat(500_000),
      circular,
      deep,
      null,
      undefined,
      5n,
      { ['\0']: '\udc00' },
    ]
    const odd = tool('odd', async ({ at }) => succeeded(outputs[Number(at)]))
    const agentId = agents.add('emu', [odd])
    const wanted = outputs.map((_, at) => `TOOL:odd={"at":${at}}`).join(' ')
    const { chatId, events } = await say(agentId, `${wanted} THEN say: All.`)
    const { tool_calls: calls, status } = await replyIn(chatId)
    expect(status).toBe('complete')
    expect(calls).toHaveLength(outputs.length)
    expect(calls[1].output.beginning).toHaveLength(65_536)
    expect(calls[1].output.remark).toContain('65536')
    expect(calls.filter(({ successful }: { successful: boolean }) => !successful)).toHaveLength(3)
    expect(calls[4].output).toEqual({ result: null })
    const ended = toolEvents(events).filter(({ successful }) => successful !== undefined)
    for (const call of calls) expect(ended).toContainEqual(call)
  })

  test('stores about 1 MB of tool outputs in total, and the beginning of each', async () => {
    const large = tool('large', async () => succeeded('y'.repeat(60_000)))
    const agentId = agents.add('emu', [large])
    const calls = Array.from({ length: 40 }, () => 'TOOL:large={}').join(' ')
    const { chatId } = await say(agentId, `${calls} THEN say: Much.`)
    const reply = await replyIn(chatId)
    expect(reply.tool_calls).toHaveLength(40)
    expect(JSON.stringify(reply.tool_calls).length).toBeLessThan(1_200_000)
    expect(reply.tool_calls[39].output.beginning).toHaveLength(200)
    // A page of messages is limited in bytes: two such replies fill one.
    for (let times = 0; times < 3; times++)
      await say(agentId, `${calls} THEN say: More.`, { chat_id: chatId })
    const page = await getChat(server, person, chatId)
    expect(page.messages.length).toBeLessThan(7)
    expect(page.pagination.has_more).toBe(true)
  })
})

describe('the end of a reply with tools', () => {
  test('when stopped during a tool call: the call is aborted, and the usage is charged', async () => {
    const endless = endlessTool('endless')
    const agentId = agents.add('emu', [endless.tool])
    const stream = await openMessage(
      server.url,
      person,
      { agent_id: agentId, events: 'all' },
      { content: 'say: Wait. TOOL:endless={}' },
    )
    await expect.poll(() => endless.runs.begun).toBe(1)
    const { chatId, messageId } = idsOf(stream)
    // Started calls are stored within a second.
    await expect.poll(async () => (await replyIn(chatId)).tool_calls).toMatchObject([{ output: null }])
    const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`
    expect((await server.call('POST', path, { token: person.token })).status).toBe(200)
    const events = await stream.take()
    expect(endless.runs).toEqual({ begun: 1, aborted: 1 })
    expect(toolEvents(events).at(-1)).toMatchObject({ successful: false, error: CUT_OFF, output: {} })
    expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
    const reply = await replyIn(chatId)
    expect(reply).toMatchObject({ status: 'stopped', content: 'Wait.', error: null })
    expect(reply.tool_calls).toMatchObject([{ name: 'endless', successful: false, error: CUT_OFF }])
    const entries = (await ledgerOf(server, person)).filter((entry) => entry.message_id === messageId)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
  })

  test('when its third step fails: the first two are charged', async () => {
    const agentId = agents.add('emu-step3-err500', [weather])
    const content = 'TOOL:weather={"city":"a"} THEN TOOL:weather={"city":"b"} THEN say: Never.'
    const { chatId, messageId, events } = await say(agentId, content)
    expect(events.at(-1)?.data).toHaveProperty('error')
    expect(await replyIn(chatId)).toMatchObject({ status: 'error', tool_calls: [{}, {}] })
    const entries = (await ledgerOf(server, person)).filter((entry) => entry.message_id === messageId)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    expect(entries[1]?.usage?.input_tokens).toBe(inputTokensOf(askedFor(content).slice(0, 2)))
  })

  test('when it fails before the first token: nothing is charged', async () => {
    const agentId = agents.add('emu-err500', [weather])
    const { messageId } = await say(agentId, 'Hi')
    const entries = (await ledgerOf(server, person)).filter((entry) => entry.message_id === messageId)
    expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE'])
  })

  test('when the server shuts down during a tool call: with an error that says so', async () => {
    const endless = endlessTool('endless')
    const stopped = await startTestServer({}, { agents })
    const somebody = await stopped.signUp()
    const agentId = agents.add('emu', [endless.tool])
    const query = { agent_id: agentId, events: 'all' }
    const stream = await openMessage(stopped.url, somebody, query, { content: 'TOOL:endless={}' })
    await expect.poll(() => endless.runs.begun).toBe(1)
    const taking = stream.take()
    const [events] = await Promise.all([taking, stopped.stop()])
    expect(endless.runs.aborted).toBe(1)
    expect(toolEvents(events).at(-1)).toMatchObject({ successful: false, error: CUT_OFF })
    expect(events.at(-1)?.data['error']).toContain('restarted')
  })
})

test('an exported chat includes its tool calls', async () => {
  const agentId = agents.add('emu', [weather, broken])
  const content = 'TOOL:weather={"city":"Oslo\\n# no heading"} TOOL:broken={} THEN say: So.'
  const { chatId } = await say(agentId, content)
  const exported = (format: string) =>
    server.call(
      'GET',
      `/api/chat/export?org_id=${person.organizationId}&chat_id=${chatId}&format=${format}`,
      { token: person.token },
    )
  const { text } = await exported('markdown')
  expect(text).toContain('> Tool: weather {"city":"Oslo\\n# no heading"}, done\n')
  expect(text).toContain('> Tool: broken {}, failed: No such city')
  const { messages } = (await exported('json')).body
  expect(messages.at(-1).tool_calls).toHaveLength(2)
})
