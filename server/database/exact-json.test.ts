import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isExactNumber, parseExactJson } from './exact-json.ts'

const repeated = (text: string) => JSON.stringify(parseExactJson(text))

test.each([
  '1234567890123456789',
  '-9007199254740993',
  '9007199254740992',
  '18446744073709551616',
  '1000000000000000000000',
  '0.1234567890123456789',
  '12345678901234567.5',
  '3.14159265358979323846',
  '1e400',
  '-1E-400',
])('%s keeps its digits', (text) => {
  expect(isExactNumber(parseExactJson(text))).toBe(true)
  for (const inside of [text, `[${text}]`, `{"a":{"b":[1,${text},"x"]}}`])
    expect(repeated(inside)).toBe(inside)
})

test.each([
  '0',
  '-1',
  '9007199254740991',
  '1.5',
  '0.1',
  '0.30000000000000004',
  '1e100',
  '5e-324',
  '1.7976931348623157e308',
  '100000000000.0000000',
  '0.00000000000000000',
])('%s stays a number', (text) => expect(parseExactJson(text)).toBe(Number(text)))

test.each(['1e10001', '-1E-99999', '1'.repeat(10_001), `0.${'1'.repeat(10_000)}`])(
  'a number that no database can store becomes text (%#)',
  (text) => expect(parseExactJson(`{"a":[${text}]}`)).toEqual({ a: [text] }),
)

test.each([
  '1e400',
  '[-1e400]',
  '{"a": 1e+400}',
  '{"a":\n12345678901234567}',
  '[0,1.5e-400]',
  '-9007199254740993',
])('a long number is found wherever it is (%s)', (text) =>
  expect(repeated(text)).toBe(text.replace(/\s/g, '')),
)

test('strings of digits are left alone, and a property named __proto__ too', () => {
  const text = '{"a":"1234567890123456789","__proto__":{"b":12345678901234567890},"":1}'
  expect(repeated(text)).toBe(text)
})

test('every value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const rounded = JSON.parse(repeated(text))
      expect(rounded).toEqual(JSON.parse(text))
    }),
  )
})

test('no JSON is a SyntaxError', () => {
  for (const text of ['{', '{"a":12345678901234567890', '01234567890123456789'])
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
})
