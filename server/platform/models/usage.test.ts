import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { event, playEvents, type ScriptedServer, startScripted } from '#tests/support/provider/scripted.ts'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import type { ModelUsage, Provider } from './types.ts'

/** Tests where and how servers report the usage of a reply. */

const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
const models = createModels({ net })
let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(async () => {
  await Promise.all([net.close(), server.close()])
})

async function usageOf(provider: Provider, events: string): Promise<ModelUsage | null> {
  server.answer = playEvents(events)
  const target = { provider, model: 'm', baseUrl: `${server.url}/v1`, apiKey: 'k', guarded: true }
  return (await collectReply(models, target, { messages: [{ role: 'user', content: 'Hi' }] })).usage
}

const USED = { prompt_tokens: 5, completion_tokens: 3 }
const choice = (more: object = {}, rest: object = {}) =>
  event({ choices: [{ index: 0, delta: {}, finish_reason: null, ...more }], ...rest })
const text = choice({ delta: { content: 'Hello' } })
const stop = choice({ finish_reason: 'stop' })
const last = (rest: object, more: object = {}) => text + choice({ finish_reason: 'stop', ...more }, rest)
const EXACTLY = { inputTokens: 5, outputTokens: 3 }

test.each<[string, string]>([
  ['usage', text + stop + event({ choices: [], usage: USED })],
  ['usage without choices', text + stop + event({ usage: USED })],
  ['usage beside choices that are null', text + stop + event({ choices: null, usage: USED })],
  ['usage beside a choice that is null', text + stop + event({ choices: [null], usage: USED })],
  ['usage beside the last choice', last({ usage: USED })],
  ['x_groq of Groq', last({ x_groq: { id: 'a', usage: { ...USED, queue_time: 0.1 } } })],
  ['x_groq without choices', text + stop + event({ choices: [], x_groq: { usage: USED }, usage: null })],
  ['the choice of Moonshot', last({ usage: null }, { usage: USED })],
  ['the delta', last({}, { delta: { content: '', usage: USED } })],
  [
    'a message',
    event({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop', usage: USED }],
    }),
  ],
  ['the names of the Responses API', last({ usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 } })],
  ['both names', last({ usage: { ...USED, input_tokens: 0, output_tokens: 0 } })],
  [
    'the names of the Responses API beside null',
    last({ usage: { prompt_tokens: null, completion_tokens: null, input_tokens: 5, output_tokens: 3 } }),
  ],
  ['names in camel case', last({ usage: { promptTokens: 5, completionTokens: 3 } })],
  ['names of the AI SDK', last({ usage: { inputTokens: 5, outputTokens: 3 } })],
  ['names of Gemini', last({ usage: { promptTokenCount: 5, candidatesTokenCount: 3 } })],
  ['names of Ollama', last({ usage: { prompt_eval_count: 5, eval_count: 3 } })],
  ['strings', last({ usage: { prompt_tokens: '5', completion_tokens: '3' } })],
  ['decimals', last({ usage: { prompt_tokens: '5.0', completion_tokens: 3.0 } })],
  [
    'null details',
    last({ usage: { ...USED, prompt_tokens_details: null, completion_tokens_details: null } }),
  ],
  [
    'details that are no objects',
    last({ usage: { ...USED, prompt_tokens_details: [], completion_tokens_details: 1 } }),
  ],
  [
    'two parts',
    choice({}, { usage: { prompt_tokens: 5, total_tokens: 5 } }) + last({ usage: { completion_tokens: 3 } }),
  ],
  ['growing numbers', choice({}, { usage: { ...USED, completion_tokens: 1 } }) + last({ usage: USED })],
  [
    'a report before one of null',
    choice({}, { usage: USED }) + last({ usage: { prompt_tokens: null, completion_tokens: null } }),
  ],
  [
    'a report before one of zeros',
    text + stop + event({ usage: USED }) + event({ usage: { prompt_tokens: 0, completion_tokens: 0 } }),
  ],
  [
    'a report before an empty one',
    text + stop + event({ choices: [], usage: USED }) + event({ choices: [], usage: {} }),
  ],
])("the usage of OpenAI's format is in %s", async (_kind, events) => {
  expect(await usageOf('openai-compatible', events)).toEqual(EXACTLY)
})

test.each<[object, Partial<ModelUsage>]>([
  [{ prompt_tokens_details: { cached_tokens: 2 } }, { cachedTokens: 2 }],
  [{ input_tokens_details: { cached_tokens: '2' } }, { cachedTokens: 2 }],
  [{ prompt_cache_hit_tokens: 2 }, { cachedTokens: 2 }],
  [{ cached_tokens: 2 }, { cachedTokens: 2 }],
  [{ completion_tokens_details: { reasoning_tokens: 1 } }, { reasoningTokens: 1 }],
  [{ output_tokens_details: { reasoning_tokens: '1' } }, { reasoningTokens: 1 }],
])('the details %j are read', async (details, expected) => {
  expect(await usageOf('openai-compatible', last({ usage: { ...USED, ...details } }))).toEqual({
    ...EXACTLY,
    ...expected,
  })
})

test.each([null, {}, '', 'many', [], { prompt_tokens: -1 }, { prompt_tokens: 'five' }, { total_tokens: 8 }])(
  'the usage %j is none',
  async (usage) => {
    expect(await usageOf('openai-compatible', last({ usage, x_groq: null }))).toBeNull()
  },
)

test.each<[Provider, string]>([
  [
    'anthropic',
    event({ type: 'message_start', message: { usage: { input_tokens: '5', output_tokens: '1' } } }) +
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }) +
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: '3' } }),
  ],
  [
    'google',
    event({
      candidates: [{ content: { parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: '5', candidatesTokenCount: '3' },
    }),
  ],
  [
    'anthropic',
    event({ type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } }) +
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }) +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 0, output_tokens: 3, cache_read_input_tokens: null },
      }),
  ],
  [
    'anthropic',
    event({ type: 'message_start', message: { usage: null } }) +
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } }) +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 5, output_tokens: 3 },
      }),
  ],
  [
    'google',
    event({
      candidates: [{ content: { parts: [{ text: 'Hello' }] } }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3 },
    }) +
      event({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 0, candidatesTokenCount: null },
      }),
  ],
])('the usage of %s is read from strings and in spite of zeros', async (provider, events) => {
  expect(await usageOf(provider, events)).toMatchObject(EXACTLY)
})
