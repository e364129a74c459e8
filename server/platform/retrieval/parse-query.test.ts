import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  PAIRS_MAX,
  PHRASE_WORDS_MAX,
  PHRASES_MAX,
  PREFIXES_MAX,
  parseQuery,
  QUERY_WORDS_MAX,
} from './parse-query.ts'
import { listWords, WORD_CHARACTERS_MAX } from './words.ts'

const parsed = (text: string) => {
  const { words, ...rest } = parseQuery(text)
  return { words: [...words.keys()].join(' '), ...rest }
}

test('each occurrence of a word is counted', () => {
  expect([...parseQuery('Red wine, red CAR').words]).toEqual([
    ['red', 2],
    ['wine', 1],
    ['car', 1],
  ])
})

test.each([
  '"red wine"',
  '“red wine”',
  '„Red Wine“',
  '«red  wine»',
  '»red-wine«',
  '「red wine」',
  '『red wine』',
  '＂red wine＂',
])('%s is a phrase whose words also count as words', (quoted) => {
  const expected = { words: 'red wine buy', phrases: [['red', 'wine']], prefixes: [], pairs: [] }
  expect(parsed(`buy ${quoted} buy`)).toEqual(expected)
})

test.each([
  "don't can't",
  '‘red wine’',
  'red "wine',
  'red“ wine',
  '5" pipe and 6" pipe',
  '"wine"',
  '""',
  '" "',
  "'red wine'",
])('%s contains no phrase', (text) => {
  expect(parsed(text)).toMatchObject({ words: [...new Set(listWords(text))].join(' '), phrases: [] })
})

test('a star after a word makes it a prefix instead of a word', () => {
  expect(parsed('find Plan* and (über*), auto-config*')).toEqual({
    words: 'find and auto',
    phrases: [],
    prefixes: ['plan', 'über', 'config'],
    pairs: [],
  })
})

test.each(['2*3', '**bold**', '*emphasis*', 'select count(*)', 'a * b', 'a*', '漢字*', 'x**', '"big plan*"'])(
  '%s contains no prefix',
  (text) => {
    expect(parsed(text)).toMatchObject({ prefixes: [], words: [...new Set(listWords(text))].join(' ') })
  },
)

test('characters of unspaced scripts are words, and neighbours are pairs', () => {
  expect(parsed('東京都 tower 塔')).toEqual({
    words: '東 京 都 tower 塔',
    phrases: [],
    prefixes: [],
    pairs: [
      ['東', '京'],
      ['京', '都'],
    ],
  })
  expect(parsed('私の「東京都」')).toMatchObject({ phrases: [['東', '京', '都']], pairs: [['私', 'の']] })
})

test('any query stays within the limits, and every word occurs in the text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      '“',
      '”',
      '„',
      '«',
      '»',
      '「',
      '」',
      '*',
      ' ',
      "'",
      '漢',
      '字',
      'word',
      'ab* ',
      '"x y" ',
    ),
    fc.string({ unit: 'binary', maxLength: 10 }),
  )
  const text = fc.array(piece, { maxLength: 300, size: 'max' }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (given) => {
      const { words, phrases, prefixes, pairs } = parseQuery(given)
      const all = new Set(listWords(given))
      expect(words.size).toBeLessThanOrEqual(QUERY_WORDS_MAX)
      expect(phrases.length).toBeLessThanOrEqual(PHRASES_MAX)
      expect(prefixes.length).toBeLessThanOrEqual(PREFIXES_MAX)
      expect(pairs.length).toBeLessThanOrEqual(PAIRS_MAX)
      for (const phrase of phrases) {
        expect(phrase.length).toBeGreaterThan(1)
        expect(phrase.length).toBeLessThanOrEqual(PHRASE_WORDS_MAX)
      }
      const named = [...words.keys(), ...phrases.flat(), ...prefixes, ...pairs.flat()]
      expect(named.filter((word) => !all.has(word) || word.length > WORD_CHARACTERS_MAX)).toEqual([])
      if (all.size <= QUERY_WORDS_MAX && prefixes.length < PREFIXES_MAX)
        expect([...all].filter((word) => !words.has(word) && !prefixes.includes(word))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('a long query is read up to the limits', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ')
  expect(parseQuery(many).words.size).toBe(QUERY_WORDS_MAX)
  expect(parseQuery(`"${many.slice(0, 5_000)}"`).phrases[0]).toHaveLength(PHRASE_WORDS_MAX)
  expect(parseQuery('"a b" '.repeat(5_000)).phrases).toHaveLength(PHRASES_MAX)
  expect(parseQuery('"'.repeat(1_000_000)).words.size).toBe(0)
})
