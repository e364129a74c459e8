import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connectDatabase } from '#database/connect.ts'
import { createBm25, ndcgAt10, stem as porter } from '#tests/support/bm25.ts'
import { readCollection } from '#tests/support/retrieval.ts'
import { createDatabase } from '#tests/support/server.ts'
import { scoreChunks } from './bm25.ts'
import { parseQuery } from './parse-query.ts'
import { SegmentBuilder } from './postings.ts'
import { createStemmer, type Stem } from './stems.ts'
import { listWords } from './words.ts'

const same: Stem = (word) => word

interface Index {
  /** Postings in each segment, keyed by term. */
  postings: Map<string, Buffer[]>
  chunks: number
  averageLength: number
}

function createIndex(texts: Map<number, string>, stem: Stem, segments = 1): Index {
  const numbers = [...texts.keys()].sort((a, b) => a - b)
  const size = Math.max(1, Math.ceil(numbers.length / segments))
  const postings = new Map<string, Buffer[]>()
  let words = 0
  for (let at = 0; at < numbers.length; at += size) {
    const builder = new SegmentBuilder()
    for (const number of numbers.slice(at, at + size))
      words += builder.add(number, listWords(texts.get(number) ?? ''), { stem, variant: () => null })
    for (const entry of builder.entries())
      postings.set(entry.term, [...(postings.get(entry.term) ?? []), entry.postings])
  }
  return { postings, chunks: texts.size, averageLength: words / Math.max(1, texts.size) }
}

function search(index: Index, query: string, stem: Stem) {
  const terms = [...parseQuery(query).words].flatMap(([word, times]) => {
    const term = stem(word)
    return term === null ? [] : [{ postings: index.postings.get(term) ?? [], times }]
  })
  return scoreChunks(terms, index)
}

/** Scores chunks with the BM25 formula directly, word by word. */
function naive(texts: Map<number, string>, groups: string[][]): Map<number, number> {
  const all = [...texts].map(([number, text]) => ({
    number,
    words: text.split(' ').filter((word) => word !== ''),
  }))
  const average = Math.max(1, all.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, all.length))
  const count = (words: string[], group: string[]): number =>
    words.filter((word) => group.includes(word)).length
  return new Map(
    all.map(({ number, words }) => {
      const scores = groups.map((group) => {
        const holders = all.filter((other) => count(other.words, group) > 0).length
        const idf = Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5))
        const frequency = count(words, group)
        return (idf * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * words.length) / average))
      })
      return [number, scores.reduce((sum, score) => sum + score, 0)]
    }),
  )
}

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const texts = fc
  .tuple(
    fc.array(
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
      { maxLength: 25 },
    ),
    // Chunk numbers that are dense, spread out, or too far apart for a dense array.
    fc.constantFrom(1, 7, 1_000, 100_000_000),
  )
  .map(([list, step]) => new Map(list.map((text, at) => [(at + 1) * step, text])))

test('scores follow the formula for any number of segments', () => {
  fc.assert(
    fc.property(
      texts,
      fc.array(word, { maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      (given, query, segments) => {
        const scores = search(createIndex(given, same, segments), query.join(' '), same)
        const expected = naive(
          given,
          query.map((one) => [one]),
        )
        for (const [number, score] of expected) expect(scores.of(number)).toBeCloseTo(score, 9)
        expect(scores.of(999_999)).toBe(0)
      },
    ),
  )
})

test('a term with several stems or expansions counts as one', () => {
  fc.assert(
    fc.property(texts, fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), (given, group) => {
      const index = createIndex(given, same, 2)
      const postings = group.flatMap((term) => index.postings.get(term) ?? [])
      const scores = scoreChunks([{ postings, times: 1 }], index)
      for (const [number, score] of naive(given, [group])) expect(scores.of(number)).toBeCloseTo(score, 9)
    }),
  )
})

test('the best hits are the first of the sorted hits', () => {
  fc.assert(
    fc.property(texts, fc.array(word, { maxLength: 4 }), fc.nat(30), (given, query, count) => {
      const scores = search(createIndex(given, same), query.join(' '), same)
      const sorted = [...given.keys()]
        .map((number) => ({ number, score: scores.of(number) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || a.number - b.number)
      const best = scores.best(count).map(({ number, score }) => ({ number, score }))
      expect(best).toEqual(sorted.slice(0, count))
    }),
  )
})

test('the ceiling is the score of all terms once at average length', () => {
  const index = createIndex(
    new Map([
      [1, 'a b'],
      [2, 'c d'],
      [3, 'a c'],
    ]),
    same,
  )
  const scores = search(index, 'a b', same)
  expect(scores.of(1)).toBeCloseTo(scores.ceiling, 9)
  expect(scores.of(3) / scores.ceiling).toBeLessThan(0.5)
  // A term that no chunk contains raises the ceiling, so scores become a smaller share of the ceiling.
  const more = search(index, 'a b nowhere', same)
  expect(more.ceiling - scores.ceiling).toBeCloseTo(Math.log(1 + 3.5 / 0.5), 9)
})

test('a term counts for the coverage by the number of chunks that contain it, and not at all without any', () => {
  const index = createIndex(
    new Map([
      [1, 'a'],
      [2, 'a b'],
      [3, 'a c'],
    ]),
    same,
  )
  const coverages = (query: string): [number, number][] =>
    search(index, query, same)
      .best(3)
      .map(({ number, coverage }) => [number, coverage])
  for (const query of ['a', 'a nowhere', 'more words in no chunk than a'])
    expect(coverages(query)).toEqual([1, 2, 3].map((number) => [number, 1]))
  expect(coverages('a b')).toEqual([2, 1, 3].map((number) => [number, number === 2 ? 1 : 0.75]))
})

test('deleted chunks never make the idf negative, and an empty knowledge base has no hits', () => {
  const index = createIndex(
    new Map([
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
    ]),
    same,
  )
  expect(search({ ...index, chunks: 1 }, 'a', same).best(5)).toHaveLength(3)
  const empty = search({ postings: new Map(), chunks: 0, averageLength: 0 }, 'a b', same)
  expect([empty.best(5), empty.of(1)]).toEqual([[], 0])
  expect(scoreChunks([], index)).toMatchObject({ ceiling: 0 })
})

describe('a collection with known answers', () => {
  const { passages, questions } = readCollection()
  const contents = passages.map(({ text }) => text)
  const texts = new Map(contents.map((text, at) => [at + 1, text]))
  const oracle = createBm25(contents)
  const quality = (scoresOf: (question: string) => number[]): number =>
    questions.reduce((sum, { question, places }) => sum + ndcgAt10(scoresOf(question), places), 0) /
    questions.length
  const scoresBy =
    (index: Index, stem: Stem) =>
    (question: string): number[] => {
      const scores = search(index, question, stem)
      return contents.map((_, at) => scores.of(at + 1))
    }

  test('has the scores of the reference search with its stems', () => {
    const isStopWord = (given: string): boolean => createBm25([given])(given)[0] === 0
    const known = new Map<string, string | null>()
    const stem: Stem = (given) => {
      if (!known.has(given)) known.set(given, isStopWord(given) ? null : porter(given))
      return known.get(given) ?? null
    }
    // The textbook search doesn't recognize words with non-ASCII characters, such as Chinese.
    const plain = contents.filter((text) => /^[\0-\x7f]*$/.test(text))
    const index = createIndex(new Map(plain.map((text, at) => [at + 1, text])), stem, 3)
    const expectedOf = createBm25(plain)
    expect(plain.length).toBeGreaterThan(contents.length / 2)
    for (const { question } of questions) {
      const scores = search(index, question, stem)
      for (const [at, score] of expectedOf(question).entries())
        expect(scores.of(at + 1)).toBeCloseTo(score, 9)
    }
  })

  test('has as good a ranking with the stems of the database', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-bm25-'))
    const made = await createDatabase()
    const database = await connectDatabase({ databaseUrl: made?.url ?? null, dataDir })
    try {
      const words = [...contents, ...questions.map(({ question }) => question)].flatMap(listWords)
      const stem = await createStemmer(database.sql).stems(words, 'english')
      const found = quality(scoresBy(createIndex(texts, stem, 3), stem))
      expect(found).toBeGreaterThan(quality(oracle) - 0.01)
    } finally {
      await database.close()
      await made?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
