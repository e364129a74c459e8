import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import { parseBuffer } from 'music-metadata'
import { expect, test } from 'vitest'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import type { ModelTarget } from './types.ts'

const models = createModels({ net: createNet({ allowPrivateNetwork: false }) })
const targetOf = (model: string): ModelTarget => ({
  provider: 'demo',
  model,
  baseUrl: '',
  apiKey: null,
  guarded: false,
})
const { signal } = new AbortController()

test('an image is a PNG that depends only on the prompt', async () => {
  const draw = (prompt: string) => models.generateImage(targetOf('parley-demo-image'), { prompt }, signal)
  const [fox, again, hen] = await Promise.all([draw('A fox'), draw('A fox'), draw('A hen')])
  expect(fox).toMatchObject({ mimeType: 'image/png', usage: null })
  expect(again).toEqual(fox)
  expect(hen.data).not.toEqual(fox.data)

  const bytes = Buffer.from(fox.data)
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([256, 256])
  const length = bytes.readUInt32BE(33)
  expect(inflateSync(bytes.subarray(41, 41 + length))).toHaveLength(256 * (1 + 256 * 3))
})

test('a video is a short WebM with progress', async () => {
  const progress: number[] = []
  const note = (told: number): void => void progress.push(told)
  const video = await models.generateVideo(targetOf('parley-demo-video'), { prompt: 'A fox' }, note, signal)
  expect(video.mimeType).toBe('video/webm')
  expect(progress).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  const { format } = await parseBuffer(video.data, 'video/webm')
  expect(format.duration).toBeCloseTo(1.5, 1)
})

test('a video can be aborted', async () => {
  const abort = new AbortController()
  const target = targetOf('parley-demo-video')
  const video = models.generateVideo(target, { prompt: '' }, () => abort.abort('enough'), abort.signal)
  await expect(video).rejects.toBe('enough')
})

test('a transcription says that the demo cannot listen', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'parley-demo-'))
  const path = join(directory, 'noise')
  await writeFile(path, 'twelve bytes')
  const target = targetOf('parley-demo-transcription')
  const heard = await models.transcribe(
    target,
    { path, contentType: 'audio/ogg' },
    { language: 'en' },
    signal,
  )
  expect(heard.text).toBe(
    "This is the Parley demo, which can't listen. The recording is audio/ogg, 12 bytes, of unknown length.",
  )
  expect(heard).toMatchObject({ language: 'en', durationSeconds: null, usage: null })
  await rm(directory, { recursive: true })
})

test('the AI SDK is not loaded on import', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (/node_modules\\/(ai|@ai-sdk|music-metadata)\\//.test(url)) console.log(url)
      return next(url, context)
    } })
    await import('${new URL('index.ts', import.meta.url).href}')
    console.log('loaded')`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(stdout).toBe('loaded\n')
})
