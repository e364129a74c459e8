import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { exportArchive, importArchive } from '#tests/support/archives.ts'
import type { Answer } from '#tests/support/client.ts'
import { create, talk } from '#tests/support/deployments.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Numbers that JavaScript would round keep their digits between models, tools, clients and the database. */

const NUMBERS =
  '{"a":1234567890123456789,"b":[-9007199254740993,{"c":0.1234567890123456789}],"d":18446744073709551616,"e":1e400}'
/** PostgreSQL writes numbers without an exponent. */
const STORED = NUMBERS.replace('1e400', `1${'0'.repeat(400)}`)
/** The result of ECHO. Numbers with a fraction would be rounded by JavaScript itself, which runs the tool. */
const MADE = '{"a":1234567890123456789,"b":-9007199254740993,"d":[18446744073709551617]}'
const ECHO = 'export const main = ({ value: { a, b, d } }) => ({ a, b: b[0], d: [d + 1n] })'
const VALUE = { name: 'value', type: 'dict', description: 'Any', required: true, default: null }
const CALL = `TOOL:main={"value":${NUMBERS}} THEN say: Done.`

let server: TestServer
let provider: EmulatedProvider
let keeper: AgentKeeper
let agentId: string
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  keeper = await agentKeeper(server)
  const { person } = keeper
  const config = { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'tools'] }
  for (const [name, providerName, version] of MODELS)
    await server.addModel(person, { name, provider: providerName, version, config })
  const model_id = await server.addModel(person, { provider: 'openai-compatible', version: 'emu', config })
  const tool_id = await toolsmith(server, person).make({ code: ECHO, inputs: [VALUE] })
  agentId = await keeper.make({ model_id, tools: [{ tool_id }] })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const MODELS = [
  ['gpt', 'openai', 'gpt-5-emu-n2'],
  ['claude', 'anthropic', 'claude-opus-4-6-emu-n2'],
  ['gemini', 'google', 'gemini-2.5-emu-n2'],
  ['other', 'openai-compatible', 'emu-n2'],
] as const
const PROVIDERS = MODELS.map(([name]) => name)

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.call(method, path, { token: keeper.person.token, ...(body !== undefined && { body }) })
const sent = (): string => provider.requests.at(-1)?.text ?? ''
/** Returns JSON as it is written within a JSON string. */
const quoted = (json: string): string => JSON.stringify(json).slice(1, -1)

describe('a chat with an agent', () => {
  let chatId: string
  let messageId: string
  let received: string
  beforeAll(async () => {
    const query = new URLSearchParams({
      org_id: keeper.person.organizationId,
      agent_id: agentId,
      events: 'all',
    })
    const answer = await ask('POST', `/api/chat/send_message?${query}`, { content: CALL })
    received = answer.text
    chatId = answer.headers.get('x-chat-id') ?? ''
    messageId = answer.headers.get('x-message-id') ?? ''
  })
  const inChat = (path: string, more = {}): Promise<Answer> =>
    ask(
      'GET',
      `${path}?${new URLSearchParams({ org_id: keeper.person.organizationId, chat_id: chatId, ...more })}`,
    )

  test('sends them to the model with the result of the tool', () => {
    expect(sent()).toContain(quoted(`{"value":${NUMBERS}}`))
    expect(sent()).toContain(quoted(MADE))
  })
  test('streams them in the events of the tool', () => {
    expect(received).toContain(`"input":{"value":${NUMBERS}}`)
    expect(received).toContain(`"output":${MADE}`)
  })
  test.each<[what: string, path: string, query: () => object]>([
    ['read', '/api/chat', () => ({})],
    ['resumed from the database', '/api/chat/stream', () => ({ message_id: messageId, events: 'all' })],
  ])('keeps them when it is %s', async (_, path, query) => {
    const { text } = await inChat(path, query())
    expect(text).toContain(`"input":{"value":${STORED}}`)
    expect(text).toContain(`"output":${MADE}`)
  })
  test('keeps them in an export of the chat', async () => {
    const { text } = await inChat('/api/chat/export', { format: 'json' })
    expect(text.replace(/\s/g, '')).toContain(`"input":{"value":${STORED}}`)
  })
  test('keeps them in the export of the organization and its import', async () => {
    const archive = await exportArchive(server, keeper.person)
    const imported = await importArchive(server, keeper.person, archive, `Digits ${randomUUID()}`)
    expect(imported.status).toBe(201)
    const org_id = imported.body.organization.id
    const call = (path: string, query: Record<string, string>) =>
      server.call('GET', `${path}?${new URLSearchParams({ org_id, ...query })}`, {
        token: keeper.person.token,
      })
    const [chat] = (await call('/api/chat/list', {})).body.data
    const { text } = await call('/api/chat', { chat_id: chat.id })
    expect(text).toContain(`"input":{"value":${STORED}}`)
    expect(text).toContain(`"output":${MADE}`)
  })
})

test('a number that the database cannot store does not break the reply', async () => {
  const query = { agent_id: agentId }
  const content = 'TOOL:main={"value":{"a":1e99999,"b":[2],"d":3}} THEN say: Done.'
  const { chatId, text } = await server.say(keeper.person, query, { content })
  expect(text).toBe('Done.')
  const org_id = keeper.person.organizationId
  const chat = await ask('GET', `/api/chat?${new URLSearchParams({ org_id, chat_id: chatId })}`)
  expect(chat.text).toContain('"input":{"value":{"a":"1e99999","b":[2],"d":3}}')
})

test('a deployment sends them to its model', async () => {
  const made = await create(server, keeper.person, agentId)
  expect(made.status).toBe(201)
  // Visitors do not see tool calls.
  const { status, said } = await talk(server, made.body.api_key, { content: CALL })
  expect([status, said]).toEqual([200, 'Done.'])
  expect(sent()).toContain(quoted(`{"value":${NUMBERS}}`))
  expect(sent()).toContain(quoted(MADE))
})

const FUNCTION = { name: 'main', parameters: { type: 'object', properties: {} } }
const TOOLS = [{ type: 'function', function: FUNCTION }]
const ITEM = { call_id: 'c', name: 'main', arguments: NUMBERS }

describe.each(PROVIDERS)('the model %s', (model) => {
  test.each([false, true])('writes them to clients of chat completions (streamed: %s)', async (stream) => {
    const messages = [{ role: 'user', content: `TOOL:main=${NUMBERS}` }]
    const { text } = await ask('POST', '/openai/v1/chat/completions', {
      model,
      messages,
      tools: TOOLS,
      stream,
    })
    expect(text).toContain(`"arguments":"${quoted(NUMBERS)}"`)
  })
  test.each([false, true])('writes them to clients of responses (streamed: %s)', async (stream) => {
    const tools = [{ type: 'function', ...FUNCTION }]
    const { text } = await ask('POST', '/openai/v1/responses', {
      model,
      input: `TOOL:main=${NUMBERS}`,
      tools,
      stream,
    })
    expect(text).toContain(`"arguments":"${quoted(NUMBERS)}"`)
  })
  test('writes them to clients of messages', async () => {
    const body = {
      ...{ model, max_tokens: 100 },
      messages: [{ role: 'user', content: `TOOL:main=${NUMBERS}` }],
      tools: [{ name: 'main', input_schema: FUNCTION.parameters }],
    }
    expect((await ask('POST', '/anthropic/v1/messages', body)).text).toContain(`"input":${NUMBERS}`)
    const { text } = await ask('POST', '/anthropic/v1/messages', { ...body, stream: true })
    expect(text).toContain(`"partial_json":"${quoted(NUMBERS)}"`)
  })
  test.each<[wire: string, path: string, body: () => string]>([
    [
      'chat completions',
      '/openai/v1/chat/completions',
      () =>
        JSON.stringify({
          model,
          tools: TOOLS,
          messages: [
            { role: 'user', content: 'Hi' },
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c', type: 'function', function: { name: 'main', arguments: NUMBERS } }],
            },
            { role: 'tool', tool_call_id: 'c', content: MADE },
          ],
        }),
    ],
    [
      'responses',
      '/openai/v1/responses',
      () =>
        JSON.stringify({
          model,
          tools: [{ type: 'function', ...FUNCTION }],
          input: [
            { role: 'user', content: 'Hi' },
            { type: 'function_call', ...ITEM },
            { type: 'function_call_output', call_id: 'c', output: MADE },
          ],
        }),
    ],
    [
      'messages',
      '/anthropic/v1/messages',
      () =>
        `{"model":"${model}","max_tokens":100,${model === 'gpt' ? '' : '"temperature":0.69999999999999996,'}
          "tools":[{"name":"main","input_schema":{"type":"object","properties":{"a":{"type":"integer","maximum":18446744073709551616}}}}],
          "messages":[{"role":"user","content":"Hi"},
          {"role":"assistant","content":[{"type":"tool_use","id":"c","name":"main","input":${NUMBERS}}]},
          {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"${quoted(MADE)}"}]}]}`,
    ],
  ])('gets those that clients of %s send back', async (_, path, body) => {
    const { status, text } = await server.call('POST', path, { token: keeper.person.token, body: body() })
    expect([status, text]).toEqual([200, expect.any(String)])
    const isText = model === 'gpt' || model === 'other'
    expect(sent()).toContain(isText ? quoted(NUMBERS) : NUMBERS)
    expect(sent()).toMatch(/1234567890123456789.*18446744073709551617/)
  })
})

test('a test of a tool keeps them', async () => {
  const smith = toolsmith(server, keeper.person)
  const inputs = [VALUE]
  const configuration = [
    { ...VALUE, name: 'id', type: 'int', required: false, default: '1234567890123456789' },
  ]
  const code = 'export const main = ({ value }) => ({ value: value.a, config: config.id })'
  const id = await smith.make({ code, inputs, configuration })
  const { text } = await smith.call(
    'POST',
    '/test_tool',
    { tool_id: id },
    {
      ...{ input_prompt: CALL, provider: 'openai-compatible', model_name: 'emu', api_key: 'k' },
      config_items: [],
      base_url: `${provider.url}/v1`,
    },
  )
  expect(text).toContain(`"input":{"value":${NUMBERS}}`)
  expect(text).toContain('"output":{"value":1234567890123456789,"config":1234567890123456789}')
})
