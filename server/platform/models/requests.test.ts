import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createNet } from '../net/index.ts'
import { createModels, expectedUsage } from './index.ts'
import type { ModelMessage, ModelRequest, ModelTarget, Provider, ToolCall } from './types.ts'

/** Tests how requests differ between providers and models. */

const net = createNet({ allowPrivateNetwork: true })
const models = createModels({ net })
let emulated: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  emulated = await startProvider()
})
afterAll(async () => {
  await Promise.all([net.close(), emulated.close()])
})

const HELLO: ModelMessage = { role: 'user', content: 'Hello' }

const targetOf = (provider: Provider, model: string): ModelTarget => ({
  provider,
  model,
  baseUrl: `${emulated.url}/v1`,
  apiKey: 'k',
  guarded: false,
})

const reply = (provider: Provider, model: string, request: ModelRequest) =>
  collectReply(models, targetOf(provider, model), request)

/** Sends a request and returns the body that the provider received. */
async function sent(provider: Provider, model: string, request: Partial<ModelRequest>) {
  await reply(provider, model, { messages: [HELLO], ...request })
  return emulated.requests.at(-1)?.body as Record<string, unknown>
}

const SETTINGS = { temperature: 0.5, topP: 0.9, maxTokens: 10 }

describe('settings', () => {
  test.each<[Provider, string, object, string[]]>([
    ['openai', 'gpt-5-emu', { max_completion_tokens: 10 }, ['temperature', 'top_p', 'max_tokens']],
    ['openai', 'gpt-4o', { temperature: 0.5, top_p: 0.9, max_completion_tokens: 10 }, ['max_tokens']],
    ['deepseek', 'deepseek-chat', { temperature: 0.5, max_tokens: 10 }, []],
    ['openai-compatible', 'o3', { temperature: 0.5, max_tokens: 10 }, []],
    ['anthropic', 'claude-opus-4-6', { temperature: 0.5, max_tokens: 10 }, ['top_p', 'thinking']],
    ['anthropic', 'claude-opus-4-7', { max_tokens: 10 }, ['temperature', 'top_p', 'thinking']],
    ['anthropic', 'glm-5', { temperature: 0.5 }, ['top_p']],
    [
      'google',
      'models/gemini-3-pro',
      { generationConfig: { ...SETTINGS, maxTokens: undefined, maxOutputTokens: 10 } },
      [],
    ],
  ])('are sent to %s %s as supported', async (provider, model, expected, absent) => {
    const body = await sent(provider, model, SETTINGS)
    expect(body).toMatchObject(JSON.parse(JSON.stringify(expected)))
    for (const field of absent) expect(body).not.toHaveProperty(field)
  })
})

describe('reasoning', () => {
  const ADAPTIVE = { thinking: { type: 'adaptive', display: 'summarized' } }
  const BUDGET = { thinking: { type: 'enabled', budget_tokens: 8_192 } }
  const EFFORT = { reasoning_effort: 'medium' }
  const THOUGHTS = { thinkingConfig: { includeThoughts: true } }
  const NONE = {}

  /** Returns the fields that turn reasoning on or off. */
  function reasoningOf(body: Record<string, unknown>): object {
    const { thinking, reasoning_effort, generationConfig } = body
    const { thinkingConfig } = (generationConfig ?? {}) as { thinkingConfig?: unknown }
    return { thinking, reasoning_effort, thinkingConfig }
  }

  test.each<[Provider, string, object, object]>([
    ['openai', 'o3-mini', EFFORT, NONE],
    ['openai', 'gpt-5.2', EFFORT, NONE],
    ['openai', 'gpt-5-chat-latest', NONE, NONE],
    ['openai', 'gpt-4o', NONE, NONE],
    ['deepseek', 'deepseek-chat', { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
    ['deepseek', 'deepseek-reasoner', { thinking: { type: 'enabled' } }, { thinking: { type: 'enabled' } }],
    ['ollama', 'qwen3:8b', NONE, { reasoning_effort: 'none' }],
    ['openai-compatible', 'openai/gpt-oss-120b', EFFORT, NONE],
    ['openai-compatible', 'llama-3.1-8b', NONE, NONE],
    ['anthropic', 'claude-3-5-sonnet-20241022', NONE, NONE],
    ['anthropic', 'claude-3-7-sonnet-20250219', BUDGET, NONE],
    ['anthropic', 'claude-sonnet-4-20250514', BUDGET, NONE],
    ['anthropic', 'claude-opus-4-1-20250805', BUDGET, NONE],
    ['anthropic', 'claude-haiku-4-5', BUDGET, NONE],
    ['anthropic', 'claude-opus-4-6', ADAPTIVE, NONE],
    ['anthropic', 'claude-sonnet-5', ADAPTIVE, NONE],
    ['google', 'gemini-2.5-flash', THOUGHTS, NONE],
    ['google', 'gemini-2.0-flash', NONE, NONE],
  ])('is requested from %s %s as supported', async (provider, model, asked, notAsked) => {
    expect(reasoningOf(await sent(provider, model, { thinking: true }))).toEqual(asked)
    expect(reasoningOf(await sent(provider, model, {}))).toEqual(notAsked)
  })

  const WITHIN = { maxTokensIncludeThinking: true }

  test.each<[Provider, string, Partial<ModelRequest>, number, number?]>([
    ['anthropic', 'claude-opus-4-6', { maxTokens: 10 }, 8_202],
    ['anthropic', 'claude-opus-4-6', { maxTokens: 10, ...WITHIN }, 10],
    ['anthropic', 'claude-3-5-sonnet', { maxTokens: 10 }, 10],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 10, effort: 'low' }, 2_058, 2_048],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 5_000, thinkingTokens: 2_000 }, 7_000, 2_000],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 5_000, thinkingTokens: 6_000, ...WITHIN }, 5_000, 4_999],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 5_000, ...WITHIN }, 5_000, 4_000],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 1_280, ...WITHIN }, 1_280, 1_024],
    ['anthropic', 'claude-haiku-4-5', { maxTokens: 1_279, ...WITHIN }, 1_279],
    ['openai-compatible', 'o3', { maxTokens: 10 }, 10],
  ])(
    'of %s %s with %j takes at most %i tokens with the text',
    async (provider, model, fields, most, budget) => {
      const request = { messages: [HELLO], thinking: true, ...fields }
      const body = await sent(provider, model, request)
      const { budget_tokens } = (body['thinking'] ?? {}) as { budget_tokens?: number }
      expect([body['max_tokens'], budget_tokens]).toEqual([most, budget])
      const members = [{ target: targetOf('openai', 'gpt-4o') }, { target: targetOf(provider, model) }]
      expect((await expectedUsage(members, request)).outputTokens).toBe(most)
    },
  )
})

describe('after a tool call', () => {
  const tools = [{ name: 'weather', description: '', parameters: { type: 'object' } }]
  const ASK: ModelMessage = { role: 'user', content: 'TOOL:weather={"city":"Oslo"}' }
  const results = (calls: ToolCall[]): ModelMessage[] =>
    calls.map(({ id }) => ({ role: 'tool', toolCallId: id, toolName: 'weather', output: 'rain' }))

  /**
   * Lets `caller` call the tool, and sends the result to `provider`. Returns the message with the call, as `provider`
   * received it.
   */
  async function continued(caller: Provider, provider: Provider, model: string): Promise<unknown> {
    const { toolCalls } = await reply(caller, 'gemini-3-emu-r3', { messages: [ASK], tools, thinking: true })
    const messages = [ASK, { role: 'assistant', content: '', toolCalls } as const, ...results(toolCalls)]
    const {
      messages: sentMessages,
      contents,
      thinking,
    } = await sent(provider, model, {
      messages,
      tools,
      thinking: true,
    })
    return { turn: ((sentMessages ?? contents) as unknown[])[1], thinking }
  }

  test('Anthropic gets its thoughts back', async () => {
    expect(await continued('anthropic', 'anthropic', 'emu')).toMatchObject({
      turn: {
        content: [
          { type: 'thinking', thinking: 'the quick brown', signature: 'c2ln' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
        ],
      },
      thinking: { type: 'enabled' },
    })
  })

  test("Anthropic does not continue thinking after another model's call", async () => {
    expect(await continued('google', 'anthropic', 'emu')).toMatchObject({
      turn: { content: [{ type: 'tool_use', name: 'weather' }] },
      thinking: undefined,
    })
  })

  test('DeepSeek gets its reasoning back', async () => {
    expect(await continued('deepseek', 'deepseek', 'emu')).toMatchObject({
      turn: { content: null, reasoning_content: 'the quick brown', tool_calls: [{ id: 'call_1' }] },
    })
    expect(await continued('google', 'deepseek', 'emu')).toMatchObject({ turn: { reasoning_content: '' } })
  })

  test("Gemini gets its signature back, or a placeholder for another model's call", async () => {
    const call = { functionCall: { name: 'weather', args: { city: 'Oslo' } } }
    expect(await continued('google', 'google', 'gemini-3-emu')).toMatchObject({
      turn: { role: 'model', parts: [{ ...call, thoughtSignature: 'c2ln' }] },
    })
    expect(await continued('anthropic', 'google', 'gemini-3-emu')).toMatchObject({
      turn: { parts: [{ ...call, thoughtSignature: 'skip_thought_signature_validator' }] },
    })
    expect(await continued('anthropic', 'google', 'gemini-2.5-emu')).not.toHaveProperty(
      'turn.parts.0.thoughtSignature',
    )
  })

  test('Anthropic gets no blank results, no white space after its own words, and its cache marks on text', async () => {
    const calls = [{ id: 'a', name: 'weather', input: {} }]
    const blank: ModelMessage = { role: 'tool', toolCallId: 'a', toolName: 'weather', output: ' ' }
    const body = await sent('anthropic', 'emu', {
      messages: [
        HELLO,
        { role: 'assistant', content: '\n', toolCalls: calls },
        blank,
        { role: 'assistant', content: 'So: \n' },
      ],
      tools,
      system: ' ',
    })
    expect(body).not.toHaveProperty('system')
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: [{ type: 'tool_use', ...calls[0] }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'So:', cache_control: { type: 'ephemeral' } }] },
    ])
  })

  test.each<Provider>(['openai-compatible', 'anthropic', 'google'])(
    '%s gets alternating roles and no blank text',
    async (provider) => {
      const body = await sent(provider, 'emu', {
        messages: [
          HELLO,
          { role: 'assistant', content: ' \n' },
          HELLO,
          { role: 'assistant', content: 'Yes.' },
          { role: 'user', content: [{ type: 'text', text: '\u200b' }] },
        ],
      })
      const turns = (body['messages'] ?? body['contents']) as { role: string }[]
      expect(turns.map(({ role }) => role.replace('model', 'assistant'))).toEqual([
        'user',
        'assistant',
        'user',
      ])
      expect(JSON.stringify(turns)).toContain('Hello\\n\\nHello')
      expect(JSON.stringify(turns)).toContain('(empty message)')
    },
  )

  test.each<Provider>(['anthropic', 'google'])(
    '%s gets the results of one turn together',
    async (provider) => {
      const calls = ['a', 'b'].map((id) => ({ id, name: 'weather', input: {} }))
      const messages: ModelMessage[] = [
        HELLO,
        { role: 'assistant', content: '', toolCalls: calls },
        ...results(calls),
        { role: 'assistant', content: '' }, // stopped before its first word
        HELLO,
      ]
      const body = await sent(provider, 'emu', { messages, tools })
      const turns = (body['messages'] ?? body['contents']) as { content?: unknown[]; parts?: unknown[] }[]
      // Anthropic gets the message after the results in the same turn.
      expect(turns).toHaveLength(provider === 'anthropic' ? 3 : 4)
      expect(turns[2]?.content ?? turns[2]?.parts).toHaveLength(provider === 'anthropic' ? 3 : 2)
    },
  )
})
