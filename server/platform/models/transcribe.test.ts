import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeTaggedFlac, makeTaggedWav } from '#tests/support/hostile-files.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sentenceOf as sentenceOfModel } from '#tests/support/provider/sentence-of.ts'
import { createDocuments } from '../documents/documents.ts'
import { createNet } from '../net/index.ts'
import { createModels, type Models } from './index.ts'
import type { ModelTarget, Provider } from './types.ts'

/** Tests transcription against an emulated provider: requests, results, and the error for each fault. */

const API_KEY = 'key-of-a-tenant'
const MEDIA_TIMEOUTS = { imageMs: 30_000, videoMs: 30_000, transcriptionMs: 30_000, pollMs: 10 }
const WAYS: { provider: Provider; path: string; name: string }[] = [
  { provider: 'openai', path: '/v1', name: 'gpt-4o-transcribe-emu' },
  { provider: 'openai-compatible', path: '/v1', name: 'whisper-emu' },
  { provider: 'google', path: '/v1beta', name: 'gemini-transcribe-emu' },
]

let emulated: EmulatedProvider
let models: Models
let directory: string
let recording: { path: string; contentType: string }
const net = createExampleNet()
const documents = createDocuments()
beforeAll(async () => {
  emulated = await startProvider()
  models = createModels({ net, mediaTimeouts: MEDIA_TIMEOUTS, durationOf: documents.durationOf })
  directory = await mkdtemp(join(tmpdir(), 'parley-transcribe-'))
  recording = { path: join(directory, 'one-second'), contentType: 'audio/wav' }
  await writeFile(recording.path, silence(1))
})
beforeEach(() => void emulated.requests.splice(0))
afterAll(async () => {
  await Promise.all([net.close(), documents.close()])
  await emulated.close()
  await rm(directory, { recursive: true })
})

/** Returns silent audio as a WAV file with 8,000 one-byte samples per second. */
function silence(seconds: number): Buffer {
  const samples = Buffer.alloc(8_000 * seconds, 0x80)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, samples.length],
  ] as const)
    header.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, at)
  header.write('data', 36)
  return Buffer.concat([header, samples])
}

type Where = Partial<ModelTarget> & { model: string }

const targetOf = (where: Where): ModelTarget => ({
  provider: 'openai',
  baseUrl: `${emulated.url}/v1`,
  apiKey: API_KEY,
  guarded: true,
  ...where,
})

const hear = (where: Where, signal = new AbortController().signal, given = recording) =>
  models.transcribe(targetOf(where), given, { language: 'de-DE' }, signal)

const sentenceOf = (work: Promise<unknown>) => sentenceOfModel(work, API_KEY)

describe('a recording', () => {
  test('for Whisper returns language and duration', async () => {
    expect(await hear({ model: 'whisper-emu' })).toEqual({
      text: 'Guten Tag.',
      language: 'de',
      durationSeconds: 2.5,
      usage: null,
    })
    expect(emulated.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/audio/transcriptions',
        headers: { authorization: `Bearer ${API_KEY}` },
      },
    ])
    expect(emulated.requests[0]?.body).toEqual({
      model: 'whisper-emu',
      language: 'de',
      response_format: 'verbose_json',
      file: { name: 'recording.wav', type: 'audio/wav', size: 8_044 },
    })
  })

  test('for newer models returns usage, and its duration is measured', async () => {
    expect(await hear({ model: 'gpt-4o-transcribe-emu' })).toEqual({
      text: 'Guten Tag.',
      language: null,
      durationSeconds: 1,
      usage: { inputTokens: 14, outputTokens: 5 },
    })
    expect(emulated.requests[0]?.body).toMatchObject({ response_format: 'json' })
  })

  test('for a compatible server needs no key', async () => {
    const { text } = await hear({ provider: 'openai-compatible', model: 'whisper-emu', apiKey: null })
    expect(text).toBe('Guten Tag.')
    expect(emulated.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('for Gemini is sent as an interaction', async () => {
    const where = { provider: 'google', model: 'models/gemini-transcribe-emu' } as const
    expect(await hear({ ...where, baseUrl: `${emulated.url}/v1beta` })).toEqual({
      text: 'Guten Tag.',
      language: null,
      durationSeconds: 1,
      usage: { inputTokens: 20, outputTokens: 4 },
    })
    expect(emulated.requests).toMatchObject([
      { method: 'POST', path: '/v1beta/interactions', headers: { 'x-goog-api-key': API_KEY } },
    ])
    expect(emulated.requests[0]?.body).toEqual({
      model: 'gemini-transcribe-emu',
      input: [{ type: 'audio', data: silence(1).toString('base64'), mime_type: 'audio/wav' }],
      generation_config: { transcription_config: { language_codes: ['de-DE'] } },
    })
  })

  test.each([
    ['audio/mpeg', 'mp3'],
    ['audio/x-m4a', 'm4a'],
    ['audio/mp4', 'm4a'],
    ['audio/ogg; codecs=opus', 'ogg'],
    ['audio/flac', 'flac'],
    ['video/webm', 'webm'],
  ])('of type %s is named .%s', async (contentType, extension) => {
    await hear({ model: 'whisper-emu' }, undefined, { ...recording, contentType })
    expect(emulated.requests[0]?.body).toMatchObject({ file: { name: `recording.${extension}` } })
  })

  test('of another type is refused', async () => {
    const given = { ...recording, contentType: 'text/plain' }
    expect(await sentenceOf(hear({ model: 'whisper-emu' }, undefined, given))).toContain('Send MP3, WAV')
  })

  test('of unknown length has no duration', async () => {
    const path = join(directory, 'noise')
    await writeFile(path, 'no recording at all')
    const given = { path, contentType: 'audio/mpeg' }
    const { durationSeconds } = await hear({ model: 'gpt-4o-transcribe-emu' }, undefined, given)
    expect(durationSeconds).toBeNull()
  })

  test.each([
    ['audio/wav', makeTaggedWav],
    ['audio/flac', makeTaggedFlac],
  ])('of type %s with tags that take minutes to read has no duration', async (contentType, make) => {
    const given = { path: join(directory, 'tagged'), contentType }
    await writeFile(given.path, make(0.001))
    const short = await hear({ model: 'gpt-4o-transcribe-emu' }, undefined, given)
    expect(short.durationSeconds).toBe(1)
    const impatient = createDocuments(undefined, { clockMs: 1_000 })
    const careful = createModels({ net, mediaTimeouts: MEDIA_TIMEOUTS, durationOf: impatient.durationOf })
    await writeFile(given.path, make(1))
    const { signal } = new AbortController()
    const target = targetOf({ model: 'gpt-4o-transcribe-emu' })
    const long = await careful.transcribe(target, given, { language: 'de-DE' }, signal)
    expect([long.text, long.durationSeconds]).toEqual(['Guten Tag.', null])
    await impatient.close()
  })

  test('that is too large for Gemini is not sent', async () => {
    const path = join(directory, 'long')
    await writeFile(path, silence(2_000))
    const target = { provider: 'google', model: 'gemini-transcribe-emu' } as const
    const given = { path, contentType: 'audio/wav' }
    expect(await sentenceOf(hear(target, undefined, given))).toContain('The recording is too large')
    expect(emulated.requests).toEqual([])
  })
})

test('a transcript can be stored and sent', async () => {
  expect((await hear({ model: 'gpt-4o-transcribe-surrogate' })).text).toBe('half \ufffd and nul')
})

test('silent audio is not an error with Gemini', async () => {
  const where = {
    provider: 'google',
    model: 'gemini-emu-nothing',
    baseUrl: `${emulated.url}/v1beta`,
  } as const
  expect((await hear(where)).text).toBe('')
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
    ['err404', 'no model'],
    ['err413', 'The recording is too large'],
    ['err429', 'because of its rate limit or quota'],
    ['err503', 'had an internal error'],
    ['redirect', 'a redirect, and redirects are not followed'],
    ['html', 'in an unexpected format'],
    ['badjson', 'in an unexpected format'],
    ['cut', 'lost during the reply'],
    ['huge', 'larger than the limit'],
  ])('%s is reported: %s', async (behaviour, sentence) => {
    expect(await sentenceOf(hear(at(behaviour)))).toContain(sentence)
    expect(emulated.requests).toHaveLength(1)
  })

  test.each(['hang', 'hangmid'])('%s times out and can be aborted', async (behaviour) => {
    const impatient = createModels({ net, mediaTimeouts: { ...MEDIA_TIMEOUTS, transcriptionMs: 300 } })
    const { signal } = new AbortController()
    const late = impatient.transcribe(targetOf(at(behaviour)), recording, { language: 'de' }, signal)
    expect(await sentenceOf(late)).toContain('did not transcribe the recording within 0.3 seconds')
    await expect.poll(() => emulated.stats.open).toBe(0)

    const abort = new AbortController()
    const aborted = hear(at(behaviour), abort.signal)
    await expect.poll(() => emulated.stats.open).toBe(1)
    abort.abort('stopped by the user')
    await expect(aborted).rejects.toBe('stopped by the user')
    await expect.poll(() => emulated.stats.open).toBe(0)
  })

  test('a private address is refused for a tenant', async () => {
    const strict = createNet({ allowPrivateNetwork: false })
    const { signal } = new AbortController()
    const text = createModels({ net: strict }).transcribe(
      targetOf(at('n1')),
      recording,
      { language: 'de' },
      signal,
    )
    expect(await sentenceOf(text)).toContain('is not a public address')
    expect(emulated.requests).toEqual([])
    await strict.close()
  })

  test('a key with invalid characters is refused', async () => {
    const sentence = await sentenceOf(hear({ ...at('n1'), apiKey: 'ключ' }))
    expect(sentence).toContain('contains a character that is not allowed in API keys')
  })
})

test('a response without text is reported as an unexpected format', async () => {
  expect(await sentenceOf(hear({ model: 'gpt-4o-transcribe-nothing' }))).toContain('in an unexpected format')
})

test.each<Provider>(['anthropic', 'deepseek', 'ollama'])('%s supports no transcription', async (provider) => {
  expect(await sentenceOf(hear({ provider, model: 'm' }))).toContain('supports no transcription models from')
})
