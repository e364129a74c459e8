import { describe, expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import { adapted, type Json, object, sets, text, whole, withB } from '#tests/support/mcp/tool-schemas.ts'
import { PropertyNames } from './property-names.ts'

describe('property names', () => {
  test('that providers refuse are replaced, and restored for the server', () => {
    const { schema, toServer } = adapted(
      object(
        { $filter: text, '@type': text, 'filter[id]': text, plain: text },
        { required: ['$filter', 'plain'] },
      ),
    )
    expect(Object.keys(schema['properties'] as Json)).toEqual(['filter', 'type', 'filter_id', 'plain'])
    expect(schema['required']).toEqual(['filter', 'plain'])
    expect(toServer({ filter: 'a', type: 'b', filter_id: 'c', plain: 'd', other: 'e' })).toEqual({
      ...{ $filter: 'a', '@type': 'b', 'filter[id]': 'c', plain: 'd', other: 'e' },
    })
    expect(toServer({ $filter: 'a' })).toEqual({ $filter: 'a' })
  })

  test('are unique', () => {
    const own = [
      'a b',
      'a-b',
      'a.b',
      'a_b',
      'a_b_2',
      '',
      ' ',
      '日本',
      '1a',
      `${'x'.repeat(70)}1`,
      `${'x'.repeat(70)}2`,
    ]
    const { schema, toServer } = adapted(object(Object.fromEntries(own.map((name) => [name, text]))))
    const names = Object.keys(schema['properties'] as Json)
    expect(new Set(names).size).toBe(own.length)
    expect(names).toEqual(expect.arrayContaining(['a_b', 'a_b_2']))
    expect(Object.keys(toServer(Object.fromEntries(names.map((name) => [name, 1]))))).toEqual(own)
  })

  test('are restored at every level, but not in objects whose properties are not described', () => {
    const inner = object({ $in: text }, { required: ['$in'] })
    const { toServer } = adapted(
      object({
        $list: { type: 'array', items: { anyOf: [inner, text] } },
        map: { type: 'object', additionalProperties: true },
        both: { oneOf: [object({ $one: inner }), object({ two: text })] },
      }),
    )
    const given = { list: [{ in: 'a' }, 'b'], map: { in: 1, list: 2 }, both: { one: { in: 'c' } } }
    expect(toServer(given)).toEqual({
      ...{ $list: [{ $in: 'a' }, 'b'], map: { in: 1, list: 2 }, both: { $one: { $in: 'c' } } },
    })
  })

  test('of a root that is folded are restored, and named in the remark', () => {
    const { schema, toServer } = adapted({ anyOf: [object({ $a: text }, { required: ['$a'] }), withB] })
    expect(schema['description']).toBe(sets('a', 'b'))
    expect(toServer({ a: 'x' })).toEqual({ $a: 'x' })
  })

  test('that are hostile change nothing else', () => {
    const given = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"integer"}},"required":["__proto__","hasOwnProperty"],"__proto__":{"type":"string"}}',
    )
    const { schema, toServer } = adapted(given)
    const names = Object.keys(schema['properties'] as Json)
    expect(names).toEqual(['proto', 'constructor', 'toString'])
    expect(schema['required']).toEqual(['proto'])
    const input = toServer({ proto: 'x', constructor: 'y' })
    expect(Object.keys(input)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  })

  test('that are restored keep the digits of numbers', () => {
    const { toServer } = adapted(object({ $id: whole }))
    const input = parseExactJson('{"id":1234567890123456789,"list":[12345678901234567890]}') as Json
    expect(JSON.stringify(toServer(input))).toBe('{"$id":1234567890123456789,"list":[12345678901234567890]}')
  })
})

test('many names of one base are numbered, each with its own number', () => {
  const own = Array.from({ length: 12_000 }, (_, index) => String.fromCodePoint(0x4e00 + index))
  const names = new PropertyNames(new Set(own))
  const given = own.map((name) => names.nameOf(name))
  expect(new Set(given).size).toBe(own.length)
  expect(given.at(-1)).toMatch(/_12000$/)
  expect(names.nameOf(own[0] ?? '')).toBe(given[0])
})
