import { afterEach, expect, test, vi } from 'vitest'
import { AppError } from '#errors'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string, valuesMax = 100_000): unknown => parseJsonBody(Buffer.from(text), { valuesMax })

const refusalOf = (text: string, valuesMax?: number): string => {
  try {
    parse(text, valuesMax)
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  }
  throw new Error('nothing was refused')
}

afterEach(() => vi.restoreAllMocks())

test.each([
  ['[0,0,0]', 3],
  ['{"a":[1,2],"b":{}}', 4],
  ['[[],[],{}]', 3],
  ['["a,b[c{d","\\",,,"]', 2],
  ['["☃,☃"]', 1],
  ['[]', 0],
  ['"text"', 0],
])('%s has %d values', (text, values) => {
  expect(parse(text, values)).toEqual(JSON.parse(text))
  if (values > 0)
    expect(refusalOf(text, values - 1)).toBe(
      `request.too_many_values: The body has more than ${values - 1} values, counting list items and object fields at every level. Send fewer.`,
    )
})

test('a body with too many values is not parsed', () => {
  const parsing = vi.spyOn(JSON, 'parse')
  expect(refusalOf(`[${'0,'.repeat(100_000)}"\\ud83d\\ude00"]`)).toMatch(/^request.too_many_values/)
  expect(parsing).not.toHaveBeenCalled()
})

test('checking a valid body does not list its entries', () => {
  const text = `{"a":[${'0,'.repeat(50_000)}"\\ud83d\\ude00"]}`
  const entries = vi.spyOn(Object, 'entries')
  parse(text)
  expect(entries).not.toHaveBeenCalled()
})

test.each([
  ['{"a":[0,{"b":"\\ud83d"}]}', 'a.1.b must not contain an unpaired surrogate.'],
  ['{"a":{"x\\u0000":1}}', 'a key of a must not contain the NUL character.'],
  ['{"__proto__":{"a":1e999}}', '__proto__.a must be a number from -1.79e308 to 1.79e308.'],
  [`{"a":${'9'.repeat(400)}}`, 'a must be a number from -1.79e308 to 1.79e308.'],
  ['"\\u0000"', 'the body must not contain the NUL character.'],
])('%s is refused', (text, sentence) => {
  expect(refusalOf(text)).toBe(`request.invalid: ${sentence}`)
})
