import { afterCommit } from '#database/ambient.ts'
import type { Queue } from '#platform/jobs/jobs.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import type { Services } from '#platform/services.ts'
import { repeat } from '#platform/sweeps/repeat.ts'
import type { ModelFinder, PaidCalls } from '../llm/index.ts'
import { type Announce, createAnnouncer } from './announce.ts'
import { ClaimedDocuments, isAlive } from './claims.ts'
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
/** So much is found by one sweep; the rest by the next. */
const SWEEP_MAX = 500
/** Most of the time they wait for servers of others. One organization has half of them at most. */
const READINGS_AT_ONCE = 6
const INDEXINGS_AT_ONCE = 4
const SHARE_OF_ONE = 0.5
/** Reading a source has a clock of its own, so this is for a job whose process is gone. */
const JOB_SECONDS_MAX = 3 * 3_600

export function createIngestion(parts: IngestionParts): Ingestion {
  const { services } = parts
  const { jobs, log, instance } = services
  const { sql } = services.database
  const ending = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const track = async (work: Promise<void>): Promise<void> => {
    underWay.add(work)
    await work.finally(() => underWay.delete(work))
  }
  const deps: IngestionDependencies = {
    ...parts,
    preparer: createPreparer(),
    claims: new ClaimedDocuments(sql, instance.id),
    unended: new Set(),
    announce: createAnnouncer(services),
    wakeIndexing: (ref) => jobs.add(sql, indexing, ref, { key: ref.kbId, group: ref.organizationId }),
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

  async function wakeReadings(kbId: string | null): Promise<void> {
    const due = await sql<SourceRef[]>`
      select organization_id as "organizationId", kb_id as "kbId", id as "sourceId" from kb_sources s
      where next_reading_at <= now() and (status <> 'reading' or not ${isAlive(sql)})
        and (${kbId}::uuid is null or kb_id = ${kbId})
      order by next_reading_at limit ${SWEEP_MAX}`
    for (const ref of due) await jobs.add(sql, reading, ref, { key: ref.sourceId, group: ref.organizationId })
  }

  async function sweep(): Promise<void> {
    await dropUnended(deps)
    await wakeReadings(null)
    await deps.claims.dropForgotten()
    const waiting = await sql<KbRef[]>`
      select distinct s.organization_id as "organizationId", s.kb_id as "kbId" from kb_sources s
      where s.documents_pending > 0 and exists (
        select from kb_documents d where d.kb_id = s.kb_id and ${deps.claims.claimable()})
      limit ${SWEEP_MAX}`
    for (const ref of waiting) await deps.wakeIndexing(ref)
  }

  let endSweep = (): void => {}
  return {
    queues: [reading, indexing],
    begin: ({ organizationId, id }) =>
      afterCommit(async () => {
        try {
          await wakeReadings(id)
          await deps.wakeIndexing({ organizationId, kbId: id })
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
