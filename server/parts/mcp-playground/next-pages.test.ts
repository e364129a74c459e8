import { expect, test } from 'vitest'
import type { Exchange } from './memory.ts'
import { type CalledTool, CalledTools, describeNextPages, findPage } from './next-pages.ts'

const NONE = { nextPageToken: null, resultSizeEstimate: null }

test.each([
  [
    { nextPageToken: 'a', resultSizeEstimate: 201 },
    { nextPageToken: 'a', resultSizeEstimate: 201 },
  ],
  ['{"nextPageToken":"a"}', { nextPageToken: 'a', resultSizeEstimate: null }],
  [{ data: { response: { nextPageToken: 'a' } } }, { nextPageToken: 'a', resultSizeEstimate: null }],
  [
    { resultSizeEstimate: 3, nextPageToken: '' },
    { nextPageToken: null, resultSizeEstimate: 3 },
  ],
  [{ nextPageToken: 7, resultSizeEstimate: '3' }, NONE],
  [{ nextPageToken: 'x'.repeat(5_000) }, NONE],
  [{ a: { b: { c: { d: { nextPageToken: 'too deep' } } } } }, NONE],
  [[{ nextPageToken: 'of one of many' }], NONE],
  ['no JSON', NONE],
  [null, NONE],
])('pagination is found in %j', (output, page) => {
  expect(findPage(output)).toEqual(page)
})

const called = (
  tool: string,
  nextPageToken: string | null,
  input: Record<string, unknown> = {},
): CalledTool => ({
  tool,
  input,
  nextPageToken,
  resultSizeEstimate: null,
})

const exchange = (...calls: CalledTool[]): Exchange => ({
  mode: 'direct',
  question: 'q',
  askedAt: '2026-01-01T00:00:00.000Z',
  answer: 'a',
  answeredAt: '2026-01-01T00:00:00.000Z',
  calls,
})

const pagesIn = (text: string): unknown[] =>
  [...text.matchAll(/<next_page>\n(.*)\n<\/next_page>/g)].map(([, json = '']) => JSON.parse(json))

test('the next pages of a tool come from its latest calls', () => {
  const exchanges = [
    exchange(called('mails', 'old'), called('files', 'f1')),
    exchange(called('mails', 'm1', { q: 'a' }), called('mails', 'm2', { q: 'b' })),
    exchange(called('clock', null)),
  ]
  expect(pagesIn(describeNextPages(exchanges, ['mails', 'files', 'clock']))).toEqual([
    called('mails', 'm1', { q: 'a' }),
    called('mails', 'm2', { q: 'b' }),
    called('files', 'f1'),
  ])
  expect(pagesIn(describeNextPages(exchanges, ['files']))).toEqual([called('files', 'f1')])
  expect(describeNextPages(exchanges, ['others'])).toBe('')
})

test('a page that was already fetched is not offered again', () => {
  const inOne = [exchange(called('mails', 'm1'), called('mails', 'm2', { pageToken: 'm1' }))]
  expect(pagesIn(describeNextPages(inOne, ['mails']))).toEqual([called('mails', 'm2', { pageToken: 'm1' })])
  const toTheEnd = [exchange(called('mails', 'm1')), exchange(called('mails', null, { pageToken: 'm1' }))]
  expect(describeNextPages(toTheEnd, ['mails'])).toBe('')
})

test('failed calls are not stored, and the number and length of stored calls are limited', () => {
  const tools = new CalledTools()
  const call = { id: '1', name: 'mails', input: { q: 'x'.repeat(5_000) } }
  tools.add(call, { successful: false, output: { nextPageToken: 'a' }, error: 'no' })
  expect(tools.stored).toEqual([])
  for (let count = 0; count < 30; count++)
    tools.add(call, { successful: true, output: { nextPageToken: 'a' }, error: null })
  expect(tools.stored).toHaveLength(16)
  expect(tools.stored[0]).toEqual(called('mails', 'a'))
})
