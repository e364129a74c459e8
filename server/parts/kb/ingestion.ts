import { afterCommit } from '#database/ambient.ts'
import type { TenantSql } from '#database/tenant-sql.ts'
import type { Queue } from '#platform/jobs/jobs.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import type { Services } from '#platform/services.ts'
import type { RunningSweep } from '#platform/sweeps/sweeps.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { type Announce, createAnnouncer } from './announce.ts'
import { ClaimedDocuments } from './claims.ts'
import { findDueSources, findDueSourcesOf, findUnindexed, sqlOf } from './find-work-system.ts'
import { indexDocuments } from './index-documents.ts'
import { createPreparer, type Preparer } from './preparer.ts'
import { dropUnended, readSource } from './read-source.ts'

/*
 * Ingestion has two kinds of jobs. A reading job fetches and parses a source, and stores its documents and their
 * text. An indexing job splits and embeds the pending documents of a knowledge base, and writes the index.
 *
 * The tables record all work and which process has claimed it. A job only names the source or knowledge base to look
 * at, so losing or repeating a job does no harm. Other processes take over the claims of a dead process.
 */

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

export interface IngestionDependencies extends IngestionParts {
  /** Returns the tenant statements of the organization that owns a knowledge base. */
  sqlOf(ref: KbRef): TenantSql
  preparer: Preparer
  claims: ClaimedDocuments
  /** Ids of sources that this process claimed but could not release, because the database was unavailable. */
  unended: Set<string>
  announce: Announce
  /** Queues indexing of a knowledge base's pending documents. */
  wakeIndexing(ref: KbRef): Promise<void>
  /** Aborted when the process stops. */
  stopping: AbortSignal
}

export interface Ingestion {
  queues: Queue<never>[]
  /** Queues reading of due sources and indexing of pending documents. Never rejects. */
  begin(kb: { organizationId: string; id: string }): Promise<void>
  /** Starts the periodic sweep, which finds due work and the work of dead processes. */
  start(): void
  stop(): Promise<void>
}

const SWEEP_MS = 5_000
/** Maximum number of concurrent readings per process. Readings mostly wait for remote servers. */
const READINGS_AT_ONCE = 6
const INDEXINGS_AT_ONCE = 4
const SHARE_OF_ONE = 0.5
/**
 * Timeout of a job, in seconds. Only jobs of dead processes reach it, because reading a source has a shorter limit.
 */
const JOB_SECONDS_MAX = 3 * 3_600

export function createIngestion(parts: IngestionParts): Ingestion {
  const { services } = parts
  const { jobs, log, instance, database, sweeps } = services
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
  // Jobs have no retries. Failures are recorded on sources and documents, which are retried by the sweep.
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

  async function findWork(): Promise<{ due: SourceRef[]; unindexed: KbRef[] }[]> {
    await dropUnended(deps)
    await deps.claims.dropForgotten()
    const [due, unindexed] = await Promise.all([findDueSources(database), findUnindexed(database)])
    return due.length + unindexed.length > 0 ? [{ due, unindexed }] : []
  }

  let sweep: RunningSweep | undefined
  return {
    queues: [reading, indexing],
    begin: ({ organizationId, id }) =>
      afterCommit(async () => {
        try {
          const ref = { organizationId, kbId: id }
          await wakeReadings(await findDueSourcesOf(database, ref))
          await deps.wakeIndexing(ref)
        } catch (error) {
          log.error({ err: error }, 'ingestion could not be queued; the next sweep retries it')
        }
      }),
    start() {
      sweep = sweeps.begin({
        name: 'knowledge bases',
        everyMs: SWEEP_MS,
        find: findWork,
        async work([found]) {
          await wakeReadings(found?.due ?? [])
          for (const ref of found?.unindexed ?? []) await deps.wakeIndexing(ref)
        },
        failure: 'knowledge base sweep failed',
      })
    },
    async stop() {
      void sweep?.end()
      ending.abort(new Error('The server is stopping'))
      await deps.preparer.close()
      await Promise.allSettled(underWay)
    },
  }
}
