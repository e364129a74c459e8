import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { MP4 } from '#tests/support/provider/media.ts'
import { sentenceOf as sentenceOfModel } from '#tests/support/provider/sentence-of.ts'
import { createNet } from '../net/index.ts'
import { createModels, type Models } from './index.ts'
import type { ModelTarget, Provider } from './types.ts'

/** Tests videos against an emulated Veo: start, polling, download, and the error for each fault. */

const API_KEY = 'key-of-a-tenant'
const MEDIA_TIMEOUTS = { imageMs: 30_000, videoMs: 30_000, transcriptionMs: 30_000, pollMs: 10 }

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

const targetOf = (model: string, rest: Partial<ModelTarget> = {}): ModelTarget => ({
  provider: 'google',
  model,
  baseUrl: `${emulated.url}/v1beta`,
  apiKey: API_KEY,
  guarded: true,
  ...rest,
})

async function film(
  model: string,
  { signal = new AbortController().signal, ...rest }: Partial<ModelTarget> & { signal?: AbortSignal } = {},
) {
  const progress: number[] = []
  const video = await models.generateVideo(
    targetOf(model, rest),
    { prompt: 'A fox runs' },
    (told) => void progress.push(told),
    signal,
  )
  return { ...video, progress }
}

const sentenceOf = (work: Promise<unknown>) => sentenceOfModel(work, API_KEY)

const paths = () => emulated.requests.map(({ method, path }) => `${method} ${path}`)

test('a video is started, polled until it is ready, and fetched', async () => {
  const { mimeType, data, usage, progress } = await film('models/veo-emu-poll3')
  expect({ mimeType, data: Buffer.from(data), usage }).toEqual({
    mimeType: 'video/mp4',
    data: MP4,
    usage: null,
  })
  expect(paths()).toEqual([
    'POST /v1beta/models/veo-emu-poll3:predictLongRunning',
    ...Array.from({ length: 4 }, () => 'GET /v1beta/models/veo-emu-poll3/operations/1'),
    `GET /files/veo-emu-poll3?alt=media&key=${API_KEY}`,
  ])
  expect(emulated.requests[0]?.body).toEqual({
    instances: [{ prompt: 'A fox runs' }],
    parameters: { sampleCount: 1 },
  })
  for (const { headers } of emulated.requests.slice(0, -1)) expect(headers['x-goog-api-key']).toBe(API_KEY)

  expect(progress.length).toBe(5)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  expect(progress[0]).toBeLessThan(0.1)
  expect(progress.at(-1)).toBe(1)
})

test.each(['foreign', 'moved'])('a video at another host is fetched without the key: %s', async (place) => {
  expect((await film(`veo-emu-${place}`)).mimeType).toBe('video/mp4')
  const last = emulated.requests.at(-1)
  expect(last?.headers.host).toContain('elsewhere.example')
  expect(JSON.stringify(last)).not.toContain(API_KEY)
})

test.each([true, false])('a video at a private address is refused (guarded: %s)', async (guarded) => {
  expect(await sentenceOf(film('veo-emu-private', { guarded }))).toContain('10.0.0.1 is not a public address')
})

test('a single failed poll is retried', async () => {
  expect((await film('veo-emu-flaky')).mimeType).toBe('video/mp4')
})

test('polls that keep failing end the job', async () => {
  expect(await sentenceOf(film('veo-emu-deaf'))).toContain('had an internal error (status 503)')
  expect(emulated.requests).toHaveLength(4)
})

test.each([
  ['err400', 'refused the request (status 400): Emulated 400'],
  ['err401', 'rejected the API key'],
  ['err404', 'has no model'],
  ['err429', 'because of its rate limit or quota'],
  ['err500', 'had an internal error'],
  ['html', 'in an unexpected format'],
  ['badjson', 'in an unexpected format'],
  ['cut', 'lost during the reply'],
  ['huge', 'larger than the limit'],
])('a failed start is not retried: %s', async (behaviour, sentence) => {
  expect(await sentenceOf(film(`veo-emu-${behaviour}`))).toContain(sentence)
  if (behaviour !== 'huge') expect(emulated.requests).toHaveLength(1)
})

test.each([
  [
    'rejected',
    'google failed while it was sending the reply: Video generation failed: No frame could be drawn',
  ],
  ['nothing', 'returned no video'],
  ['wrongbytes', 'sent a file that is not a supported video'],
  ['cutfile', 'lost during the reply'],
  ['hugefile', 'larger than the limit'],
])('a video that fails or cannot be fetched is reported: %s', async (behaviour, sentence) => {
  expect(await sentenceOf(film(`veo-emu-${behaviour}`))).toContain(sentence)
})

describe.each(['hang', 'hangmid', 'poll100000', 'hangfile'])(
  'a video that never arrives (%s)',
  (behaviour) => {
    test('times out', async () => {
      const impatient = createModels({ net, mediaTimeouts: { ...MEDIA_TIMEOUTS, videoMs: 300 } })
      const video = impatient.generateVideo(
        targetOf(`veo-emu-${behaviour}`),
        { prompt: 'A fox' },
        () => {},
        new AbortController().signal,
      )
      expect(await sentenceOf(video)).toContain('did not generate the video within 0.3 seconds')
      await expect.poll(() => emulated.stats.open).toBe(0)
    })

    test('can be aborted, and its socket is closed', async () => {
      const abort = new AbortController()
      const video = film(`veo-emu-${behaviour}`, { signal: abort.signal })
      await expect.poll(() => emulated.requests.length).toBeGreaterThan(behaviour === 'hangfile' ? 2 : 0)
      abort.abort('stopped by the user')
      await expect(video).rejects.toBe('stopped by the user')
      await expect.poll(() => emulated.stats.open).toBe(0)
    })
  },
)

test('a private address is refused for a tenant', async () => {
  const strict = createNet({ allowPrivateNetwork: false })
  const video = createModels({ net: strict }).generateVideo(
    targetOf('veo-emu'),
    { prompt: 'A fox' },
    () => {},
    new AbortController().signal,
  )
  expect(await sentenceOf(video)).toContain('is not a public address')
  expect(emulated.requests).toEqual([])
  await strict.close()
})

test.each<Provider>(['openai', 'openai-compatible', 'anthropic', 'deepseek', 'ollama'])(
  '%s supports no videos',
  async (provider) => {
    expect(await sentenceOf(film('sora-2', { provider }))).toContain(
      `supports no video models from ${provider}`,
    )
    expect(emulated.requests).toEqual([])
  },
)
