import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LocalMemory } from './local-memory.ts'
import { bounded, type Exchange, MEMORY_SECONDS, type PlaygroundMode } from './memory.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ADA = { organizationId: 'o', userId: 'ada' }
const BOB = { organizationId: 'o', userId: 'bob' }

const exchange = (question: string, mode: PlaygroundMode = 'discovery'): Exchange => ({
  mode,
  question,
  askedAt: '2026-01-01T00:00:00.000Z',
  answer: 'a',
  answeredAt: '2026-01-01T00:00:00.000Z',
  calls: [],
})

const questionsOf = async (memory: LocalMemory, owner = ADA): Promise<string[]> =>
  (await memory.read(owner)).map(({ question }) => question)

test('memory keeps the last 30 exchanges in order, but at most 15 in direct mode', async () => {
  const memory = new LocalMemory()
  for (let count = 0; count < 40; count++) await memory.append(ADA, exchange(`${count}`))
  expect(await questionsOf(memory)).toEqual(Array.from({ length: 30 }, (_, index) => `${index + 10}`))
  for (let count = 0; count < 16; count++) await memory.append(ADA, exchange(`direct ${count}`, 'direct'))
  const expected = [
    ...Array.from({ length: 14 }, (_, index) => `${index + 26}`),
    ...Array.from({ length: 15 }, (_, index) => `direct ${index + 1}`),
  ]
  expect(await questionsOf(memory)).toEqual(expected)
})

test('memory expires 30 minutes after the last exchange', async () => {
  const memory = new LocalMemory()
  await memory.append(ADA, exchange('one'))
  vi.advanceTimersByTime((MEMORY_SECONDS - 1) * 1000)
  await memory.append(ADA, exchange('two'))
  vi.advanceTimersByTime((MEMORY_SECONDS - 1) * 1000)
  expect(await questionsOf(memory)).toEqual(['one', 'two'])
  vi.advanceTimersByTime(1000)
  expect(await questionsOf(memory)).toEqual([])
})

test('each user has their own memory per organization and clears only that one', async () => {
  const memory = new LocalMemory()
  await memory.append(ADA, exchange('ada'))
  await memory.append(BOB, exchange('bob'))
  await memory.append({ ...ADA, organizationId: 'other' }, exchange('elsewhere'))
  await memory.clear(ADA)
  expect(await questionsOf(memory)).toEqual([])
  expect(await questionsOf(memory, BOB)).toEqual(['bob'])
  expect(await questionsOf(memory, { ...ADA, organizationId: 'other' })).toEqual(['elsewhere'])
})

test('the least recently used memories are evicted when the total is too large', async () => {
  const memory = new LocalMemory(1_000)
  await memory.append(ADA, exchange('ada'))
  await memory.append(BOB, exchange('bob'))
  await memory.append(ADA, exchange('ada again'))
  await memory.append({ ...ADA, userId: 'carol' }, exchange('c'.repeat(500)))
  expect(await questionsOf(memory, BOB)).toEqual([])
  await memory.append(BOB, exchange('b'.repeat(2_000)))
  expect(await questionsOf(memory, BOB)).toEqual([])
  await memory.append(ADA, exchange('ada'))
  expect(await questionsOf(memory)).toEqual(['ada'])
})

test('truncation never splits a character', () => {
  const { question } = bounded(exchange('😀'.repeat(20_000)))
  expect(question.length).toBeLessThanOrEqual(20_000)
  expect(question.isWellFormed()).toBe(true)
  expect(question).toContain('too long to keep')
})
