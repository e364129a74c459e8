import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnspaced, listWords, WORD_CHARACTERS_MAX, type Word, wordsIn } from './words.ts'

/** The definition of a word as one regular expression over the whole text. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv
const normal = (word: string): string =>
  word
    .slice(0, WORD_CHARACTERS_MAX)
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .slice(0, WORD_CHARACTERS_MAX)
    .toWellFormed()

const modelOf = (given: string): Word[] =>
  [...given.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: normal(word),
    start: index,
    end: index + word.length,
  }))

const SAMPLES = [
  ...[
    'Plain words, of ASCII 42',
    'Größe „Übung“—naïve',
    'cafe\u0301 ñandú',
    'Быстрая ЛИСА',
    'ΟΔΥΣΣΕΎΣ',
    'ﬁne ﬀ ① Ⅳ',
  ],
  ...[
    '東京の天気。',
    'コンピューター',
    'ภาษาไทย',
    'ພາສາລາວ',
    'ភាសាខ្មែរ',
    'မြန်မာ',
    '한국어 단어',
    'हिन्दी में',
    'தமிழ்',
  ],
  ...[
    'العربية، كلمة',
    'עברית',
    'Հայերեն և',
    '😀👍🏽',
    '𝒳𝓎𝔷 𐐀',
    '\ud800 \udc00x',
    'ﷺ',
    'İstanbul',
    '\u0301a',
    '\u200b',
  ],
]
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SAMPLES),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('\ud800', '\udfff', 'a', 'é', ' '), maxLength: 6 }),
      fc.constantFrom('a', 'Я', '漢').map((sign) => sign.repeat(250)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

test('words match the pattern at any position and in every script', () => {
  fc.assert(
    fc.property(text, (given) => {
      const words = modelOf(given)
      expect([...wordsIn(given)]).toEqual(words)
      expect(listWords(given)).toEqual(words.map(({ word }) => word))
    }),
    { numRuns: 1_000 },
  )
})

const joined = (given: string): string =>
  modelOf(given)
    .map(({ word }) => word)
    .join(' ')

test('every letter, alone and after another, is normalized', () => {
  for (let code = 0; code < 0x10000; code++) {
    const sign = String.fromCharCode(code)
    for (const given of [sign, `a${sign}`, `и${sign}`, `か${sign}`])
      if (listWords(given).join(' ') !== joined(given)) expect.soft(listWords(given)).toEqual(modelOf(given))
  }
})

test('a word never exceeds its limit, even if its normal form does', () => {
  expect(listWords('ﷺ'.repeat(90))[0]).toHaveLength(WORD_CHARACTERS_MAX)
  expect(listWords('a'.repeat(1_000))).toEqual(['a'.repeat(WORD_CHARACTERS_MAX)])
})

test('characters of unspaced scripts are distinguished from letters', () => {
  expect(['漢', 'か', 'カ', 'ก', 'ມ', 'ខ', 'မ'].every(isUnspaced)).toBe(true)
  expect(['a', 'é', 'Я', '한', 'א', 'க', '1', '٣'].some(isUnspaced)).toBe(false)
})
