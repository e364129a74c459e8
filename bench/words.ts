import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase } from '../server/database/connect.ts'
import { type QueryTerm, scoreChunks } from '../server/platform/retrieval/bm25.ts'
import { languageOf } from '../server/platform/retrieval/languages.ts'
import { dropNearDuplicates } from '../server/platform/retrieval/near-duplicates.ts'
import { mergePostings, SegmentBuilder } from '../server/platform/retrieval/postings.ts'
import { createStemmer, type Stem } from '../server/platform/retrieval/stems.ts'
import { type Terms, termsOf } from '../server/platform/retrieval/terms.ts'
import { listWords } from '../server/platform/retrieval/words.ts'
import { findPostgres, startPostgres } from '../tests/support/postgres.ts'

/*
 * `node bench/words.ts`: measures full-text search without its tables:
 * - turning Markdown (from the installed packages) into postings, in CPU time of this process
 * - scoring 10,000 chunks for queries of 3 to 8 words
 * - dropping near-duplicates
 *
 * Uses the stemmers of an installed PostgreSQL if there is one, otherwise of the embedded database.
 */

const CHARACTERS = 10_000_000
const CHUNK_CHARACTERS = 1_600
const BATCH_CHUNKS = 100
const SCORED_CHUNKS = 10_000
const QUESTIONS = 500
const ROUNDS = 3

const dataDir = mkdtempSync(join(tmpdir(), 'parley-words-'))
const postgres = findPostgres() === undefined ? null : await startPostgres({ dataDir })
const database = await connectDatabase({ databaseUrl: postgres?.url('postgres') ?? null, dataDir })
const files = globSync(join(import.meta.dirname, '../node_modules/**/*.md'))
const found = files.map((file) => readFileSync(file, 'utf8')).join('\n')
const text = found.repeat(Math.ceil((SCORED_CHUNKS * CHUNK_CHARACTERS) / found.length))
const chunks = Array.from({ length: SCORED_CHUNKS }, (_, at) =>
  text.slice(at * CHUNK_CHARACTERS, (at + 1) * CHUNK_CHARACTERS),
)

try {
  console.log(postgres ? 'stems from PostgreSQL' : 'stems from the embedded PostgreSQL')
  for (let round = 0; round < ROUNDS; round++) await indexText()
  await scoreQuestions()
  dropDuplicates()
} finally {
  await database.close()
  await postgres?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function indexText(): Promise<void> {
  const stemmer = createStemmer(database.sql)
  const part = chunks.slice(0, CHARACTERS / CHUNK_CHARACTERS)
  const took = { words: 0, stems: 0, postings: 0 }
  const timed = async <Result>(step: keyof typeof took, work: () => Result): Promise<Awaited<Result>> => {
    const begin = performance.now()
    const result = await work()
    took[step] += performance.now() - begin
    return result
  }
  const cpu = process.cpuUsage()
  for (let at = 0; at < part.length; at += BATCH_CHUNKS) {
    const batch = await timed('words', () => part.slice(at, at + BATCH_CHUNKS).map(listWords))
    const language = languageOf(part[at] ?? '') === 'simple' ? 'simple' : 'english'
    const terms = await timed('stems', () => termsOf(stemmer, batch.flat(), language))
    await timed('postings', () => buildSegment(batch, at + 1, terms))
  }
  const { user, system } = process.cpuUsage(cpu)
  const megabytes = CHARACTERS / 1e6
  const seconds = (user + system) / 1e6
  console.log(
    `${megabytes} MB: ${seconds.toFixed(2)} s CPU, ${(megabytes / seconds).toFixed(1)} MB/s; elapsed:`,
    ...Object.entries(took).map(([step, ms]) => `${step} ${ms.toFixed(0)} ms`),
  )
}

function buildSegment(batch: string[][], first: number, terms: Terms) {
  const builder = new SegmentBuilder()
  for (const [at, words] of batch.entries()) builder.add(first + at, words, terms)
  return builder.entries()
}

async function scoreQuestions(): Promise<void> {
  const words = chunks.map(listWords)
  const terms = await termsOf(createStemmer(database.sql), words.flat(), 'english')
  const { stem } = terms
  const segments = new Map<string, Buffer[]>()
  for (let at = 0; at < words.length; at += BATCH_CHUNKS)
    for (const { term, postings } of buildSegment(words.slice(at, at + BATCH_CHUNKS), at + 1, terms))
      segments.set(term, [...(segments.get(term) ?? []), postings])
  const length = words.flat().filter((word) => stem(word) !== null).length
  const statistics = { chunks: SCORED_CHUNKS, averageLength: length / SCORED_CHUNKS }
  const merged = new Map<string, Buffer[]>()
  const begin = performance.now()
  for (const [term, postings] of segments) merged.set(term, [mergePostings(postings, () => true)])
  console.log(
    `merging all ${merged.size} terms of 100 segments: ${(performance.now() - begin).toFixed(0)} ms`,
  )
  for (const [name, index] of Object.entries({ 'in 100 segments': segments, merged }))
    for (const count of [3, 5, 8]) {
      const times = Array.from({ length: QUESTIONS }, (_, question) => {
        const terms: QueryTerm[] = questionOf(words, stem, question, count).map((term) => ({
          postings: index.get(term) ?? [],
          times: 1,
        }))
        const start = performance.now()
        scoreChunks(terms, statistics).best(50)
        return performance.now() - start
      }).sort((a, b) => a - b)
      const at = (share: number): string => (times[Math.floor(QUESTIONS * share)] ?? 0).toFixed(2)
      console.log(
        `BM25, ${SCORED_CHUNKS} chunks ${name}, ${count} terms: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
      )
    }
}

/** Returns words of a chunk, so that terms occur with natural frequencies. */
function questionOf(words: string[][], stem: Stem, question: number, count: number): string[] {
  const terms = (words[(question * 7919) % words.length] ?? []).map(stem).filter((term) => term !== null)
  return Array.from({ length: count }, (_, at) => terms[(at * 31 + question) % terms.length] ?? 'x')
}

function dropDuplicates(): void {
  const times = Array.from({ length: 100 }, (_, round) => {
    const items = Array.from({ length: 40 }, (_, at) => chunks[(round * 37 + at * 101) % chunks.length] ?? '')
    const start = performance.now()
    dropNearDuplicates(items, (item) => item)
    return performance.now() - start
  }).sort((a, b) => a - b)
  console.log(
    `near-duplicates among 40 chunks of ${CHUNK_CHARACTERS} characters: p50 ${times[50]?.toFixed(1)} ms`,
  )
}
