import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { readConfig } from '../server/config.ts'
import { systemSql } from '../server/database/system-sql.ts'
import { startServer } from '../server/main.ts'
import { createClient } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { POSTGRES_SETTINGS } from './parley.ts'

/*
 * Measures the export and the deletion of a large organization on PostgreSQL:
 *
 *   node --expose-gc bench/erasure.ts
 *
 * The organization has 100,000 messages in chats of 100, one chat of 5,000 messages, 50,000 chunks with vectors, and
 * 50,000 ledger entries. Prints the speed of the export and its memory growth, the response time of the deletion, the
 * time until the last row is deleted, and the longest concurrent statement.
 */

const CHATS = 1_000
const MESSAGES = 100
const LONG_CHAT = 5_000
const DOCUMENTS = 500
const CHUNKS = 100
const ENTRIES = 50_000
const DIMENSIONS = 384
const POLL_MS = 50
/** During an export, memory is measured each time this many chunks have arrived, after a garbage collection. */
const CHUNKS_BETWEEN_LOOKS = 10

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const dataDir = join(folder, 'postgres')
  mkdirSync(dataDir)
  const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
  await postgres.createDatabase('parley')
  const env = { DATA_DIR: folder, DATABASE_URL: postgres.url('parley'), PORT: '0', SECRET: 's'.repeat(32) }
  const server = await startServer(readConfig({ ...env, LOG_LEVEL: 'warn', HOST: '127.0.0.1' }))
  try {
    const client = createClient(server.address)
    const person = await client.signUp()
    const made = await client.call('POST', '/api/org/create_org?name=Large', { token: person.token })
    const sql = systemSql(server.services.database)
    await fill(sql, made.body.id, person.userId)
    await sql`analyze`
    await takeAway(`${server.address}/api/org/export?org_id=${made.body.id}`, person.token)
    const begun = performance.now()
    const seconds = () => ((performance.now() - begun) / 1000).toFixed(1)
    const deletion = client.call('DELETE', `/api/org/delete?org_id=${made.body.id}`, { token: person.token })
    void deletion.then(({ status }) => console.log(`response ${status} after ${seconds()} s`))
    let longest = 0
    for (let left = 1; left > 0; await sleep(POLL_MS)) {
      const asked = performance.now()
      left = (await sql`select from organizations where id = ${made.body.id}`).count
      longest = Math.max(longest, performance.now() - asked)
    }
    console.log(`deleted after ${seconds()} s; longest concurrent statement ${longest.toFixed(0)} ms`)
    await deletion
  } finally {
    await server.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function takeAway(url: string, token: string): Promise<void> {
  const held = (): number => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = held()
  let [bytes, chunks, most] = [0, 0, 0]
  const begun = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    if (chunks++ % CHUNKS_BETWEEN_LOOKS === 0) most = Math.max(most, held())
  }
  const [seconds, grown] = [(performance.now() - begun) / 1000, (most - before) / 2 ** 20]
  console.log(
    `exported ${(bytes / 2 ** 20).toFixed(1)} MB in ${seconds.toFixed(1)} s, peak memory growth ${grown.toFixed(0)} MB`,
  )
}

async function fill(sql: Sql, org: string, user: string): Promise<void> {
  await addChats(sql, org, user, CHATS, MESSAGES)
  await addChats(sql, org, user, 1, LONG_CHAT)
  await sql`
    insert into ledger_entries (id, organization_id, kind, quantity, amount, balance_after)
    select gen_random_uuid(), ${org}, 'CREDIT', 1, 1, n from generate_series(1, ${ENTRIES}::int) as n`
  const [kb, source] = [crypto.randomUUID(), crypto.randomUUID()]
  await sql`
    insert into knowledge_bases (id, organization_id, created_by, name, description, embedding_model, chunking)
    values (${kb}, ${org}, ${user}, 'k', '', 'local', '{}')`
  await sql`
    insert into kb_sources (id, organization_id, kb_id, created_by, type, config, status)
    values (${source}, ${org}, ${kb}, ${user}, 'text', '{}', 'read')`
  await sql`
    insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
      found_by, first_chunk, chunk_count)
    select gen_random_uuid(), ${org}, ${kb}, ${source}, n, 'd', 'text/plain', 1, '{}', 'ready', 1,
      1 + n * ${CHUNKS}::int, ${CHUNKS}
    from generate_series(0, ${DOCUMENTS - 1}::int) as n`
  await sql`
    insert into kb_chunks (id, organization_id, kb_id, number, document_id, position, tokens, words, language,
      headings, content)
    select gen_random_uuid(), ${org}, ${kb}, d.first_chunk + n, d.id, n, 100, 70, 'english', '{}', repeat('word ', 70)
    from kb_documents d, generate_series(0, ${CHUNKS - 1}::int) as n where d.kb_id = ${kb}`
  await sql`
    insert into kb_vectors (kb_id, number, generation, embedding)
    select kb_id, number, 1, array_fill(0.05::real, array[${DIMENSIONS}::int])::halfvec from kb_chunks
    where kb_id = ${kb}`
  await sql`
    insert into kb_postings (kb_id, term, segment, postings)
    select ${kb}, 'term' || n, 1, decode(repeat('00', 200), 'hex') from generate_series(1, 50000) as n`
}

/** Adds chats whose messages form a single branch. Ids ascend, as the server's do. */
async function addChats(sql: Sql, org: string, user: string, chats: number, messages: number): Promise<void> {
  await sql`
    with made as (
      insert into chats (id, organization_id, user_id, title, status, message_count)
      select gen_random_uuid(), ${org}, ${user}, 'c', 'ACTIVE', ${messages}
      from generate_series(1, ${chats}::int) returning id),
    numbered as (
      select id as chat_id, n, (lpad(to_hex(n), 8, '0') || substr(id::text, 9))::uuid as message_id
      from made, generate_series(1, ${messages}::int) as n)
    insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status)
    select message_id, ${org}, ${user}, chat_id, lag(message_id) over (partition by chat_id order by n), 'user',
      repeat('What is said ', 20), 'complete'
    from numbered`
}

await measure()
