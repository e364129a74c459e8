import { setImmediate as turn } from 'node:timers/promises'
import type { TenantSql, TenantTransaction } from '#database/tenant-sql.ts'
import type { Language } from '#platform/retrieval/languages.ts'
import { raiseNumbers, SegmentBuilder } from '#platform/retrieval/postings.ts'
import { termsOf } from '#platform/retrieval/terms.ts'
import { WORDS_VERSION } from '#platform/retrieval/word-variants.ts'
import { listWords } from '#platform/retrieval/words.ts'
import type { IngestionDependencies, KbRef } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'
import { compactPostings, mergeSegments } from './merge-segments.ts'
import { isOfKb } from './own-kb.ts'
import { withContext } from './prepare-text.ts'
import { insertSegment } from './segments.ts'

/*
 * After an upgrade that changes the words of the index (WORDS_VERSION), documents keep their old postings and are found by
 * them. This writes the postings of a document's chunks again, from the stored chunks: without splitting or embedding, so
 * that it costs nothing and keeps edited chunks. The chunks get new numbers, as with every change of a document, so that a
 * search finds either the old postings or the new ones.
 */

/** Limits of a transaction: number of documents, and number of chunks unless a single document has more. */
const DOCUMENTS_MAX = 50
const CHUNKS_MAX = 500
/** Yields to the event loop after this many milliseconds of listing words. */
const STEP_MS = 8

interface OutdatedDocument {
  id: string
  name: string
  firstChunk: number
  contentHash: string | null
}

interface OutdatedChunk {
  documentId: string
  number: number
  headings: string[]
  content: string
  language: Language
}

interface RenewedChunk {
  old: number
  /** Index of the chunk in this batch, from 0. */
  index: number
  words: number
}

/** Renews the postings of a knowledge base's documents until all are renewed or `isOver` returns true. */
export async function renewWords(
  deps: IngestionDependencies,
  ref: KbRef,
  isOver: () => boolean,
): Promise<void> {
  const sql = deps.sqlOf(ref)
  let hasRenewed = false
  while (!isOver()) {
    const documents = await findOutdated(sql, ref)
    if (documents.length === 0) break
    await renew(deps, ref, documents)
    hasRenewed = true
    await mergeSegments(deps, ref)
  }
  if (hasRenewed) await compactPostings(deps, ref)
}

const findOutdated = (sql: TenantSql, { organizationId, kbId }: KbRef): Promise<OutdatedDocument[]> =>
  sql<OutdatedDocument[]>`
    select id, name, first_chunk as "firstChunk", content_hash as "contentHash" from (
      select id, name, first_chunk, content_hash,
        sum(chunk_count) over (order by id) - chunk_count as chunks_before
      from (
        select id, name, first_chunk, content_hash, chunk_count from kb_documents
        where kb_id = ${kbId} and organization_id = ${organizationId} and words_version < ${WORDS_VERSION}
          and status = 'ready'
        order by id limit ${DOCUMENTS_MAX}) as next) as counted
    where chunks_before < ${CHUNKS_MAX} order by id`

async function renew(deps: IngestionDependencies, ref: KbRef, documents: OutdatedDocument[]): Promise<void> {
  const { organizationId, kbId } = ref
  const chunks = await deps.sqlOf(ref)<OutdatedChunk[]>`
    select document_id as "documentId", number, headings, content, language from kb_chunks
    where kb_id = ${kbId} and organization_id = ${organizationId}
      and document_id = any(${documents.map(({ id }) => id)})
    order by document_id, position`
  const { segment, rows } = await build(deps, documents, chunks)
  const entries = segment.entries()
  await deps
    .sqlOf(ref)
    .begin(async (tx) => {
      if (!(await lockKb(tx, ref))) return
      if (!(await lockUnchanged(tx, ref, documents))) return
      const [position] = await tx<{ firstChunk: number; segment: number }[]>`
      update knowledge_bases set next_chunk = next_chunk + ${rows.length}, next_segment = next_segment + 1
      where id = ${kbId} and organization_id = ${organizationId}
      returning next_chunk - ${rows.length}::int as "firstChunk", next_segment - 1 as segment`
      const { firstChunk, segment: number } = position as { firstChunk: number; segment: number }
      if (!(await move(tx, ref, rows, firstChunk))) throw new ChunksChanged()
      raiseNumbers(entries, firstChunk)
      await insertSegment(
        { database: deps.services.database, tx },
        ref,
        { segment: number, chunks: rows.length },
        entries,
      )
      await noteRenewed(tx, ref, firstChunk, documents)
    })
    .catch((error: unknown) => {
      // A chunk was edited at the same time. The next turn reads it again.
      if (!(error instanceof ChunksChanged)) throw error
    })
}

class ChunksChanged extends Error {}

async function build(
  { stemmer }: IngestionDependencies,
  documents: OutdatedDocument[],
  chunks: OutdatedChunk[],
): Promise<{ segment: SegmentBuilder; rows: RenewedChunk[] }> {
  const names = new Map(documents.map(({ id, name }) => [id, name]))
  const segment = new SegmentBuilder()
  const rows: RenewedChunk[] = []
  let due = performance.now() + STEP_MS
  for (const [index, chunk] of chunks.entries()) {
    const words = listWords(withContext(names.get(chunk.documentId) ?? '', chunk))
    const length = segment.add(index, words, await termsOf(stemmer, words, chunk.language))
    rows.push({ old: chunk.number, index, words: length })
    if (performance.now() < due) continue
    await turn()
    due = performance.now() + STEP_MS
  }
  return { segment, rows }
}

/** Locks the documents. Returns false if one was deleted, indexed or changed meanwhile. */
async function lockUnchanged(
  tx: TenantTransaction,
  { organizationId, kbId }: KbRef,
  documents: OutdatedDocument[],
): Promise<boolean> {
  const found = await tx`
    select from kb_documents d
    join json_to_recordset(${JSON.stringify(documents)}::text::json)
      as given (id uuid, "firstChunk" int, "contentHash" text) using (id)
    where d.kb_id = ${kbId} and d.organization_id = ${organizationId} and d.status = 'ready'
      and d.first_chunk = given."firstChunk" and d.content_hash is not distinct from given."contentHash"
    order by d.id for update of d`
  return found.count === documents.length
}

/** Gives chunks and their vectors new numbers. Returns false if a chunk has another number by now. */
async function move(
  tx: TenantTransaction,
  ref: KbRef,
  rows: RenewedChunk[],
  firstChunk: number,
): Promise<boolean> {
  const moved = JSON.stringify(rows)
  const chunks = await tx`
    update kb_chunks c set number = m.index + ${firstChunk}::int, words = m.words
    from json_to_recordset(${moved}::text::json) as m (old int, index int, words int)
    where c.kb_id = ${ref.kbId} and c.organization_id = ${ref.organizationId} and c.number = m.old`
  await tx`
    update kb_vectors v set number = m.index + ${firstChunk}::int
    from json_to_recordset(${moved}::text::json) as m (old int, index int)
    where ${isOfKb(tx, ref)} and v.number = m.old`
  return chunks.count === rows.length
}

/** Notes the new numbers, by which a trigger counts the old postings as dead. */
async function noteRenewed(
  tx: TenantTransaction,
  { organizationId, kbId }: KbRef,
  firstChunk: number,
  documents: OutdatedDocument[],
): Promise<void> {
  await tx`
    update kb_documents d
    set words_version = ${WORDS_VERSION}, first_chunk = coalesce(c.first, ${firstChunk}::int), word_count = coalesce(c.words, 0)
    from json_to_recordset(${JSON.stringify(documents)}::text::json) as given (id uuid)
    left join lateral (
      select min(number) as first, sum(words) as words from kb_chunks
      where kb_id = ${kbId} and organization_id = ${organizationId} and document_id = given.id) c on true
    where d.id = given.id and d.kb_id = ${kbId} and d.organization_id = ${organizationId}`
}
