import type { Column } from '#database/insert-rows.ts'
import { newId } from '#database/new-id.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Chunk } from '#platform/documents/split-text.ts'
import type { Language } from '#platform/retrieval/languages.ts'
import { raiseNumbers, SegmentBuilder, type SegmentEntry } from '#platform/retrieval/postings.ts'
import { type Terms, termsOf } from '#platform/retrieval/terms.ts'
import { WORDS_VERSION } from '#platform/retrieval/word-variants.ts'
import type { ClaimedDocument } from './claims.ts'
import { copyRows } from './copy-rows-system.ts'
import type { IndexedKb } from './index-documents.ts'
import type { IngestionDependencies } from './ingestion.ts'
import { insertSegment } from './segments.ts'

export interface PreparedDocument {
  document: ClaimedDocument
  chunks: Chunk[]
  /** The words of each chunk and its context, as indexes into the dictionary. */
  words: Uint32Array[]
  language: Language
  vectors: Float32Array[]
}

const NO_WORDS = sentence('kb.no_words')

/**
 * Replaces the chunks and postings of documents in one transaction, so that searches never see a document half
 * indexed. Skips documents that were deleted or changed since they were read. Skips all documents if the knowledge
 * base's settings changed. Throws kb.dimensions.
 */
export async function writeIndex(
  deps: IngestionDependencies,
  kb: IndexedKb,
  documents: PreparedDocument[],
  dictionary: readonly string[],
  starts: () => void = () => {},
): Promise<void> {
  const { database } = deps.services
  const { rows, chunks, entries } = await build(deps, documents, dictionary)
  const dimensions = chunks[0]?.vector.length ?? null
  await deps.sqlOf(kb).begin(async (tx) => {
    if (!(await lockUnchanged(tx, kb, dimensions))) return
    starts()
    const claimed = await keepClaimed(deps, tx, kb, rows)
    if (claimed.size === 0) return
    const claimedChunks = chunks.filter(({ documentId }) => claimed.has(documentId))
    const dead = chunks.length - claimedChunks.length
    const reserved = await reservePosition(tx, kb, { chunks: chunks.length, dead })
    raiseNumbers(entries, reserved.firstChunk)
    await tx`
      delete from kb_chunks
      where kb_id = ${kb.kbId} and document_id = any(${[...claimed]}) and organization_id = ${kb.organizationId}`
    await copyRows(database, tx, kb, 'kb_chunks', chunkColumns(reserved), claimedChunks)
    await copyRows(database, tx, kb, 'kb_vectors', vectorColumns(kb, reserved), claimedChunks)
    await insertSegment({ database, tx }, kb, { segment: reserved.segment, chunks: chunks.length }, entries)
    await noteReady(
      tx,
      kb,
      reserved,
      rows.filter(({ id }) => claimed.has(id)),
    )
    await noteSettings(tx, kb, dimensions, [...new Set(documents.map(({ language }) => language))])
  })
}

interface IndexPosition {
  firstChunk: number
  segment: number
}

/**
 * Allocates chunk numbers and a segment number. The transaction holds the lock on the knowledge base, so that later
 * writes get higher numbers.
 */
async function reservePosition(
  tx: TenantTransaction,
  { organizationId, kbId }: IndexedKb,
  { chunks, dead }: { chunks: number; dead: number },
): Promise<IndexPosition> {
  const [row] = await tx<IndexPosition[]>`
    update knowledge_bases
    set next_chunk = next_chunk + ${chunks}, next_segment = next_segment + 1, dead_count = dead_count + ${dead}
    where id = ${kbId} and organization_id = ${organizationId}
    returning next_chunk - ${chunks}::int as "firstChunk", next_segment - 1 as segment`
  return row as IndexPosition
}

interface DocumentEntry {
  id: string
  content_hash: string
  /** Index of the first chunk in this batch, from 0. */
  first_chunk: number
  chunk_count: number
  word_count: number
}

interface ChunkEntry extends Chunk {
  id: string
  documentId: string
  /** Index of the chunk in this batch, from 0. */
  number: number
  words: number
  language: string
  vector: Float32Array
}

async function build(
  deps: IngestionDependencies,
  documents: PreparedDocument[],
  dictionary: readonly string[],
): Promise<{ rows: DocumentEntry[]; chunks: ChunkEntry[]; entries: SegmentEntry[] }> {
  const segment = new SegmentBuilder()
  const chunks: ChunkEntry[] = []
  const rows: DocumentEntry[] = []
  const termsByLanguage = await readTerms(deps, documents, dictionary)
  for (const { document, language, words, vectors, ...prepared } of documents) {
    const terms = termsByLanguage.get(language) as Terms
    const row = {
      id: document.id,
      content_hash: document.contentHash,
      first_chunk: chunks.length,
    }
    let wordCount = 0
    for (const [index, chunk] of prepared.chunks.entries()) {
      const number = chunks.length
      const length = segment.add(
        number,
        Array.from(words[index] ?? [], (at) => dictionary[at] as string),
        terms,
      )
      wordCount += length
      chunks.push({
        ...chunk,
        id: newId(),
        documentId: document.id,
        number,
        words: length,
        language,
        vector: vectors[index] as Float32Array,
      })
    }
    rows.push({ ...row, chunk_count: prepared.chunks.length, word_count: wordCount })
  }
  return { rows, chunks, entries: segment.entries() }
}

async function readTerms(
  { stemmer }: IngestionDependencies,
  documents: PreparedDocument[],
  dictionary: readonly string[],
): Promise<Map<Language, Terms>> {
  const languages = [...new Set(documents.map(({ language }) => language))]
  const terms = await Promise.all(languages.map((language) => termsOf(stemmer, dictionary, language)))
  return new Map(languages.map((language, index) => [language, terms[index] as Terms]))
}

/** Locks the knowledge base. Returns false if it was deleted or its settings changed. Throws kb.dimensions. */
async function lockUnchanged(
  tx: TenantTransaction,
  kb: IndexedKb,
  dimensions: number | null,
): Promise<boolean> {
  const [row] = await tx<{ isSame: boolean; dimensions: number | null }[]>`
    select generation = ${kb.generation} and chunking = ${JSON.stringify(kb.chunking)}::text::jsonb as "isSame",
      dimensions
    from knowledge_bases where id = ${kb.kbId} and organization_id = ${kb.organizationId} for no key update`
  if (!row?.isSame) return false
  if (row.dimensions !== null && dimensions !== null && row.dimensions !== dimensions)
    throw fail('kb.dimensions', { before: row.dimensions, now: dimensions })
  return true
}

/** Locks the documents that are unchanged and still claimed by this process. Returns the ids of these documents. */
async function keepClaimed(
  deps: IngestionDependencies,
  tx: TenantTransaction,
  kb: IndexedKb,
  rows: DocumentEntry[],
): Promise<Set<string>> {
  const claimed = await tx<{ id: string }[]>`
    select d.id from kb_documents d
    join json_to_recordset(${JSON.stringify(rows)}::text::json) as given (id uuid, content_hash text) using (id)
    where d.content_hash = given.content_hash and ${deps.claims.isMine(tx, kb)}
    order by d.id for update of d`
  return new Set(claimed.map(({ id }) => id))
}

const chunkColumns = ({ firstChunk }: IndexPosition): Column<ChunkEntry>[] => [
  { name: 'id', type: 'uuid', of: ({ id }) => id },
  { name: 'number', type: 'int4', of: ({ number }) => firstChunk + number },
  { name: 'document_id', type: 'uuid', of: ({ documentId }) => documentId },
  { name: 'position', type: 'int4', of: ({ position }) => position },
  { name: 'page', type: 'int4', of: ({ page }) => page },
  { name: 'tokens', type: 'int4', of: ({ tokens }) => tokens },
  { name: 'words', type: 'int4', of: ({ words }) => words },
  { name: 'language', type: 'text', of: ({ language }) => language },
  { name: 'headings', type: 'text[]', of: ({ headings }) => headings },
  { name: 'content', type: 'text', of: ({ content }) => content },
]

const vectorColumns = (kb: IndexedKb, { firstChunk }: IndexPosition): Column<ChunkEntry>[] => [
  { name: 'number', type: 'int4', of: ({ number }) => firstChunk + number },
  { name: 'generation', type: 'int4', of: () => kb.generation },
  { name: 'embedding', type: 'halfvec', of: ({ vector }) => vector },
]

async function noteReady(
  tx: TenantTransaction,
  { organizationId, kbId }: IndexedKb,
  { firstChunk }: IndexPosition,
  rows: DocumentEntry[],
): Promise<void> {
  await tx`
    update kb_documents d
    set status = case when e.chunk_count = 0 then 'failed' else 'ready' end,
      error = case when e.chunk_count = 0 then ${NO_WORDS} end, claimed_by = null, failures = 0, not_before = null,
      first_chunk = e.first_chunk + ${firstChunk}::int, chunk_count = e.chunk_count, word_count = e.word_count,
      words_version = ${WORDS_VERSION}, updated_at = now()
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as e (id uuid, first_chunk int, chunk_count int, word_count int)
    where d.id = e.id and d.kb_id = ${kbId} and d.organization_id = ${organizationId}`
}

async function noteSettings(
  tx: TenantTransaction,
  kb: IndexedKb,
  dimensions: number | null,
  languages: string[],
): Promise<void> {
  await tx`
    update knowledge_bases
    set dimensions = coalesce(dimensions, ${dimensions}), floor = coalesce(floor, ${kb.floor}),
      languages = array(select distinct unnest(languages || ${languages}::text[]) order by 1)
    where id = ${kb.kbId} and organization_id = ${kb.organizationId}`
}
