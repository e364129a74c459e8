import { collectDefaultMetrics, Gauge } from 'prom-client'
import { asLook } from '#database/looks.ts'
import { systemSql } from '#database/system-sql.ts'
import type { Services } from '#platform/services.ts'

/** Time for which values from the database are cached, regardless of the scrape rate. */
const KEPT_MS = 10_000
/** Maximum wait for a value. Values that take longer to read are missing from the scrape. */
const WAIT_MS_MAX = 2_000

/**
 * Registers the gauges of /metrics that are read on demand. Returns a function that reads them and must be called
 * before each scrape. The function never rejects and takes at most WAIT_MS_MAX. Values that it cannot read are
 * missing from the scrape.
 */
export function observeAtScrape({
  metrics: { registry },
  database,
  jobs,
  redis,
  disks,
  net,
}: Pick<Services, 'metrics' | 'database' | 'jobs' | 'redis' | 'disks' | 'net'>): () => Promise<void> {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] })
  const holds = gauge('parley_holds_open', 'Credits on hold for model calls, in all processes')
  const oldest = gauge(
    'parley_holds_oldest_seconds',
    'Age of the oldest open hold in seconds, 0 if there is none',
  )
  const deliveries = gauge('parley_webhook_deliveries_pending', 'Pending webhook deliveries')
  const oldestDelivery = gauge(
    'parley_webhook_oldest_seconds',
    'Age of the oldest pending webhook delivery in seconds, 0 if there is none',
  )
  const waiting = new Gauge({
    name: 'parley_jobs_waiting',
    help: 'Waiting jobs including retries, in all processes',
    labelNames: ['queue'],
    registers: [registry],
  })
  const oldestJob = new Gauge({
    name: 'parley_jobs_oldest_seconds',
    help: 'Seconds since the oldest waiting job should have started, in all processes',
    labelNames: ['queue'],
    registers: [registry],
  })
  const longestWait: Gauge = new Gauge({
    name: 'parley_database_longest_wait_seconds',
    help: 'The longest current wait of a statement or transaction for a connection, 0 if none waits',
    registers: [registry],
    collect: () => longestWait.set(database.statementsOpen().longestWaitMs / 1_000),
  })
  const pool = new Gauge({
    name: 'parley_database_pool',
    help: 'Statements and transactions of this process: running, or waiting for a connection',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { running, waiting: queued } = database.statementsOpen()
      pool.set({ state: 'running' }, running)
      pool.set({ state: 'waiting' }, queued)
    },
  })
  const readRows = async (): Promise<void> => {
    const [row] = await systemSql(database)<
      { holds: number; oldest: number; deliveries: number; delivery: number }[]
    >`
      select (select count(*) from open_holds)::int as holds,
        coalesce((select extract(epoch from now() - min(created_at)) from open_holds), 0)::float8 as oldest,
        (select count(*) from webhook_deliveries where status = 'pending')::int as deliveries,
        coalesce((select extract(epoch from now() - min(created_at)) from webhook_deliveries where status = 'pending'), 0)::float8 as delivery`
    if (!row) return
    holds.set(row.holds)
    oldest.set(row.oldest)
    deliveries.set(row.deliveries)
    oldestDelivery.set(row.delivery)
  }
  const readQueues = async (): Promise<void> => {
    waiting.reset()
    oldestJob.reset()
    for (const [queue, { count, oldestSeconds }] of await jobs.countWaiting()) {
      waiting.set({ queue }, count)
      oldestJob.set({ queue }, oldestSeconds)
    }
  }
  const diskFree: Gauge = new Gauge({
    name: 'parley_disk_free_bytes',
    help: 'Free bytes of the file systems of DATA_DIR and of the embedded database',
    labelNames: ['folder'],
    registers: [registry],
    async collect() {
      for (const [folder, bytes] of await disks.read()) diskFree.set({ folder }, bytes)
    },
  })
  const callsWaiting: Gauge = new Gauge({
    name: 'parley_calls_waiting',
    help: 'Calls of providers and other services that wait for a connection',
    registers: [registry],
    collect: () => callsWaiting.set(net.waiting()),
  })
  const readings = [
    cached(readRows, () => {
      for (const one of [holds, oldest, deliveries, oldestDelivery]) one.remove()
    }),
    cached(readQueues, () => {
      waiting.reset()
      oldestJob.reset()
    }),
  ]
  if (redis) {
    const up = gauge('parley_redis_up', '1 if Redis responds, else 0')
    readings.push(
      cached(
        async () => {
          await redis.check()
          up.set(1)
        },
        () => up.set(0),
        0,
      ),
    )
  }
  let measuresProcess = false
  return async () => {
    // Measuring the event loop's delay wakes the process 100 times per second, so only servers that are scraped do it.
    if (!measuresProcess) collectDefaultMetrics({ register: registry })
    measuresProcess = true
    await Promise.all(readings.map((read) => read()))
  }
}

/**
 * Returns a function that calls `read` at most once every `keptMs`, never concurrently, and waits at most WAIT_MS_MAX.
 * If the read fails or takes longer, calls `clear`.
 */
function cached(read: () => Promise<void>, clear: () => void, keptMs = KEPT_MS): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<boolean> | undefined
  const readNow = async (): Promise<boolean> => {
    try {
      await asLook(read)
      return true
    } catch {
      return false
    } finally {
      underWay = undefined
    }
  }
  return async () => {
    if (performance.now() - readAt < keptMs) return
    underWay ??= readNow()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS_MAX, false)
    })
    const isRead = await Promise.race([underWay, late])
    clearTimeout(timer)
    if (isRead) readAt = performance.now()
    else clear()
  }
}
