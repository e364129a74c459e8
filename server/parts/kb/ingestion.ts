import { afterCommit } from '#database/ambient.ts'
import type { TenantSql } from '#database/tenant-sql.ts'
import type { Queue } from '#platform/jobs/jobs.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { type Announce, createAnnouncer } from './announce.ts'
import { ClaimedDocuments } from './claims.ts'
import { findDueSources, findDueSourcesOf, findUnindexed, sqlOf } from './find-work-system.ts'
import { indexDocuments } from './index-documents.ts'
import { createPreparer, type Preparer } from './preparer.ts'
import { dropUnended, readSource } from './read-source.ts'

/*
 * How documents come into a knowledge base, in two kinds of jobs. The first reads a source: its documents and what
 * they say are stored (fetch, parse). The second indexes the documents of a knowledge base that wait for it: split,
 * embed, index. What is to be done stands in the tables, claimed by the process that does it; a job only says where to
 * look. So a job that is lost, or comes twice, loses and repeats nothing, and what a dead process has claimed is
 * claimed by another one.
 */

/** One knowledge base. */
export interface KbRef {
  organizationId: string
  kbId: string
}

export interface SourceRef extends KbRef {
  sourceId: string
}

export interface IngestionParts {
  services: Services
  models: ModelFinder
  calls: PaidCalls
  stemmer: Stemmer
}

/** What the jobs work with. */
export interface IngestionDependencies extends IngestionParts {
  /** The statements of a knowledge base's organization. */
  sqlOf(ref: KbRef): TenantSql
  preparer: Preparer
  claims: ClaimedDocuments
  /** Sources that this process has claimed, and whose end the database was too far away for. */
  unended: Set<string>
  announce: Announce
  /** Has the documents of a knowledge base indexed that wait for it. */
  wakeIndexing(ref: KbRef): Promise<void>
  /** Aborted when the process stops. */
  stopping: AbortSignal
}

export interface Ingestion {
  queues: Queue<never>[]
  /** Has the sources of a knowledge base read that are due, and its documents indexed that wait. Never rejects. */
  begin(kb: { organizationId: string; id: string }): Promise<void>
  /** Finds what is left to do, now and from time to time: what is due by its time, and what dead processes left. */
  start(): void
  stop(): Promise<void>
}

const SWEEP_MS = 5_000
/** Most of the time they wait for servers of others. One organization has half of them at most. */
const READINGS_AT_ONCE = 6
const INDEXINGS_AT_ONCE = 4
const SHARE_OF_ONE = 0.5
/** Reading a source has a clock of its own, so this is for a job whose process is gone. */
const JOB_SECONDS_MAX = 3 * 3_600

export function createIngestion(parts: IngestionParts): Ingestion {
  const { services } = parts
  const { jobs, log, instance, database } = services
  const ending = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const track = async (work: Promise<void>): Promise<void> => {
    underWay.add(work)
    await work.finally(() => underWay.delete(work))
  }
  const deps: IngestionDependencies = {
    ...parts,
    sqlOf: (ref) => sqlOf(database, ref),
    preparer: createPreparer(),
    claims: new ClaimedDocuments(database, instance.id),
    unended: new Set(),
    announce: createAnnouncer(services),
    wakeIndexing: ({ organizationId, kbId }) =>
      jobs.add(
        sqlOf(database, { organizationId }),
        indexing,
        { organizationId, kbId },
        { key: kbId, group: organizationId },
      ),
    stopping: ending.signal,
  }
  // What fails is noted where it belongs and tried again from there, so a job itself is never retried.
  const rest = { retries: 0, firstRetrySeconds: 1, timeoutSeconds: JOB_SECONDS_MAX, isKeyed: true }
  const reading: Queue<SourceRef> = {
    ...rest,
    name: 'kb-reading',
    concurrency: READINGS_AT_ONCE,
    groupConcurrency: READINGS_AT_ONCE * SHARE_OF_ONE,
    run: (ref) => track(readSource(deps, ref)),
  }
  const indexing: Queue<KbRef> = {
    ...rest,
    name: 'kb-indexing',
    concurrency: INDEXINGS_AT_ONCE,
    groupConcurrency: INDEXINGS_AT_ONCE * SHARE_OF_ONE,
    run: (ref) => track(indexDocuments(deps, ref)),
  }

  async function wakeReadings(due: SourceRef[]): Promise<void> {
    for (const ref of due)
      await jobs.add(sqlOf(database, ref), reading, ref, { key: ref.sourceId, group: ref.organizationId })
  }

  async function sweep(): Promise<void> {
    await dropUnended(deps)
    await wakeReadings(await findDueSources(database))
    await deps.claims.dropForgotten()
    for (const ref of await findUnindexed(database)) await deps.wakeIndexing(ref)
  }

  let endSweep = (): void => {}
  return {
    queues: [reading, indexing],
    begin: ({ organizationId, id }) =>
      afterCommit(async () => {
        try {
          const ref = { organizationId, kbId: id }
          await wakeReadings(await findDueSourcesOf(database, ref))
          await deps.wakeIndexing(ref)
        } catch (error) {
          log.error({ err: error }, 'an ingestion waits for the next sweep')
        }
      }),
    start() {
      const failure = { log, message: 'a sweep of the knowledge bases failed' }
      endSweep = repeat(SWEEP_MS, sweep, failure)
      sweep().catch((error: unknown) => log.error({ err: error }, failure.message))
    },
    async stop() {
      endSweep()
      ending.abort(new Error('The server is stopping'))
      await deps.preparer.close()
      await Promise.allSettled(underWay)
    },
  }
}
