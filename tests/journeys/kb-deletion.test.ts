import { expect, test } from 'vitest'
import { DOCUMENTS_MAX, ROWS_MAX } from '#parts/kb/erase-contents-system.ts'
import { expectGone, expectSound } from '#tests/support/kb-invariants.ts'
import { librarian, said, textSource as text } from '#tests/support/knowledge.ts'
import { needs } from '#tests/support/programs.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'

const DOCUMENTS = 2 * DOCUMENTS_MAX + 1
const CHUNKS_PER_DOCUMENT = 15

test('a large knowledge base is gone at once, and its contents are deleted in batches', async () => {
  // With one connection, all statements of the server add to the same counters.
  const server = await startTestServer({}, { connectionsMax: 1 })
  const { sql } = server.server.services.database
  const library = librarian(server, await server.signUp())
  const small = await library.create({ sources: [text('Hares')] })
  await library.settle(small)
  // PostgreSQL knows only the small one: statistics are this old while the first documents are ingested.
  await sql`analyze kb_chunks, kb_documents, kb_vectors, kb_postings`

  const kb = await library.create()
  const source = await library.add(kb, 'text', { name: 'Rabbits', content: 'Rabbits.' })
  await library.settle(kb)
  await sql`
    insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
      found_by, first_chunk, chunk_count)
    select gen_random_uuid(), organization_id, kb_id, id, n::text, 'n', 'text/plain', 1, '{}', 'ready', 1,
      n * ${CHUNKS_PER_DOCUMENT}::int + 100, ${CHUNKS_PER_DOCUMENT}
    from kb_sources, generate_series(1, ${DOCUMENTS}) n where id = ${source}`
  await sql`
    insert into kb_chunks (id, organization_id, kb_id, number, document_id, position, tokens, words, language, headings,
      content)
    select gen_random_uuid(), organization_id, kb_id, first_chunk + n, id, n, 1, 1, 'en', '{}', 'word'
    from kb_documents, generate_series(0, ${CHUNKS_PER_DOCUMENT - 1}) n where kb_id = ${kb} and first_chunk > 100`
  await sql`
    insert into kb_postings select ${kb}::uuid, 'w' || n, 100, '' from generate_series(1, ${2 * ROWS_MAX}) n`

  const readRows = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`
    const [row] = await sql<{ rows: number }[]>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_user_tables
      where relname in ('kb_chunks', 'kb_postings', 'kb_documents')`
    return row?.rows ?? 0
  }
  const before = await readRows()
  expect((await library.call('DELETE', 'delete', { kb_id: kb })).status).toBe(200)
  for (const path of ['get', 'list_documents', 'ingestion_status'])
    expect(said(await library.call('GET', path, { kb_id: kb }))[0]).toBe(404)
  expect((await library.call('POST', 'search', { kb_id: kb }, { query: 'word' })).status).toBe(404)
  await expectGone(sql, kb)
  // Each row is read a few times. One cascade read all chunks for each document.
  const rows = DOCUMENTS * (CHUNKS_PER_DOCUMENT + 1) + 2 * ROWS_MAX
  expect((await readRows()) - before).toBeLessThan(10 * rows)
  expect(await library.settle(small)).toMatchObject({ status: 'ready', documents: { ready: 1 } })
  await server.stop()
})

const database = await createDatabase()

test(
  'nothing of a deleted source is found, and its documents are deleted in batches',
  needs('PostgreSQL'),
  async () => {
    const url = database?.url ?? ''
    const api = await startTestServer({ DATABASE_URL: url, SECRET: 's'.repeat(32), ROLE: 'api' })
    const startWorker = () => startTestServer({ ...api.environment, ROLE: 'worker' })
    const { sql } = api.server.services.database
    const library = librarian(api, await api.signUp())
    const kb = await library.create({ sources: [text('Hares')] })
    const source = await library.add(kb, 'text', { name: 'Rabbits', content: 'Rabbits and hares dig.' })
    const worker = await startWorker()
    await library.settle(kb)
    // No process erases contents until the next worker starts.
    await worker.stop()
    await sql`
      insert into kb_documents (id, organization_id, kb_id, source_id, key, name, mime_type, size, metadata, status,
        found_by, first_chunk, chunk_count, word_count)
      select gen_random_uuid(), organization_id, kb_id, id, n::text, 'Rabbits', 'text/plain', 1, '{}', 'ready', 1, n + 100, 1, 1
      from kb_sources, generate_series(1, ${DOCUMENTS}) n where id = ${source}`
    await sql`
      insert into kb_chunks (id, organization_id, kb_id, number, document_id, position, tokens, words, language, headings,
        content)
      select gen_random_uuid(), organization_id, kb_id, first_chunk, id, 0, 1, 1, 'en', '{}', 'word'
      from kb_documents where kb_id = ${kb} and first_chunk > 100`

    const get = (path: string, query = {}) => library.call('GET', path, { kb_id: kb, ...query })
    const namesFound = async (filter?: object): Promise<string[]> => {
      const { body } = await library.call('POST', 'search', { kb_id: kb }, { query: 'rabbits hares', filter })
      return body.results.map(({ document_name: name }: { document_name: string }) => name).sort()
    }
    const version = async (): Promise<number> => (await get('get')).body.index_version
    expect(await namesFound()).toEqual(['Hares', 'Rabbits'])
    const { documents } = (await get('list_documents', { search: 'Rabbits' })).body
    const document = { document_id: documents.at(-1).id }
    const before = await version()
    const deleted = await library.call('DELETE', 'delete_source', { kb_id: kb, source_id: source })
    expect(deleted.status).toBe(200)

    expect(await version()).toBeGreaterThan(before)
    expect((await get('get')).body.sources).toHaveLength(1)
    expect((await get('ingestion_status')).body).toMatchObject({ status: 'ready', documents: { ready: 1 } })
    expect((await get('list_documents')).body).toMatchObject({ documents: [{ name: 'Hares' }], total: 1 })
    expect((await get('list_documents', { search: 'rabb' })).body).toMatchObject({ documents: [], total: 0 })
    expect(said(await get('get_document', document))[0]).toBe(404)
    expect((await library.call('DELETE', 'delete_document', { kb_id: kb, ...document })).status).toBe(404)
    expect(await namesFound()).toEqual(['Hares'])
    expect(await namesFound({ source_id: source })).toEqual([])
    expect((await sql`select from kb_documents where source_id = ${source}`).count).toBe(DOCUMENTS + 1)

    const second = await startWorker()
    const left = async () => (await sql`select from kb_contents where id = ${source}`).count
    await expect.poll(left, { timeout: 60_000 }).toBe(0)
    await expectSound(sql, kb)
    expect((await sql`select from kb_documents where kb_id = ${kb}`).count).toBe(1)
    await Promise.all([api.stop(), second.stop()])
    await database?.drop()
  },
)
