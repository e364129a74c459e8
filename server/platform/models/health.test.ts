import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reasonFor, sentence } from '#errors'
import { ModelHealth } from './health.ts'
import { type FailureKind, ModelError, type ModelTarget } from './types.ts'

const shared: ModelTarget = { provider: 'openai', model: 'm', baseUrl: 'u', apiKey: 'k', guarded: false }
const own: ModelTarget = { ...shared, guarded: true, owner: 'o' }
const error = (kind: FailureKind, retryAfterMs?: number) =>
  new ModelError(reasonFor('model.imagen'), { kind, retryAfterMs })

let health: ModelHealth
const fail = (target: ModelTarget, kind: FailureKind, times = 1, retryAfterMs?: number): void => {
  for (let count = 0; count < times; count++) {
    health.starts(target)
    health.failed(target, error(kind, retryAfterMs))
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  health = new ModelHealth()
})
afterEach(() => {
  vi.useRealTimers()
})

test('three consecutive failures open the circuit for a growing pause', () => {
  fail(own, 'unavailable', 2)
  expect([health.of(own).state, health.isOpen(own)]).toEqual(['degraded', false])
  fail(own, 'overloaded')
  expect([health.of(own).state, health.isOpen(own)]).toEqual(['down', true])
  for (const seconds of [5, 10, 20, 40, 60, 60]) {
    vi.advanceTimersByTime(seconds * 1_000 - 1)
    expect(health.isOpen(own)).toBe(true)
    vi.advanceTimersByTime(1)
    expect(health.isOpen(own)).toBe(false)
    fail(own, 'rate_limited')
  }
})

test('one or two failures are forgotten after a minute without another', () => {
  fail(own, 'unavailable', 2)
  vi.advanceTimersByTime(59_999)
  expect(health.of(own).state).toBe('degraded')
  vi.advanceTimersByTime(1)
  expect(health.of(own)).toEqual({ state: 'healthy', error: null, since: null })
  fail(own, 'unavailable', 2)
  expect([health.of(own).state, health.isOpen(own)]).toEqual(['degraded', false])
})

test('failures of calls that started before the pause do not make it longer', () => {
  for (let count = 0; count < 50; count++) health.starts(own)
  for (let count = 0; count < 50; count++) health.failed(own, error('unavailable'))
  vi.advanceTimersByTime(5_000)
  expect(health.isOpen(own)).toBe(false)
})

test('one call probes the target, which then takes calls again', () => {
  fail(own, 'unavailable', 3)
  vi.advanceTimersByTime(5_000)
  health.starts(own)
  expect(health.isOpen(own)).toBe(true)
  health.hasBegun(own)
  expect([health.isOpen(own), health.of(own).state]).toEqual([false, 'degraded'])
  health.succeeded(own)
  expect(health.of(own)).toEqual({ state: 'healthy', error: null, since: null })
})

test('Retry-After sets the pause', () => {
  fail(own, 'rate_limited', 3, 1_000)
  vi.advanceTimersByTime(1_000)
  expect(health.isOpen(own)).toBe(false)
})

test('a success in between starts the count again', () => {
  fail(own, 'unavailable', 2)
  health.succeeded(own)
  fail(own, 'unavailable', 2)
  expect(health.isOpen(own)).toBe(false)
})

test('requests and settings of tenants are no faults, and tenants share no circuits', () => {
  fail(own, 'request', 3)
  fail(own, 'configuration', 3)
  fail(shared, 'request', 3)
  expect([health.isOpen(own), health.isOpen(shared)]).toEqual([false, false])
  fail(shared, 'configuration', 3)
  fail(own, 'unavailable', 3)
  expect([health.isOpen(shared), health.isOpen(own)]).toEqual([true, true])
  expect(health.isOpen({ ...own, owner: 'p' })).toBe(false)
  expect(health.of(own).error).toBe(sentence('model.imagen'))
  expect(health.of(shared).error).toBe(
    "openai refuses this installation's API key or the model's name. Please contact support.",
  )
})
