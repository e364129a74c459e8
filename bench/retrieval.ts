import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readConfig } from '../server/config.ts'
import { systemSql } from '../server/database/system-sql.ts'
import { startServer } from '../server/main.ts'
import { denseStage } from '../server/parts/kb/dense-stage.ts'
import type { KbDependencies } from '../server/parts/kb/dependencies.ts'
import { sqlOf } from '../server/parts/kb/find-work-system.ts'
import { retrieve } from '../server/parts/kb/retrieve.ts'
import { createPostgresIndex } from '../server/parts/kb/search-index.ts'
import { readSearchedKbs, type StageHit } from '../server/parts/kb/searched-kbs.ts'
import { ModelFinder, PaidCalls } from '../server/parts/llm/index.ts'
import { measureRankings, type Ranking } from '../server/platform/retrieval/metrics.ts'
import { parseQuery } from '../server/platform/retrieval/parse-query.ts'
import { createStemmer } from '../server/platform/retrieval/stems.ts'
import { createBm25 } from '../tests/support/bm25.ts'
import { createClient } from '../tests/support/client.ts'
import { librarian } from '../tests/support/knowledge.ts'
import { findPostgres, startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { readCollection } from '../tests/support/retrieval.ts'
import { shelve } from '../tests/support/shelves.ts'

/*
 * Measures the retrieval quality of a knowledge base with the built-in embedding:
 *
 *   node bench/retrieval.ts [a folder in the format of BEIR: corpus.jsonl, queries.jsonl, qrels/test.tsv]
 *
 * Without a folder, uses the collection of the tests. Prints nDCG@10, recall@10, recall@100 and MRR@100 of each stage,
 * of the complete search, and of a textbook BM25 (tests/support/bm25.ts) on the same texts. Prints nDCG@10 also for
 * each half of the questions, so that tuning on one half can be verified on the other. Unjudged documents count as
 * wrong.
 */

interface Document {
  id: string
  title: string
  text: string
}

interface Bench {
  name: string
  documents: Document[]
  questions: { text: string; right: Set<string> }[]
}

const INDEXING_MS_MAX = 3_600_000
/** The number of documents of each ranking that are evaluated. */
const DEPTH = 100
const PRECISE = 10

const bench = readBench(process.argv[2])
const folder = mkdtempSync(join(tmpdir(), 'parley-retrieval-'))
const postgres = findPostgres() === undefined ? null : await startPostgres({ dataDir: folder })
await postgres?.createDatabase('parley')
const parley = await startServer(
  readConfig({
    PORT: '0',
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
    ...(postgres && { DATABASE_URL: postgres.url('parley'), SECRET: 's'.repeat(32) }),
  }),
)
const { services } = parley
const sql = systemSql(services.database)

try {
  await report()
} finally {
  await parley.stop()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}

function readBench(path: string | undefined): Bench {
  if (path === undefined) {
    const { passages, questions } = readCollection()
    return {
      name: "the tests' collection",
      documents: passages.map(({ text }, index) => ({ id: String(index), title: '', text })),
      questions: questions.map(({ question, places }) => ({
        text: question,
        right: new Set(places.map(String)),
      })),
    }
  }
  const lines = <Line>(file: string): Line[] =>
    readFileSync(join(path, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
  const right = new Map<string, Set<string>>()
  for (const line of readFileSync(join(path, 'qrels/test.tsv'), 'utf8').split('\n').slice(1)) {
    const [question = '', document = '', score = '0'] = line.split('\t')
    if (Number(score) > 0) right.set(question, (right.get(question) ?? new Set()).add(document))
  }
  return {
    name: basename(path),
    documents: lines<{ _id: string; title?: string; text: string }>('corpus.jsonl').map((document) => ({
      id: document._id,
      title: document.title ?? '',
      text: document.text,
    })),
    questions: lines<{ _id: string; text: string }>('queries.jsonl').flatMap(({ _id, text }) => {
      const some = right.get(_id)
      return some && /\S/.test(text) ? [{ text, right: some }] : []
    }),
  }
}

async function report(): Promise<void> {
  console.log(`${bench.name}: ${bench.documents.length} documents, ${bench.questions.length} questions`)
  const client = createClient(parley.address)
  const person = await client.signUp()
  const library = librarian(client, person)
  const kbId = await library.create()
  const begin = performance.now()
  const files = bench.documents.map((document) => ({ name: document.id, text: textOf(document) }))
  await shelve(sql, person, kbId, files, INDEXING_MS_MAX)
  console.log(`indexed in ${((performance.now() - begin) / 1_000).toFixed(1)} s`)
  const stemmer = createStemmer(sql)
  const index = createPostgresIndex(stemmer)
  const deps = {
    services,
    models: new ModelFinder(services),
    calls: new PaidCalls(services),
    stemmer,
    index,
  } as unknown as KbDependencies
  const payer = { ...person, apiKeyId: null }
  const textbook = createBm25(bench.documents.map(textOf))
  const found: Record<string, string[][]> = { 'textbook BM25': [], lexical: [], dense: [], search: [] }
  const times: number[] = []
  for (const { text } of bench.questions) {
    const scores = textbook(text)
    const places = [...scores.keys()].filter((index) => (scores[index] as number) > 0)
    places.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
    found['textbook BM25']?.push(places.slice(0, DEPTH).map((index) => bench.documents[index]?.id as string))
    const wanted = {
      sql: sqlOf(services.database, person),
      organizationId: person.organizationId,
      knowledgeBaseIds: [kbId],
      query: text,
      scoreThreshold: 0,
      filter: [],
      rerank: null,
      oncePerDocument: true,
    }
    const [kb] = await readSearchedKbs(wanted)
    if (!kb) throw new Error('The knowledge base is missing.')
    found['lexical']?.push(await idsOf(kbId, await index.findByWords(wanted, kb, parseQuery(text), true)))
    found['dense']?.push(await idsOf(kbId, (await denseStage(deps, payer, [kb], wanted, DEPTH)).hits))
    const start = performance.now()
    const first = await retrieve(deps, payer, { ...wanted, limit: PRECISE })
    times.push(performance.now() - start)
    const more = await retrieve(deps, payer, { ...wanted, limit: DEPTH })
    const names = [...first.passages, ...more.passages].map(({ documentName }) => documentName)
    found['search']?.push([...new Set(names)])
  }
  for (const [name, rankings] of Object.entries(found)) tell(name, rankings)
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
  console.log(`search: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
}

function textOf({ title, text }: Document): string {
  return title === '' ? text : `# ${title}\n\n${text}`
}

/** Returns the documents of chunks, each at the rank of its best chunk. */
async function idsOf(kbId: string, hits: StageHit[]): Promise<string[]> {
  const rows = await sql<{ number: number; name: string }[]>`
    select c.number, d.name from kb_chunks c join kb_documents d on d.id = c.document_id
    where c.kb_id = ${kbId} and c.number = any(${hits.map(({ number }) => number)})`
  const names = new Map(rows.map(({ number, name }) => [number, name]))
  return [...new Set(hits.flatMap(({ number }) => names.get(number) ?? []))]
}

function tell(name: string, found: string[][]): void {
  const rankings = found.map(
    (ids, at): Ranking<string> => ({
      found: ids,
      right: bench.questions[at]?.right ?? new Set(),
    }),
  )
  const { recall, ndcg, reciprocalRank } = measureRankings(rankings, PRECISE)
  const deep = measureRankings(rankings, DEPTH).recall
  const half = (odd: number): string =>
    measureRankings(
      rankings.filter((_, at) => at % 2 === odd),
      PRECISE,
    ).ndcg.toFixed(4)
  console.log(
    `${name.padEnd(20)} nDCG@10 ${ndcg.toFixed(4)} (halves ${half(0)}, ${half(1)})  recall@10 ${recall.toFixed(4)}` +
      `  recall@100 ${deep.toFixed(4)}  MRR@100 ${reciprocalRank.toFixed(4)}`,
  )
}
