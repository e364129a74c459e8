import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadTokenCounter } from '../models/count-tokens.ts'
import { createTokenSums } from './token-sums.ts'

const count = await loadTokenCounter()
/**
 * Strings from which tests build their input. They contain every kind of boundary at which the encoding splits words.
 */
const WORDS =
  "a Word HTTPServer don't 'LL ' . , / // < <| <|endoftext|> 1 2345 — “ é e\u0301 \u0301 ß 漢 字仮 ไทย ЯЗ 😀 \f | - #"
const BLANKS = [' ', '  ', '\t', '\n', '\n\n', '\r', '\u00a0', '\u3000', '\u2028', '\ufeff']
const LONG = ['x'.repeat(40), '-'.repeat(40), ' '.repeat(40), '\n'.repeat(40), '漢'.repeat(4_500)]
const sign = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...WORDS.split(' '), ...BLANKS, '\ud83d', '\udc00', '\0') },
  { weight: 20, arbitrary: fc.constantFrom(' word', ' and then', '.\nThe', ',\n/x', '\n  x') },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
)
const parts = (length: number) =>
  fc
    .array(fc.tuple(fc.nat(length), fc.nat(length)), { maxLength: 12 })
    .map((pairs) => pairs.map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) })))

test('the sum for a range equals the token count of the range', () => {
  fc.assert(
    fc.property(
      fc
        .array(sign, { maxLength: 120, size: 'max' })
        .map((signs) => signs.join(''))
        .chain((text) => fc.tuple(fc.constant(text), parts(text.length))),
      ([text, asked]) => {
        const sum = createTokenSums(text, count)
        for (const part of asked) expect(sum(part)).toBe(count(text.slice(part.start, part.end)))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('only the ends of a range are counted again', () => {
  const text = 'Some words that are in a line, and in the next one.\n'.repeat(1_000)
  let counted = 0
  const sum = createTokenSums(text, (part) => {
    counted += part.length
    return count(part)
  })
  for (let end = 100; end <= text.length; end += 100) expect(sum({ start: 0, end })).toBeGreaterThan(end / 5)
  expect(counted).toBeLessThan(text.length * 2)
})
