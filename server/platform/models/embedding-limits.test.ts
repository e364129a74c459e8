import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Embedder, type EmbedderBody, startEmbedder } from '#tests/support/embedder.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { createModels } from './index.ts'
import type { ModelTarget } from './types.ts'

/** Tests embedding servers that refuse large batches or optional fields of a request. */

let embedder: Embedder
const net = createExampleNet()
beforeAll(async () => {
  embedder = await startEmbedder()
})
beforeEach(() => {
  embedder.sizes.splice(0)
  embedder.refuse = () => undefined
  embedder.change = (data) => data
})
afterAll(async () => {
  await net.close()
  await embedder.close()
})

const TEXTS = Array.from({ length: 90 }, (_, at) => `Section ${at}`)
const refuses = (status: number, body: unknown) => ({ status, body })

const start = () => {
  const models = createModels({ net, mediaTimeouts: { retryMs: 1 } })
  const target: ModelTarget = {
    provider: 'openai-compatible',
    model: 'gte-test',
    baseUrl: embedder.url,
    apiKey: null,
    guarded: true,
  }
  return (texts = TEXTS, more: Partial<ModelTarget> = {}) =>
    models.embed({ ...target, ...more }, texts, 'document', new AbortController().signal)
}
const isBeyond = (max: number) => (texts: string[]) => texts.length > max

/** Returns the vectors as the embedder computes them without any limit. */
async function unlimited() {
  const { refuse, change } = embedder
  embedder.refuse = () => undefined
  embedder.change = (data) => data
  const { vectors } = await start()()
  Object.assign(embedder, { refuse, change })
  embedder.sizes.splice(0)
  return vectors
}

describe('a server that takes few texts per request', () => {
  const TOO_MANY = { error: { message: 'batch size is invalid, it should not be larger', type: 'Invalid' } }
  test.each([
    [400, 1],
    [400, 2],
    [400, 7],
    [400, 10],
    [413, 20],
    [413, 25],
    [422, 32],
    [422, 1],
    [413, 63],
    [500, 1],
    [500, 10],
    [500, 63],
    [501, 32],
    [502, 25],
    [504, 2],
    [507, 16],
    [520, 10],
  ])('with status %i beyond %i: the limit is found once', async (status, max) => {
    const expected = await unlimited()
    embedder.refuse = (texts) => (isBeyond(max)(texts) ? refuses(status, TOO_MANY) : undefined)
    const embed = start()
    expect((await embed()).vectors).toEqual(expected)
    embedder.sizes.splice(0)
    expect((await embed()).vectors).toEqual(expected)
    expect(embedder.sizes.filter((size) => size > max)).toEqual([])
  })

  test('an answer with one vector for a list counts as a refusal', async () => {
    const expected = await unlimited()
    embedder.change = (data) => data.slice(0, 1)
    const embed = start()
    expect((await embed()).vectors).toEqual(expected)
    embedder.sizes.splice(0)
    await embed()
    expect(new Set(embedder.sizes)).toEqual(new Set([1]))
  })

  test.each([
    [{ error: { message: 'too many inputs', code: 500 } }],
    [{ error: 'too many inputs' }],
    [{ code: 20015, message: 'too many inputs', data: null }],
    [{ detail: 'too many inputs' }],
  ])('with status 200 and an error: %j', async (body) => {
    const expected = await unlimited()
    embedder.refuse = (texts) => (isBeyond(10)(texts) ? refuses(200, body) : undefined)
    const embed = start()
    expect((await embed()).vectors).toEqual(expected)
    embedder.sizes.splice(0)
    await embed()
    expect(embedder.sizes.filter((size) => size > 10)).toEqual([])
  })

  test('another model of the same server is asked for whole batches', async () => {
    embedder.refuse = (texts) => (isBeyond(10)(texts) ? 400 : undefined)
    const embed = start()
    await embed()
    embedder.sizes.splice(0)
    embedder.refuse = () => undefined
    await embed(TEXTS, { model: 'gte-other' })
    expect(embedder.sizes.toSorted()).toEqual([26, 64])
  })

  test('a list is refused altogether: texts are sent one by one', async () => {
    const expected = await unlimited()
    embedder.refuse = (_texts, { input }) =>
      Array.isArray(input)
        ? refuses(422, { detail: [{ loc: ['body', 'input'], msg: 'str type expected' }] })
        : undefined
    expect((await start()()).vectors).toEqual(expected)
  })
})

describe('Google', () => {
  const google = { provider: 'google', model: 'gemini-embedding-test' } as const
  const few = {
    error: { code: 400, message: 'at most N requests can be in one batch', status: 'INVALID_ARGUMENT' },
  }
  test.each([
    [400, 1],
    [400, 20],
    [413, 10],
    [500, 1],
    [500, 20],
    [502, 32],
    [504, 10],
  ])('with status %i beyond %i texts: the limit is found once', async (status, max) => {
    const expected = (await start()(TEXTS, google)).vectors
    embedder.refuse = (texts) => (isBeyond(max)(texts) ? refuses(status, few) : undefined)
    const embed = start()
    expect((await embed(TEXTS, google)).vectors).toEqual(expected)
    embedder.sizes.splice(0)
    expect((await embed(TEXTS, google)).vectors).toEqual(expected)
    expect(embedder.sizes.filter((size) => size > max)).toEqual([])
  })

  test('with an internal error that occurs once limits nothing', async () => {
    let isFirst = true
    embedder.refuse = () => {
      const status = isFirst ? 500 : undefined
      isFirst = false
      return status
    }
    const embed = start()
    await embed(TEXTS.slice(0, 64), google)
    await embed(TEXTS.slice(0, 64), google)
    expect(embedder.sizes).toEqual([64, 64, 64])
  })

  test('that refuses a text fails with the reason', async () => {
    embedder.refuse = () =>
      refuses(400, { error: { code: 400, message: 'API key not valid', status: 'INVALID' } })
    await expect(start()(TEXTS.slice(0, 8), google)).rejects.toMatchObject({
      message: expect.stringContaining('API key not valid'),
    })
    expect(embedder.sizes).toEqual([8, 4, 2, 1])
  })
})

describe('a server that refuses encoding_format', () => {
  test.each([
    [
      'in a list of details',
      { detail: [{ loc: ['body', 'encoding_format'], msg: 'extra fields not permitted' }] },
    ],
    ['in a sentence', { error: { message: 'Unknown parameter: encoding_format' } }],
    ['in words', { message: 'The encoding format float is not supported' }],
    ['without naming it', { detail: 'Bad request' }],
    ['without a body', null],
  ])('%s is asked without it, in whole batches', async (_name, body) => {
    const expected = await unlimited()
    embedder.refuse = (_texts, { encoding_format }: EmbedderBody) =>
      encoding_format === undefined ? undefined : refuses(400, body)
    const embed = start()
    expect((await embed()).vectors).toEqual(expected)
    embedder.sizes.splice(0)
    expect((await embed()).vectors).toEqual(expected)
    expect(embedder.sizes.toSorted()).toEqual([26, 64])
  })

  test('is never sent it, if the model leaves it out', async () => {
    const formats: unknown[] = []
    embedder.refuse = (_texts, body: EmbedderBody) => {
      formats.push(body.encoding_format)
      return undefined
    }
    const embed = start()
    await embed(TEXTS, { omit: ['encoding_format'] })
    await embed(TEXTS.slice(0, 1), { omit: ['stream_options'] })
    expect(formats).toEqual([undefined, undefined, 'float'])
  })

  test('and takes ten texts', async () => {
    const expected = await unlimited()
    embedder.refuse = (texts, { encoding_format }) =>
      encoding_format !== undefined || isBeyond(10)(texts) ? 422 : undefined
    expect((await start()()).vectors).toEqual(expected)
  })
})

describe('the index of results', () => {
  test.each<[string, Embedder['change']]>([
    ['always 0', (data) => data.map((one) => ({ ...one, index: 0 }))],
    ['missing', (data) => data.map(({ embedding }) => ({ embedding }))],
    ['null', (data) => data.map((one) => ({ ...one, index: null }))],
    ['counted from 1', (data) => data.map((one) => ({ ...one, index: one.index + 1 }))],
    ['in reverse order', (data) => data.toReversed()],
    ['text', (data) => data.map((one) => ({ ...one, index: String(one.index) }))],
    [
      'correct, with vectors as base64',
      (data) =>
        data.map(({ index, embedding }) => ({
          index,
          embedding: Buffer.from(new Float32Array(embedding).buffer).toString('base64'),
        })),
    ],
  ])('%s', async (_name, change) => {
    const expected = await unlimited()
    embedder.change = change
    expect((await start()()).vectors).toEqual(expected)
  })
})

test('a text that is refused alone fails with the reason, and limits nothing', async () => {
  embedder.refuse = (texts) =>
    texts.includes('Section 40')
      ? refuses(400, { error: { message: 'Input 0 has too many tokens' } })
      : undefined
  const embed = start()
  await expect(embed()).rejects.toMatchObject({
    kind: 'request',
    message: expect.stringContaining('Input 0 has too many tokens'),
  })
  embedder.refuse = () => undefined
  await expect.poll(() => embedder.sizes.length).toBeGreaterThan(0)
  embedder.sizes.splice(0)
  await embed(TEXTS.slice(0, 64))
  expect(embedder.sizes).toEqual([64])
})

describe('an internal error', () => {
  test('that occurs once is repeated, and limits nothing', async () => {
    let isFirst = true
    embedder.refuse = () => {
      const status = isFirst ? 500 : undefined
      isFirst = false
      return status
    }
    const embed = start()
    await embed(TEXTS.slice(0, 64))
    await embed(TEXTS.slice(0, 64))
    expect(embedder.sizes).toEqual([64, 64, 64])
  })

  test('of each request ends with it after few requests', async () => {
    embedder.refuse = () => refuses(500, { error: { message: 'no GPU' } })
    const embed = start()
    await expect(embed(TEXTS.slice(0, 64))).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('no GPU'),
    })
    expect(embedder.sizes).toEqual([64, 64, 32, 16, 8, 4, 2, 1])
    embedder.refuse = () => undefined
    embedder.sizes.splice(0)
    await embed(TEXTS.slice(0, 64))
    expect(embedder.sizes).toEqual([64])
  })

  test('of a single text fails at once', async () => {
    embedder.refuse = () => 500
    await expect(start()(TEXTS.slice(0, 1))).rejects.toMatchObject({ kind: 'unavailable' })
    expect(embedder.sizes).toEqual([1])
  })
})
