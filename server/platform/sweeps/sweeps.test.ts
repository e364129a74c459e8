import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isLook } from '#database/looks.ts'
import { Activity } from './activity.ts'
import { Sweeps } from './sweeps.ts'

let statements = 0
let activity: Activity
let due: string[] = []
let finds = 0
const done: string[][] = []

beforeEach(() => {
  vi.useFakeTimers()
  statements = finds = 0
  due = []
  done.length = 0
})
afterEach(() => vi.useRealTimers())

/** Starts a sweep every second, and lets its first look pass. */
async function begin() {
  activity = new Activity({ statementsSent: () => statements })
  const sweep = new Sweeps(activity, pino({ level: 'silent' })).begin({
    name: 'test',
    everyMs: 1_000,
    async find() {
      finds += 1
      expect(isLook()).toBe(true)
      return due.splice(0)
    },
    async work(found) {
      expect(isLook()).toBe(false)
      done.push(found)
      if (found.includes('broken')) throw new Error('broken')
    },
    failure: 'failed',
  })
  await vi.advanceTimersByTimeAsync(0)
  return sweep
}

const findsIn = async (seconds: number): Promise<number> => {
  const before = finds
  await vi.advanceTimersByTimeAsync(seconds * 1_000)
  return finds - before
}

test('looks at the interval while another process is active', async () => {
  const sweep = await begin()
  for (let round = 0; round < 10; round++) {
    activity.heardOfOthers(5_000)
    expect(await findsIn(20)).toBe(20)
  }
  expect(await findsIn(300)).toBeLessThan(20)
  activity.heardOfOthers(20_000)
  expect(await findsIn(5)).toBe(5)
  await sweep.end()
  expect(await findsIn(60)).toBe(0)
})

test('looks rarely once the installation is idle, until the next statement', async () => {
  const sweep = await begin()
  expect(await findsIn(25)).toBe(25)
  expect(await findsIn(300)).toBeLessThan(20)
  statements += 1
  expect(await findsIn(2)).toBe(2)
  expect(await findsIn(25)).toBe(25)
  await sweep.end()
})

test('work that is found counts as a statement', async () => {
  const sweep = await begin()
  await findsIn(300)
  due = ['job']
  expect(await findsIn(40)).toBeGreaterThan(5)
  expect(done).toEqual([['job']])
  await sweep.end()
})

test('a failed sweep does not end the next ones', async () => {
  const sweep = await begin()
  due = ['broken']
  await findsIn(1)
  due = ['job']
  await findsIn(1)
  expect(done).toEqual([['broken'], ['job']])
  await sweep.end()
})

test('a wake-up during a look causes another look', async () => {
  const sweep = await begin()
  await findsIn(300)
  const before = finds
  sweep.wake()
  due = ['job']
  sweep.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect([finds - before, done]).toEqual([2, [['job']]])
  await sweep.end()
})
