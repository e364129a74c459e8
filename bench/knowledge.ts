import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { readConfig } from '../server/config.ts'
import { newId } from '../server/database/new-id.ts'
import { startServer } from '../server/main.ts'
import { listWords } from '../server/platform/retrieval/words.ts'
import { createClient, type Person } from '../tests/support/client.ts'
import { type Librarian, librarian } from '../tests/support/knowledge.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { POSTGRES_SETTINGS } from './parley.ts'

/*
 * Knowledge bases on PostgreSQL:
 *
 *   node bench/knowledge.ts
 *
 * 1. Ingestion: 1,000 Markdown files of 10 kB (what the installed packages bring), from the request that adds them as
 *    sources to `ready`, beside a bare COPY of the same rows into tables with the same indexes.
 * 2. Search: 100,000 chunks in 1,000 knowledge bases, most of 73 chunks, nine of 2,000 and one of 10,000. Questions of
 *    3 to 8 words through HTTP, p50 and p95, beside a request that reads one record; and the recall of the dense stage
 *    against all vectors compared by brute force.
 */

const FILES = 1_000
const FILE_CHARACTERS = 10_000
const FILES_PER_SOURCE = 100
const ROUNDS = 4
/** Segments are merged after the documents are ready. */
const MERGING_MS = 3_000
const SMALL = { kbs: 990, chunks: 73 }
const MIDDLE = { kbs: 9, chunks: 2_000 }
const LARGE = { kbs: 1, chunks: 10_000 }
const WORDS_PER_CHUNK = 100
const CHUNKS_PER_DOCUMENT = 1_000
const VOCABULARY = 20_000
const QUESTIONS = 300
const RECALL_QUESTIONS = 20
const RECALL_AT = 10
const TABLES = ['kb_documents', 'kb_texts', 'kb_chunks', 'kb_postings', 'kb_segments']

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
  }),
)
const sql = postgres(database.url('postgres'), { max: 1, onnotice: () => {} })
const client = createClient(server.address)
const markdown = globSync(join(import.meta.dirname, '../node_modules/**/*.md'))
  .map((file) => readFileSync(file, 'utf8').replaceAll('\0', ''))
  .join('\n\n')

try {
  const person = await client.signUp()
  const library = librarian(client, person)
  for (let round = 0; round < ROUNDS; round++) await measureIngestion(library, round)
  await measureSearch(library, person)
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
    `ingestion: ${FILES} files, ${size?.chunks} chunks, ${size?.terms} rows of postings ${JSON.stringify(documents)}: ` +
      `${ours.toFixed(0)} ms (${(user / 1000).toFixed(0)} ms of processor here); COPY ${copy.toFixed(0)} ms; ratio ${(ours / copy).toFixed(2)}`,
  )
  await library.call('DELETE', 'delete', { kb_id: kb })
}

/** The same rows into empty tables of the same shape, from files that the database server reads by itself. */
async function measureCopy(sql: Sql, kb: string): Promise<number> {
  const path = (table: string): string => join(folder, `${table}.copy`)
  for (const table of TABLES) {
    await sql.unsafe(`copy (select * from ${table} where kb_id = '${kb}') to '${path(table)}'`)
    await sql.unsafe(`create table bare_${table} (like ${table} including all)`)
  }
  await sql.unsafe('alter table bare_kb_chunks set (toast_tuple_target = 1024)')
  const begin = performance.now()
  for (const table of TABLES) await sql.unsafe(`copy bare_${table} from '${path(table)}'`)
  const time = performance.now() - begin
  for (const table of TABLES) {
    await sql.unsafe(`drop table bare_${table}`)
    rmSync(path(table), { force: true })
  }
  return time
}

async function measureSearch(library: Librarian, person: Person): Promise<void> {
  const words = vocabulary()
  const sizes = [SMALL, MIDDLE, LARGE]
  const begin = performance.now()
  const groups: { chunks: number; ids: string[] }[] = []
  for (const { kbs, chunks } of sizes) {
    const ids: string[] = []
    for (let at = 0; at < kbs; at++) ids.push(await fill(person, words, chunks))
    groups.push({ chunks, ids })
  }
  for (;;) {
    const [left] = await sql<{ count: number }[]>`
      select count(*)::int as count from kb_documents where status in ('pending', 'processing')`
    if (left?.count === 0) break
    await sleep(500)
  }
  const [all] = await sql<{ chunks: number }[]>`select count(*)::int as chunks from kb_chunks`
  console.log(`${all?.chunks} chunks were indexed in ${((performance.now() - begin) / 1000).toFixed(0)} s`)
  await sql`vacuum analyze`
  const kbOf = (ids: string[], at: number): string => ids[at % ids.length] as string
  await time(100, async (at) => search(library, kbOf(groups[0]?.ids ?? [], at), question(words)))
  const floor = await time(QUESTIONS, async (at) => {
    await library.call('GET', 'get', { kb_id: kbOf(groups[0]?.ids ?? [], at) })
  })
  console.log(`GET /api/kb/get: ${floor}`)
  for (const { chunks, ids } of groups) {
    const result = await time(QUESTIONS, async (at) => search(library, kbOf(ids, at), question(words)))
    const recall = await measureRecall(library, ids[0] as string, words)
    console.log(`POST /api/kb/search, ${chunks} chunks: ${result}; recall of the dense stage ${recall}`)
  }
}

/** A knowledge base with documents that wait to be indexed. Each section is a chunk. */
async function fill({ organizationId, userId }: Person, words: string[], chunks: number): Promise<string> {
  const id = newId()
  const source = newId()
  await sql`
    insert into knowledge_bases (id, organization_id, created_by, name, description, embedding_model, chunking)
    values (${id}, ${organizationId}, ${userId}, ${id}, '', 'local', '{"max_tokens": 400, "overlap_tokens": 50}')`
  await sql`
    insert into kb_sources (id, organization_id, kb_id, created_by, type, config, status, reading)
    values (${source}, ${organizationId}, ${id}, ${userId}, 'text', '{}', 'read', 1)`
  for (let from = 0; from < chunks; from += CHUNKS_PER_DOCUMENT) {
    const document = newId()
    const sections = Array.from({ length: Math.min(CHUNKS_PER_DOCUMENT, chunks - from) }, (_, at) => {
      const body = Array.from({ length: WORDS_PER_CHUNK }, () => pick(words)).join(' ')
      return `# ${pick(words)} ${from + at}\n\n${body}.`
    })
    const text = sections.join('\n\n')
    await sql`
      insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
        content_hash, text_kind, text_bytes, found_by)
      values (${document}, ${organizationId}, ${id}, ${source}, ${document}, 'words', 'text/markdown', ${text.length},
        '{}', 'pending', ${document}, 'markdown', ${text.length}, 1)`
    await sql`
      insert into kb_texts (document_id, organization_id, kb_id, text)
      values (${document}, ${organizationId}, ${id}, ${text})`
  }
  return id
}

/** The words of the documentation, the most frequent first. */
function vocabulary(): string[] {
  const counts = new Map<string, number>()
  for (const word of listWords(markdown.slice(0, 20_000_000)))
    if (/^[a-z]{2,20}$/.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, VOCABULARY)
    .map(([word]) => word)
}

/** As words are in texts: the second half as often as the second most frequent, and so on (Zipf). */
function pick(words: string[]): string {
  return words[Math.floor(words.length ** Math.random())] ?? 'word'
}

function question(words: string[]): string {
  return Array.from({ length: 3 + Math.floor(Math.random() * 6) }, () => pick(words)).join(' ')
}

async function search(library: Librarian, kb: string, query: string): Promise<void> {
  const { status, text } = await library.call('POST', 'search', { kb_id: kb }, { query })
  if (status !== 200) throw new Error(text)
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

/** Of the nearest by brute force over all vectors, the share that the dense stage ranks as high. */
async function measureRecall(library: Librarian, kb: string, words: string[]): Promise<string> {
  const { embedLocally } = await import('../server/platform/models/local-embedding.ts')
  const rows = await sql<{ id: string; embedding: string }[]>`
    select id, embedding::text as embedding from kb_chunks where kb_id = ${kb}`
  const vectors = rows.map(({ embedding }) => JSON.parse(embedding) as number[])
  let found = 0
  let all = 0
  for (let round = 0; round < RECALL_QUESTIONS; round++) {
    const query = question(words)
    const [asked = new Float32Array()] = await embedLocally([query], new AbortController().signal)
    const products = vectors.map((vector) =>
      vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
    )
    const least = products.toSorted((a, b) => b - a)[RECALL_AT - 1] ?? 0
    const { body } = await library.call('POST', 'search', { kb_id: kb }, { query, limit: 100, explain: true })
    const near = new Set(
      (body.results as { chunk_id: string; explanation: { dense: { rank: number } | null } }[])
        .filter(({ explanation }) => (explanation.dense?.rank ?? RECALL_AT + 1) <= RECALL_AT)
        .map(({ chunk_id: id }) => id),
    )
    const HALF_PRECISION = 1e-3
    const right = rows.filter((_, at) => (products[at] ?? 0) > least + HALF_PRECISION)
    all += right.length
    found += right.filter(({ id }) => near.has(id)).length
  }
  return (found / all).toFixed(3)
}
