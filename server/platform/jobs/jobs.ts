import { type Db as BossDatabase, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { ISql, ReservedSql, Sql } from 'postgres'
import type { OpenDatabase } from '#database/connect.ts'
import { isUniqueViolation } from '#database/sql-state.ts'
import { NAMES } from '#platform/telemetry/names.ts'
import type { Tracing } from '#platform/telemetry/tracing.ts'

/** A kind of job, with its retries, timeout and concurrency. */
export interface Queue<Data extends object> {
  name: string
  /** Retries after the first attempt. The delay about doubles each time. */
  retries: number
  firstRetrySeconds: number
  /** Timeout of an attempt. Also detects that its process has died. */
  timeoutSeconds: number
  /** Maximum number of jobs running at once in this process. */
  concurrency: number
  /** Maximum number running at once per group. Jobs of other groups overtake those that wait for their group. */
  groupConcurrency?: number
  /** At most one job with the same key waits. */
  isKeyed?: boolean
  run(data: Data, job: { id: string; isLastTry: boolean }): Promise<void>
}

/** Background work: runs at least once after its request has been answered, even if processes die in between. */
export interface Jobs {
  /**
   * Adds a job inside the caller's transaction; it exists only after the commit. In a keyed queue, does nothing if a
   * job with this key already waits.
   */
  add<Data extends object>(
    tx: ISql,
    queue: Queue<Data>,
    data: Data,
    of?: { key: string; group: string },
  ): Promise<void>
  /**
   * Deletes the jobs about one of these ids (`about` or `organizationId` in their data), in any state, inside the
   * caller's transaction. A running job continues to its end.
   */
  forget(tx: ISql, about: readonly string[]): Promise<void>
  /** Starts to process these queues. Until this resolves, `add` waits. */
  start(queues: Queue<never>[]): Promise<void>
  /** Returns the number of waiting jobs per queue, including delayed ones and retries. */
  countWaiting(): Promise<Map<string, number>>
  stop(): Promise<void>
}

const SCHEMA = 'jobs'
/** Interval at which each worker polls for jobs of other processes and for due jobs. */
const POLL_SECONDS = 2
/** Delays after which this process looks for a job that it has added, because its transaction has to commit first. */
const NUDGES_MS = [20, 200]
const KEEP_FINISHED_SECONDS = 7 * 86_400
/** Time for running jobs to finish when the process stops. After that they are retried elsewhere. */
const STOP_MS = 4_000

export function createJobs({ sql }: OpenDatabase, log: Logger, tracing: Tracing | null = null): Jobs {
  const names: string[] = []
  const boss = new PgBoss({
    db: executor(sql),
    schema: SCHEMA,
    schedule: false,
    persistWarnings: false,
    reindex: false,
    monitorVacuum: false,
  })
  boss.on('error', (error) => {
    if (isTwin(error))
      log.debug({ err: error }, 'a job was skipped because one with its key is already waiting')
    else log.error({ err: error }, 'the job queue failed')
  })

  const wake = (queueName: string): void => {
    for (const { id, name } of boss.getWipData()) if (name === queueName) boss.notifyWorker(id)
  }

  return {
    async add(tx, queue, data, of) {
      await boss.send(queue.name, data, {
        db: executor(tx),
        ...(of && { singletonKey: of.key, group: { id: of.group } }),
      })
      for (const ms of NUDGES_MS) setTimeout(wake, ms, queue.name).unref()
    },
    async forget(tx, about) {
      await tx`delete from ${tx(SCHEMA)}.job where data -> 'about' ?| ${about as string[]}::text[] or data ->> 'organizationId' = any(${about as string[]})`
    },
    async start(queues) {
      await boss.start()
      for (const queue of queues) {
        names.push(queue.name)
        await startQueue(boss, traced(queue as Queue<object>, tracing), wake, log)
      }
    },
    async countWaiting() {
      // Uses pg-boss's index on waiting jobs, because there are many more finished ones.
      const rows = await sql<{ name: string; count: number }[]>`
        select name, count(*)::int as count from ${sql(SCHEMA)}.job where state < 'active' group by name`
      const counts = new Map(rows.map(({ name, count }) => [name, count]))
      return new Map(names.map((name) => [name, counts.get(name) ?? 0]))
    },
    async stop() {
      await boss.stop({ graceful: true, timeout: STOP_MS, close: false })
    },
  }
}

/**
 * Recognizes an error of pg-boss that is harmless. A job whose group is at its limit goes back to waiting. If a job
 * with its key was added in the meantime, that fails, and the newer job replaces it.
 */
const isTwin = (error: Error): boolean =>
  isUniqueViolation(error) && /_i1$/.test(String((error as { constraint_name?: unknown }).constraint_name))

async function startQueue(
  boss: PgBoss,
  queue: Queue<object>,
  wake: (queueName: string) => void,
  log: Logger,
): Promise<void> {
  await boss.createQueue(queue.name, {
    policy: queue.isKeyed ? 'short' : 'standard',
    retryLimit: queue.retries,
    retryDelay: queue.firstRetrySeconds,
    retryBackoff: true,
    expireInSeconds: queue.timeoutSeconds,
    deleteAfterSeconds: KEEP_FINISHED_SECONDS,
  })
  const { concurrency, groupConcurrency } = queue
  await boss.work(
    queue.name,
    {
      pollingIntervalSeconds: POLL_SECONDS,
      includeMetadata: true,
      localConcurrency: concurrency,
      ...(groupConcurrency !== undefined && { localGroupConcurrency: groupConcurrency }),
    },
    async ([job]) => {
      if (!job) return
      // Look for the next job immediately after this one, without waiting for a poll.
      wake(queue.name)
      await runJob(queue, job, log)
    },
  )
}

/** Starts a new trace for each attempt of a job. */
function traced(queue: Queue<object>, tracing: Tracing | null): Queue<object> {
  if (!tracing) return queue
  const described = {
    name: `job ${queue.name}`,
    kind: 'consumer',
    attributes: { [NAMES.queue]: queue.name },
    from: {},
  } as const
  return { ...queue, run: (data, job) => tracing.span(described, () => queue.run(data, job)) }
}

async function runJob(queue: Queue<object>, job: JobWithMetadata<unknown>, log: Logger): Promise<void> {
  try {
    await queue.run(job.data as object, { id: job.id, isLastTry: job.retryCount >= job.retryLimit })
  } catch (error) {
    log.warn({ err: error, queue: queue.name, job: job.id, try: job.retryCount + 1 }, 'a job failed')
    throw error
  }
}

const BEGINS_TRANSACTION = /^\s*begin\b/i

/** Runs pg-boss on our own driver. Scripts with their own transaction need a reserved connection. */
function executor(sql: ISql): BossDatabase {
  return {
    async executeSql(text, values = []) {
      const run = async (on: ISql) => ({
        rows: ((await on.unsafe(text, values.map(toParameter))) as unknown[]).flat(),
      })
      if (!BEGINS_TRANSACTION.test(text)) return run(sql)
      const reserved: ReservedSql = await (sql as Sql).reserve()
      try {
        return await run(reserved)
      } catch (error) {
        // A script that failed midway has left its transaction open.
        await reserved`rollback`
        throw error
      } finally {
        reserved.release()
      }
    },
  }
}

const toParameter = (value: unknown): never =>
  (value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
    ? JSON.stringify(value)
    : value) as never
