import { type Db as BossDatabase, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { ISql, ReservedSql, Sql } from 'postgres'
import type { OpenDatabase } from '#database/connect.ts'
import { isUniqueViolation } from '#database/sql-state.ts'
import { NAMES } from '#platform/telemetry/names.ts'
import type { Tracing } from '#platform/telemetry/tracing.ts'

/** A kind of job: its name, how often it is tried, and for how long one try may run. */
export interface Queue<Data extends object> {
  name: string
  /** Tries after the first one, each waiting about twice as long as the one before. */
  retries: number
  firstRetrySeconds: number
  /** A try that takes longer counts as failed, also when its process has died. */
  timeoutSeconds: number
  /** How many run at once in this process. */
  concurrency: number
  /** And how many of one group. Those of others overtake what has to wait for it. */
  groupConcurrency?: number
  /** At most one job with the same key waits. */
  isKeyed?: boolean
  run(data: Data, job: { id: string; isLastTry: boolean }): Promise<void>
}

/** Work that is done after its request was answered, at least once, also when processes die in between. */
export interface Jobs {
  /**
   * Adds a job inside the caller's transaction: it is there when that commits, and not before. In a queue with keys it
   * is left out where one with this key waits already.
   */
  add<Data extends object>(
    tx: ISql,
    queue: Queue<Data>,
    data: Data,
    of?: { key: string; group: string },
  ): Promise<void>
  /**
   * Removes the jobs that are about one of these (`about` in their data, or `organizationId`), whatever has become of
   * them, inside the caller's transaction. One that is being worked on goes on to its end.
   */
  forget(tx: ISql, about: readonly string[]): Promise<void>
  /** Begins to work on these queues. Until this has answered, `add` waits. */
  start(queues: Queue<never>[]): Promise<void>
  /** How many jobs of each queue wait, those for later and those to be tried again with them. */
  countWaiting(): Promise<Map<string, number>>
  stop(): Promise<void>
}

const SCHEMA = 'jobs'
/** How often each worker looks for jobs that other processes have added, or whose time has come. */
const POLL_SECONDS = 2
/** A job of this process is looked for so soon after it was added: its transaction has to commit first. */
const NUDGES_MS = [20, 200]
const KEEP_FINISHED_SECONDS = 7 * 86_400
/** How long jobs under way may go on when the process stops; after that they are tried again elsewhere. */
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
    if (isTwin(error)) log.debug({ err: error }, 'a job was left out: one with its key waits already')
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
      // By the index from which pg-boss takes them: those that are done are many more.
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
 * A job whose group has come to its bound is put back to wait, and pg-boss does not expect that one with its key may
 * have been added meanwhile. That one stands for both.
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
      // Where there was one there may be another: it is looked for at once when this one is done.
      wake(queue.name)
      await runJob(queue, job, log)
    },
  )
}

/** Each try of a job is a trace of its own. */
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

/** pg-boss over our own driver. Its scripts that hold a transaction of their own need a connection to themselves. */
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
        // A script that failed in the middle has left its transaction open.
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
