import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPreparer } from './preparer.ts'

const GIVEN = {
  texts: [{ name: 'a.md', text: 'We open at nine.', kind: 'markdown' as const }],
  chunking: { max_tokens: 400, overlap_tokens: 50 },
  isLocal: true,
}
const PREPARED = [{ chunks: [{ content: 'We open at nine.' }], language: 'english' }]

let threads: Worker[]
const collect = (thread: Worker): number => threads.push(thread)
beforeEach(() => {
  threads = []
  process.on('worker', collect)
})
afterEach(() => void process.off('worker', collect))

test('a task added while an idle thread ends is completed', async () => {
  const preparer = createPreparer({ idleMs: 0 })
  try {
    for (let waitMs = 0; waitMs < 8; waitMs++) {
      const { texts } = await preparer.prepare(GIVEN)
      expect(texts).toMatchObject(PREPARED)
      await sleep(waitMs)
    }
  } finally {
    await preparer.close()
  }
})

test('close rejects pending tasks', async () => {
  const preparer = createPreparer()
  const asked = preparer.prepare(GIVEN)
  const told = expect(asked).rejects.toThrow('ended')
  await preparer.close()
  await told
})

test('concurrent tasks run in several threads, which end when they are idle', async () => {
  const preparer = createPreparer({ idleMs: 20, threadsMax: 2 })
  await preparer.prepare(GIVEN)
  expect(threads).toHaveLength(1)
  const ended = new Promise((resolve) => threads[0]?.once('exit', resolve))
  const prepared = await Promise.all([1, 2, 3, 4, 5].map(() => preparer.prepare(GIVEN)))
  for (const { texts } of prepared) expect(texts).toMatchObject(PREPARED)
  expect(threads).toHaveLength(2)
  await ended
  await preparer.close()
})

test('a thread that dies rejects only its own tasks', async () => {
  const preparer = createPreparer({ threadsMax: 2 })
  const settled = Promise.allSettled([1, 2, 3].map(() => preparer.prepare(GIVEN)))
  await expect.poll(() => threads.length).toBe(2)
  void threads[0]?.terminate()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  expect((await preparer.prepare(GIVEN)).texts).toMatchObject(PREPARED)
  await preparer.close()
})

test('a task that takes too long fails, and the next one gets another thread', async () => {
  const text = Array.from({ length: 300_000 }, (_, at) => `word${at} `).join('')
  const long = { ...GIVEN, texts: [{ name: 'long.md', text, kind: 'plain' as const }] }
  const preparer = createPreparer({ taskMs: 20, threadsMax: 1 })
  await expect(preparer.prepare(long)).rejects.toThrow('took longer than 0.02 s')
  expect(threads).toHaveLength(1)
  const patient = createPreparer({ threadsMax: 1 })
  const settled = await Promise.all([patient.prepare(GIVEN), patient.prepare(GIVEN)])
  for (const { texts } of settled) expect(texts).toMatchObject(PREPARED)
  await Promise.all([preparer.close(), patient.close()])
})
