import { type Db as BossDatabase, type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { ISql, Sql } from 'postgres'
import type { OpenDatabase } from '#database/connect.ts'
import { asLook, asWork } from '#database/looks.ts'
import { isUniqueViolation } from '#database/sql-state.ts'
import type { RunningSweep, Sweeps } from '#platform/sweeps/sweeps.ts'
import { NAMES } from '#platform/telemetry/names.ts'
import { describeWork, runWork } from '#platform/telemetry/running.ts'
import type { Tracing } from '#platform/telemetry/tracing.ts'

/** A queue of jobs of one kind, with its retries, timeout and concurrency. */
export interface Queue<Data extends object> {
  name: string
  /** Maximum number of retries after the first attempt. The delay roughly doubles with each retry. */
  retries: number
  firstRetrySeconds: number
  /** Timeout of an attempt. If a process dies, its jobs are retried after this time. */
  timeoutSeconds: number
  /** Maximum number of this queue's jobs that run concurrently in this process. */
  concurrency: number
  /**
   * Maximum number of jobs per group that run concurrently. Jobs that wait for their group do not delay jobs of other
   * groups.
   */
  groupConcurrency?: number
  /** If true, at most one job with the same key can be waiting. */
  isKeyed?: boolean
  run(data: Data, job: { id: string; isLastTry: boolean }): Promise<void>
}

/** Background jobs. A job runs at least once after its transaction commits, even if processes die in between. */
export interface Jobs {
  /**
   * Adds a job in the caller's transaction. The job starts only after the commit. In a keyed queue, does nothing if a
   * job with the same key is already waiting.
   */
  add<Data extends object>(
    tx: ISql,
    queue: Queue<Data>,
    data: Data,
    of?: { key: string; group: string },
  ): Promise<void>
  /**
   * Deletes jobs in any state, in the caller's transaction: those whose data contains one of these ids in `about` or
   * as `organizationId`. A running job continues to its end.
   */
  forget(tx: ISql, about: readonly string[]): Promise<void>
  /**
   * Creates these queues if they do not exist. Starts to process their jobs, if this process runs jobs. Finished jobs
   * are deleted after `keptDays`.
   */
  start(queues: Queue<never>[], keptDays: number): Promise<void>
  /**
   * Returns the number of waiting jobs in each queue, including delayed jobs and retries, and the seconds since the
   * oldest of them should have started.
   */
  countWaiting(): Promise<Map<string, { count: number; oldestSeconds: number }>>
  /**
   * Returns the number of jobs in each queue that failed their last attempt and are not deleted yet.
   */
  countFailed(): Promise<Map<string, number>>
  stop(): Promise<void>
}

interface QueueCount {
  name: string
  count: number
}

const SCHEMA = 'jobs'
const FAILED_INDEX = 'parley_failed_jobs'
/** Interval between looks for due jobs and for jobs that other processes added. */
const LOOK_MS = 2_000
/** Each worker of pg-boss would poll on its own. One look for all queues wakes those that have a job to fetch. */
const WORKER_POLL_SECONDS = 3_600
/** Interval of a check for dependencies between jobs, which this server does not use. */
const FLOW_SECONDS = 86_400
/**
 * Delays after which this process polls for a job that it added. The job is not visible before its transaction
 * commits.
 */
const NUDGES_MS = [20, 200]
/** Interval at which one process deletes finished jobs, so that a statement deletes no more than an hour's jobs. */
const DELETION_SECONDS = 3_600
const DAY_SECONDS = 86_400
/** The id of a job that does not exist. */
const NO_JOB = '00000000-0000-4000-8000-000000000000'
/** Time for running jobs to finish when the process stops. Unfinished jobs are retried by another process. */
const STOP_MS = 4_000

interface JobsDependencies {
  database: OpenDatabase
  /** Looks for due jobs. Null in a process that only adds jobs, which others run. */
  sweeps: Sweeps | null
  log: Logger
  tracing?: Tracing | null
}

/** Opens the queues. */
export function createJobs({ database: { sql }, sweeps, log, tracing = null }: JobsDependencies): Jobs {
  const names: string[] = []
  let looks: RunningSweep | undefined
  const boss = new PgBoss({
    db: executor(sql),
    schema: SCHEMA,
    schedule: false,
    supervise: sweeps !== null,
    persistWarnings: false,
    reindex: false,
    monitorVacuum: false,
    maintenanceIntervalSeconds: DELETION_SECONDS,
    flowIntervalSeconds: FLOW_SECONDS,
  })
  boss.on('error', (error) => {
    if (isDuplicateJob(error))
      log.debug({ err: error }, 'a job was skipped because one with its key is already waiting')
    else log.error({ err: error }, 'the job queue failed')
  })

  /**
   * Lets one idle worker fetch, which wakes the next one if it finds a job. Busy workers fetch again once they are
   * idle.
   */
  const wake = (queueName: string): void => {
    const workers = boss.getWipData().filter(({ name }) => name === queueName)
    const idle = workers.find(({ count }) => count === 0)
    for (const worker of workers) if (worker === idle || worker.count > 0) boss.notifyWorker(worker.id)
  }

  /** Returns the counts of all queues. Queues without such jobs count 0. */
  const countsOf = (rows: QueueCount[]): Map<string, number> => {
    const counts = new Map(rows.map(({ name, count }) => [name, count]))
    return new Map(names.map((name) => [name, counts.get(name) ?? 0]))
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
    async start(queues, keptDays) {
      await asLook(() => boss.start())
      await indexFailed(sql)
      for (const queue of queues) {
        names.push(queue.name)
        await createQueue(boss, queue, keptDays)
        if (sweeps) await asLook(() => runQueue(boss, traced(queue as Queue<object>, tracing), wake, log))
      }
      looks = sweeps?.begin({
        name: 'due jobs',
        everyMs: LOOK_MS,
        find: () => findDueQueues(sql, names),
        work: async (due) => due.forEach(wake),
        failure: 'due jobs were not looked for',
      })
    },
    async countWaiting() {
      // The condition uses pg-boss's index on waiting jobs, because finished jobs are far more numerous.
      const rows = await sql<(QueueCount & { oldest: number })[]>`
        select name, count(*)::int as count,
          coalesce(greatest(0, extract(epoch from now() - min(start_after))), 0)::float8 as oldest
        from ${sql(SCHEMA)}.job where state < 'active' group by name`
      // Queues of other versions may have jobs, too, which no process of this version works on.
      const empty = names.map((name) => [name, { count: 0, oldestSeconds: 0 }] as const)
      const found = rows.map(({ name, count, oldest }) => [name, { count, oldestSeconds: oldest }] as const)
      return new Map([...empty, ...found])
    },
    async countFailed() {
      return countsOf(
        await sql<QueueCount[]>`
        select name, count(*)::int as count from ${sql(SCHEMA)}.job where state = 'failed' group by name`,
      )
    },
    async stop() {
      await looks?.end()
      await boss.stop({ graceful: true, timeout: STOP_MS, close: false })
    },
  }
}

/** Creates an index of failed jobs, which pg-boss lacks. Finished jobs are kept, so counting would read all of them. */
async function indexFailed(sql: Sql): Promise<void> {
  const find = (on: ISql) => on`
    select from pg_indexes where schemaname = ${SCHEMA} and indexname = ${FAILED_INDEX}`
  // An existing index must not be created again: even with IF NOT EXISTS, the statement waits for writers.
  if ((await find(sql)).count > 0) return
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtext(${FAILED_INDEX}))`
    if ((await find(tx)).count > 0) return
    await tx`create index ${tx(FAILED_INDEX)} on ${tx(SCHEMA)}.job (name) where state = 'failed'`
  })
}

/**
 * Returns whether this is a harmless error of pg-boss. A job whose group is at its limit is set back to waiting. If
 * another job with its key is waiting by then, the change violates a unique index, and the other job takes its place.
 */
const isDuplicateJob = (error: Error): boolean =>
  isUniqueViolation(error) && /_i1$/.test(String((error as { constraint_name?: unknown }).constraint_name))

/** Returns the queues with a due job. */
async function findDueQueues(sql: ISql, names: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select queue.name from unnest(${names}::text[]) as queue (name)
    where exists (
      select from ${sql(SCHEMA)}.job
      where job.name = queue.name and job.state < 'active' and job.start_after <= now())`
  return rows.map(({ name }) => name)
}

async function createQueue(boss: PgBoss, queue: Queue<never>, keptDays: number): Promise<void> {
  const deleteAfterSeconds = keptDays * DAY_SECONDS
  await boss.createQueue(queue.name, {
    policy: queue.isKeyed ? 'short' : 'standard',
    retryLimit: queue.retries,
    retryDelay: queue.firstRetrySeconds,
    retryBackoff: true,
    expireInSeconds: queue.timeoutSeconds,
    deleteAfterSeconds,
  })
  // The queue may exist from a start with another setting.
  await boss.updateQueue(queue.name, { deleteAfterSeconds })
  // Makes pg-boss read the queue's settings now. Otherwise, the first `add` reads them inside its transaction, through
  // another connection.
  await boss.deleteJob(queue.name, NO_JOB)
}

async function runQueue(
  boss: PgBoss,
  queue: Queue<object>,
  wake: (queueName: string) => void,
  log: Logger,
): Promise<void> {
  const { concurrency, groupConcurrency } = queue
  await boss.work(
    queue.name,
    {
      pollingIntervalSeconds: WORKER_POLL_SECONDS,
      includeMetadata: true,
      localConcurrency: concurrency,
      ...(groupConcurrency !== undefined && { localGroupConcurrency: groupConcurrency }),
    },
    async ([job]) => {
      if (!job) return
      wake(queue.name)
      const { organizationId = null } = job.data as { organizationId?: string }
      const work = describeWork(`job ${queue.name}`, organizationId)
      await runWork(work, () => asWork(() => runJob(queue, job, log)))
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

/** A script of pg-boss: statements that it wants to run in one transaction, without parameters. */
const SCRIPT = /^\s*BEGIN;(?<statements>.*);\s*COMMIT;\s*$/s

/**
 * Lets pg-boss use this server's database driver. The statements of its scripts run in a transaction of the driver,
 * which refuses their own BEGIN and COMMIT (transaction-control.ts).
 */
function executor(sql: ISql): BossDatabase {
  return {
    async executeSql(text, values = []) {
      const statements = SCRIPT.exec(text)?.groups?.['statements']
      const run = async (on: ISql) => ({
        rows: ((await on.unsafe(statements ?? text, values.map(toParameter))) as unknown[]).flat(),
      })
      return statements === undefined ? run(sql) : (sql as Sql).begin(run)
    },
  }
}

const toParameter = (value: unknown): never =>
  (value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
    ? JSON.stringify(value)
    : value) as never
