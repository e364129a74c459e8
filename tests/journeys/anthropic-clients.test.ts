import { createAnthropic } from '@ai-sdk/anthropic'
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import Anthropic from '#tests/clients/anthropic.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Runs unmodified Anthropic clients from npm against this API. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
let anthropic: Anthropic
let apiKey: string
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'vision', 'tools'] }
  for (const [name, providerName, version] of [
    ['claude', 'anthropic', 'claude-sonnet-4-emu-n12-r3'],
    ['talker', 'openai-compatible', 'emu-n12-r3'],
    ['gemini', 'google', 'gemini-3-emu-n12-r3'],
    ['claude-sonnet-4-5', 'openai-compatible', 'emu-n12'],
    ['slow', 'anthropic', 'emu-n2000-gap20'],
    ['breaker', 'anthropic', 'emu-n8-errmid'],
    ['busy', 'anthropic', 'emu-err429'],
  ] as const)
    await server.addModel(person, { name, provider: providerName, version, config })
  const made = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { name: 'clients', permissions: ['*:*'] },
  })
  apiKey = made.body.key
  anthropic = new Anthropic({ apiKey, baseURL: `${server.url}/anthropic`, maxRetries: 0 })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const WEATHER = {
  name: 'weather',
  description: 'The weather in a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}
const TWO_STEPS = 'TOOL:weather={"city":"Oslo"} THEN say: It rains in Oslo.'
const asking = (content: string): Anthropic.MessageParam[] => [{ role: 'user', content }]
const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('')
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown>

describe.each(['claude', 'talker', 'gemini'])('@anthropic-ai/sdk with %s', (model) => {
  test('chats, in two turns', async () => {
    const first = await anthropic.messages.create({
      model,
      max_tokens: 100,
      system: 'Be brief',
      messages: asking('say: Hello there'),
    })
    expect(first).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' })
    expect(textOf(first)).toBe('Hello there')
    expect(first.usage.input_tokens).toBeGreaterThan(0)
    expect(first.usage.output_tokens).toBeGreaterThan(0)
    const second = await anthropic.messages.create({
      model,
      max_tokens: 100,
      messages: [
        ...asking('say: Hello there'),
        { role: 'assistant', content: first.content },
        ...asking('say: Again'),
      ],
    })
    expect(textOf(second)).toBe('Again')
  })

  test('streams thinking and text', async () => {
    const stream = anthropic.messages.stream({
      model,
      max_tokens: 4_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: asking('say: Good day'),
    })
    const types: string[] = []
    stream.on('streamEvent', ({ type }) => types.push(type))
    const message = await stream.finalMessage()
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'the quick brown', signature: expect.stringMatching(/./) },
      { type: 'text', text: 'Good day' },
    ])
    expect([types[0], types.at(-2), types.at(-1)]).toEqual(['message_start', 'message_delta', 'message_stop'])
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    expect(message.usage.input_tokens).toBeGreaterThan(0)
  })

  test('calls tools in a loop, and returns its thinking with the results', async () => {
    const messages = asking(TWO_STEPS)
    const request = {
      model,
      max_tokens: 4_000,
      tools: [WEATHER],
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
    }
    const first = await anthropic.messages.stream({ ...request, messages }).finalMessage()
    expect(first.stop_reason).toBe('tool_use')
    const call = first.content.find((block) => block.type === 'tool_use')
    expect(call).toMatchObject({ name: 'weather', input: { city: 'Oslo' } })
    const second = await anthropic.messages.create({
      ...request,
      messages: [
        ...messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'rain', is_error: true }],
        },
      ],
    })
    expect(textOf(second)).toBe('It rains in Oslo.')
    const turns = (sent()['messages'] ?? sent()['contents']) as unknown[]
    expect(turns.slice(1)).toMatchObject(RETURNED[model] ?? [])
  })
})

/** The turn with the call and the turn with its result, as each provider receives them. */
const RETURNED: Record<string, object[]> = {
  claude: [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'the quick brown', signature: 'c2ln' },
        { type: 'tool_use', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', content: 'rain', is_error: true }] },
  ],
  talker: [
    { role: 'assistant', content: null, tool_calls: [{ function: { name: 'weather' } }] },
    { role: 'tool', content: 'Error: rain' },
  ],
  gemini: [
    { role: 'model', parts: [{ functionCall: { name: 'weather' }, thoughtSignature: 'c2ln' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { error: 'rain' } } }] },
  ],
}

describe('@anthropic-ai/sdk', () => {
  test('counts tokens and lists models', async () => {
    const { input_tokens } = await anthropic.messages.countTokens({
      model: 'claude',
      messages: asking('one two three'),
    })
    expect(input_tokens).toBeGreaterThan(2)
    expect(input_tokens).toBeLessThan(10)
    const names: string[] = []
    for await (const { id } of anthropic.models.list({ limit: 2 })) names.push(id)
    expect(names).toEqual(expect.arrayContaining(['claude', 'talker', 'gemini', 'slow', 'breaker', 'busy']))
    expect(new Set(names).size).toBe(names.length)
    expect(await anthropic.models.retrieve('talker')).toMatchObject({ type: 'model', id: 'talker' })
    await expect(anthropic.models.retrieve('nobody')).rejects.toBeInstanceOf(Anthropic.NotFoundError)
  })

  test('aborts a stream', async () => {
    const stream = anthropic.messages.stream({ model: 'slow', max_tokens: 100, messages: asking('hi') })
    const { aborted } = provider.stats
    stream.on('text', () => stream.abort())
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    await expect.poll(() => provider.stats.aborted).toBeGreaterThan(aborted)
  })

  test('errors are instances of its own classes', async () => {
    const create = (model: string, client = anthropic, change: object = {}) =>
      client.messages.create({ model, max_tokens: 10, messages: asking('hi'), ...change })
    await expect(create('nobody')).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    await expect(create('busy')).rejects.toBeInstanceOf(Anthropic.RateLimitError)
    await expect(create('talker', anthropic, { max_tokens: 0 })).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    )
    const stranger = new Anthropic({
      apiKey: `sk_${'x'.repeat(43)}`,
      baseURL: anthropic.baseURL,
      maxRetries: 0,
    })
    await expect(create('talker', stranger)).rejects.toMatchObject({
      status: 401,
      error: { type: 'error', error: { type: 'authentication_error' } },
    })
    const stream = anthropic.messages.stream({ model: 'breaker', max_tokens: 10, messages: asking('hi') })
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIError)
  })
})

describe('@ai-sdk/anthropic', () => {
  const model = (name: string) => createAnthropic({ baseURL: `${server.url}/anthropic/v1`, apiKey })(name)
  const tools = {
    weather: tool({
      description: WEATHER.description,
      inputSchema: jsonSchema<{ city: string }>(WEATHER.input_schema as never),
      execute: async ({ city }) => `rain in ${city}`,
    }),
  }
  // The SDK's default for models that it doesn't know, without its warning.
  const maxOutputTokens = 4_096
  const providerOptions = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } }

  test('chats, streams with reasoning, and calls tools', async () => {
    expect((await generateText({ model: model('talker'), prompt: 'say: Hello', maxOutputTokens })).text).toBe(
      'Hello',
    )
    const streamed = streamText({
      model: model('claude'),
      prompt: 'say: Good day',
      providerOptions,
      maxOutputTokens,
    })
    expect(await streamed.text).toBe('Good day')
    expect(await streamed.reasoningText).toBe('the quick brown')
    for (const name of ['claude', 'talker', 'gemini']) {
      const looped = await generateText({
        model: model(name),
        prompt: TWO_STEPS,
        tools,
        providerOptions,
        maxOutputTokens,
        stopWhen: stepCountIs(3),
      })
      expect(looped.text).toBe('It rains in Oslo.')
      expect(looped.steps[0]?.toolResults[0]?.output).toBe('rain in Oslo')
    }
  })

  test('requests structured output', async () => {
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    })
    const { output } = await generateText({
      model: model('claude-sonnet-4-5'),
      prompt: 'say: {"city":"Oslo"}',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ city: 'Oslo' })
    expect(sent()).toMatchObject({ response_format: { type: 'json_schema' } })
  })
})
