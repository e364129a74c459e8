import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { STEP_MS_MAX, StartTimeoutError, watchStart } from './start-watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<never>(() => {})

test('reports what a start waits for after 10, 20, 40 and 80 seconds, and gives up after 120', async () => {
  const lines: string[] = []
  const started = watchStart(
    (line) => lines.push(line),
    (announce) => {
      announce('the database')
      return never
    },
  )
  const gaveUp = expect(started).rejects.toThrow(
    new StartTimeoutError(
      'The start gave up after 120 s of waiting for the database. Check it, and start again.',
    ),
  )
  await vi.advanceTimersByTimeAsync(9_999)
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(STEP_MS_MAX)
  await gaveUp
  expect(lines).toEqual([10, 20, 40, 80].map((s) => `The start has waited ${s} s for the database.`))
  expect(vi.getTimerCount()).toBe(0)
})

test('each step has its own time, and a limit of its own', async () => {
  const lines: string[] = []
  const steps = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
  const started = watchStart(
    (line) => lines.push(line),
    async (announce) => {
      announce('the migration', 1_000_000)
      await steps[0]?.promise
      announce('Redis')
      await steps[1]?.promise
      return 'started'
    },
  )
  await vi.advanceTimersByTimeAsync(900_000)
  steps[0]?.resolve()
  await vi.advanceTimersByTimeAsync(9_000)
  steps[1]?.resolve()
  expect(await started).toBe('started')
  expect(lines.at(-1)).toBe('The start has waited 640 s for the migration.')
  expect(vi.getTimerCount()).toBe(0)
})

test('a start that fails is reported as it failed', async () => {
  const started = watchStart(
    () => {},
    async (announce) => {
      announce('Redis')
      throw new Error('refused')
    },
  )
  await expect(started).rejects.toThrow('refused')
  expect(vi.getTimerCount()).toBe(0)
})
