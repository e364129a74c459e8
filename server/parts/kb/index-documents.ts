import type { Chunking } from '#database/schema/kb.ts'
import { AppError, sentence } from '#errors'
import { ModelError } from '#platform/models/types.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import type { ClaimedDocument } from './claims.ts'
import { embedTexts, measureFloor, unattributed } from './embed-texts.ts'
import type { IngestionDependencies, KbRef } from './ingestion.ts'
import { compactPostings, mergeSegments } from './merge-segments.ts'
import { type PreparedTexts, withContext } from './prepare-text.ts'
import { THREADS_MAX } from './preparer.ts'
import { renewWords } from './renew-words.ts'
import { type PreparedDocument, writeIndex } from './write-index.ts'

/** Snapshot of a knowledge base during indexing. Documents indexed together use the same settings. */
export interface IndexedKb extends KbRef {
  generation: number
  dimensions: number | null
  floor: number | null
  chunking: Chunking
  embeddingModelId: string | null
}

/** Number of documents per claim. */
const CLAIM = { least: 20, most: 500 }
/**
 * Bytes of a group of documents that are indexed together, in one transaction. A longer document is a group of its own.
 */
const GROUP_BYTES = { least: 20_000, most: 2_000_000 }
const GROUP_DOCUMENTS = 200
/**
 * Maximum number of groups prepared concurrently. While each worker thread splits a group, the next group's text is
 * fetched.
 */
const AHEAD = THREADS_MAX + 1
/** Time limit of one turn, in milliseconds. Other knowledge bases then get a turn. */
const TURN_MS = 20_000

/**
 * Indexes pending documents of a knowledge base for one turn: splits, embeds and stores them in groups. Prepares the
 * next groups while a group is written. A document that fails is recorded, and other documents continue. When the
 * turn ends, the remaining documents are released for the next turn. Then renews the words of documents that an older
 * release has indexed.
 */
export async function indexDocuments(deps: IngestionDependencies, ref: KbRef): Promise<void> {
  const end = performance.now() + TURN_MS
  const isOver = (): boolean => deps.stopping.aborted || performance.now() >= end
  const { pacer } = deps.services
  const claims = new BatchSize(CLAIM)
  const writes = new BatchSize(GROUP_BYTES)
  let waiting: ClaimedDocument[] = []
  const ahead: PreparationTask[] = []
  let mayHaveMore = false
  const claim = (): Promise<number> =>
    pacer.pace(claims, async (limit) => {
      waiting = await deps.claims.claim(ref, limit)
      mayHaveMore = waiting.length === limit
      return waiting.length
    })
  /** Claims more documents if none are left. While groups are in progress, only if the last claim was full. */
  const takeGroup = async (): Promise<ClaimedDocument[] | undefined> => {
    if (waiting.length === 0 && (mayHaveMore || ahead.length === 0)) await claim()
    // Large groups index faster. Without replies, nothing waits for the database as long as a group takes.
    const group = nextGroup(waiting, pacer.isReplying() ? writes.now : GROUP_BYTES.most)
    waiting = waiting.slice(group.length)
    return group.length > 0 ? group : undefined
  }
  let writing: Promise<unknown> = Promise.resolve()
  try {
    for (;;) {
      while (ahead.length < AHEAD && !isOver()) {
        const group = await takeGroup()
        if (!group) break
        ahead.push(begin(deps, ref, group))
      }
      const next = ahead.shift()
      if (!next) break
      const prepared = await next.prepared
      await writing
      writing = prepared
        ? settle(deps, ref, next.ids, () => write(deps, ref, prepared, writes))
        : Promise.resolve()
    }
  } finally {
    await writing
    const left = [...ahead.flatMap(({ ids }) => ids), ...idsOf(waiting)]
    if (left.length > 0) await settle(deps, ref, left, () => deps.claims.release(ref, left))
  }
  if (deps.stopping.aborted) return
  await renewWords(deps, ref, isOver)
  if (isOver()) await deps.wakeIndexing(ref)
  await mergeSegments(deps, ref)
  await compactPostings(deps, ref)
  deps.announce(ref)
}

interface PreparationTask {
  ids: string[]
  prepared: Promise<Prepared | undefined>
}

function begin(deps: IngestionDependencies, ref: KbRef, group: ClaimedDocument[]): PreparationTask {
  const ids = idsOf(group)
  return { ids, prepared: settle(deps, ref, ids, () => prepare(deps, ref, group)) }
}

/**
 * Returns the documents of the next group. A document that has failed before gets its own group, so that other documents
 * don't fail with it.
 */
function nextGroup(documents: ClaimedDocument[], bytesMax: number): ClaimedDocument[] {
  let bytes = 0
  const end = documents.findIndex(({ textBytes, failures }, index) => {
    bytes += textBytes
    return index > 0 && (bytes > bytesMax || failures > 0 || documents[0]?.failures !== 0)
  })
  return documents.slice(0, Math.min(end < 0 ? documents.length : end, GROUP_DOCUMENTS))
}

const UNEXPECTED = sentence('kb.indexing_failed')

const idsOf = (group: ClaimedDocument[]): string[] => group.map(({ id }) => id)

/**
 * Runs a step for some documents. If the step fails, records the failure on the documents and returns undefined.
 * Never rejects.
 */
async function settle<Result>(
  deps: IngestionDependencies,
  ref: KbRef,
  ids: string[],
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await step()
  } catch (error) {
    await noteFailure(deps, ref, ids, error).catch((lost: unknown) =>
      // The documents stay claimed until a sweep releases them.
      deps.services.log.error({ err: lost }, 'indexing failures could not be stored'),
    )
    return undefined
  }
}

async function noteFailure(
  deps: IngestionDependencies,
  ref: KbRef,
  ids: string[],
  error: unknown,
): Promise<void> {
  if (deps.stopping.aborted) return deps.claims.release(ref, ids)
  const isExpected = error instanceof ModelError || error instanceof AppError
  deps.services.log[isExpected ? 'info' : 'error']({ err: error }, 'documents could not be indexed')
  await deps.claims.fail(ref, ids, isExpected ? error.message : UNEXPECTED, retryOf(error, ids.length))
}

/**
 * Returns when documents that failed are retried. An AppError, such as missing credits, needs a user's action. A
 * provider that refuses a document refuses it again, but the refused document is known only once it is alone.
 */
function retryOf(error: unknown, count: number): 'later' | 'at once' | 'never' {
  if (error instanceof AppError) return 'never'
  if (!(error instanceof ModelError) || error.kind !== 'request') return 'later'
  return count === 1 ? 'never' : 'at once'
}

interface Prepared {
  kb: IndexedKb
  documents: PreparedDocument[]
  dictionary: string[]
  /** Ids of all documents claimed for the group, including documents that were deleted since. */
  ids: string[]
}

/** Splits and embeds documents. Returns undefined if the knowledge base was deleted. */
async function prepare(
  deps: IngestionDependencies,
  ref: KbRef,
  group: ClaimedDocument[],
): Promise<Prepared | undefined> {
  const kb = await readKb(deps, ref)
  if (!kb) {
    await deps.claims.release(ref, idsOf(group))
    return undefined
  }
  const texts = await readTexts(deps, ref, group)
  const there = group.filter(({ id }) => texts.has(id)) // the others were deleted
  const prepared = await deps.preparer.prepare({
    texts: there.map(({ id, name, textKind }) => ({ name, text: texts.get(id) ?? '', kind: textKind })),
    chunking: kb.chunking,
    isLocal: kb.embeddingModelId === null,
  })
  const count = prepared.texts.reduce((sum, { chunks }) => sum + chunks.length, 0)
  const vectors = prepared.vectors
    ? partsOf(prepared.vectors, count)
    : await embedTexts(deps, unattributed(kb), kb, embeddedTexts(there, prepared), 'document', deps.stopping)
  const floor = count === 0 ? kb.floor : (kb.floor ?? (await measureFloor(deps, kb, deps.stopping)))
  let from = 0
  const documents = prepared.texts.map((text, ref) => {
    const own = vectors.slice(from, from + text.chunks.length)
    from += text.chunks.length
    return { ...text, document: there[ref] as ClaimedDocument, vectors: own }
  })
  return { kb: { ...kb, floor }, documents, dictionary: prepared.dictionary, ids: idsOf(group) }
}

const partsOf = (vectors: Float32Array, count: number): Float32Array[] => {
  const length = vectors.length / count
  return Array.from({ length: count }, (_, at) => vectors.subarray(at * length, (at + 1) * length))
}

const embeddedTexts = (documents: ClaimedDocument[], { texts }: PreparedTexts): string[] =>
  texts.flatMap(({ chunks }, ref) =>
    chunks.map((chunk) => withContext((documents[ref] as ClaimedDocument).name, chunk)),
  )

async function write(
  deps: IngestionDependencies,
  ref: KbRef,
  { kb, documents, dictionary, ids }: Prepared,
  size: BatchSize,
): Promise<void> {
  await deps.services.pacer.pace(
    size,
    async (_limit, starts) => {
      await writeIndex(deps, kb, documents, dictionary, starts)
      // Documents that were claimed but not stored become pending again, unless they were deleted.
      await deps.claims.release(ref, ids)
      return documents.reduce((sum, { document }) => sum + document.textBytes, 0)
    },
    deps.stopping,
  )
  deps.announce(ref)
}

async function readKb(
  { sqlOf }: IngestionDependencies,
  { organizationId, kbId }: KbRef,
): Promise<IndexedKb | undefined> {
  const [kb] = await sqlOf({ organizationId, kbId })<IndexedKb[]>`
    select organization_id as "organizationId", id as "kbId", generation, dimensions, floor, chunking,
      embedding_model_id as "embeddingModelId"
    from knowledge_bases where id = ${kbId} and organization_id = ${organizationId}`
  return kb
}

async function readTexts(
  { sqlOf }: IngestionDependencies,
  { organizationId, kbId }: KbRef,
  group: ClaimedDocument[],
): Promise<Map<string, string>> {
  const rows = await sqlOf({ organizationId, kbId })<{ id: string; text: string }[]>`
    select document_id as id, text from kb_texts
    where document_id = any(${group.map(({ id }) => id)}) and kb_id = ${kbId} and organization_id = ${organizationId}`
  return new Map(rows.map(({ id, text }) => [id, text]))
}
