import { afterCommit } from '#database/ambient.ts'
import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import type { Services } from '#platform/services.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import type { KbRef } from './ingestion.ts'

/*
 * A deleted knowledge base or source is gone at once, and its contents are deleted later, in batches. In one statement,
 * the deletion of 1,000 documents took over 30 seconds: for each document, PostgreSQL looked for its chunks among all
 * chunks of the knowledge base, those already deleted included.
 */

const SWEEP_MS = 5_000
/** Maximum number of knowledge bases and sources whose contents a sweep deletes. */
const SWEEP_MAX = 20
/** Maximum number of chunks or postings per statement. */
export const ROWS_MAX = 2_000
/** Maximum number of documents or sources per statement. */
export const DOCUMENTS_MAX = 200

/** The fewest chunks, and the fewest documents, per statement. */
const ROWS_MIN = 50
const DOCUMENTS_MIN = 5
/** Deletion of a document or source takes as long as that of this many chunks, or longer if its text is long. */
const DOCUMENT_ROWS = ROWS_MAX / DOCUMENTS_MAX

const ROWS = { least: ROWS_MIN, most: ROWS_MAX }
const DOCUMENTS = { least: DOCUMENTS_MIN, most: DOCUMENTS_MAX }

interface Deletion {
  bounds: { least: number; most: number }
  deleteSome(tx: SystemTransaction, kbId: string, limit: number): Promise<{ count: number }>
}

/**
 * In this order, the deletion of a row finds no rows left that would be deleted with it. Rows are found by their
 * position, because the statistics of PostgreSQL may not know a young knowledge base: plans that look for them by
 * another index would then read all of its rows for each.
 */
const DELETIONS: Deletion[] = [
  {
    bounds: ROWS,
    deleteSome: (tx, kbId, limit) => tx`
      delete from kb_postings where ctid = any(array(
        select ctid from kb_postings where kb_id = ${kbId} order by term, segment limit ${limit}))`,
  },
  {
    bounds: ROWS,
    deleteSome: (tx, kbId, limit) => tx`
      delete from kb_chunks where ctid = any(array(
        select ctid from kb_chunks where kb_id = ${kbId} order by number limit ${limit}))`,
  },
  {
    bounds: DOCUMENTS,
    deleteSome: (tx, kbId, limit) => tx`
      delete from kb_documents where ctid = any(array(
        select ctid from kb_documents where kb_id = ${kbId} order by id limit ${limit}))`,
  },
  {
    bounds: DOCUMENTS,
    deleteSome: (tx, kbId, limit) => tx`
      delete from kb_sources where ctid = any(array(
        select ctid from kb_sources where kb_id = ${kbId} limit ${limit}))`,
  },
  {
    bounds: DOCUMENTS,
    deleteSome: (tx, kbId, limit) => tx`
      delete from kb_contents where ctid = any(array(
        select ctid from kb_contents where kb_id = ${kbId} limit ${limit}))`,
  },
]

/**
 * Rows are deleted by their position. If PostgreSQL's statistics do not know the table's size, it would read the whole
 * table for each batch instead, and small batches would read it hundreds of times.
 */
async function avoidTableScans(tx: SystemTransaction): Promise<void> {
  await tx`select set_config('enable_seqscan', 'off', true)`
}

/**
 * Deletes the sources, documents and index of a knowledge base, deleted or not, each batch in a transaction of its own.
 * Concurrent processes take turns.
 */
export async function eraseContents(
  { database, pacer }: Pick<Services, 'database' | 'pacer'>,
  kbId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { bounds, deleteSome } of DELETIONS) {
    const size = new BatchSize(bounds)
    const deleteBatch = (limit: number, starts: () => void): Promise<number> =>
      systemSql(database).begin(async (tx) => {
        await tx`select from knowledge_bases where id = ${kbId} for update`
        await tx`select from kb_contents where id = ${kbId} for update`
        await avoidTableScans(tx)
        starts()
        return (await deleteSome(tx, kbId, limit)).count
      })
    while ((await pacer.pace(size, deleteBatch, signal)) > 0);
  }
}

/** Contents of a deleted knowledge base, or of a deleted source if the ids differ. */
interface AbandonedContents extends KbRef {
  id: string
}

/**
 * Deletes the last chunks of the next documents of a deleted source, and the documents that have no chunks left. The
 * counters of the knowledge base follow the documents, so they are right after each batch. Returns 0 once no document is
 * left.
 */
async function eraseDocuments(
  tx: SystemTransaction,
  { id, kbId }: AbandonedContents,
  limit: number,
): Promise<number> {
  const documents = await tx<{ id: string }[]>`
    select id from kb_documents where source_id = ${id} order by key limit ${Math.ceil(limit / DOCUMENT_ROWS)}`
  const ids = documents.map((document) => document.id)
  const gone = await tx<{ id: string; chunks: number; words: number }[]>`
    with gone as (
      delete from kb_chunks where ctid = any(array(
        select ctid from kb_chunks where kb_id = ${kbId} and document_id = any(${ids})
        order by document_id desc, position desc limit ${limit}))
      returning document_id, words)
    select document_id as id, count(*)::int as chunks, sum(words)::int as words from gone group by document_id`
  const count = gone.reduce((sum, { chunks }) => sum + chunks, 0)
  if (count < limit) {
    await tx`delete from kb_documents where id = any(${ids})`
    return count + ids.length * DOCUMENT_ROWS
  }
  // Unlocked: it subtracts what this transaction has deleted.
  await tx`
    update kb_documents d set chunk_count = d.chunk_count - g.chunks, word_count = d.word_count - g.words
    from json_to_recordset(${JSON.stringify(gone)}::text::json) as g (id uuid, chunks int, words int)
    where d.id = g.id`
  // The trigger of kb_documents counts dead chunks only when a document is deleted or indexed again.
  await tx`update knowledge_bases set dead_count = dead_count + ${count} where id = ${kbId}`
  await tx`delete from kb_documents where id = any(${ids}) and chunk_count = 0`
  return count
}

export interface EraserDependencies {
  services: Pick<Services, 'database' | 'sweeps' | 'pacer'>
  /** Called when the contents of a source have been deleted, to compact the index of its knowledge base. */
  onErased(kb: { organizationId: string; id: string }): Promise<void>
}

/** Deletes the contents of deleted knowledge bases and sources in the background. */
export class ContentsEraser {
  readonly #deps: EraserDependencies
  readonly #stopping = new AbortController()
  #sweep: RunningSweep | undefined

  constructor(deps: EraserDependencies) {
    this.#deps = deps
  }

  start(): void {
    this.#sweep = this.#deps.services.sweeps.begin({
      name: 'deleted contents',
      everyMs: SWEEP_MS,
      find: () => this.#findAbandoned(),
      work: async (abandoned) => {
        for (const contents of abandoned) await this.#erase(contents)
      },
      failure: 'the contents of deleted knowledge bases and sources could not be deleted',
    })
  }

  /** Starts a sweep after the commit, if this process works in the background. */
  wake(): Promise<void> {
    return afterCommit(() => this.#sweep?.wake())
  }

  /** Stops after the current batch. Another process continues. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#sweep?.end()
  }

  async #findAbandoned(): Promise<AbandonedContents[]> {
    const sql = systemSql(this.#deps.services.database)
    return sql<AbandonedContents[]>`
      select organization_id as "organizationId", coalesce(kb_id, id) as "kbId", id from kb_contents
      where is_abandoned order by id limit ${SWEEP_MAX}`
  }

  async #erase(contents: AbandonedContents): Promise<void> {
    const { services, onErased } = this.#deps
    const { database, pacer } = services
    const { signal } = this.#stopping
    const size = new BatchSize(ROWS)
    const eraseSome = (limit: number, starts: () => void): Promise<number> =>
      systemSql(database).begin(async (tx) => {
        await tx`select from knowledge_bases where id = ${contents.kbId} for no key update`
        await avoidTableScans(tx)
        starts()
        return eraseDocuments(tx, contents, limit)
      })
    const { id, kbId, organizationId } = contents
    try {
      if (id === kbId) await eraseContents(services, kbId, signal)
      else while ((await pacer.pace(size, eraseSome, signal)) > 0);
      await systemSql(database)`delete from kb_contents where id = ${id}`
      if (id !== kbId) await onErased({ organizationId, id: kbId })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
