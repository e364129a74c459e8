import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TextBuffer } from './text-buffer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('text of 50 ms is delivered together, and the rest on flush', () => {
  const texts: string[] = []
  const buffer = new TextBuffer((text) => texts.push(text))
  for (let token = 0; token < 9; token += 1) {
    buffer.add(String(token))
    vi.advanceTimersByTime(10)
  }
  expect(texts).toEqual(['01234'])
  buffer.flush()
  buffer.flush()
  expect(texts).toEqual(['01234', '012345678'])
  vi.advanceTimersByTime(1_000)
  expect(texts).toHaveLength(2)
})

test('buffered text is dropped when the text is reset or the buffer is closed', () => {
  const texts: string[] = []
  const buffer = new TextBuffer((text) => texts.push(text))
  buffer.add('old')
  buffer.reset('new')
  buffer.add('er')
  buffer.close()
  vi.advanceTimersByTime(1_000)
  expect(texts).toEqual(['new'])
})
