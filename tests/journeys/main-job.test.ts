import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerOf as billOf, kindsOf, titlesBilled } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * The main use case in each wire format, only through HTTP: sign up, add a model, chat, and check storage and
 * payment.
 */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const FORMATS = [
  { provider: 'openai-compatible', path: '/v1' },
  { provider: 'anthropic', path: '/v1' },
  { provider: 'google', path: '/v1beta' },
]

async function personWithModel(format: (typeof FORMATS)[number], version: string, config = {}) {
  const person = await server.signUp()
  const modelId = await server.addModel(person, {
    provider: format.provider,
    version,
    config: { base_url: provider.url + format.path, api_key: 'key-of-a-tenant', ...config },
  })
  return { person, modelId }
}

const ledgerOf = async (person: Person) =>
  (await server.call('GET', `/api/billing/ledger?org_id=${person.organizationId}`, { token: person.token }))
    .body.data
const balanceOf = async (person: Person) =>
  (await server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, { token: person.token }))
    .body
const chatOf = async (person: Person, chatId: string) =>
  (
    await server.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
    })
  ).body

describe.each(FORMATS)('on $provider', (format) => {
  test('a reply is streamed in the specified events, stored and charged', async () => {
    const { person, modelId } = await personWithModel(format, 'emu-n5', { input_ratio: 2, output_ratio: 3 })
    const { chatId, messageId, events, text } = await server.say(
      person,
      { model_id: modelId },
      { content: 'say: hello brave new world' },
    )
    expect(text).toBe('hello brave new world')
    expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
    for (const { event, data } of events) {
      expect(event).toBeUndefined()
      expect(Object.keys(data)).toEqual(['message'])
    }

    const chat = await chatOf(person, chatId)
    expect(
      chat.messages.map(({ role, content, status }: Record<string, string>) => [role, content, status]),
    ).toEqual([
      ['user', 'say: hello brave new world', 'complete'],
      ['assistant', 'hello brave new world', 'complete'],
    ])
    const reply = chat.messages[1]
    expect(reply.id).toBe(messageId)
    expect(reply.parent_message_id).toBe(chat.messages[0].id)
    const { input_tokens: input, output_tokens: output } = reply.usage
    expect(input).toBeGreaterThan(0)
    expect(output).toBeGreaterThan(0)

    const cost = input * 2 + output * 3
    const [credit] = (await ledgerOf(person)).filter(({ kind }: { kind: string }) => kind === 'CREDIT')
    expect(credit).toMatchObject({ amount: 1_000_000, balance_after: 1_000_000 })
    const [hold, debit] = await billOf(server, person)
    expect(hold).toMatchObject({ kind: 'HOLD', quantity: 1, amount: 0, message_id: messageId })
    expect(debit).toMatchObject({
      kind: 'DEBIT',
      hold_id: hold?.id,
      amount: -cost,
      balance_after: 1_000_000 - cost,
      usage: { input_tokens: input, output_tokens: output },
      chat_id: chatId,
      model_id: modelId,
    })
    expect(reply.usage).toEqual({ input_tokens: input, output_tokens: output, credits: cost })
    await expect.poll(async () => kindsOf(await titlesBilled(server, person))).toEqual(['HOLD', 'DEBIT'])
    const [, title] = await titlesBilled(server, person)
    const balance = 1_000_000 - cost + (title?.amount ?? 0)
    expect(await balanceOf(person)).toMatchObject({ balance, held: 0, available: balance })
    expect(chat.usage).toEqual({
      messages: 1,
      input_tokens: input,
      output_tokens: output,
      weighted_tokens: cost,
      credits: cost,
    })
  })

  test('reasoning is separate from the reply, and stored', async () => {
    const { person, modelId } = await personWithModel(format, 'emu-n4-r3', {
      capabilities: ['text', 'reasoning'],
    })
    const { chatId, events, text } = await server.say(
      person,
      { model_id: modelId },
      { content: 'Think about it', thinking: true },
    )
    const reasoning = events.filter(({ data }) => data['type'] === 'reasoning')
    expect(reasoning.length).toBeGreaterThan(0)
    for (const { data } of reasoning) expect(Object.keys(data)).toEqual(['type', 'message'])
    const reply = (await chatOf(person, chatId)).messages[1]
    expect(reply.reasoning).toBe(reasoning.map(({ data }) => data['message']).join(''))
    expect(reply.content).toBe(text)
  })

  test('the next message includes the history', async () => {
    const { person, modelId } = await personWithModel(format, 'emu-echo')
    const first = await server.say(person, { model_id: modelId }, { content: 'My name is Ada' })
    const second = await server.say(
      person,
      { model_id: modelId, chat_id: first.chatId },
      { content: 'And now?' },
    )
    expect(second.chatId).toBe(first.chatId)
    expect(second.text).toContain('My name is Ada')
    expect(second.text).toContain('And now?')
    expect((await chatOf(person, first.chatId)).messages).toHaveLength(4)
  })
})

test('a token with the text DONE does not end the stream', async () => {
  const { person, modelId } = await personWithModel(FORMATS[0]!, 'emu')
  const { events, text } = await server.say(person, { model_id: modelId }, { content: 'say: DONE' })
  expect(text).toBe('DONE')
  expect(events.filter(({ data }) => data['message'] === 'DONE')).toHaveLength(1)
  expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
})

test("query parameters override the chat's settings, and the instruction is sent", async () => {
  const { person, modelId } = await personWithModel(FORMATS[0]!, 'emu-echo')
  const organization = `org_id=${person.organizationId}`
  const chat = await server.call('POST', `/api/chat?${organization}`, {
    token: person.token,
    body: { settings: { temperature: 0.1, max_tokens: 77 } },
  })
  const instruction = await server.call('POST', `/api/instructions/create?${organization}`, {
    token: person.token,
    body: { name: 'Pirate', content: 'Talk like a pirate' },
  })
  await server.say(
    person,
    { model_id: modelId, chat_id: chat.body.id, instruction_id: instruction.body.id, temperature: '0.9' },
    { content: 'Hi' },
  )
  const sent = provider.requests.at(-1)?.body as Record<string, unknown>
  expect(sent).toMatchObject({ temperature: 0.9, max_tokens: 77 })
  expect(JSON.stringify(sent['messages'])).toContain('Talk like a pirate')
})

test('events=all adds the named events meta and usage', async () => {
  const { person, modelId } = await personWithModel(FORMATS[0]!, 'emu-n3')
  const { chatId, messageId, events } = await server.say(
    person,
    { model_id: modelId, events: 'all' },
    { content: 'Hi' },
  )
  expect(events[0]).toMatchObject({ event: 'meta', data: { chat_id: chatId, message_id: messageId } })
  expect(events.at(-2)).toMatchObject({ event: 'usage', data: { output_tokens: 3 } })
})

test('invalid requests are refused before the stream begins', async () => {
  const { person, modelId } = await personWithModel(FORMATS[0]!, 'emu-n3')
  const stranger = await server.signUp()
  const send = (query: Record<string, string>, body: unknown = { content: 'Hi' }) =>
    server.call(
      'POST',
      `/api/chat/send_message?${new URLSearchParams({ org_id: person.organizationId, ...query })}`,
      {
        token: person.token,
        body,
      },
    )
  const nobody = '00000000-0000-4000-8000-000000000000'
  const foreignChat = await server.call('POST', `/api/chat?org_id=${stranger.organizationId}`, {
    token: stranger.token,
    body: {},
  })
  const cases: [Record<string, string>, number, string][] = [
    [{}, 400, 'Either model_id or agent_id must be provided'],
    [{ model_id: modelId, agent_id: nobody }, 400, 'Send either model_id or agent_id, not both.'],
    [{ model_id: nobody }, 404, expect.stringContaining('Language model not found')],
    [{ model_id: modelId, chat_id: nobody }, 404, 'Chat session not found'],
    [{ model_id: modelId, chat_id: foreignChat.body.id }, 404, 'Chat session not found'],
    [{ model_id: modelId, instruction_id: nobody }, 404, expect.stringContaining('Instruction not found')],
    [
      { model_id: modelId, org_id: stranger.organizationId },
      404,
      expect.stringContaining('Organization not found'),
    ],
    [{ model_id: modelId, temperature: '1.5' }, 400, 'temperature must be at most 1.'],
  ]
  for (const [query, status, detail] of cases) {
    const answer = await send(query)
    expect([answer.status, answer.body.detail]).toEqual([status, detail])
  }
  const unconfigured = await server.addModel(person, { provider: 'openai', version: 'gpt-4o' })
  const answer = await send({ model_id: unconfigured })
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    'LLM provider openai is not configured correctly. Please contact support.',
  ])
  expect((await ledgerOf(person)).length).toBe(1)
})
