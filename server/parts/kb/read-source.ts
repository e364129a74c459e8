import { sentence } from '#errors'
import { BucketError } from '#platform/bucket/bucket.ts'
import { CrawlError } from '#platform/crawler/crawl.ts'
import { DocumentError } from '#platform/documents/documents.ts'
import { FetchError } from '#platform/net/fetch-bounded.ts'
import { NetError } from '#platform/net/index.ts'
import { keepTrying } from '#platform/sweeps/keep-trying.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
import { isSourceClaimable } from './claimable.ts'
import { releaseSources } from './find-work-system.ts'
import type { IngestionDependencies, SourceRef } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'
import { readBucket } from './read-bucket.ts'
import { readWebsite } from './read-website.ts'
import { isBeingRead, type ReadingResult, type ReadingSource, SourceGone } from './reading.ts'
import { refreshHoursOf } from './source-config.ts'

/** Time limit of one reading, in milliseconds. @limit time to read a source */
const READING_MS_MAX = 2 * 3_600_000
/** Interval for checking that the source still exists, in milliseconds. */
const WATCH_MS = 2_000
const TRIES_MAX = 3
const FIRST_WAIT_SECONDS = 15
const WAIT_FACTOR = 4
const END_ATTEMPTS = 5
/** Number of documents per deletion, each with its chunks. */
const DELETED_DOCUMENTS = { least: 1, most: 100 }

/**
 * Reads a due source and stores its documents as pending. Unchanged documents keep their index. Stops if the source
 * is deleted. Records failures on the source. Retries temporary failures, up to `TRIES_MAX` attempts in total.
 */
export async function readSource(deps: IngestionDependencies, ref: SourceRef): Promise<void> {
  const source = await claim(deps, ref).catch((error: unknown) => {
    // The claim may have been committed despite the error, so a sweep must release the source.
    deps.unended.add(ref.sourceId)
    throw error
  })
  if (!source) return
  deps.unended.delete(source.sourceId)
  deps.announce(ref)
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, deps.stopping, AbortSignal.timeout(READING_MS_MAX)])
  const watch = setInterval(() => {
    isWanted(deps, source).then(
      (isActive) => isActive || controller.abort(new SourceGone()),
      () => {},
    )
  }, WATCH_MS)
  try {
    const result = await (source.type === 'web' ? readWebsite : readBucket)(deps, source, signal)
    if (result.isComplete) await deleteLost(deps, source)
    await persist(deps, source, () => finish(deps, source, result))
  } catch (error) {
    if (deps.stopping.aborted) await release(deps, [source.sourceId])
    else if (!controller.signal.aborted && !(error instanceof SourceGone))
      await persist(deps, source, () => noteFailure(deps, source, error))
  } finally {
    clearInterval(watch)
    deps.announce(ref)
  }
}

/** Stores the end of a reading. If the database stays unavailable, a sweep releases the source. */
async function persist(
  deps: IngestionDependencies,
  { sourceId }: SourceRef,
  work: () => Promise<void>,
): Promise<void> {
  const isDone = await keepTrying(
    END_ATTEMPTS,
    () => work().then(() => true),
    (error) => deps.services.log.error({ err: error }, 'the end of a source reading could not be stored'),
  )
  if (!isDone) deps.unended.add(sourceId)
}

/** Releases sources that this process claimed but could not release, because the database was unavailable. */
export async function dropUnended(deps: IngestionDependencies): Promise<void> {
  const ids = [...deps.unended]
  if (ids.length === 0) return
  await release(deps, ids)
  for (const id of ids) deps.unended.delete(id)
}

async function claim(deps: IngestionDependencies, ref: SourceRef): Promise<ReadingSource | undefined> {
  const { instance } = deps.services
  return deps.sqlOf(ref).begin(async (tx) => {
    await lockKb(tx, ref)
    const [row] = await tx<Omit<ReadingSource, keyof SourceRef>[]>`
      update kb_sources set status = 'reading', claimed_by = ${instance.id}, reading = reading + 1, updated_at = now()
      where id = ${ref.sourceId} and kb_id = ${ref.kbId} and organization_id = ${ref.organizationId}
        and ${isSourceClaimable(tx)}
      returning type, config, secrets, reading, failures`
    return row && { ...row, ...ref }
  })
}

async function isWanted(deps: IngestionDependencies, source: ReadingSource): Promise<boolean> {
  const sql = deps.sqlOf(source)
  const rows = await sql`select from kb_sources where ${isBeingRead(sql, deps, source)}`
  return rows.count > 0
}

async function finish(
  deps: IngestionDependencies,
  source: ReadingSource,
  result: ReadingResult,
): Promise<void> {
  const hours = refreshHoursOf(source.config)
  await deps.sqlOf(source).begin(async (tx) => {
    await lockKb(tx, source)
    await tx`
      update kb_sources
      set status = 'read', claimed_by = null, error = null, failures = 0, skipped = ${result.skipped},
        next_reading_at = now() + ${hours}::int * interval '1 hour', updated_at = now()
      where ${isBeingRead(tx, deps, source)}`
  })
}

/** Deletes the documents that a complete reading has not found, unless another process has taken over. */
async function deleteLost(deps: IngestionDependencies, source: ReadingSource): Promise<void> {
  const size = new BatchSize(DELETED_DOCUMENTS)
  const deleteSome = (limit: number, starts: () => void): Promise<number> =>
    deps.sqlOf(source).begin(async (tx) => {
      await lockKb(tx, source)
      starts()
      const { count } = await tx`
        delete from kb_documents where organization_id = ${source.organizationId} and id in (
          select id from kb_documents
          where source_id = ${source.sourceId} and organization_id = ${source.organizationId}
            and found_by < ${source.reading}
            and exists (select from kb_sources where ${isBeingRead(tx, deps, source)})
          limit ${limit})`
      return count
    })
  while ((await deps.services.pacer.pace(size, deleteSome, deps.stopping)) > 0);
}

async function noteFailure(
  deps: IngestionDependencies,
  source: ReadingSource,
  error: unknown,
): Promise<void> {
  const { log } = deps.services
  const reason = sentenceOf(error)
  log[reason === UNEXPECTED ? 'error' : 'info'](
    { err: error, source_id: source.sourceId },
    'a source could not be read',
  )
  const isLast = source.failures + 1 >= TRIES_MAX || isLasting(error)
  const waitSeconds = isLast
    ? (refreshHoursOf(source.config) ?? Number.NaN) * 3_600
    : FIRST_WAIT_SECONDS * WAIT_FACTOR ** source.failures
  await deps.sqlOf(source).begin(async (tx) => {
    await lockKb(tx, source)
    await tx`
      update kb_sources
      set status = ${isLast ? 'failed' : 'pending'}, claimed_by = null, error = ${reason}, updated_at = now(),
        failures = ${isLast ? 0 : source.failures + 1},
        next_reading_at = now() + ${Number.isNaN(waitSeconds) ? null : waitSeconds}::int * interval '1 second'
      where ${isBeingRead(tx, deps, source)}`
  })
}

const release = (
  { services: { database, instance } }: IngestionDependencies,
  sourceIds: string[],
): Promise<void> => releaseSources(database, instance.id, sourceIds)

const UNEXPECTED = sentence('kb.reading_failed')

function sentenceOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return sentence('kb.reading_timeout', { hours: READING_MS_MAX / 3_600_000 })
  const isExpected = [DocumentError, FetchError, NetError, CrawlError, BucketError].some(
    (known) => error instanceof known,
  )
  return isExpected ? (error as Error).message : UNEXPECTED
}

/** True if a retry would fail in the same way, for example because access is denied or the content is unreadable. */
const isLasting = (error: unknown): boolean =>
  error instanceof NetError ||
  ([FetchError, CrawlError, DocumentError, BucketError].some((known) => error instanceof known) &&
    !(error as FetchError).canTryAgain)
