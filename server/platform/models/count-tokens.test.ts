import { readFileSync } from 'node:fs'
import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { countTokens } from './count-tokens.ts'

test('a long text has the tokens that it has, within a per cent', async () => {
  const text = readFileSync('tests/fixtures/book.txt', 'utf8')
  expect(Math.abs((await countTokens(text)) / count(text) - 1)).toBeLessThan(0.01)
})

test.each(['a', ' ', '.', '漢', '🦊'])('%j again and again is counted too', async (character) => {
  expect(await countTokens(character.repeat(400_000 / character.length))).toBeGreaterThan(1_000)
})

test('what is longer than what is counted is scaled', async () => {
  const [some, more] = [await countTokens('word '.repeat(80_000)), await countTokens('word '.repeat(160_000))]
  expect(Math.abs(more / some - 2)).toBeLessThan(0.01)
})
