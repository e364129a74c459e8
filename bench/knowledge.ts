import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/main.ts'
import { denseStage } from '../server/parts/kb/dense-stage.ts'
import type { KbDependencies } from '../server/parts/kb/dependencies.ts'
import { sqlOf } from '../server/parts/kb/find-work-system.ts'
import { createPostgresIndex } from '../server/parts/kb/search-index.ts'
import { readSearchedKbs } from '../server/parts/kb/searched-kbs.ts'
import { ModelFinder, PaidCalls } from '../server/parts/llm/index.ts'
import { embedLocally } from '../server/platform/models/local-embedding.ts'
import { createStemmer } from '../server/platform/retrieval/stems.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { type Librarian, librarian } from '../tests/support/knowledge.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { addPending, question, readMarkdown, vocabulary, waitUntilIndexed } from './generated-knowledge.ts'
import { POSTGRES_SETTINGS } from './parley.ts'

/*
 * Measures knowledge bases on PostgreSQL:
 *
 *   node bench/knowledge.ts
 *
 * 1. Ingestion: 1,000 Markdown files of 10 kB (from the installed packages), from adding them as sources until they
 *    are `ready`. Compared with a bare COPY of the same rows into tables with the same indexes.
 * 2. Search: 100,000 chunks in 1,000 knowledge bases: 990 of 73 chunks, nine of 2,000 and one of 10,000. p50, p95 and
 *    p99 of queries of 3 to 8 words over HTTP, compared with a request that reads one record. Also the recall of the
 *    dense stage compared with a brute-force search.
 */

const FILES = 1_000
const FILE_CHARACTERS = 10_000
const FILES_PER_SOURCE = 100
const ROUNDS = 4
/** Time to wait for the merging of segments, which continues after the documents are ready. */
const MERGING_MS = 3_000
const SMALL = { kbs: 990, chunks: 73 }
const MIDDLE = { kbs: 9, chunks: 2_000 }
const LARGE = { kbs: 1, chunks: 10_000 }
const QUESTIONS = 300
const RECALL_QUESTIONS = 20
const RECALL_AT = 10
const TABLES = ['kb_documents', 'kb_texts', 'kb_chunks', 'kb_vectors', 'kb_postings', 'kb_segments']

const folder = mkdtempSync(join(tmpdir(), 'parley-knowledge-'))
mkdirSync(join(folder, 'files'))
const database = await startPostgres({ dataDir: join(folder, 'postgres'), settings: POSTGRES_SETTINGS })
const server = await startServer(
  readConfig({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'files'),
    DATABASE_URL: database.url('postgres'),
    SECRET: 's'.repeat(32),
    LOG_LEVEL: 'error',
    ...UNLIMITED,
  }),
)
const sql = postgres(database.url('postgres'), { max: 1, onnotice: () => {} })
const client = createClient(server.address)
const agent = new Agent({ keepAlive: true })
const markdown = readMarkdown()

try {
  const person = await client.signUp()
  const library = librarian(client, person)
  for (let round = 0; round < ROUNDS; round++) await measureIngestion(library, round)
  await measureSearch(person)
} finally {
  await sql.end()
  await server.stop()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measureIngestion(library: Librarian, round: number): Promise<void> {
  const kb = await library.create()
  const files = Array.from({ length: FILES }, (_, at) => {
    const from = ((round * FILES + at) * FILE_CHARACTERS) % (markdown.length - FILE_CHARACTERS)
    return markdown.slice(from, from + FILE_CHARACTERS)
  })
  const ids: string[] = []
  for (const [at, text] of files.entries()) ids.push(await library.upload(kb, `${at}.md`, text))
  const begin = performance.now()
  const cpu = process.cpuUsage()
  for (let at = 0; at < ids.length; at += FILES_PER_SOURCE)
    await library.add(kb, 'file', { upload_ids: ids.slice(at, at + FILES_PER_SOURCE) })
  const { documents } = (await library.settle(kb)) as { documents: object }
  const ours = performance.now() - begin
  const { user } = process.cpuUsage(cpu)
  await sleep(MERGING_MS)
  const copy = await measureCopy(sql, kb)
  const [size] = await sql<{ chunks: number; terms: number }[]>`
    select (select count(*)::int from kb_chunks where kb_id = ${kb}) as chunks,
      (select count(*)::int from kb_postings where kb_id = ${kb}) as terms`
  console.log(
    `ingestion: ${FILES} files, ${size?.chunks} chunks, ${size?.terms} posting rows ${JSON.stringify(documents)}: ` +
      `${ours.toFixed(0)} ms (${(user / 1000).toFixed(0)} ms CPU in this process); COPY ${copy.toFixed(0)} ms; ratio ${(ours / copy).toFixed(2)}`,
  )
  await library.call('DELETE', 'delete', { kb_id: kb })
}

/** Copies the same rows into empty tables of the same structure, from files that the database server reads itself. */
async function measureCopy(sql: Sql, kb: string): Promise<number> {
  const path = (table: string): string => join(folder, `${table}.copy`)
  for (const table of TABLES) {
    await sql.unsafe(`copy (select * from ${table} where kb_id = '${kb}') to '${path(table)}'`)
    await sql.unsafe(`create table bare_${table} (like ${table} including all)`)
  }
  const begin = performance.now()
  for (const table of TABLES) await sql.unsafe(`copy bare_${table} from '${path(table)}'`)
  const time = performance.now() - begin
  for (const table of TABLES) {
    await sql.unsafe(`drop table bare_${table}`)
    rmSync(path(table), { force: true })
  }
  return time
}

async function measureSearch(person: Person): Promise<void> {
  const words = vocabulary(markdown)
  const sizes = [SMALL, MIDDLE, LARGE]
  const begin = performance.now()
  const groups: { chunks: number; ids: string[] }[] = []
  for (const { kbs, chunks } of sizes) {
    const ids: string[] = []
    for (let at = 0; at < kbs; at++) ids.push(await addPending(sql, person, words, chunks))
    groups.push({ chunks, ids })
  }
  const indexed = await waitUntilIndexed(sql)
  console.log(`indexed ${indexed} chunks in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
  await sql`vacuum analyze`
  const kbOf = (ids: string[], at: number): string => ids[at % ids.length] as string
  const search = async (kb: string): Promise<void> => {
    await send('POST', `/api/kb/search?kb_id=${kb}`, person.token, { query: question(words) })
  }
  await time(100, async (at) => search(kbOf(groups[0]?.ids ?? [], at)))
  const floor = await time(QUESTIONS, async (at) => {
    await send('GET', `/api/kb/get?kb_id=${kbOf(groups[0]?.ids ?? [], at)}`, person.token)
  })
  console.log(`GET /api/kb/get: ${floor}`)
  for (const { chunks, ids } of groups) {
    const result = await time(QUESTIONS, async (at) => search(kbOf(ids, at)))
    const recall = await measureRecall(person, ids[0] as string, words)
    console.log(`POST /api/kb/search, ${chunks} chunks: ${result}; dense recall ${recall}`)
  }
}

/** Uses Node's HTTP client, because `fetch` adds about a millisecond in this process. */
function send(method: string, path: string, token: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request(server.address + path, { method, agent, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))))
    })
    sent.on('error', reject).end(body && JSON.stringify(body))
  })
}

async function time(count: number, work: (at: number) => Promise<void>): Promise<string> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const begin = performance.now()
    await work(at)
    times.push(performance.now() - begin)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`
}

/** Returns the share of the nearest vectors by brute force that the dense stage finds. */
async function measureRecall(person: Person, kbId: string, words: string[]): Promise<string> {
  const { services } = server
  const deps = {
    services,
    models: new ModelFinder(services),
    calls: new PaidCalls(services),
    index: createPostgresIndex(createStemmer(sql)),
  } as KbDependencies
  const { organizationId } = person
  const tenant = { organizationId, sql: sqlOf(services.database, person) }
  const kbs = await readSearchedKbs({ ...tenant, knowledgeBaseIds: [kbId] })
  const rows = await sql<{ number: number; embedding: string }[]>`
    select number, embedding::text as embedding from kb_vectors where kb_id = ${kbId}`
  const vectors = rows.map(({ embedding }) => JSON.parse(embedding) as number[])
  const payer = { ...person, apiKeyId: null }
  let found = 0
  for (let round = 0; round < RECALL_QUESTIONS; round++) {
    const query = question(words)
    const [asked = new Float32Array()] = await embedLocally([query], new AbortController().signal)
    const half = new Float16Array(asked)
    const near = rows
      .map(({ number }, at) => ({
        number,
        product: (vectors[at] ?? []).reduce((sum, value, index) => sum + value * (half[index] ?? 0), 0),
      }))
      .sort((a, b) => b.product - a.product)
      .slice(0, RECALL_AT)
    const { hits } = await denseStage(deps, payer, kbs, { ...tenant, query, filter: [] }, RECALL_AT)
    const least = hits.at(-1)?.number
    // Vectors at the same distance as the last hit count as found.
    const limit = near.find(({ number }) => number === least)?.product ?? Number.POSITIVE_INFINITY
    found += near.filter(
      (one) => hits.some(({ number }) => number === one.number) || one.product <= limit,
    ).length
  }
  return (found / RECALL_QUESTIONS / RECALL_AT).toFixed(3)
}
