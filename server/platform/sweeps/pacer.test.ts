import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BatchSize, Pacer } from './pacer.ts'

const anySize = () => new BatchSize({ least: 1, most: 100 })

/** Starts a reply. Returns a function that ends it. */
function reply(pacer: Pacer): () => Promise<void> {
  const end = Promise.withResolvers<void>()
  const ended = pacer.whileReplying(() => end.promise)
  return () => {
    end.resolve()
    return ended
  }
}

/** Waits for a batch of another pacer, which begins after a rest of about `restMs`. */
async function anotherRest(restMs: number): Promise<void> {
  const pacer = new Pacer()
  const end = reply(pacer)
  await pacer.pace(anySize(), batches(restMs / 9).batch)
  await pacer.pace(anySize(), async () => 1)
  await end()
}

/** Returns the name of the promise that is settled first. */
const firstOf = (promises: Record<string, Promise<unknown>>): Promise<string> =>
  Promise.race(
    Object.entries(promises).map(async ([name, promise]) => {
      await promise.catch(() => {})
      return name
    }),
  )

/** Returns a batch that takes `milliseconds`, and the times at which such batches began and ended. */
function batches(milliseconds: number) {
  const times: { begun: number; ended: number }[] = []
  const batch = async (): Promise<number> => {
    const begun = performance.now()
    await sleep(milliseconds)
    times.push({ begun, ended: performance.now() })
    return 1
  }
  return { batch, times }
}

test('while a reply runs, concurrent loops together take at most a tenth of the time, and take turns', async () => {
  const pacer = new Pacer()
  const end = reply(pacer)
  const { batch, times } = batches(10)
  const loop = async (): Promise<void> => {
    const size = anySize()
    for (let count = 0; count < 3; count++) await pacer.pace(size, batch)
  }
  await Promise.all([loop(), loop(), loop()])
  await end()
  expect(times).toHaveLength(9)
  for (const [index, { begun }] of times.entries()) {
    const before = times[index - 1]
    if (before) expect(begun - before.ended).toBeGreaterThan(8 * (before.ended - before.begun))
  }
})

test('without a reply, batches do not rest, and one that waits does not delay others', async () => {
  const pacer = new Pacer()
  const stuck = Promise.withResolvers<number>()
  const waiting = pacer.pace(anySize(), () => stuck.promise)
  const work = async () => {
    for (let count = 0; count < 5; count++) await pacer.pace(anySize(), batches(100).batch)
  }
  expect(await firstOf({ work: work(), rest: anotherRest(1_800) })).toBe('work')
  stuck.resolve(1)
  await waiting
})

test('work continues after the last reply has ended, also in the rest after a long batch', async () => {
  const pacer = new Pacer()
  const end = reply(pacer)
  await pacer.pace(anySize(), batches(500).batch)
  const next = pacer.pace(anySize(), async () => 1)
  await end()
  expect(await next).toBe(1)
})

test('rests of batches before the first reply do not add up', async () => {
  const pacer = new Pacer()
  for (let count = 0; count < 20; count++) await pacer.pace(anySize(), batches(10).batch)
  const end = reply(pacer)
  const next = pacer.pace(anySize(), batches(1).batch)
  expect(await firstOf({ next, rest: anotherRest(1_600) })).toBe('next')
  await end()
})

test('a failed batch ends neither the queue nor the rests', async () => {
  const pacer = new Pacer()
  const end = reply(pacer)
  const failed = pacer.pace(anySize(), async () => {
    await sleep(20)
    throw new Error('broken')
  })
  const { batch, times } = batches(1)
  const next = pacer.pace(anySize(), batch)
  await expect(failed).rejects.toThrow('broken')
  const failedAt = performance.now()
  await next
  expect((times[0]?.begun ?? 0) - failedAt).toBeGreaterThan(100)
  await end()
})

test('an aborted signal ends a rest without the batch, and the queue continues', async () => {
  const pacer = new Pacer()
  const end = reply(pacer)
  await pacer.pace(anySize(), batches(200).batch)
  const stop = new AbortController()
  const stopped = pacer.pace(anySize(), batches(1).batch, stop.signal)
  const next = pacer.pace(anySize(), batches(1).batch, AbortSignal.abort(new Error('also stopped')))
  stop.abort(new Error('stopped'))
  expect(await firstOf({ next, rest: anotherRest(1_000) })).toBe('next')
  await expect(stopped).rejects.toThrow('stopped')
  await expect(next).rejects.toThrow('also stopped')
  await end()
})

test('the size of batches follows their duration, within the bounds', () => {
  const size = new BatchSize({ least: 5, most: 1_000 })
  expect(size.now).toBe(63)
  for (let count = 0; count < 10; count++) size.measured(size.now, size.now * 0.1)
  expect(size.now).toBe(100)
  size.measured(3, 3_000) // a batch that has waited for a lock
  expect(size.now).toBe(25)
  for (let count = 0; count < 10; count++) size.measured(size.now, 1_000)
  expect(size.now).toBe(5)
  for (let count = 0; count < 10; count++) size.measured(size.now, 0.01)
  expect(size.now).toBe(1_000)
  size.measured(0, 50) // there was nothing to do
  expect(size.now).toBe(1_000)
})

test('the wait for a connection does not count', async () => {
  const size = new BatchSize({ least: 1, most: 1_600 })
  await new Pacer().pace(size, async (limit, starts) => {
    await sleep(100)
    starts()
    return limit
  })
  expect(size.now).toBe(200)
})
