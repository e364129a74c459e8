import { afterCommit } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'
import { type SystemTransaction, systemSql } from '#database/system-sql.ts'
import type { Services } from '#platform/services.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import type { KbRef } from './ingestion.ts'

/*
 * A deleted knowledge base is gone at once, and its contents are deleted later, in batches. In one statement, the
 * deletion of 1,000 documents took over 30 seconds: for each document, PostgreSQL looked for its chunks among all
 * chunks of the knowledge base, those already deleted included.
 */

const SWEEP_MS = 5_000
/** Maximum number of knowledge bases whose contents a sweep deletes. */
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

/** Deletes the contents of deleted knowledge bases in the background. */
export class ContentsEraser {
  readonly #services: Pick<Services, 'database' | 'sweeps'>
  readonly #stopping = new AbortController()
  #sweep: RunningSweep | undefined

  constructor(services: Pick<Services, 'database' | 'sweeps'>) {
    this.#services = services
  }

  start(): void {
    this.#sweep = this.#services.sweeps.begin({
      everyMs: SWEEP_MS,
      find: () => this.#findAbandoned(),
      work: async (abandoned) => {
        for (const { kbId } of abandoned) await this.#erase(kbId)
      },
      failure: 'the contents of deleted knowledge bases could not be deleted',
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

  async #findAbandoned(): Promise<KbRef[]> {
    const sql = systemSql(this.#services.database)
    return sql<KbRef[]>`
      select organization_id as "organizationId", id as "kbId" from kb_contents
      where is_abandoned order by id limit ${SWEEP_MAX}`
  }

  async #erase(kbId: string): Promise<void> {
    const { database } = this.#services
    const { signal } = this.#stopping
    try {
      await eraseContents(database, kbId, signal)
      await systemSql(database)`delete from kb_contents where id = ${kbId}`
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
