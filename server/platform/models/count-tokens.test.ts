import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { countTokens, loadTokenCounter } from './count-tokens.ts'

const tokensOf = await loadTokenCounter()
const exact = (text: string): number => count(text, { allowedSpecial: 'all' })
/**
 * Strings from which tests build their input. They contain every kind of boundary at which the encoding splits words.
 */
const WORDS =
  "a word Word HTTPServer don't we'LL ' . , / // <| <|endoftext|> 1 2345 ² ١٢ — “ é e\u0301 \u0301 ß ǅ ʰ 漢 字仮 ไทย русский ЯЗ 😀 𝒳"
const BLANKS = [' ', '  ', '\t', '\n', '\r\n', '\u00a0', '\u3000']
const signs = fc.constantFrom(...WORDS.split(' '), ...BLANKS, '\ud83d', '\udc00', '\0')

test('token counts equal the counts of the tokenizer', () => {
  fc.assert(
    fc.property(fc.string({ unit: signs, maxLength: 30 }), (text) => {
      const hasLongRun = /[\p{L}\p{M}]{33}|[^\s\p{L}\p{N}]{33}|\s{33}/u.test(text)
      if (!hasLongRun) expect(tokensOf(text)).toBe(exact(text))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [['x'.repeat(32), 'x']],
  [['a ', 'é'.repeat(32), 'é'.repeat(8), '.']],
  [['1', '.'.repeat(32), '.'.repeat(32), '.', '1']],
  [['aB'.repeat(16), 'aB'.repeat(4), '  ', '-'.repeat(32), '--']],
])('a long run is counted in pieces: %j', (pieces) => {
  expect(tokensOf(pieces.join(''))).toBe(pieces.reduce((sum, piece) => sum + exact(piece), 0))
})

test('the count of a long text is exact within 1 %', async () => {
  const text = readFileSync('tests/fixtures/book.txt', 'utf8')
  expect(Math.abs((await countTokens(text)) / count(text) - 1)).toBeLessThan(0.01)
})

test.each(['a', ' ', '.', '漢', '🦊'])('repetitions of %j are counted quickly', async (character) => {
  expect(await countTokens(character.repeat(400_000 / character.length))).toBeGreaterThan(1_000)
})

test('the count of a very long text is extrapolated', async () => {
  const [some, more] = [await countTokens('word '.repeat(80_000)), await countTokens('word '.repeat(160_000))]
  expect(Math.abs(more / some - 2)).toBeLessThan(0.01)
})
