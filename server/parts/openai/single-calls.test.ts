import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError, sentence } from '#errors'
import { Draining } from '#platform/http/draining.ts'
import type { Sender } from '../agents/index.ts'
import { PaidCalls } from '../llm/index.ts'
import { embedTexts } from './embeddings.ts'
import type { OpenAiDependencies } from './generate.ts'
import { generateImage } from './images.ts'
import { speak } from './speech.ts'
import { transcribe } from './transcriptions.ts'

/** Calls of a provider that never answers, while the server shuts down. */

const WAV = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(64)])
const STREAMS_GRACE_MS = 30_000

const folder = mkdtempSync(join(tmpdir(), 'parley-single-'))
const recording = { path: join(folder, 'a.wav'), name: 'a.wav', contentType: 'audio/wav', size: WAV.length }
writeFileSync(recording.path, WAV)

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => {
  vi.useRealTimers()
})

const stuck = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

function open() {
  const begun = Promise.withResolvers<void>()
  const settled: unknown[] = []
  const draining = new Draining()
  const call =
    (place: number) =>
    (...values: unknown[]) => {
      begun.resolve()
      return stuck(values[place] as AbortSignal)
    }
  const services = {
    draining,
    models: {
      health: { isOpen: () => false },
      embed: call(3),
      generateImage: call(2),
      generateSpeech: call(2),
      transcribe: call(3),
    },
    ledger: {
      hold: async () => 'hold',
      settle: async (_hold: string, usage: unknown) => void settled.push(usage),
    },
    metrics: {},
    log: console,
  } as unknown as ConstructorParameters<typeof PaidCalls>[0]
  const model = {
    id: 'm',
    inputRatio: 1,
    outputRatio: 1,
    secondsRatio: 1,
    capabilities: ['embedding', 'image', 'speech', 'transcription'],
    members: [{ target: { provider: 'openai', model: 'm' } }],
  }
  const calls = new PaidCalls(services)
  const deps = { services, calls, models: { findNamed: async () => model } } as unknown as OpenAiDependencies
  return { begun: begun.promise, settled, draining, calls, deps }
}

const sender = { scope: { organizationId: 'o' }, deployment: null } as unknown as Sender
const CALLS: Record<string, (deps: OpenAiDependencies) => Promise<unknown>> = {
  embeddings: (deps) => embedTexts(deps, sender, { model: 'm', input: 'Snow' }, new AbortController().signal),
  images: (deps) => generateImage(deps, sender, { model: 'm', prompt: 'Snow' }),
  speech: (deps) => speak(deps, sender, { model: 'm', input: 'Snow', voice: 'alloy' }),
  transcription: (deps) =>
    transcribe(deps, sender, { model: 'm' }, recording as unknown as Parameters<typeof transcribe>[3]),
}

test.each(Object.entries(CALLS))('%s end soon after the shutdown begins, free of charge', async (_, call) => {
  const { begun, settled, draining, calls, deps } = open()
  const answer = call(deps).catch((error: unknown) => error)
  await begun
  draining.begin()
  const closed = calls.close(STREAMS_GRACE_MS, Promise.resolve())
  await vi.advanceTimersByTimeAsync(4_900)
  expect(settled).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  await closed
  const error = (await answer) as AppError
  expect(error).toBeInstanceOf(AppError)
  expect([error.code, error.message]).toEqual(['server.unavailable', sentence('server.shutting_down')])
  expect(settled).toEqual([null])
})

test('a call that begins during the shutdown has the same grace', async () => {
  const { begun, settled, draining, deps } = open()
  draining.begin()
  await vi.advanceTimersByTimeAsync(10_000)
  const answer = CALLS['images']?.(deps).catch((error: unknown) => error)
  await begun
  await vi.advanceTimersByTimeAsync(4_900)
  expect(settled).toEqual([])
  await vi.advanceTimersByTimeAsync(200)
  expect(await answer).toMatchObject({ code: 'server.unavailable' })
})
