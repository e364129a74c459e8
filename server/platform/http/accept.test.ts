import { expect, test } from 'vitest'
import { acceptsCoding, prefersEvents, qualityFor } from './accept.ts'

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

test.each([
  ['*/*', 1],
  ['*/*;q=0.3', 0.3],
  ['text/*', 0],
  ['application/*', 1],
  ['application/*;q=0, */*', 0],
  ['application/json;q=0, */*', 0],
  ['application/json;q=0.2, application/*;q=0.9', 0.2],
  ['Application/JSON; charset=utf-8', 1],
  ['text/html, application/xml', 0],
])('Accept %j gives JSON a weight of %d', (accept, expected) => {
  expect(qualityFor('application/json', accept)).toBe(expected)
})
