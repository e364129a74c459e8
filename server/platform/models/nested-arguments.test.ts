import { expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import { decodeNested } from './nested-arguments.ts'

/** Tests arguments of tools in which lists and objects are encoded as strings. */

const STEPS = { type: 'array', items: { type: 'object', properties: { tags: { type: 'array' } } } }

test.each<[object, unknown, unknown]>([
  [{ type: 'array' }, '["a", "b"]', ['a', 'b']],
  [{ type: 'array' }, '\n [ ]', []],
  [{ type: 'object' }, '{"a": 1}', { a: 1 }],
  [{ type: ['array', 'null'] }, '[1]', [1]],
  [{ anyOf: [{ type: 'array' }, { type: 'null' }] }, '[1]', [1]],
  [{ oneOf: [{ type: 'object' }, { type: 'array' }] }, '{"a":1}', { a: 1 }],
  [STEPS, '[{"step":"one","tags":"[1]"}]', [{ step: 'one', tags: [1] }]],
  [STEPS, ['{"step":"one"}'], [{ step: 'one' }]],
  [
    { type: 'object', properties: { list: { type: 'array' } } },
    { list: '[1]', text: '[1]' },
    { list: [1], text: '[1]' },
  ],
])('a value of %j that is %j is read', (schema, given, expected) => {
  expect(decodeNested({ value: given }, { type: 'object', properties: { value: schema } })).toEqual({
    value: expected,
  })
})

test.each<[object, unknown]>([
  [{ type: 'string' }, '[1]'],
  [{ type: ['string', 'array'] }, '[1]'],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, '[1]'],
  [{ anyOf: [{ type: 'array' }, {}] }, '[1]'],
  [{}, '[1]'],
  [{ $ref: '#/$defs/a' }, '[1]'],
  [{ enum: ['[1]'] }, '[1]'],
  [{ type: 'integer' }, '[1]'],
  [{ type: 'array' }, '{"a":1}'],
  [{ type: 'object' }, '[1]'],
  [{ type: 'array' }, '[1'],
  [{ type: 'array' }, 'a, b'],
  [{ type: 'array' }, '7'],
  [{ type: 'array' }, [1]],
  [{ type: 'array' }, null],
])('a value of %j that is %j stays', (schema, given) => {
  const input = { value: given, __proto__: null }
  expect(decodeNested(input, { type: 'object', properties: { value: schema } })).toEqual({ value: given })
})

test('large integers keep their digits, and unknown fields stay', () => {
  const id = { type: 'object', properties: {} }
  const schema = { type: 'object', properties: { ids: { type: 'array' }, id } }
  const input = parseExactJson('{"ids":"[1234567890123456789]","id":1234567890123456789}')
  expect(JSON.stringify(decodeNested(input as Record<string, unknown>, schema))).toBe(
    '{"ids":[1234567890123456789],"id":1234567890123456789}',
  )
})
