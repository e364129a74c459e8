import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { playEvents, type ScriptedServer, startScripted } from '#tests/support/provider/scripted.ts'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import type { ModelRequest, ModelUsage, Provider } from './types.ts'

/**
 * Compares the adapters with the AI SDK's providers: an adapter must read the same recorded bytes as the SDK does.
 * The result must not depend on where the bytes are split, even inside a character.
 */

const FORMATS: { provider: Provider; path: string }[] = [
  { provider: 'openai-compatible', path: '/v1' },
  { provider: 'anthropic', path: '/v1' },
  { provider: 'google', path: '/v1beta' },
]
const TOOL = { name: 'weather', description: 'd', parameters: { type: 'object', properties: {} } }
const CASES: [string, string, string][] = [
  ['plain text', 'emu-n20', 'Hello'],
  ['reasoning', 'emu-n5-r6', 'Hello'],
  ['text with all kinds of characters', 'emu', 'say: Grüße, 你好 👩‍👩‍👧 "quoted" \\ back\nnew line\ttab'],
  ['a tool call', 'emu', 'TOOL:weather={"city":"São Paulo"}'],
  [
    'a reply with text and several tool calls',
    'emu-r2',
    'say: Let me see. TOOL:weather={"city":"Oslo"} TOOL:weather={} TOOL:weather',
  ],
]

let emulated: Awaited<ReturnType<typeof startProvider>>
const net = createNet({ allowPrivateNetwork: true })
const models = createModels({ net })

let recorder: ScriptedServer

beforeAll(async () => {
  ;[emulated, recorder] = await Promise.all([startProvider(), startScripted()])
})
afterAll(async () => {
  await Promise.all([recorder.close(), net.close(), emulated.close()])
})

interface Collected {
  text: string
  reasoning: string
  toolCalls: { name: string; input: unknown }[]
  usage: ModelUsage | null
}

async function readWithOurs(provider: Provider, path: string): Promise<Collected> {
  const target = { provider, model: 'emu', baseUrl: recorder.url + path, apiKey: 'k', guarded: false }
  const request: ModelRequest = { messages: [{ role: 'user', content: 'x' }] }
  const { text, reasoning, toolCalls, usage } = await collectReply(models, target, request)
  return {
    text,
    reasoning,
    toolCalls: toolCalls.map(({ name, input }) => ({ name, input })),
    usage: usage && { ...NO_DETAILS, ...usage },
  }
}

async function readWithTheirs(provider: Provider, bytes: Buffer): Promise<Collected> {
  const fetch = async () =>
    new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } })
  const model =
    provider === 'anthropic'
      ? createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5')
      : provider === 'google'
        ? createGoogleGenerativeAI({ apiKey: 'k', fetch })('gemini-2.5-flash')
        : createOpenAICompatible({ name: 'x', baseURL: 'http://x/v1', fetch, includeUsage: true })('emu')
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
  } as never)
  const collected: Collected = { text: '', reasoning: '', toolCalls: [], usage: null }
  for await (const part of stream as AsyncIterable<Record<string, string>>) {
    if (part['type'] === 'text-delta') collected.text += part['delta']
    if (part['type'] === 'reasoning-delta') collected.reasoning += part['delta']
    if (part['type'] === 'tool-call')
      collected.toolCalls.push({ name: part['toolName'] ?? '', input: JSON.parse(part['input'] ?? '') })
    if (part['type'] === 'finish') {
      const { inputTokens, outputTokens } = part['usage'] as unknown as Record<string, Tokens>
      collected.usage = {
        inputTokens: inputTokens?.total ?? 0,
        outputTokens: outputTokens?.total ?? 0,
        cachedTokens: inputTokens?.cacheRead ?? 0,
        cacheWriteTokens: inputTokens?.cacheWrite ?? 0,
        reasoningTokens: outputTokens?.reasoning ?? 0,
      }
    }
  }
  return collected
}

type Tokens = { total?: number; cacheRead?: number; cacheWrite?: number; reasoning?: number }
const NO_DETAILS = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Returns the bytes of the emulated provider's response. */
async function record(provider: Provider, path: string, model: string, text: string): Promise<Buffer> {
  const [address, body] =
    provider === 'google'
      ? [
          `${path}/models/${model}:streamGenerateContent?alt=sse`,
          { contents: [{ role: 'user', parts: [{ text }] }], tools: [{ functionDeclarations: [TOOL] }] },
        ]
      : [
          `${path}${provider === 'anthropic' ? '/messages' : '/chat/completions'}`,
          {
            model,
            messages: [{ role: 'user', content: text }],
            stream_options: { include_usage: true },
            tools: [provider === 'anthropic' ? { name: TOOL.name } : { function: TOOL }],
          },
        ]
  const response = await fetch(emulated.url + address, { method: 'POST', body: JSON.stringify(body) })
  return Buffer.from(await response.arrayBuffer())
}

describe.each(FORMATS)('$provider', ({ provider, path }) => {
  test.each(CASES)('%s is read like the AI SDK does', async (_what, model, text) => {
    const bytes = await record(provider, path, model, text)
    recorder.answer = playEvents(bytes)
    const ours = await readWithOurs(provider, path)
    expect(ours).toEqual(await readWithTheirs(provider, bytes))
    expect(ours.text.length + ours.toolCalls.length).toBeGreaterThan(0)
  })

  test('a stream is read the same however it is chunked', async () => {
    const bytes = await record(provider, path, 'emu-r3', CASES[2]?.[2] ?? '')
    recorder.answer = playEvents(bytes)
    const whole = await readWithOurs(provider, path)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        recorder.answer = playEvents(
          ...places.slice(1).map((end, index) => bytes.subarray(places[index], end)),
        )
        expect(await readWithOurs(provider, path)).toEqual(whole)
      }),
      { numRuns: 60 },
    )
  })
})
