import { afterCommit } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'
import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import type { Services } from '#platform/services.ts'
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

type DeleteBatch = (tx: SystemTransaction, kbId: string) => Promise<{ count: number }>

/**
 * In this order, the deletion of a row finds no rows left that would be deleted with it. Rows are found by their
 * position, because the statistics of PostgreSQL may not know a young knowledge base: plans that look for them by
 * another index would then read all of its rows for each.
 */
const BATCHES: DeleteBatch[] = [
  (tx, kbId) => tx`
    delete from kb_postings where ctid = any(array(
      select ctid from kb_postings where kb_id = ${kbId} order by term, segment limit ${ROWS_MAX}))`,
  (tx, kbId) => tx`
    delete from kb_chunks where ctid = any(array(
      select ctid from kb_chunks where kb_id = ${kbId} order by number limit ${ROWS_MAX}))`,
  (tx, kbId) => tx`
    delete from kb_documents where ctid = any(array(
      select ctid from kb_documents where kb_id = ${kbId} order by id limit ${DOCUMENTS_MAX}))`,
  (tx, kbId) => tx`
    delete from kb_sources where ctid = any(array(
      select ctid from kb_sources where kb_id = ${kbId} limit ${DOCUMENTS_MAX}))`,
  (tx, kbId) => tx`
    delete from kb_contents where ctid = any(array(
      select ctid from kb_contents where kb_id = ${kbId} limit ${DOCUMENTS_MAX}))`,
]

/**
 * Deletes the sources, documents and index of a knowledge base, deleted or not, each batch in a transaction of its own.
 * Concurrent processes take turns.
 */
export async function eraseContents(database: Database, kbId: string, signal: AbortSignal): Promise<void> {
  for (const deleteBatch of BATCHES)
    for (let left = 1; left > 0; ) {
      signal.throwIfAborted()
      left = await systemSql(database).begin(async (tx) => {
        await tx`select from knowledge_bases where id = ${kbId} for update`
        await tx`select from kb_contents where id = ${kbId} for update`
        return (await deleteBatch(tx, kbId)).count
      })
    }
}

/** Contents of a deleted knowledge base, or of a deleted source if the ids differ. */
interface AbandonedContents extends KbRef {
  id: string
}

/**
 * Deletes documents of a deleted source, with at most `ROWS_MAX` chunks unless the first has more. Returns their number.
 * Documents and chunks go in one transaction, because the counters of the knowledge base follow the documents.
 */
function eraseDocuments(database: Database, { id, kbId }: AbandonedContents): Promise<number> {
  return systemSql(database).begin(async (tx) => {
    await tx`select from knowledge_bases where id = ${kbId} for no key update`
    const documents = await tx<{ id: string }[]>`
      select id from (
        select id, sum(chunk_count) over (order by key) - chunk_count as chunks_before from (
          select id, key, chunk_count from kb_documents where source_id = ${id} order by key limit ${DOCUMENTS_MAX}) d) d
      where chunks_before < ${ROWS_MAX}`
    const ids = documents.map((document) => document.id)
    await tx`
      delete from kb_chunks where ctid = any(array(
        select ctid from kb_chunks where kb_id = ${kbId} and document_id = any(${ids}) order by document_id, position))`
    await tx`delete from kb_documents where id = any(${ids})`
    return ids.length
  })
}

export interface EraserDependencies {
  services: Pick<Services, 'database' | 'sweeps'>
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
    const { database } = services
    const { signal } = this.#stopping
    const { id, kbId, organizationId } = contents
    try {
      if (id === kbId) await eraseContents(database, kbId, signal)
      else while ((await eraseDocuments(database, contents)) > 0) signal.throwIfAborted()
      await systemSql(database)`delete from kb_contents where id = ${id}`
      if (id !== kbId) await onErased({ organizationId, id: kbId })
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
