import { toVectorText } from '#database/insert-rows.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import { fail, sentence } from '#errors'
import type { Scope } from '#platform/access/scope.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import { countTokens } from '#platform/models/index.ts'
import { ModelError } from '#platform/models/types.ts'
import type { Language } from '#platform/retrieval/languages.ts'
import { SegmentBuilder } from '#platform/retrieval/postings.ts'
import { termsOf } from '#platform/retrieval/terms.ts'
import { listWords } from '#platform/retrieval/words.ts'
import { modelFailure } from '../llm/index.ts'
import { hasSource } from './claimable.ts'
import type { KbDependencies } from './dependencies.ts'
import { type EmbeddingOf, embedTexts } from './embed-texts.ts'
import { isOfKb } from './own-kb.ts'
import { withContext } from './prepare-text.ts'
import { type ChunkChange, type ChunkRow, type ChunkView, viewChunk } from './schemas.ts'
import { insertSegment } from './segments.ts'

interface FoundChunk extends ChunkRow {
  number: number
  words: number
  name: string
  language: Language
  generation: number
  embeddingModelId: string | null
}

/**
 * Changes a chunk's content, or enables or disables the chunk. The change lasts until the document is indexed again.
 * Throws kb.chunk_not_found, kb.changing if the document is indexed during the change, kb.dimensions, llm.failed, and
 * the errors of embedTexts.
 */
export async function changeChunk(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  { kb_id: kbId, chunk_id: id }: { kb_id: string; chunk_id: string },
  { content, is_enabled: isEnabled }: ChunkChange,
): Promise<ChunkView> {
  const chunk = await findChunk(scope, kbId, id)
  // The rewrite can fail, so it runs first. A failed request then changes nothing.
  if (content !== undefined && content !== chunk.content)
    await rewrite(deps, scope, kbId, chunk, content.replaceAll('\0', '').toWellFormed())
  if (isEnabled !== undefined) await enable(scope, kbId, id, isEnabled)
  return viewChunk(await findChunk(scope, kbId, id))
}

/** Returns a chunk. Throws kb.chunk_not_found. */
export const getChunk = async (
  scope: Scope<'kb:write'>,
  { kb_id: kbId, chunk_id: id }: { kb_id: string; chunk_id: string },
): Promise<ChunkView> => viewChunk(await findChunk(scope, kbId, id))

async function findChunk(
  { sql, organizationId }: Scope<'kb:write'>,
  kbId: string,
  id: string,
): Promise<FoundChunk> {
  const [row] = await sql<FoundChunk[]>`
    select c.id, document_id as "documentId", position, content, headings, page, tokens, is_enabled as "isEnabled",
      is_edited as "isEdited", number, words, d.name, language, k.generation, embedding_model_id as "embeddingModelId"
    from kb_chunks c join kb_documents d on d.id = c.document_id and d.organization_id = c.organization_id
    join knowledge_bases k on k.id = c.kb_id and k.organization_id = c.organization_id
    where c.id = ${id} and c.kb_id = ${kbId} and c.organization_id = ${organizationId} and ${hasSource(sql)}`
  if (!row) throw fail('kb.chunk_not_found', { value: id })
  return row
}

const enable = (scope: Scope<'kb:write'>, kbId: string, id: string, isEnabled: boolean) =>
  scope.sql.begin(async (tx) => {
    await raiseVersion(tx, scope, kbId)
    await tx`
      with changed as (
        update kb_chunks set is_enabled = ${isEnabled}
        where id = ${id} and kb_id = ${kbId} and organization_id = ${scope.organizationId} returning number)
      update kb_vectors v set is_enabled = ${isEnabled} from changed
      where ${isOfKb(tx, { organizationId: scope.organizationId, kbId })} and v.number = changed.number`
  })

/** Stores new content under a new chunk number, so that the old content's postings no longer match the chunk. */
async function rewrite(
  deps: KbDependencies,
  scope: Scope<'kb:write'>,
  kbId: string,
  chunk: FoundChunk,
  content: string,
): Promise<void> {
  const { organizationId } = scope
  const ref = { organizationId, kbId }
  const text = withContext(chunk.name, { headings: chunk.headings, content })
  const vector = await embedOne(
    deps,
    scope,
    { organizationId, embeddingModelId: chunk.embeddingModelId },
    text,
  )
  const words = listWords(text)
  const terms = await termsOf(deps.stemmer, words, chunk.language)
  const tokens = await countTokens(content)
  const { database } = deps.services
  await scope.sql.begin(async (tx) => {
    const position = await raiseVersion(tx, scope, kbId)
    if (position.generation !== chunk.generation) throw fail('kb.changing')
    if (position.dimensions !== null && position.dimensions !== vector.length)
      throw fail('kb.dimensions', { before: position.dimensions, now: vector.length })
    const segment = new SegmentBuilder()
    const length = segment.add(position.number, words, terms)
    const changed = await tx`
      update kb_chunks
      set content = ${content}, tokens = ${tokens}, words = ${length}, number = ${position.number}, is_edited = true
      where id = ${chunk.id} and kb_id = ${kbId} and organization_id = ${organizationId} and number = ${chunk.number}`
    if (changed.count === 0) throw fail('kb.changing')
    await tx`
      update kb_vectors
      set number = ${position.number}, embedding = ${toVectorText(vector)}::text::halfvec, generation = ${chunk.generation}
      where ${isOfKb(tx, ref)} and number = ${chunk.number}`
    await insertSegment({ database, tx }, ref, { segment: position.segment, chunks: 1 }, segment.entries())
    await tx`
      update kb_documents set word_count = word_count + ${length - chunk.words}
      where id = ${chunk.documentId} and organization_id = ${organizationId}`
    await tx`
      update knowledge_bases set dead_count = dead_count + 1, dimensions = ${vector.length}
      where id = ${kbId} and organization_id = ${organizationId}`
  })
  // Each rewrite adds a segment, and ingestion merges segments.
  await deps.ingestion.begin({ organizationId, id: kbId })
}

/** Timeout of the embedding call, in milliseconds. The client waits for it. */
const EMBEDDING_MS = 60_000

async function embedOne(
  deps: KbDependencies,
  payer: Payer,
  of: EmbeddingOf,
  text: string,
): Promise<Float32Array> {
  const signal = AbortSignal.timeout(EMBEDDING_MS)
  try {
    const [vector] = await embedTexts(deps, payer, of, [text], 'document', signal)
    return vector as Float32Array
  } catch (error) {
    if (error instanceof ModelError) throw modelFailure(error)
    if (error === signal.reason) throw fail('llm.failed', { reason: TOO_SLOW })
    throw error
  }
}

const TOO_SLOW = sentence('kb.embedding_timeout', { seconds: EMBEDDING_MS / 1_000 })

interface IndexPosition {
  number: number
  segment: number
  generation: number
  dimensions: number | null
}

/** Locks the knowledge base, increments its index version, and allocates a chunk number and a segment number. */
async function raiseVersion(
  tx: TenantTransaction,
  scope: Scope<'kb:write'>,
  kbId: string,
): Promise<IndexPosition> {
  const [position] = await tx<IndexPosition[]>`
    update knowledge_bases
    set index_version = index_version + 1, next_chunk = next_chunk + 1, next_segment = next_segment + 1
    where id = ${kbId} and organization_id = ${scope.organizationId}
    returning next_chunk - 1 as number, next_segment - 1 as segment, generation, dimensions`
  if (!position) throw fail('kb.not_found', { value: kbId })
  return position
}
