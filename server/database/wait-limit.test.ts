import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WAIT_STEPS_MAX, WaitLimit } from './wait-limit.ts'

let lines: string[]
let discarded: number
let limit: WaitLimit
beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  discarded = 0
  limit = new WaitLimit(
    (line) => lines.push(line),
    () => {
      discarded += 1
    },
  )
})
afterEach(() => {
  limit.close()
  vi.useRealTimers()
})

/** Starts work, and records the steps in which it fails. */
function begin(active: boolean, string?: string) {
  const failed = vi.fn()
  const work = { active, ...(string && { string }), reject: failed }
  limit.began(work)
  return { work, failed }
}
const takeSteps = (count: number): unknown => vi.advanceTimersByTime(count * 1_000)

test('all work fails once no result has arrived for the limit', () => {
  const current = begin(true, 'select $1')
  takeSteps(10)
  const waiting = begin(false)
  takeSteps(WAIT_STEPS_MAX - 11)
  expect([current.failed, waiting.failed].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  takeSteps(1)
  expect([current.failed, waiting.failed].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  expect([discarded, lines]).toEqual([1, [expect.stringContaining('select $1')]])
})

test('work that waits while others have results fails alone, and the connection is kept', () => {
  const transaction = begin(true)
  const waiting = begin(false)
  for (let step = 0; step < WAIT_STEPS_MAX; step++) {
    takeSteps(1)
    limit.answered()
  }
  expect([transaction.failed, waiting.failed].map(({ mock }) => mock.calls.length)).toEqual([0, 1])
  expect([discarded, lines.length]).toEqual([0, 1])
})

test('work that ends in time is forgotten, and the timer rests without work', () => {
  const { work, failed } = begin(true)
  takeSteps(WAIT_STEPS_MAX - 1)
  limit.ended(work)
  takeSteps(WAIT_STEPS_MAX)
  expect([failed.mock.calls.length, discarded, vi.getTimerCount()]).toEqual([0, 0, 0])
})
