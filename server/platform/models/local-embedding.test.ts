import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBm25, ndcgAt10, stem } from '#tests/support/bm25.ts'
import { readCollection } from '#tests/support/retrieval.ts'
import { embedLocally, LOCAL_DIMENSIONS } from './local-embedding.ts'

/** Tests the built-in embedding: properties of its vectors, and its retrieval quality compared with BM25. */

const embed = (texts: string[]) => embedLocally(texts, new AbortController().signal)
const similarity = async (one: string, other: string): Promise<number> => {
  const [a, b] = await embed([one, other])
  return product(a as Float32Array, b as Float32Array)
}
const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)

test('a vector does not depend on earlier texts', async () => {
  const words = (text: number): string =>
    Array.from({ length: 2_000 }, (_, at) => `apple w${text}x${at}`).join(' ')
  const texts = Array.from({ length: 30 }, (_, text) => words(text))
  const vectors = await embed(texts)
  expect((await embed(texts.toReversed())).toReversed()).toEqual(vectors)
})

test('every text with words has the same vector of length 1 each time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      const [vector, again] = await embed([text, text])
      expect(again).toEqual(vector)
      expect(vector).toHaveLength(LOCAL_DIMENSIONS)
      const length = Math.hypot(...(vector as Float32Array))
      if (/[\p{L}\p{M}\p{N}]/u.test(text.normalize('NFKC'))) expect(length).toBeCloseTo(1, 5)
      else expect(length).toBe(0)
    }),
  )
})

test('a word whose features cancel out still has a vector', async () => {
  const [vector] = await embed(['贻'])
  expect(Math.hypot(...(vector as Float32Array))).toBe(1)
})

test('vectors are the same on every machine', async () => {
  const [vector] = await embed(['A quick brown fox; 漢字 too.'])
  const largest = [...(vector as Float32Array).entries()].filter(([, value]) => Math.abs(value) > 0.22)
  expect(largest.map(([place, value]) => `${place}: ${value.toFixed(3)}`).join(', ')).toMatchInlineSnapshot(
    `"71: -0.293, 136: -0.293, 147: -0.293, 217: -0.293, 300: -0.293, 334: 0.293, 364: 0.293, 382: 0.293"`,
  )
})

test('case, composition and word forms make no difference, and a typo makes little', async () => {
  expect(await similarity('Café MÜNCHEN', 'cafe\u0301 mu\u0308nchen')).toBeCloseTo(1, 5)
  expect(await similarity('the invoices were signed', 'The invoice is signed.')).toBeGreaterThan(0.9)
  const misspelt = [
    ['authentication', 'authentification'],
    ['organization', 'organisation'],
    ['document retrieval', 'document retreival'],
    ['knowledge', 'knowlege'],
  ] as const
  for (const [one, other] of misspelt) expect(await similarity(one, other)).toBeGreaterThan(0.15)
  expect(await similarity('knowledge', 'winter tyres')).toBeLessThan(0.15)
})

test('languages without spaces are matched by character pairs', async () => {
  const near = await similarity('東京の天気', '明日の東京は晴れです')
  expect(near).toBeGreaterThan(0.1)
  expect(near).toBeGreaterThan(await similarity('東京の天気', '猫は眠い'))
})

test('embedding can be aborted', async () => {
  const texts = Array.from({ length: 2_000 }, (_, at) => `${at} `.repeat(2_000))
  const abort = new AbortController()
  const work = embedLocally(texts, abort.signal)
  setImmediate(() => abort.abort('stopped'))
  await expect(work).rejects.toBe('stopped')
})

describe('a collection with known answers', async () => {
  const { passages, questions } = readCollection()
  const texts = passages.map(({ text }) => text)
  const vectors = await embed(texts)
  const asked = await embed(questions.map(({ question }) => question))
  const bm25 = createBm25(texts)
  const byVectors = asked.map((query) => vectors.map((vector) => product(query, vector)))
  const byWords = questions.map(({ question }) => bm25(question))

  /**
   * Returns the mean nDCG of all questions, and of the held-out questions. Questions with odd indexes are held out:
   * they were not used for tuning.
   */
  const quality = (scores: number[][]): { all: number; heldOut: number } => {
    const each = questions.map(({ places }, at) => ndcgAt10(scores[at] ?? [], places))
    return { all: mean(each), heldOut: mean(each.filter((_, at) => at % 2 === 1)) }
  }

  test('contains all answers', () => {
    expect(questions.length).toBeGreaterThanOrEqual(60)
    for (const { places } of questions) expect(places.every((place) => texts[place] !== undefined)).toBe(true)
  })

  test('is searched by the reference implementation as published', () => {
    const words = [
      'caresses',
      'ponies',
      'relational',
      'hopping',
      'hopefulness',
      'generalizations',
      'sky',
      'agreed',
    ]
    expect(words.map(stem)).toEqual(['caress', 'poni', 'relat', 'hop', 'hope', 'gener', 'sky', 'agre'])
    expect(quality(byWords).all).toBeCloseTo(0.744, 2)
  })

  test('is searched by embeddings alone nearly as well', () => {
    const { all, heldOut } = quality(byVectors)
    expect(all).toBeGreaterThan(0.66)
    expect(heldOut).toBeGreaterThan(0.67)
  })

  test('is searched at least as well by both combined', () => {
    const both = byWords.map((scores, at) => {
      const others = shares(byVectors[at] ?? [])
      return shares(scores).map((score, place) => 0.8 * score + 0.2 * (others[place] ?? 0))
    })
    expect(quality(both).all).toBeGreaterThanOrEqual(quality(byWords).all)
    expect(quality(both).heldOut).toBeGreaterThanOrEqual(quality(byWords).heldOut)
  })
})

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Divides the scores by the highest score. */
const shares = (scores: number[]): number[] => scores.map((score) => score / (Math.max(...scores) || 1))
