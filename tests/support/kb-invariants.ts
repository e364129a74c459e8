import type { Sql, TransactionSql } from 'postgres'
import { expect } from 'vitest'
import { withContext } from '#parts/kb/prepare-text.ts'
import type { Language } from '#platform/retrieval/languages.ts'
import { frequencyOf, lengthOf, readPostings, SegmentBuilder } from '#platform/retrieval/postings.ts'
import { createStemmer } from '#platform/retrieval/stems.ts'
import { termsOf } from '#platform/retrieval/terms.ts'
import { listWords } from '#platform/retrieval/words.ts'

/**
 * Expects that the counters and the index of a knowledge base match its documents and chunks. All statements see one
 * snapshot, because the contents of a deleted source are deleted in the background, while this reads.
 */
export async function expectSound(sql: Sql, kbId: string): Promise<void> {
  await sql.begin('isolation level repeatable read read only', async (tx) => {
    await expectCounts(tx, kbId)
    await expectChunks(tx, kbId)
    await expectPostings(tx, kbId)
  })
}

async function expectCounts(sql: TransactionSql, kbId: string): Promise<void> {
  const [kb] = await sql`
    select chunk_count::int as chunks, word_count::int as words from knowledge_bases where id = ${kbId}`
  const [recount] = await sql`
    select count(*)::int as chunks, coalesce(sum(words), 0)::int as words from kb_chunks where kb_id = ${kbId}`
  const [ofDocuments] = await sql`
    select coalesce(sum(chunk_count), 0)::int as chunks, coalesce(sum(word_count), 0)::int as words
    from kb_documents where kb_id = ${kbId}`
  expect({ kb, ofDocuments }).toEqual({ kb: recount, ofDocuments: recount })
  const wrong = await sql`
    select s.id, documents_pending, documents_ready, documents_failed, n.* from kb_sources s
    cross join lateral (
      select count(*) filter (where status in ('pending', 'processing')) as pending,
        count(*) filter (where status = 'ready') as ready, count(*) filter (where status = 'failed') as failed
      from kb_documents d where d.source_id = s.id) n
    where s.kb_id = ${kbId} and (documents_pending, documents_ready, documents_failed) <> (pending, ready, failed)`
  expect([...wrong]).toEqual([])
}

async function expectChunks(sql: TransactionSql, kbId: string): Promise<void> {
  const wrong = await sql`
    select d.name, d.status, d.chunk_count, n.* from kb_documents d
    cross join lateral (
      select count(*) as chunks, count(distinct position) as positions, coalesce(max(position), -1) + 1 as next
      from kb_chunks c where c.document_id = d.id) n
    where d.kb_id = ${kbId} and (chunks <> d.chunk_count or positions <> chunks or next <> chunks
      or (d.status = 'ready' and chunks = 0))`
  expect([...wrong]).toEqual([])
  const [others] = await sql`
    select count(*)::int as count from kb_chunks c join knowledge_bases k on k.id = c.kb_id
    join kb_documents d on d.id = c.document_id
    left join kb_vectors v on v.kb_id = c.kb_id and v.number = c.number and v.is_enabled = c.is_enabled
    where c.kb_id = ${kbId} and (v.number is null or d.status = 'ready' and v.generation <> k.generation)`
  expect(others).toEqual({ count: 0 })
}

/** Expects one posting per live chunk and term. All other postings must be counted as dead. */
async function expectPostings(sql: TransactionSql, kbId: string): Promise<void> {
  const stemmer = createStemmer(sql)
  const chunks = await sql<
    { number: number; name: string; headings: string[]; content: string; language: Language }[]
  >`select number, d.name, headings, content, language from kb_chunks c join kb_documents d on d.id = c.document_id
    where c.kb_id = ${kbId} order by number`
  const expected: string[] = []
  const alive = new Set(chunks.map(({ number }) => number))
  for (const { number, name, language, ...chunk } of chunks) {
    const words = listWords(withContext(name, chunk))
    const builder = new SegmentBuilder()
    builder.add(number, words, await termsOf(stemmer, words, language))
    for (const { term, postings } of builder.entries())
      expected.push(...listPostings(postings).map(({ text }) => `${term} ${text}`))
  }
  const rows = await sql<{ term: string; segment: number; postings: Buffer; isNoted: boolean }[]>`
    select term, segment, postings, exists (
      select from kb_segments s where s.kb_id = p.kb_id and s.segment = p.segment) as "isNoted"
    from kb_postings p where kb_id = ${kbId} order by segment`
  const found: string[] = []
  const dead = new Set<number>()
  for (const { term, postings, isNoted } of rows) {
    expect(isNoted).toBe(true)
    const listed = listPostings(postings)
    const numbers = listed.map(({ number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    for (const { number, text } of listed)
      if (alive.has(number)) found.push(`${term} ${text}`)
      else dead.add(number)
  }
  expect(found.sort()).toEqual(expected.sort())
  const [kb] = await sql<
    { dead: number }[]
  >`select dead_count as dead from knowledge_bases where id = ${kbId}`
  expect(kb?.dead).toBeGreaterThanOrEqual(dead.size)
}

function listPostings(bytes: Buffer): { number: number; text: string }[] {
  const view = readPostings(bytes)
  return Array.from({ length: view.length / 2 }, (_, at) => {
    const number = view[2 * at] as number
    const counts = view[2 * at + 1] as number
    return { number, text: `${number}:${frequencyOf(counts)}/${lengthOf(counts)}` }
  })
}

const TABLES = [
  'kb_sources',
  'kb_documents',
  'kb_texts',
  'kb_chunks',
  'kb_vectors',
  'kb_postings',
  'kb_segments',
] as const

/** Waits until no rows of a deleted knowledge base remain. */
export async function expectGone(sql: Sql, kbId: string): Promise<void> {
  const countRows = async (table: string) =>
    (await sql`select count(*)::int as count from ${sql(table)} where kb_id = ${kbId}`)[0]?.['count']
  for (const table of TABLES) await expect.poll(() => countRows(table), { timeout: 60_000 }).toBe(0)
  const countContents = async () => (await sql`select from kb_contents where id = ${kbId}`).count
  await expect.poll(countContents, { timeout: 60_000 }).toBe(0)
}
