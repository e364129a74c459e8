import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emulatedVector } from '#tests/support/provider/embeddings.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sentenceOf as sentenceOfModel } from '#tests/support/provider/sentence-of.ts'
import { createNet } from '../net/index.ts'
import { createModels, LOCAL_DIMENSIONS, type Models } from './index.ts'
import type { EmbeddingPurpose, ModelTarget, Provider } from './types.ts'

/** Tests embeddings against an emulated provider: requests, results, and the error for each fault. */

const API_KEY = 'key-of-a-tenant'
const TIMEOUTS = { embeddingMs: 30_000, retryMs: 1 }
const WAYS: { provider: Provider; path: string; name: string }[] = [
  { provider: 'openai', path: '/v1', name: 'text-embedding-emu' },
  { provider: 'openai-compatible', path: '/v1', name: 'gte-emu' },
  { provider: 'ollama', path: '/v1', name: 'embeddinggemma-emu' },
  { provider: 'google', path: '/v1beta', name: 'gemini-embedding-emu' },
]

let emulated: EmulatedProvider
let models: Models
const net = createExampleNet()
beforeAll(async () => {
  emulated = await startProvider()
  models = createModels({ net, mediaTimeouts: TIMEOUTS })
})
beforeEach(() => void emulated.requests.splice(0))
afterAll(async () => {
  await net.close()
  await emulated.close()
})

type Where = Partial<ModelTarget> & { model: string }

const targetAt = (where: Where): ModelTarget => ({
  provider: 'openai',
  baseUrl: `${emulated.url}/v1`,
  apiKey: API_KEY,
  guarded: true,
  ...where,
})
const embed = (
  where: Where,
  texts = ['A red fox', 'Snow'],
  purpose: EmbeddingPurpose = 'document',
  signal = new AbortController().signal,
) => models.embed(targetAt(where), texts, purpose, signal)
const sentenceOf = (work: Promise<unknown>) => sentenceOfModel(work, API_KEY)
const bodies = () => emulated.requests.map(({ body }) => body as Record<string, unknown>)

const expected = (text: string): Float32Array => {
  const vector = emulatedVector(text)
  return Float32Array.from(vector, (value) => value / Math.hypot(...vector))
}
const expectVectors = (vectors: Float32Array[], texts: string[]): void => {
  expect(vectors).toHaveLength(texts.length)
  for (const [at, text] of texts.entries())
    for (const [place, value] of expected(text).entries()) expect(vectors[at]?.[place]).toBeCloseTo(value, 5)
}

describe('an embedding request', () => {
  test('to OpenAI sends the key and the texts', async () => {
    const { vectors, usage } = await embed({ model: 'text-embedding-emu' })
    expectVectors(vectors, ['A red fox', 'Snow'])
    expect(usage).toEqual({ inputTokens: 6, outputTokens: 0 })
    expect(emulated.requests).toMatchObject([
      { method: 'POST', path: '/v1/embeddings', headers: { authorization: `Bearer ${API_KEY}` } },
    ])
    expect(bodies()).toEqual([
      { model: 'text-embedding-emu', input: ['A red fox', 'Snow'], encoding_format: 'float' },
    ])
  })

  test.each<Provider>(['openai-compatible', 'ollama'])('to %s works without a key', async (provider) => {
    const { vectors, usage } = await embed({ provider, model: 'gte-emu-nousage', apiKey: null })
    expectVectors(vectors, ['A red fox', 'Snow'])
    expect(usage).toBeNull()
    expect(emulated.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test.each<[EmbeddingPurpose, string]>([
    ['document', 'RETRIEVAL_DOCUMENT'],
    ['query', 'RETRIEVAL_QUERY'],
  ])('to Google names the purpose %s', async (purpose, taskType) => {
    const where: Where = { provider: 'google', model: 'models/gemini-emu', baseUrl: `${emulated.url}/v1beta` }
    const { vectors, usage } = await embed(where, ['Snow', 'Fox'], purpose)
    expectVectors(vectors, ['Snow', 'Fox'])
    expect(usage).toBeNull()
    expectVectors((await embed(where, ['Snow'], purpose)).vectors, ['Snow'])
    expect(emulated.requests.map(({ path }) => path)).toEqual([
      '/v1beta/models/gemini-emu:batchEmbedContents',
      '/v1beta/models/gemini-emu:embedContent',
    ])
    expect(emulated.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': API_KEY })
    expect(bodies()[0]).toMatchObject({ requests: [{ taskType }, { taskType }] })
    expect(bodies()[1]).toMatchObject({ taskType })
  })

  test('adds the prefixes that open models were trained with', async () => {
    const where: Where = { provider: 'ollama', model: 'nomic-embed-text' }
    await embed(where, ['Snow'], 'document')
    await embed(where, ['Snow'], 'query')
    expect(bodies().map(({ input }) => input)).toEqual([['search_document: Snow'], ['search_query: Snow']])
  })

  test('is split for many texts, and the order is kept', async () => {
    const texts = Array.from({ length: 200 }, (_, at) => `${'x'.repeat(at)} text`)
    const { vectors, usage } = await embed({ model: 'emu-ttft20' }, texts)
    expectVectors(vectors, texts)
    expect(usage).toEqual({ inputTokens: 600, outputTokens: 0 })
    const sizes = bodies().map(({ input }) => (input as string[]).length)
    expect(sizes.sort((a, b) => a - b)).toEqual([8, 64, 64, 64])
  })

  test('is split for long texts, and omitted without texts', async () => {
    const texts = Array.from({ length: 5 }, () => 'x'.repeat(90_000))
    await embed({ model: 'emu' }, texts)
    // Requests run concurrently, so a later batch may arrive first.
    const sizes = bodies().map(({ input }) => (input as string[]).length)
    expect(sizes.sort()).toEqual([1, 2, 2])
    emulated.requests.splice(0)
    expect(await embed({ model: 'emu' }, [])).toMatchObject({ vectors: [] })
    expect(emulated.requests).toEqual([])
  })

  test('is matched by index if the response has another order', async () => {
    const texts = ['A red fox', 'Snow', 'Ice']
    expectVectors((await embed({ model: 'emu-shuffled' }, texts)).vectors, texts)
  })

  test('is matched by position if all results have the same index', async () => {
    const texts = ['A red fox', 'Snow', 'Ice']
    expectVectors((await embed({ model: 'emu-twice' }, texts)).vectors, texts)
  })
})

describe.each(WAYS)('$provider', ({ provider, path, name }) => {
  const at = (behaviour: string): Where => ({
    provider,
    model: `${name}-${behaviour}`,
    baseUrl: emulated.url + path,
  })

  test.each([
    ['err400', 'refused the request (status 400): Emulated 400'],
    ['err413', 'The text is too large'],
  ])('%s is reported once smaller requests are refused too: %s', async (behaviour, sentence) => {
    expect(await sentenceOf(embed(at(behaviour)))).toContain(sentence)
    const inputs = bodies().map(({ input }) => input)
    // Two texts, one text, one text without encoding_format, and one text as a string.
    if (provider === 'google') expect(inputs).toHaveLength(2)
    else expect(inputs).toEqual([['A red fox', 'Snow'], ['A red fox'], ['A red fox'], 'A red fox'])
  })

  test.each([
    ['err401', 'rejected the API key'],
    ['err404', 'no model'],
    ['redirect', 'a redirect, and redirects are not followed'],
    ['html', 'in an unexpected format'],
    ['badjson', 'in an unexpected format'],
    ['cut', 'lost during the reply'],
    ['huge', 'larger than the limit'],
    ['null', 'in an unexpected format'],
    ['infinite', 'in an unexpected format'],
    ['uneven', 'no usable embeddings'],
    ['zero', 'no usable embeddings'],
  ])('%s is reported: %s', async (behaviour, sentence) => {
    expect(await sentenceOf(embed(at(behaviour)))).toContain(sentence)
    expect(emulated.requests).toHaveLength(1)
  })

  test('too few vectors are reported', async () => {
    expect(await sentenceOf(embed(at('fewer')))).toContain('no usable embeddings')
  })

  test.each([
    ['err429', 'because of its rate limit or quota'],
    ['err503', 'had an internal error (status 503)'],
  ])('%s is tried six times for a document, twice for a query', async (behaviour, sentence) => {
    expect(await sentenceOf(embed(at(behaviour)))).toContain(sentence)
    expect(emulated.requests).toHaveLength(6)
    expect(await sentenceOf(embed(at(behaviour), ['Why?'], 'query'))).toContain(sentence)
    expect(emulated.requests).toHaveLength(8)
  })

  test('only unanswered batches of a busy provider are retried', async () => {
    const texts = Array.from({ length: 150 }, (_, at) => `${at} text`)
    const { vectors } = await embed(at('retry4'), texts)
    expectVectors(vectors, texts)
    expect(emulated.requests).toHaveLength(3 + 4)
  })

  test.each(['hang', 'hangmid'])('%s times out', async (behaviour) => {
    const impatient = createModels({ net, mediaTimeouts: { ...TIMEOUTS, embeddingMs: 300 } })
    const work = impatient.embed(targetAt(at(behaviour)), ['Snow'], 'document', new AbortController().signal)
    expect(await sentenceOf(work)).toContain('did not embed the text within 0.3 seconds')
    await expect.poll(() => emulated.stats.open).toBe(0)
  })

  test.each(['hang', 'hangmid'])('%s can be aborted, and its socket is closed', async (behaviour) => {
    const abort = new AbortController()
    const work = embed(at(behaviour), ['Snow'], 'document', abort.signal)
    await expect.poll(() => emulated.stats.open).toBe(1)
    abort.abort('stopped by the user')
    await expect(work).rejects.toBe('stopped by the user')
    await expect.poll(() => emulated.stats.open).toBe(0)
  })

  test('a private address is refused for a tenant', async () => {
    const strict = createNet({ allowPrivateNetwork: false })
    const work = createModels({ net: strict }).embed(
      targetAt(at('n1')),
      ['Snow'],
      'document',
      new AbortController().signal,
    )
    expect(await sentenceOf(work)).toContain('is not a public address')
    expect(emulated.requests).toEqual([])
    await strict.close()
  })
})

test('waiting for a retry can be aborted', async () => {
  const patient = createModels({ net, mediaTimeouts: { ...TIMEOUTS, retryMs: 50_000 } })
  const abort = new AbortController()
  const work = patient.embed(targetAt({ model: 'emu-err503' }), ['Snow'], 'document', abort.signal)
  await expect.poll(() => emulated.requests.length).toBe(1)
  abort.abort('stopped by the user')
  await expect(work).rejects.toBe('stopped by the user')
})

test('a permanent failure cancels the other requests', async () => {
  const texts = ['x'.repeat(150_000), 'y'.repeat(150_000), 'z'.repeat(150_000)]
  expect(await sentenceOf(embed({ model: 'emu-err400' }, texts))).toContain('refused the request')
  await expect.poll(() => emulated.stats.open).toBe(0)
})

test.each<Provider>(['anthropic', 'deepseek'])('%s supports no embeddings', async (provider) => {
  expect(await sentenceOf(embed({ provider, model: 'any' }))).toContain(
    `supports no embedding models from ${provider}`,
  )
  expect(emulated.requests).toEqual([])
})

test('the demo embeds locally and free of charge', async () => {
  const { vectors, usage } = await embed({ provider: 'demo', model: 'local' })
  expect(vectors.map(({ length }) => length)).toEqual([LOCAL_DIMENSIONS, LOCAL_DIMENSIONS])
  expect(usage).toEqual({ inputTokens: 0, outputTokens: 0 })
  await expect(
    embed({ provider: 'demo', model: 'local' }, ['a'], 'query', AbortSignal.abort('no')),
  ).rejects.toBe('no')
})
