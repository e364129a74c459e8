import { expect, test } from 'vitest'
import { acceptsCoding, prefersEvents } from './accept.ts'

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', false],
  ['application/json', false],
  ['text/event-stream', true],
  ['Text/Event-Stream; charset=utf-8', true],
  ['application/json, text/event-stream', true],
  ['application/json, text/event-stream;q=0.5', false],
  ['application/json;q=0.5, text/event-stream; q=0.8', true],
  ['text/event-stream;q=0', false],
  ['text/event-stream;q=x', false],
])('events are preferred if Accept ranks them at least as high as JSON: %j', (accept, expected) => {
  expect(prefersEvents(accept)).toBe(expected)
})

test.each([
  [undefined, false],
  ['*', false],
  ['gzip, deflate, br', true],
  ['gzip,br;q=0.1', true],
  ['BR', true],
  ['br;q=0', false],
  ['br; q=0.000, gzip', false],
  ['brotli', false],
])('Accept-Encoding %j is understood', (header, expected) => {
  expect(acceptsCoding('br', header)).toBe(expected)
})
