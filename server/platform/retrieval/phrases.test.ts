import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPhrase, countPrefix, toPhrase } from './phrases.ts'
import { listWords } from './words.ts'

const stem = (word: string): string | null => (['the', 'of'].includes(word) ? null : word.replace(/s$/, ''))
const phrase = (text: string): string[] => toPhrase(listWords(text), stem)

test('a phrase matches its words in any form, and stop words exactly', () => {
  const content = phrase('The arts of war, the art of wars; art in war')
  expect(countPhrase(content, phrase('art of war'))).toBe(2)
  expect(countPhrase(content, phrase('the art of war'))).toBe(2)
  expect(countPhrase(content, phrase('art war'))).toBe(0)
  expect(countPhrase(content, phrase('of the'))).toBe(0)
  expect(countPhrase(content, [])).toBe(0)
  expect(countPhrase(phrase('東京都の東京'), phrase('東京'))).toBe(2)
})

test('every occurrence is counted', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  fc.assert(
    fc.property(
      words,
      fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }),
      (content, wanted) => {
        const places = content.filter(
          (_, at) => content.slice(at, at + wanted.length).join() === wanted.join(),
        )
        expect(countPhrase(content, wanted)).toBe(places.length)
      },
    ),
  )
})

test('a prefix matches all words that start with it', () => {
  expect(countPrefix(listWords('Planning plans: plan a plane, unplanned'), 'plan')).toBe(4)
})
