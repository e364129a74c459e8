import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import OpenAI from '#tests/clients/openai.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { MP3 } from '#tests/support/provider/media.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Runs unmodified OpenAI clients from npm against this API. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
let openai: OpenAI
let apiKey: string
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  for (const [name, version] of [
    ['talker', 'emu-n12'],
    ['thinker', 'emu-n3-r4'],
    ['breaker', 'emu-n8-errmid'],
  ] as const)
    await server.addModel(person, { name, provider: 'openai-compatible', version, config })
  for (const [name, version, capability] of [
    ['embedder', 'emu-embedding', 'embedding'],
    ['speaker', 'emu', 'speech'],
  ] as const)
    await server.addModel(person, {
      name,
      provider: 'openai-compatible',
      version,
      config: { ...config, capabilities: [capability] },
    })
  const made = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
    token: person.token,
    body: { name: 'clients', permissions: ['*:*'] },
  })
  apiKey = made.body.key
  openai = new OpenAI({ apiKey, baseURL: `${server.url}/openai/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const WEATHER = {
  name: 'weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}
const asking = (text: string) => [{ role: 'user' as const, content: text }]
const TWO_STEPS = 'TOOL:weather={"city":"Oslo"} THEN say: It rains in Oslo.'

describe('openai', () => {
  test('chats', async () => {
    const answer = await openai.chat.completions.create({
      model: 'talker',
      messages: [{ role: 'system', content: 'Be brief' }, ...asking('say: Hello there')],
    })
    expect(answer.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'Hello there' },
      finish_reason: 'stop',
    })
    expect(answer.usage?.total_tokens).toBe(
      (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
    )
    expect(answer.usage?.completion_tokens).toBeGreaterThan(0)
  })

  test('streams, with usage at the end', async () => {
    const stream = await openai.chat.completions.create({
      model: 'talker',
      messages: asking('say: Hello there you'),
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    const finishes: unknown[] = []
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason)
      if (chunk.usage) usage = chunk.usage
    }
    expect([text, finishes]).toEqual(['Hello there you', ['stop']])
    expect(usage?.total_tokens).toBeGreaterThan(0)
  })

  test('calls tools in its own loop', async () => {
    const cities: unknown[] = []
    const runner = openai.chat.completions.runTools({
      model: 'talker',
      messages: asking(TWO_STEPS),
      tools: [
        {
          type: 'function',
          function: {
            ...WEATHER,
            parse: JSON.parse,
            function: (input: unknown) => {
              cities.push(input)
              return 'rain'
            },
          },
        },
      ],
    })
    expect(await runner.finalContent()).toBe('It rains in Oslo.')
    expect(cities).toEqual([{ city: 'Oslo' }])
  })

  test('streams tool calls', async () => {
    const stream = openai.chat.completions.stream({
      model: 'talker',
      messages: asking('TOOL:weather={"city":"Oslo"} TOOL:weather={"city":"Rome"}'),
      tools: [{ type: 'function', function: WEATHER }],
    })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]?.finish_reason).toBe('tool_calls')
    const calls = choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function)
    expect(calls).toMatchObject([
      { name: 'weather', arguments: '{"city":"Oslo"}' },
      { name: 'weather', arguments: '{"city":"Rome"}' },
    ])
  })

  test('tool_choice is passed to the provider', async () => {
    await openai.chat.completions.create({
      model: 'talker',
      messages: asking('hi'),
      tools: [{ type: 'function', function: WEATHER }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    })
    expect((provider.requests.at(-1) as { body: object }).body).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'weather' } },
      parallel_tool_calls: false,
      stop: ['END'],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    })
  })

  test('responses: a reply, a stream and a tool call', async () => {
    const answer = await openai.responses.create({ model: 'talker', input: 'say: Hello there' })
    expect([answer.status, answer.output_text]).toEqual(['completed', 'Hello there'])
    expect(answer.usage?.total_tokens).toBeGreaterThan(0)

    const stream = openai.responses.stream({ model: 'thinker', input: 'say: Good day' })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect((await stream.finalResponse()).output_text).toBe('Good day')
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
    expect(types).toContain('response.reasoning_text.delta')

    const tools = [{ type: 'function' as const, ...WEATHER, strict: false }]
    const first = await openai.responses.create({ model: 'talker', input: TWO_STEPS, tools })
    const [call] = first.output.filter((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' })
    const second = await openai.responses.create({
      model: 'talker',
      tools,
      input: [
        { role: 'user', content: TWO_STEPS },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: call?.call_id ?? '', output: 'rain' },
      ],
    })
    expect(second.output_text).toBe('It rains in Oslo.')
  })

  test('lists models and embeds texts', async () => {
    const names = (await openai.models.list()).data.map(({ id }) => id)
    expect(names).toEqual(expect.arrayContaining(['talker', 'thinker', 'embedder']))
    const { data, usage } = await openai.embeddings.create({ model: 'embedder', input: ['one', 'two'] })
    expect(data.map(({ index, embedding }) => [index, embedding.length > 1])).toEqual([
      [0, true],
      [1, true],
    ])
    expect(Math.hypot(...(data[0]?.embedding ?? []))).toBeCloseTo(1, 3)
    expect(usage.prompt_tokens).toBeGreaterThan(0)
  })

  test('speaks a text', async () => {
    const spoken = await openai.audio.speech.create({ model: 'speaker', voice: 'alloy', input: 'Good day' })
    expect(Buffer.from(await spoken.arrayBuffer())).toEqual(MP3)
  })

  test('errors are instances of its own classes', async () => {
    await expect(
      openai.chat.completions.create({ model: 'nobody', messages: asking('hi') }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error' })
    await expect(
      new OpenAI({ apiKey: `sk_${'x'.repeat(43)}`, baseURL: openai.baseURL, maxRetries: 0 }).models.list(),
    ).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
    await expect(
      openai.chat.completions.create({ model: 'talker', messages: asking('hi'), n: 9 }),
    ).rejects.toBeInstanceOf(OpenAI.BadRequestError)
    const stream = await openai.chat.completions.create({
      model: 'breaker',
      messages: asking('hi'),
      stream: true,
    })
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toBeInstanceOf(OpenAI.APIError)
  })
})

test('@ai-sdk/openai-compatible streams reasoning', async () => {
  const model = createOpenAICompatible({ name: 'parley', baseURL: openai.baseURL, apiKey })('thinker')
  const streamed = streamText({ model, prompt: 'say: Good day' })
  expect(await streamed.text).toBe('Good day')
  expect(await streamed.reasoningText).not.toBe('')
})
