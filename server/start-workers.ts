import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '#config'
import { claimPort } from './claim-port.ts'

/*
 * `parley start --workers N`: the primary process accepts connections and gives them in turn to N processes, each a
 * whole server. The primary only starts, restarts and stops these. Signals reach it alone: a terminal and systemd
 * send them to every process, so the others ignore them and follow the primary's messages.
 */

const WORKERS_MAX = 256
const FIRST_RESTART_MS = 1_000
const RESTART_MS_MAX = 30_000
/** A process that has run for this long was healthy, so its next restart has the shortest delay again. */
const HEALTHY_MS = 60_000
const STOP = 'stop'
const READY = 'ready'

/** Reads the value of `--workers`: a number, or `auto` for one process per core. Throws a ConfigError. */
export function readWorkers(text: string | undefined): number {
  if (text === 'auto') return availableParallelism()
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > WORKERS_MAX)
    throw new ConfigError(`--workers must be a whole number from 1 to ${WORKERS_MAX}, or auto.`)
  return count
}

/**
 * Starts `count` processes behind one address, and resolves when all have stopped. The first starts alone, so that
 * only it migrates the database, creates the administrator and prints the banner. It works in the background too,
 * unless `role` is the operator's choice for all processes. Throws a ConfigError, or a ListenError before any process starts.
 */
export async function startWorkers(count: number, config: Config, role: string | undefined): Promise<void> {
  if (config.databaseUrl === null || config.redisUrl === null)
    throw new ConfigError(
      '--workers requires DATABASE_URL, because only one process can use the embedded database, and REDIS_URL, ' +
        'through which the processes share streams, live events and rate limits. Set both, or omit --workers.',
    )
  // Only tries whether the port is free: the workers listen through this process.
  const givePortBack = await claimPort(config)
  await givePortBack()
  const stopping = stopOnSignals()
  const [first = 'all', ...others] = Array.from(
    { length: count },
    (_, index) => role || (index === 0 ? 'all' : 'api'),
  )
  const firstWorker = fork(first)
  if (!(await isReady(firstWorker))) {
    process.exitCode = 1
    return
  }
  await Promise.all([
    keepRunning(first, firstWorker, stopping),
    ...others.map((one) => keepRunning(one, fork(one), stopping)),
  ])
}

const fork = (ROLE: string): Worker => cluster.fork({ ROLE })

/** Waits until the worker accepts requests. Resolves to false if it ends before that. */
const isReady = (worker: Worker): Promise<boolean> =>
  new Promise((resolve) => {
    worker.once('message', () => resolve(true))
    worker.once('exit', () => resolve(false))
  })

/** Restarts a process whenever it ends, with a delay that doubles if it ends soon. Resolves once the primary stops. */
async function keepRunning(role: string, worker: Worker, stopping: AbortSignal): Promise<void> {
  let delayMs = FIRST_RESTART_MS
  for (let current = worker; ; current = fork(role)) {
    const startedAt = performance.now()
    const [code, signal] = await endOf(current)
    if (stopping.aborted) {
      if (code) process.exitCode = 1
      return
    }
    if (performance.now() - startedAt >= HEALTHY_MS) delayMs = FIRST_RESTART_MS
    process.stderr.write(
      `parley: process ${current.process.pid} (ROLE=${role}) ended with ${signal ?? `code ${code}`}. ` +
        `Restarting it in ${delayMs / 1000} s.\n`,
    )
    await sleep(delayMs, undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted) return
    delayMs = Math.min(delayMs * 2, RESTART_MS_MAX)
  }
}

const endOf = (worker: Worker): Promise<[code: number | null, signal: string | null]> =>
  new Promise((resolve) => worker.once('exit', (code, signal) => resolve([code, signal])))

/**
 * Stops all workers at the first signal, and kills them at the second. The signal that is returned aborts at the
 * first.
 */
function stopOnSignals(): AbortSignal {
  const stopping = new AbortController()
  const workers = (): Worker[] => Object.values(cluster.workers ?? {}).filter((one) => one !== undefined)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping.signal.aborted) {
        for (const worker of workers()) worker.process.kill('SIGKILL')
        process.exit(1)
      }
      stopping.abort()
      for (const worker of workers()) {
        if (worker.isConnected()) worker.send(STOP)
        // Ends a worker that is still starting. Others ignore the signal.
        worker.process.kill('SIGTERM')
      }
    })
  // A worker that begins to ignore signals between the message and the signal has heard neither.
  cluster.on('message', (worker, message) => {
    if (message === READY && stopping.signal.aborted && worker.isConnected()) worker.send(STOP)
  })
  return stopping.signal
}

/** True in a process that `startWorkers` has started. */
export const { isWorker } = cluster

/** Whether this process is the first that the primary has started. */
export const isFirstWorker = (): boolean => cluster.worker?.id === 1

/** In a worker: tells the primary that this process accepts requests, and calls `stop` once when the primary stops. */
export function followPrimary(stop: () => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  let isStopping = false
  process.on('message', (message) => {
    if (message !== STOP || isStopping) return
    isStopping = true
    stop()
  })
  process.send?.(READY)
}
