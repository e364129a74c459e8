import { expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import { readResult } from './read-result.ts'

const texts = (...all: string[]) => all.map((text) => ({ type: 'text', text }))
const data = { items: [{ id: 'A' }, { id: 'B' }], count: 2 }

test.each<[string, string[], unknown]>([
  ['compact', [JSON.stringify(data)], data],
  ['with other blanks and line breaks', [`\n${JSON.stringify(data, null, 4)}  `], data],
  ['with other order of keys', ['{"count": 2, "items": [{"id": "A"}, {"id": "B"}]}'], data],
  ['with escaped letters', ['{"a":"\\u00e9\\/"}'], { a: 'é/' }],
  ['with other forms of numbers', ['{"a":1.0,"b":1e2}'], { a: 1, b: 100 }],
  ['of large integers', ['{"id": 1234567890123456789}'], parseExactJson('{"id":1234567890123456789}')],
  ['given twice', [JSON.stringify(data), JSON.stringify(data)], data],
  ['that is empty', ['{}'], {}],
  ['of a wrapped text', ['Hello'], { result: 'Hello' }],
  ['of a wrapped number', ['5'], { result: 5 }],
  ['of a wrapped list', ['[1,2]'], { result: [1, 2] }],
  ['of the items of a wrapped list', ['{"id":1}', '{"id":2}'], { result: [{ id: 1 }, { id: 2 }] }],
  ['beside blank text', ['  ', JSON.stringify(data), ''], data],
])('text that is the JSON of structured content, %s, is given once', (_name, text, structuredContent) => {
  const { output, error, raw } = readResult({ content: texts(...text), structuredContent })
  expect(JSON.stringify(output)).toBe(JSON.stringify(structuredContent))
  expect(error).toBeNull()
  expect(raw).toEqual({ content: texts(...text), structuredContent })
})

test.each<[string, string[], unknown, string[]]>([
  ['a summary', ['returned 2 items.'], data, ['returned 2 items.']],
  ['a summary beside the JSON', ['2 items:', JSON.stringify(data)], data, ['2 items:']],
  [
    'the JSON within a sentence',
    [`Result: ${JSON.stringify(data)}`],
    data,
    [`Result: ${JSON.stringify(data)}`],
  ],
  ['other JSON', ['{"count":3}'], data, ['{"count":3}']],
  ['a part of the JSON', ['{"count":2}'], data, ['{"count":2}']],
  ['another order of a list', ['[2,1]'], [1, 2], ['[2,1]']],
  ['a number as text', ['{"a":"1"}'], { a: 1 }, ['{"a":"1"}']],
  [
    'an integer that differs beyond 2^53',
    ['{"id":1234567890123456788}'],
    parseExactJson('{"id":1234567890123456789}'),
    ['{"id":1234567890123456788}'],
  ],
  ['text beside nothing', ['Done'], {}, ['Done']],
  ['a text that a larger object contains', ['Hello'], { result: 'Hello', more: 1 }, ['Hello']],
])('%s beside structured content is kept', (_name, text, structuredContent, kept) => {
  const { output } = readResult({ content: texts(...text), structuredContent })
  expect(output).toEqual({ structuredContent, content: texts(...kept) })
  expect(JSON.stringify(output)).toContain(JSON.stringify(structuredContent))
})

test('resources are kept beside text, and media are not', () => {
  const resource = { type: 'resource', resource: { uri: 'a:b', text: 'x' } }
  const content = [...texts('One'), { type: 'image', data: 'AAAA', mimeType: 'image/png' }, resource]
  expect(readResult({ content, structuredContent: data }).output).toEqual({
    structuredContent: data,
    content: [...texts('One'), resource],
  })
})

test.each<[string, object, string]>([
  ['text', { content: texts('No such city') }, 'No such city'],
  ['structured content', { content: [], structuredContent: { code: 7 } }, '{"code":7}'],
  ['both', { content: texts('Failed'), structuredContent: { code: 7 } }, 'Failed\n{"code":7}'],
  ['the same twice', { content: texts('{"code": 7}'), structuredContent: { code: 7 } }, '{"code": 7}'],
  [
    'an image, text and data',
    { content: [{ type: 'image', data: 'AAAA' }, ...texts('No')], structuredContent: { code: 7 } },
    '{"structuredContent":{"code":7},"content":[{"type":"text","text":"No"}]}',
  ],
  ['neither', { content: [] }, 'The tool failed without an error message.'],
  ['blank text', { content: texts(' ') }, 'The tool failed without an error message.'],
  ['blank text and data', { content: texts(' '), structuredContent: { code: 7 } }, '{"code":7}'],
])('a failure with %s', (_name, result, error) => {
  expect(readResult({ ...result, isError: true }).error).toBe(error)
})

test('a failure with long text and long data has both within 2,000 characters', () => {
  const structuredContent = { rows: 'y'.repeat(5_000) }
  const { error } = readResult({ content: texts('x'.repeat(5_000)), structuredContent, isError: true })
  expect(error).toHaveLength(2_000)
  expect(error).toContain('x\n{"rows":"y')
})
