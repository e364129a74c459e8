import { describe, expect, test } from 'vitest'
import { parseExactJson } from '#database/exact-json.ts'
import {
  adapted,
  type Json,
  object,
  one,
  propertiesOf,
  text,
  whole,
  withA,
} from '#tests/support/mcp/tool-schemas.ts'
import { adaptSchema } from './adapt.ts'

describe('a reference', () => {
  const node = object(
    { name: text, kids: { type: 'array', items: { $ref: '#/$defs/node' } } },
    { description: 'A node' },
  )
  const outline = { type: 'object', properties: {}, description: 'A node (additionalProperties: true)' }

  test.each<[string, Json, unknown]>([
    ['to a definition', { $defs: { 'a/b~c d': text } }, { $ref: '#/$defs/a~1b~0c%20d' }],
    ['to an anchor', { $defs: { x: { $anchor: 'x', ...text } } }, { $ref: '#x' }],
    [
      'to an id',
      { $defs: { x: { $id: 'https://example.org/x', ...text } } },
      { $ref: 'https://example.org/x' },
    ],
    [
      'to the own id with a pointer',
      { $id: 'https://example.org/r', $defs: { x: text } },
      { $ref: 'https://example.org/r#/$defs/x' },
    ],
    ['to an entry of a list', { $defs: { x: { anyOf: [whole, text] } } }, { $ref: '#/$defs/x/anyOf/1' }],
    ['to a reference', { $defs: { x: { $ref: '#/$defs/y' }, y: text } }, { $ref: '#/$defs/x' }],
    ['that is dynamic', { $defs: { x: { $dynamicAnchor: 'x', ...text } } }, { $dynamicRef: '#x' }],
  ])('%s is replaced', (_name, more, value) => {
    expect(propertiesOf({ ...one(value), ...more })['value']).toEqual(text)
  })

  test('has the keywords beside it', () => {
    const value = { $ref: '#/$defs/x', description: 'Mine' }
    expect(propertiesOf({ ...one(value), $defs: { x: text } })['value']).toEqual({
      ...text,
      description: 'Mine',
    })
  })

  test('to itself ends with an outline', () => {
    const { value } = propertiesOf({ ...one({ $ref: '#/$defs/node' }), $defs: { node } })
    expect(value).toEqual({ ...node, properties: { name: text, kids: { type: 'array', items: outline } } })
  })

  test.each<[string, Json]>([
    ['the root', object({ self: { $ref: '#' } })],
    [
      'a circle',
      { ...one({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    [
      'a circle of allOf',
      { ...one({ $ref: '#/$defs/a' }), $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } },
    ],
    [
      'a circle of anyOf',
      { ...one({ $ref: '#/$defs/a' }), $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, text] } } },
    ],
    ['a root in a circle', { $ref: '#' }],
    ['a root of alternatives in a circle', { anyOf: [{ $ref: '#' }, withA] }],
  ])('in %s ends', (_name, schema) => {
    expect(adapted(schema).schema).toMatchObject({ type: 'object' })
  })
})

test('large integers in a schema keep their digits', () => {
  const schema =
    '{"type":"integer","minimum":-9223372036854775808,"maximum":18446744073709551615,"default":1234567890123456789}'
  const { schema: written } = adapted(one(parseExactJson(schema)))
  expect(JSON.stringify(written)).toContain(schema.slice('{"type":"integer"'.length))
  const values = adapted(one(parseExactJson('{"enum":[1234567890123456789]}'))).schema
  expect(values).toMatchObject({
    properties: { value: { type: 'integer', description: '(enum: [1234567890123456789])' } },
  })
})

const deep = (levels: number, wrap: (inner: unknown) => unknown): unknown => {
  let schema: unknown = text
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

describe('a tool is left out if its schema', () => {
  test.each<[string, unknown]>([
    ['is false', false],
    ['is a text', 'object'],
    ['is a number', 5],
    ['is null', null],
    ['is missing', undefined],
    ['is a list', []],
    ['describes a text', text],
    ['describes a list', { type: 'array', items: text }],
    ['has only alternatives that are no objects', { anyOf: [text, whole] }],
    ['refers to a text', { $ref: '#/$defs/a', $defs: { a: text } }],
    ['lists values that are no objects', { enum: ['a', 'b'] }],
    ['is nested in 10,000 levels', deep(10_000, (inner) => object({ a: inner }))],
    ['is nested in 10,000 lists', deep(10_000, (inner) => ({ type: 'array', items: inner }))],
    [
      'has 100,000 properties',
      object(Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, text]))),
    ],
    ['has a description of 1 MB', object({ a: { ...text, description: 'x'.repeat(1024 * 1024) } })],
    ['has 100,000 values', one({ enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) })],
  ])('%s', (_name, schema) => {
    expect(adaptSchema(schema)).toEqual({ refused: expect.stringMatching(/^Its input schema .*\.$/) })
  })
})

describe('a schema whose references multiply', () => {
  const size = ({ schema }: { schema: Json }) => JSON.stringify(schema).length

  test('is described with fewer levels', () => {
    const definitions = Array.from({ length: 30 }, (_, level) => {
      const next = level < 29 ? { $ref: `#/$defs/d${level + 1}` } : text
      return [`d${level}`, object(Object.fromEntries('abcdef'.split('').map((name) => [name, next])))]
    })
    const tool = adapted({ ...one({ $ref: '#/$defs/d0' }), $defs: Object.fromEntries(definitions) })
    expect(size(tool)).toBeLessThan(256 * 1024)
    expect(tool.schema).toMatchObject({ properties: { value: { properties: { a: { type: 'object' } } } } })
  })

  test('is bounded for alternatives of alternatives', () => {
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`)
    const all = { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) }
    const $defs = Object.fromEntries(names.map((name) => [name, object({ [name]: all, [`$${name}`]: all })]))
    for (const schema of [
      { ...one(all), $defs },
      { ...all, $defs },
    ])
      expect(size(adapted(schema))).toBeLessThan(512 * 1024)
  })

  test('is bounded for long chains and wide lists', () => {
    const chain = Array.from({ length: 1_000 }, (_, index) => [
      `c${index}`,
      { $ref: `#/$defs/c${index + 1}` },
    ])
    expect(
      propertiesOf({ ...one({ $ref: '#/$defs/c0' }), $defs: { ...Object.fromEntries(chain), c1000: text } })[
        'value'
      ],
    ).toEqual(text)
    const wide = {
      allOf: Array.from({ length: 1_000 }, (_, index) => ({ properties: { [`p${index}`]: text } })),
    }
    expect(Object.keys(propertiesOf(wide))).toHaveLength(1_000)
  })

  test.each<[string, Json]>([
    [
      'properties',
      object(Object.fromEntries(Array.from({ length: 800 }, (_, index) => [`p${index}`, text]))),
    ],
    ['required names', { required: Array.from({ length: 4_000 }, (_, index) => `r${index}`) }],
    ['values', { enum: Array.from({ length: 4_000 }, (_, index) => `v${index}`) }],
    ['keywords', Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, 1]))],
    ['a long description', { type: 'object', description: 'x'.repeat(50_000) }],
    ['a long remark', { type: 'object', not: { description: 'x'.repeat(50_000) } }],
  ])('takes no more work if each of 64,000 alternatives has many %s', (_name, last) => {
    const fortyOf = (name: string) => ({
      oneOf: Array.from({ length: 40 }, () => ({ $ref: `#/$defs/${name}` })),
    })
    const $defs = { b: fortyOf('c'), c: fortyOf('d'), d: last }
    for (const schema of [
      { ...fortyOf('b'), $defs },
      { ...one(fortyOf('b')), $defs },
    ])
      expect(adaptSchema(schema)).toEqual(
        expect.toSatisfy((tool) => 'refused' in tool || JSON.stringify(tool.schema).length < 256 * 1024),
      )
  })
})
