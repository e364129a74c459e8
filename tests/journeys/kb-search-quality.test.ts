import { afterAll, beforeAll, expect, test } from 'vitest'
import { embedLocally } from '#platform/models/local-embedding.ts'
import { measureRankings } from '#platform/retrieval/metrics.ts'
import { createBm25 } from '#tests/support/bm25.ts'
import type { Person } from '#tests/support/client.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { readCollection } from '#tests/support/retrieval.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { shelve } from '#tests/support/shelves.ts'

const { passages, questions } = readCollection()

let server: TestServer
let person: Person
let library: Librarian
let kb: string

interface Result {
  document_name: string
  chunk_id: string
  score: number
  explanation: { lexical: { rank: number } | null; dense: { rank: number; score: number } | null }
}

beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  kb = await library.create()
  const files = passages.map(({ text }, place) => ({ name: `${place}.md`, text }))
  await shelve(server.server.services.database.sql, person, kb, files)
})
afterAll(() => server.stop())

const search = async (query: string, more: object = {}) =>
  (await library.call('POST', 'search', { kb_id: kb }, { query, explain: true, ...more })).body

/**
 * Returns nDCG@10 for all questions and for each half of them. A search that was tuned to one half would score lower on
 * the other.
 */
const measure = (found: string[][]): number[] =>
  [() => true, (at: number) => at % 2 === 0, (at: number) => at % 2 === 1].map((isOf) => {
    const rankings = questions.map(({ places }, at) => ({
      found: found[at] ?? [],
      right: new Set(places.map(String)),
    }))
    return measureRankings(
      rankings.filter((_, at) => isOf(at)),
      10,
    ).ndcg
  })

test('with the built-in embedding, search is at least as good as a textbook BM25', async () => {
  const textbook = createBm25(passages.map(({ text }) => text))
  const byTextbook = questions.map(({ question }) => {
    const scores = textbook(question)
    const places = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
    return places.slice(0, 10).map(String)
  })
  const bySearch: string[][] = []
  for (const { question } of questions) {
    const { results } = await search(question, { limit: 10 })
    bySearch.push(results.map((result: Result) => result.document_name.replace('.md', '')))
  }
  const [all = 0, ...halves] = measure(bySearch)
  const [textbookAll = 0, ...textbookHalves] = measure(byTextbook)
  expect(all).toBeGreaterThanOrEqual(textbookAll)
  for (const [at, half] of halves.entries()) expect(half).toBeGreaterThan((textbookHalves[at] ?? 0) - 0.02)
})

test('the vectors found are the nearest of all', async () => {
  const { sql } = server.server.services.database
  const chunks = await sql<{ id: string; embedding: string }[]>`
    select id, embedding::text as embedding from kb_chunks join kb_vectors using (kb_id, number) where kb_id = ${kb}`
  const vectors = chunks.map(({ id, embedding }) => ({ id, vector: JSON.parse(embedding) as number[] }))
  const asked = questions.slice(0, 12).map(({ question }) => question)
  const embedded = await embedLocally(asked, new AbortController().signal)
  for (const [at, question] of asked.entries()) {
    const likeness = new Map(
      vectors.map(({ id, vector }) => [
        id,
        vector.reduce((sum, value, place) => sum + value * (embedded[at]?.[place] ?? 0), 0),
      ]),
    )
    const sorted = [...likeness.values()].sort((a, b) => b - a)
    const { results, receipt } = await search(question, { limit: 100 })
    const near = results.filter(({ explanation }: Result) => explanation.dense)
    expect(receipt.candidates.dense).toBeGreaterThan(50)
    for (const { chunk_id: id, explanation } of near as Result[]) {
      const rank = explanation.dense?.rank as number
      // Half-precision vectors may swap neighbors at almost equal distances.
      expect(Math.abs((likeness.get(id) ?? 0) - (sorted[rank - 1] ?? 0))).toBeLessThan(0.001)
    }
    const least = sorted[receipt.candidates.dense - 1] ?? 0
    for (const { chunk_id: id, explanation } of results as Result[])
      if (explanation.dense === null) expect(likeness.get(id)).toBeLessThan(least + 0.001)
  }
})

test('scores are between 0 and 1 and never ascend, for up to 100 results', async () => {
  for (const { question } of questions.slice(0, 20)) {
    const { results } = await search(question, { limit: 100 })
    const scores = results.map(({ score }: Result) => score)
    expect(scores.length).toBeGreaterThan(60)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    const fewer = await search(question, { limit: 3 })
    expect(fewer.results).toHaveLength(3)
    expect(new Set(results.map((result: Result) => result.chunk_id)).size).toBe(results.length)
  }
})

test('the threshold removes lower scores, and the receipt counts them', async () => {
  const { question } = questions[0] ?? { question: '' }
  const all = await search(question, { limit: 100 })
  const middle = all.results[Math.floor(all.results.length / 2)].score
  const some = await search(question, { limit: 100, score_threshold: middle })
  const good = all.results.filter(({ score }: Result) => score >= middle)
  // Scores have four digits, so one at the threshold may be on either side.
  expect(Math.abs(some.results.length - good.length)).toBeLessThanOrEqual(1)
  for (const { results, receipt } of [some, await search(question, { limit: 100, score_threshold: 0.9 })])
    expect(results.length + receipt.dropped.below_threshold + receipt.dropped.duplicates).toBe(
      receipt.candidates.fused,
    )
  expect((await search(question, { score_threshold: 1 })).results).toEqual([])
})

test('a passage has nearly the same score in a small knowledge base as in a large one', async () => {
  const { question, places } = questions[0] ?? { question: '', places: [] }
  const text = passages[places[0] ?? 0]?.text ?? ''
  const small = await library.create()
  const others = passages.slice(0, 9).map((passage, place) => ({ name: `o${place}.md`, text: passage.text }))
  await shelve(server.server.services.database.sql, person, small, [...others, { name: 'right.md', text }])
  const query = { query: question, limit: 10 }
  const [inSmall] = (await library.call('POST', 'search', { kb_id: small }, query)).body.results.filter(
    ({ content }: { content: string }) => content === text.trim(),
  )
  const [inLarge] = (await search(question, { limit: 10 })).results.filter(
    ({ document_name: name }: Result) => name === `${places[0]}.md`,
  )
  expect(Math.abs(inSmall.score - inLarge.score)).toBeLessThan(0.15)
})
