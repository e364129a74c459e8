import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import type { ModelRequest, Provider, ResponseFormat, ToolChoice } from './types.ts'

/** Tests tool choice, stop sequences and response formats for each format, provider and model. */

const net = createNet({ allowPrivateNetwork: true })
const models = createModels({ net })
let emulated: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  emulated = await startProvider()
})
afterAll(async () => {
  await Promise.all([net.close(), emulated.close()])
})

type Body = Record<string, unknown>

const toolOf = (name: string) => ({ name, description: 'd', parameters: { type: 'object', properties: {} } })
const tools = [toolOf('weather'), toolOf('clock')]

const ask = (provider: Provider, model: string, request: Partial<ModelRequest>) =>
  collectReply(
    models,
    { provider, model, baseUrl: `${emulated.url}/v1`, apiKey: 'k', guarded: false },
    { messages: [{ role: 'user', content: 'Hello' }], ...request },
  )

/** Returns the body of the latest request that the provider received. */
const received = (): Body => emulated.requests.at(-1)?.body as Body

async function sent(provider: Provider, model: string, request: Partial<ModelRequest>): Promise<Body> {
  await ask(provider, model, request)
  return received()
}

/** Returns the body that the AI SDK sends for the same options. */
async function sentByTheirs(provider: Provider, options: object): Promise<Body> {
  const baseURL = `${emulated.url}/v1`
  const model =
    provider === 'anthropic'
      ? createAnthropic({ apiKey: 'k', baseURL })('claude-opus-4-5')
      : provider === 'google'
        ? createGoogleGenerativeAI({ apiKey: 'k', baseURL })('gemini-3-pro')
        : createOpenAICompatible({ name: 'x', baseURL, supportsStructuredOutputs: true })('emu')
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
  await model.doStream({ prompt, ...options } as never)
  return received()
}

const ORACLES: [Provider, string][] = [
  ['openai-compatible', 'emu'],
  ['anthropic', 'claude-opus-4-5'],
  ['google', 'gemini-3-pro'],
]
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const STRICT: ResponseFormat = { type: 'json_schema', name: 'place', schema: SCHEMA, strict: true }

describe.each(ORACLES)('%s sends what the AI SDK sends', (provider, model) => {
  test.each<[ToolChoice, object]>([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'required' }],
    [{ name: 'clock' }, { type: 'tool', toolName: 'clock' }],
  ])('for tool choice %j', async (toolChoice, theirs) => {
    const ours = await sent(provider, model, { tools, toolChoice })
    const functions = tools.map(({ parameters: inputSchema, ...tool }) => ({
      type: 'function',
      ...tool,
      inputSchema,
    }))
    const expected = await sentByTheirs(provider, { tools: functions, toolChoice: theirs })
    expect(ours['tool_choice']).toEqual(expected['tool_choice'])
    expect(ours['toolConfig']).toEqual(expected['toolConfig'])
    expect(ours['tool_choice'] ?? ours['toolConfig']).toBeDefined()
  })

  test('for stop sequences and a schema', async () => {
    const ours = await sent(provider, model, { stop: ['END', 'STOP'], responseFormat: STRICT })
    const responseFormat = { type: 'json', schema: SCHEMA, name: 'place' }
    const expected = await sentByTheirs(provider, { stopSequences: ['END', 'STOP'], responseFormat })
    const fieldsOf = ({ stop, stop_sequences, response_format, output_config, generationConfig }: Body) => ({
      stop,
      stop_sequences,
      response_format,
      output_config,
      generationConfig,
    })
    expect(fieldsOf(ours)).toEqual(fieldsOf(expected))
    expect(JSON.stringify(ours)).toMatch(/"END","STOP".*"city"|"city".*"END","STOP"/)
  })
})

describe('a tool choice', () => {
  test('is not sent without tools', async () => {
    for (const [provider, model] of ORACLES) {
      const body = await sent(provider, model, { toolChoice: 'required', parallelToolCalls: false, stop: [] })
      for (const field of ['tools', 'tool_choice', 'toolConfig', 'parallel_tool_calls', 'stop'])
        expect(body).not.toHaveProperty(field)
    }
  })

  test('for one call at a time is sent where supported, and enforced everywhere', async () => {
    const content = 'TOOL:weather={} TOOL:clock={}'
    for (const [provider, model, field, value] of [
      ['openai', 'gpt-4o', 'parallel_tool_calls', false],
      ['openai', 'o3', 'parallel_tool_calls', undefined],
      ['deepseek', 'deepseek-chat', 'parallel_tool_calls', undefined],
      ['anthropic', 'claude-opus-4-5', 'tool_choice', { type: 'auto', disable_parallel_tool_use: true }],
      ['google', 'gemini-3-pro', 'toolConfig', undefined],
    ] as const) {
      const messages = [{ role: 'user' as const, content }]
      expect((await ask(provider, model, { messages, tools })).toolCalls).toHaveLength(2)
      const { toolCalls, finishReason } = await ask(provider, model, {
        messages,
        tools,
        parallelToolCalls: false,
      })
      expect(toolCalls).toMatchObject([{ name: 'weather' }])
      expect(finishReason).toBe('tool_calls')
      expect(received()[field]).toEqual(value)
    }
  })

  const NAMED = { type: 'function', function: { name: 'clock' } }
  const named = { tools, toolChoice: { name: 'clock' }, thinking: true }

  test("disables DeepSeek's thinking, and its reasoner gets only the named tool", async () => {
    const body = await sent('deepseek', 'deepseek-chat', named)
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: NAMED })
    expect(body['tools']).toHaveLength(2)
    const reasoner = await sent('deepseek', 'deepseek-reasoner', named)
    expect(reasoner).toMatchObject({ tools: [NAMED] })
    expect(reasoner).not.toHaveProperty('tool_choice')
  })

  test('that Ollama ignores is replaced by offering only allowed tools', async () => {
    expect(await sent('ollama', 'qwen3', named)).toMatchObject({ tools: [NAMED] })
    expect(await sent('ollama', 'qwen3', { tools, toolChoice: 'none' })).not.toHaveProperty('tools')
    expect((await sent('ollama', 'qwen3', { tools, toolChoice: 'required' }))['tools']).toHaveLength(2)
  })

  test("disables Anthropic's thinking, and newer models get only the named tool", async () => {
    const body = await sent('anthropic', 'claude-opus-4-6', named)
    expect(body).toMatchObject({ tool_choice: { type: 'tool', name: 'clock' } })
    expect(body).not.toHaveProperty('thinking')
    const newest = await sent('anthropic', 'claude-opus-5-5', named)
    expect(newest).toMatchObject({ tool_choice: { type: 'auto' }, tools: [{ name: 'clock' }] })
  })
})

test('stop sequences are not sent to models that refuse them', async () => {
  expect(await sent('openai', 'gpt-5-emu', { stop: ['END'] })).not.toHaveProperty('stop')
  expect(await sent('openai', 'gpt-4o', { stop: ['END'] })).toMatchObject({ stop: ['END'] })
})

test.each<Provider>(['openai', 'openai-compatible', 'deepseek', 'ollama'])(
  'the usage of a stream is asked of %s, unless the model leaves that field out',
  async (provider) => {
    expect(await sent(provider, 'emu', {})).toMatchObject({ stream_options: { include_usage: true } })
    const target = { provider, model: 'emu', baseUrl: `${emulated.url}/v1`, apiKey: 'k', guarded: false }
    const omit = ['stream_options', 'encoding_format']
    const { usage } = await collectReply(
      models,
      { ...target, omit },
      { messages: [{ role: 'user', content: 'Hello' }] },
    )
    expect(received()).not.toHaveProperty('stream_options')
    expect(usage).toBe(null)
  },
)

describe('a response format', () => {
  const IN_WORDS = /^Be brief\n\nReply only with JSON that matches this JSON Schema, .*"city"/s
  const wished = { system: 'Be brief', responseFormat: { ...STRICT, strict: false } }
  const systemOf = ({ system, messages, systemInstruction }: Body): unknown =>
    (system as { text: string }[])?.[0]?.text ??
    (systemInstruction as { parts: { text: string }[] })?.parts[0]?.text ??
    (messages as { content: unknown }[])[0]?.content

  test.each<[Provider, string, Partial<ModelRequest>]>([
    ['anthropic', 'claude-opus-4-5', wished],
    ['anthropic', 'claude-sonnet-4-20250514', { ...wished, responseFormat: STRICT }],
    ['anthropic', 'glm-5', { ...wished, responseFormat: STRICT }],
    ['deepseek', 'deepseek-chat', wished],
    ['google', 'gemini-2.5-pro', { ...wished, tools }],
  ])('is described to %s %s in the prompt', async (provider, model, request) => {
    const body = await sent(provider, model, request)
    expect(systemOf(body)).toMatch(IN_WORDS)
    expect(body).not.toHaveProperty('output_config')
    expect(body).not.toHaveProperty('generationConfig.responseMimeType')
    if (provider === 'deepseek') expect(body['response_format']).toEqual({ type: 'json_object' })
  })

  test('without a schema asks for one JSON object', async () => {
    const request: Partial<ModelRequest> = { responseFormat: { type: 'json_object' } }
    expect(await sent('openai', 'gpt-4o', request)).toMatchObject({
      response_format: { type: 'json_object' },
    })
    expect(systemOf(await sent('anthropic', 'claude-opus-4-5', request))).toContain('one JSON object')
    const google = await sent('google', 'gemini-2.5-pro', request)
    expect(google['generationConfig']).toEqual({ responseMimeType: 'application/json' })
  })

  test('stays non-strict if it was', async () => {
    const body = await sent('openai', 'gpt-4o', wished)
    expect(body).toMatchObject({ response_format: { json_schema: { name: 'place', strict: false } } })
    expect(systemOf(body)).toBe('Be brief')
  })
})
