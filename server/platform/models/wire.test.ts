import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createNet } from '../net/index.ts'
import { createModels, type Models } from './index.ts'
import { ModelError, type ModelRequest, type ModelTarget, type Provider, type ToolCall } from './types.ts'

/** Tests the adapters against an emulated provider: replies, and the error for each fault. */

const API_KEY = 'key-of-a-tenant'
const FORMATS: { provider: Provider; path: string }[] = [
  { provider: 'openai-compatible', path: '/v1' },
  { provider: 'anthropic', path: '/v1' },
  { provider: 'google', path: '/v1beta' },
]

const PATIENCE_MS = 30_000

let emulated: Awaited<ReturnType<typeof startProvider>>
let models: Models
const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
beforeAll(async () => {
  emulated = await startProvider()
  models = createModels({ net })
})
afterAll(async () => {
  await net.close()
  await emulated.close()
})

const HELLO: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] }
const WEATHER = {
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

type Where = Partial<ModelTarget> & { model: string }

const targetOf = (where: Where): ModelTarget => ({
  provider: 'openai-compatible',
  baseUrl: `${emulated.url}/v1`,
  apiKey: API_KEY,
  guarded: true,
  ...where,
})

const collect = (where: Where, request: ModelRequest = HELLO, signal?: AbortSignal) =>
  collectReply(models, targetOf(where), request, signal)

async function failureOf(where: Where, by = models): Promise<ModelError> {
  const error = await collectReply(by, targetOf(where), HELLO).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ModelError)
  const { message } = error as ModelError
  expect(message).not.toContain(API_KEY)
  expect(message.length).toBeLessThan(500)
  return error as ModelError
}

describe.each(FORMATS)('$provider', ({ provider, path }) => {
  const at = (model: string): Where => ({
    provider,
    model,
    baseUrl: emulated.url + path,
  })

  test('returns text, usage and the finish reason', async () => {
    const reply = await collect(at('emu-n7'))
    expect(reply.text.split(' ')).toHaveLength(7)
    expect(reply.finishReason).toBe('stop')
    expect(reply.usage?.outputTokens).toBe(7)
    expect(reply.usage?.inputTokens).toBeGreaterThan(5)
  })

  test('returns reasoning separate from the text', async () => {
    const reply = await collect(at('emu-n3-r4'), { ...HELLO, thinking: true })
    expect([reply.reasoning.split(' ').length, reply.text.split(' ').length]).toEqual([4, 3])
    expect(reply.usage?.outputTokens).toBe(7)
  })

  test('returns a tool call sent in pieces, and takes its result in the next request', async () => {
    const ask: ModelRequest = {
      messages: [{ role: 'user', content: 'TOOL:weather={"city":"Oslo"}' }],
      tools: [WEATHER],
    }
    const { toolCalls, finishReason } = await collect(at('emu'), ask)
    expect(finishReason).toBe('tool_calls')
    expect(toolCalls).toMatchObject([{ name: 'weather', input: { city: 'Oslo' } }])
    const call = toolCalls[0] as ToolCall
    const next = await collect(at('emu-echo'), {
      ...ask,
      messages: [
        ...ask.messages,
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', toolCallId: call.id, toolName: 'weather', output: 'rain' },
      ],
    })
    expect(next.text).toContain('rain')
    expect(next.text).toContain(call.id)
  })

  test('sends images', async () => {
    const { text } = await collect(at('emu-echo'), {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', mimeType: 'image/png', data: Buffer.from('picture') },
          ],
        },
      ],
    })
    expect(text).toContain(Buffer.from('picture').toString('base64'))
    expect(text).toContain('image/png')
  })

  test('sends the system prompt and settings', async () => {
    const { text } = await collect(at('emu-echo'), {
      ...HELLO,
      system: 'Be brief',
      temperature: 0.3,
      maxTokens: 99,
    })
    for (const part of ['Be brief', '0.3', '99']) expect(text).toContain(part)
  })

  test('returns no usage if none is reported', async () => {
    expect((await collect(at('emu-n3-nousage'))).usage).toBeNull()
  })

  test('returns well-formed text, however it was chunked', async () => {
    const { text, pieces } = await collect(at('emu-surrogate'))
    expect(text).toBe('ok \u{1f600} half \ufffd and low \ufffd nul \ufffd end done \ufffd')
    for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
  })

  test.each([
    ['err400', 'refused the request (status 400)'],
    ['err401', 'rejected the API key'],
    ['err403', 'this API key'],
    ['err404', 'no model emu-err404'],
    ['err429', 'rate limit or quota'],
    ['err500', 'had an internal error'],
    ['err503', 'had an internal error'],
    ['html', 'instead of an event stream'],
    ['redirect', 'a redirect, and redirects are not followed'],
    ['errmid', 'failed while it was sending the reply'],
    ['cut', 'was lost during the reply'],
    ['fin', 'ended the reply before it was complete'],
    ['badjson', 'sent an event in an unexpected format'],
    ['longline', 'larger than the limit'],
  ])('reports the fault %s', async (fault, sentence) => {
    expect((await failureOf(at(`emu-${fault}`))).message).toContain(sentence)
  })

  // Each case shortens only the timeout under test. On a slow machine, the other timeouts could expire first.
  test.each([
    ['hang', { firstTokenMs: 400, betweenTokensMs: PATIENCE_MS }, 'did not start its reply'],
    ['hangmid', { firstTokenMs: PATIENCE_MS, betweenTokensMs: 300 }, 'in the middle of its reply'],
  ])('reports the timeout %s', async (fault, timeouts, sentence) => {
    const impatient = createModels({ net, timeouts: { connectMs: 100, ...timeouts } })
    expect((await failureOf(at(`emu-${fault}`), impatient)).message).toContain(sentence)
  })

  test('is retried before the first token as Retry-After says', async () => {
    const before = emulated.requests.length
    expect((await collect(at(`emu-n2-retry2-${provider}`))).text).toBe('the quick')
    expect(emulated.requests.length - before).toBe(3)
    await failureOf(at(`emu-n2-retry3-${provider}`))
  })

  test('is aborted immediately, and the provider notices', async () => {
    const abort = new AbortController()
    const aborted = emulated.stats.aborted
    const reply = collect(at('emu-n100-gap20'), HELLO, abort.signal)
    setTimeout(() => abort.abort(new Error('enough')), 60)
    await expect(reply).rejects.toThrow('enough')
    await expect.poll(() => emulated.stats.aborted).toBe(aborted + 1)
  })
})

describe('an address', () => {
  test('that refuses connections is reported', async () => {
    const error = await failureOf({ model: 'emu', baseUrl: 'http://127.0.0.1:1/v1' })
    expect(error.message).toContain('cannot be reached')
  })

  test('with an unknown host name is reported', async () => {
    const error = await failureOf({ model: 'emu', baseUrl: 'http://nowhere.invalid/v1' })
    expect(error.message).toMatch(/cannot be resolved|cannot be reached/)
  })

  test('that is private is refused for a tenant', async () => {
    const error = await failureOf({ model: 'emu', baseUrl: 'http://10.0.0.1/v1' })
    expect(error.message).toContain('not a public address')
  })
})

test('the models of each provider are listed', async () => {
  for (const { provider, path } of FORMATS) {
    const target: ModelTarget = {
      provider,
      model: '',
      baseUrl: emulated.url + path,
      apiKey: API_KEY,
      guarded: false,
    }
    const offered = (await models.listModels(target)).map(({ model }) => model)
    expect(offered).toContain('gpt-4o')
    expect(offered.includes('veo-emu')).toBe(provider === 'google')
    expect(offered).not.toContain('imagen-emu')
  }
})
