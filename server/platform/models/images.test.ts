import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { PNG } from '#tests/support/provider/media.ts'
import { sentenceOf as sentenceOfModel } from '#tests/support/provider/sentence-of.ts'
import { createNet } from '../net/index.ts'
import { createModels, type Models } from './index.ts'
import type { ImageRequest, ModelTarget, Provider } from './types.ts'

/** Tests images against an emulated provider: requests, results, and the error for each fault. */

const API_KEY = 'key-of-a-tenant'
const MEDIA_TIMEOUTS = { imageMs: 30_000, videoMs: 30_000, transcriptionMs: 30_000, pollMs: 10 }
const WAYS: { provider: Provider; path: string; name: string }[] = [
  { provider: 'openai', path: '/v1', name: 'gpt-image-emu' },
  { provider: 'openai-compatible', path: '/v1', name: 'flux-emu' },
  { provider: 'google', path: '/v1beta', name: 'gemini-image-emu' },
]

let emulated: EmulatedProvider
let models: Models
const net = createExampleNet()
beforeAll(async () => {
  emulated = await startProvider()
  models = createModels({ net, mediaTimeouts: MEDIA_TIMEOUTS })
})
beforeEach(() => void emulated.requests.splice(0))
afterAll(async () => {
  await net.close()
  await emulated.close()
})

type Where = Partial<ModelTarget> & { model: string }

const draw = (where: Where, request: Partial<ImageRequest> = {}, signal = new AbortController().signal) =>
  models.generateImage(
    { provider: 'openai', baseUrl: `${emulated.url}/v1`, apiKey: API_KEY, guarded: true, ...where },
    { prompt: 'A red fox', ...request },
    signal,
  )

const sentenceOf = (work: Promise<unknown>) => sentenceOfModel(work, API_KEY)

const onlyRequest = () => {
  expect(emulated.requests).toHaveLength(1)
  return emulated.requests[0]
}

describe('an image request', () => {
  test('to gpt-image returns the image and its usage', async () => {
    const image = await draw({ model: 'gpt-image-emu' })
    expect(image).toEqual({
      mimeType: 'image/png',
      data: new Uint8Array(PNG),
      usage: { inputTokens: 11, outputTokens: 1_056 },
    })
    expect(onlyRequest()).toMatchObject({
      method: 'POST',
      path: '/v1/images/generations',
      headers: { authorization: `Bearer ${API_KEY}` },
    })
    expect(onlyRequest()?.body).toEqual({ model: 'gpt-image-emu', prompt: 'A red fox', n: 1 })
  })

  test('to dall-e asks for the bytes', async () => {
    expect((await draw({ model: 'dall-e-emu-nousage' })).usage).toBeNull()
    expect(onlyRequest()?.body).toMatchObject({ n: 1, response_format: 'b64_json' })
  })

  test('to a compatible server works without a key', async () => {
    const image = await draw({ provider: 'openai-compatible', model: 'flux-emu', apiKey: null })
    expect(image).toEqual({ mimeType: 'image/png', data: new Uint8Array(PNG), usage: null })
    expect(onlyRequest()?.body).toEqual({
      model: 'flux-emu',
      prompt: 'A red fox',
      n: 1,
      response_format: 'b64_json',
    })
    expect(onlyRequest()?.headers).not.toHaveProperty('authorization')
  })

  test('to Gemini returns the image and its usage', async () => {
    const baseUrl = `${emulated.url}/v1beta`
    const image = await draw({ provider: 'google', model: 'models/gemini-image-emu', baseUrl })
    expect(image).toEqual({
      mimeType: 'image/png',
      data: new Uint8Array(PNG),
      usage: { inputTokens: 7, outputTokens: 1_290 },
    })
    expect(onlyRequest()).toMatchObject({
      method: 'POST',
      path: '/v1beta/models/gemini-image-emu:generateContent',
      headers: { 'x-goog-api-key': API_KEY },
    })
    expect(onlyRequest()?.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'A red fox' }] }],
      generationConfig: { responseModalities: ['IMAGE'] },
    })
  })
})

describe('an edit of given images', () => {
  const images = [{ mimeType: 'image/png', data: new Uint8Array(PNG) }]

  test.each<Provider>(['openai', 'openai-compatible'])('is sent to %s as a form', async (provider) => {
    expect((await draw({ provider, model: 'gpt-image-emu' }, { images })).data).toEqual(new Uint8Array(PNG))
    expect(onlyRequest()).toMatchObject({
      path: '/v1/images/edits',
      headers: { authorization: `Bearer ${API_KEY}` },
      body: { prompt: 'A red fox', image: { type: 'image/png', size: PNG.length } },
    })
  })

  test('is sent to Gemini together with the text', async () => {
    await draw(
      { provider: 'google', model: 'gemini-image-emu', baseUrl: `${emulated.url}/v1beta` },
      { images },
    )
    const inlineData = { mimeType: 'image/png', data: PNG.toString('base64') }
    expect(onlyRequest()?.body).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'A red fox' }, { inlineData }] }],
    })
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
    ['err401', 'rejected the API key'],
    ['err403', 'this API key'],
    ['err404', 'no model'],
    ['err413', 'The prompt is too large'],
    ['err429', 'because of its rate limit or quota'],
    ['err503', 'had an internal error (status 503)'],
    ['redirect', 'a redirect, and redirects are not followed'],
    ['html', 'in an unexpected format'],
    ['badjson', 'in an unexpected format'],
    ['cut', 'lost during the reply'],
    ['huge', 'larger than the limit'],
    ['nothing', 'returned no image'],
    ['wrongbytes', 'sent a file that is not a supported image'],
  ])('%s is reported: %s', async (behaviour, sentence) => {
    expect(await sentenceOf(draw(at(behaviour)))).toContain(sentence)
    expect(emulated.requests).toHaveLength(1)
  })

  test.each(['hang', 'hangmid'])('%s times out', async (behaviour) => {
    const impatient = createModels({ net, mediaTimeouts: { ...MEDIA_TIMEOUTS, imageMs: 300 } })
    const target: ModelTarget = { apiKey: API_KEY, guarded: true, baseUrl: '', ...at(behaviour), provider }
    const image = impatient.generateImage(target, { prompt: 'A fox' }, new AbortController().signal)
    expect(await sentenceOf(image)).toContain('did not generate the image within 0.3 seconds')
    await expect.poll(() => emulated.stats.open).toBe(0)
  })

  test.each(['hang', 'hangmid'])('%s can be aborted, and its socket is closed', async (behaviour) => {
    const abort = new AbortController()
    const image = draw(at(behaviour), {}, abort.signal)
    await expect.poll(() => emulated.stats.open).toBe(1)
    abort.abort('stopped by the user')
    await expect(image).rejects.toBe('stopped by the user')
    await expect.poll(() => emulated.stats.open).toBe(0)
  })

  test('an aborted signal prevents the request', async () => {
    await expect(draw(at('n1'), {}, AbortSignal.abort('too late'))).rejects.toBe('too late')
    expect(emulated.requests).toEqual([])
  })

  test('a private address is refused for a tenant', async () => {
    const strict = createNet({ allowPrivateNetwork: false })
    const target: ModelTarget = { apiKey: API_KEY, guarded: true, baseUrl: '', ...at('n1'), provider }
    for (const baseUrl of [target.baseUrl, target.baseUrl.replace('127.0.0.1', 'localhost')]) {
      const image = createModels({ net: strict }).generateImage(
        { ...target, baseUrl },
        { prompt: 'A fox' },
        new AbortController().signal,
      )
      expect(await sentenceOf(image)).toContain('is not a public address')
    }
    expect(emulated.requests).toEqual([])
    await strict.close()
  })

  test.each(['key\nwith a line', 'ключ'])('a key with invalid characters is refused: %j', async (apiKey) => {
    const sentence = await sentenceOf(draw({ ...at('n1'), apiKey }))
    expect(sentence).toContain('contains a character that is not allowed in API keys')
    expect(sentence).not.toContain(apiKey)
  })

  test('a missing key is not taken from the environment', async () => {
    process.env['OPENAI_API_KEY'] = process.env['GOOGLE_GENERATIVE_AI_API_KEY'] = 'key-of-the-operator'
    await draw({ ...at('n1'), apiKey: null })
    delete process.env['OPENAI_API_KEY']
    delete process.env['GOOGLE_GENERATIVE_AI_API_KEY']
    expect(JSON.stringify(onlyRequest())).not.toContain('key-of-the-operator')
    expect(onlyRequest()?.headers).not.toHaveProperty('authorization')
  })
})

describe('an image at a URL', () => {
  const at = (behaviour: string, rest: Partial<ModelTarget> = {}) =>
    draw({ provider: 'openai-compatible', model: `flux-image-emu-${behaviour}`, ...rest })

  test('of the provider is fetched with the key', async () => {
    expect((await at('url')).data).toEqual(new Uint8Array(PNG))
    expect(emulated.requests[1]).toMatchObject({
      method: 'GET',
      path: '/files/flux-image-emu-url',
      headers: { authorization: `Bearer ${API_KEY}` },
    })
  })

  test.each(['foreign', 'moved'])('of another host is fetched without the key: %s', async (place) => {
    expect((await at(place)).mimeType).toBe('image/png')
    const last = emulated.requests.at(-1)
    expect(last?.headers.host).toContain('elsewhere.example')
    expect(last?.headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(last)).not.toContain(API_KEY)
  })

  test.each([true, false])('at a private address is refused (guarded: %s)', async (guarded) => {
    expect(await sentenceOf(at('private', { guarded }))).toContain('cannot be downloaded')
    expect(emulated.requests).toHaveLength(1)
  })

  test("whose host resolves to a private address is refused, also for an operator's model", async () => {
    const strict = createNet({
      allowPrivateNetwork: false,
      resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    const image = createModels({ net: strict }).generateImage(
      {
        provider: 'openai-compatible',
        model: 'flux-emu-foreign',
        baseUrl: `${emulated.url}/v1`,
        apiKey: API_KEY,
        guarded: false,
      },
      { prompt: 'A fox' },
      new AbortController().signal,
    )
    expect(await sentenceOf(image)).toContain('elsewhere.example is not a public address')
    expect(emulated.requests).toHaveLength(1)
    await strict.close()
  })
})

test("Gemini's reason for a missing image is reported", async () => {
  const at = (model: string) => draw({ provider: 'google', model, baseUrl: `${emulated.url}/v1beta` })
  expect(await sentenceOf(at('gemini-emu-nothing'))).toContain('(IMAGE_SAFETY)')
  expect(await sentenceOf(at('gemini-emu-blocked'))).toContain('(PROHIBITED_CONTENT)')
})

test.each<[Provider, string, string]>([
  ['anthropic', 'claude', 'supports no image models from anthropic'],
  ['deepseek', 'deepseek-chat', 'supports no image models from deepseek'],
  ['ollama', 'llama', 'supports no image models from ollama'],
  ['google', 'imagen-4.0-generate-001', 'Imagen was shut down'],
])('%s %s is unsupported: %s', async (provider, model, sentence) => {
  expect(await sentenceOf(draw({ provider, model }))).toContain(sentence)
  expect(emulated.requests).toEqual([])
})
