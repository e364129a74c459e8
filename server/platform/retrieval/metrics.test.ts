import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ndcgAt10 as oracle } from '#tests/support/bm25.ts'
import { measureRankings, ndcgAt10, recallAt, reciprocalRank } from './metrics.ts'

const ranking = (found: string, right: string) => ({ found: [...found], right: new Set(right) })

test('recall is the share of relevant results that were found', () => {
  expect(recallAt(3, ranking('abcd', 'adx'))).toBeCloseTo(1 / 3)
  expect(recallAt(4, ranking('abcd', 'adx'))).toBeCloseTo(2 / 3)
  expect(recallAt(5, ranking('', 'a'))).toBe(0)
  expect(recallAt(5, ranking('aab', 'ab'))).toBe(1)
})

test('the reciprocal rank is that of the first relevant result', () => {
  expect(reciprocalRank(ranking('xya', 'ab'))).toBeCloseTo(1 / 3)
  expect(reciprocalRank(ranking('xy', 'a'))).toBe(0)
})

test('nDCG matches the reference formula', () => {
  expect(ndcgAt10(ranking('ab', 'ab'))).toBe(1)
  expect(ndcgAt10(ranking('xa', 'a'))).toBeCloseTo(1 / Math.log2(3))
  const places = fc.uniqueArray(fc.nat(29), { minLength: 1, maxLength: 15 })
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(29), { minLength: 30, maxLength: 30 }), places, (found, right) => {
      const scores = Array.from({ length: 30 }, (_, index) => -found.indexOf(index))
      expect(ndcgAt10({ found, right: new Set(right) })).toBeCloseTo(oracle(scores, right), 12)
    }),
  )
})

test('means cover all rankings, and a ranking needs a relevant result', () => {
  expect(measureRankings([ranking('a', 'a'), ranking('xxb', 'bc')], 1)).toMatchObject({
    recall: 0.5,
    reciprocalRank: 0.75,
  })
  expect(measureRankings([], 5)).toEqual({ recall: 0, ndcg: 0, reciprocalRank: 0 })
  expect(() => recallAt(5, ranking('a', ''))).toThrow(RangeError)
})
