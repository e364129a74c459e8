import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnspaced, listWords, WORD_CHARACTERS_MAX, type Word, wordsIn } from './words.ts'

/** The definition of a word as one regular expression over the whole text. */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u180b-\\u180f\\u200d-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\u{e0000}-\\u{e01ef}'
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED}${INVISIBLE}]]`
const EMOJI =
  '[[\\p{Emoji_Presentation}[\\p{Extended_Pictographic}&&[\\u2600-\\u27bf\\u{1f000}-\\u{1ffff}]]]--[\\p{RI}\\p{EMod}]]'
const WORD = new RegExp(
  `[${UNSPACED}][\\p{M}\\uff9e\\uff9f${INVISIBLE}]*|${LETTER}+(?:[${INVISIBLE}]+${LETTER}+)*|\\p{RI}{2}|${EMOJI}[\\p{EMod}\\ufe0e\\ufe0f]*`,
  'gv',
)
const cut = (word: string): string => word.slice(0, WORD_CHARACTERS_MAX).toWellFormed()
const normal = (word: string): string =>
  cut(
    cut(
      word
        .slice(0, 4 * WORD_CHARACTERS_MAX)
        .replace(new RegExp(`[${INVISIBLE}\\u200b\\u200c\\p{EMod}]`, 'gv'), ''),
    )
      .normalize('NFKC')
      .toLowerCase(),
  )

const modelOf = (given: string): Word[] =>
  [...given.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: normal(word),
    start: index,
    end: index + word.length,
    isJoined: false,
  }))
/** The words of a text without those that are joined from others, which have tests of their own. */
const separate = (given: string): Word[] => [...wordsIn(given)].filter(({ isJoined }) => !isJoined)

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
    'Rück\u00ader\u00adstattung',
    'ｶﾞｲﾄﾞ',
    '👩🏽‍💻 🇩🇪🇫🇷 1️⃣ ❤️ ☎ ©',
    'a\u2060b\ufe0f',
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
      const words = [...wordsIn(given)]
      expect(separate(given)).toEqual(modelOf(given))
      expect(listWords(given)).toEqual(words.map(({ word }) => word))
    }),
    { numRuns: 1_000 },
  )
})

const inModel = (given: string): string =>
  modelOf(given)
    .map(({ word }) => word)
    .join(' ')

test('every letter, alone and after another, is normalized', () => {
  for (let code = 0; code < 0x10000; code++) {
    const sign = String.fromCharCode(code)
    for (const given of [sign, `a${sign}`, `и${sign}`, `か${sign}`])
      if (listWords(given).join(' ') !== inModel(given)) expect.soft(listWords(given)).toEqual(inModel(given))
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

test.each([
  ['می\u200cخواهم', ['می', 'خواهم', 'میخواهم']],
  ['a\u200bb\u200cc d', ['a', 'b', 'c', 'abc', 'd']],
  ['\u200ba\u200b \u200cb\u200c', ['a', 'b']],
  ['a\u200b\u200b\u2060b', ['a', 'b', 'ab']],
  ['東\u200b京', ['東', '京']],
  ['a\u200b.b', ['a', 'b']],
])(
  '%j has the words %j: those separated only by characters without width count as one, too',
  (given, words) => {
    expect(listWords(given)).toEqual(words)
    for (const { word, start, end, isJoined } of wordsIn(given))
      if (isJoined) expect(given.slice(start, end).replace(/[\u200b\u200c\u2060]/g, '')).toBe(word)
  },
)
