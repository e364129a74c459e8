import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeJson } from './write-json.ts'

const MAX = 1_000_000

test('writes the same as JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(JSON.parse(writeJson(value, MAX)?.text ?? '')).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  const others = {
    a: undefined,
    b: [undefined, () => 1],
    c: new Date(0),
    d: Number.NaN,
    e: Object.create({ f: 1 }),
  }
  expect(writeJson(others, MAX)).toEqual({ text: JSON.stringify(others), isCut: false })
})

test('stops at the limit', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(40), (value, charactersMax) => {
      const whole = writeJson(value, MAX)?.text ?? ''
      const written = writeJson(value, charactersMax)
      expect(written).toEqual({ text: whole.slice(0, charactersMax), isCut: whole.length > charactersMax })
    }),
  )
})

test('reads no more than it writes', () => {
  let seen = 0
  const endless = new Proxy([] as unknown[], {
    get: (_list, name) => (name === 'length' ? 1e9 : name === 'toJSON' ? undefined : ++seen),
  })
  expect(writeJson(endless, 100)).toMatchObject({ isCut: true })
  expect(seen).toBeLessThan(100)
})

test('writes storable strings', () => {
  expect(writeJson({ '\0a': 'b\0\ud83d' }, MAX)?.text).toBe('{"\ufffda":"b\ufffd\ufffd"}')
})

test('returns null for values that are not JSON', () => {
  const circular: Record<string, unknown> = { text: 'a' }
  circular['self'] = [circular, circular]
  const hostile = {
    get x(): never {
      throw new Error('no')
    },
  }
  for (const value of [circular, hostile, undefined, () => 1, 1n, { a: 1n }, Symbol('a')])
    expect(writeJson(value, MAX)).toBeNull()
})
