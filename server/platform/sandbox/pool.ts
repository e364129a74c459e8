import type { Logger } from 'pino'
import { sentence } from '#errors'
import type { DenoProcess } from './deno-process.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/**
 * Started processes of one runtime. Each process waits for a single call, so calls do not wait for a process to
 * start.
 */
export interface Pool {
  /** Returns a ready process, which the caller must end. Rejects with the signal's reason or SandboxUnavailable. */
  take(signal: AbortSignal): Promise<DenoProcess>
  /** Ends all processes of this pool. Resolves when they have exited. */
  close(): Promise<void>
}

const WARM = 2
const IDLE_MS = 5 * 60_000
/**
 * Timeout for starting a process. Excludes the creation of Python's snapshot, which happens before the first start.
 */
const START_MS_MAX = 30_000

export interface PoolOptions {
  start(): Promise<DenoProcess>
  /** Called after a failed start, to discard files that may be damaged. */
  onBroken?(): Promise<void>
  /** Called when the pool has emptied itself, to end what starts processes. */
  onIdle?(): void
  log: Logger
  warm?: number
  idleMs?: number
}

/**
 * Creates a pool that starts empty. Each `take` refills it to `warm` processes in the background, and `idleMs` without
 * a `take` empties it. A server that runs no code therefore starts no processes.
 */
export function createPool({
  start,
  onBroken,
  onIdle,
  log,
  warm = WARM,
  idleMs = IDLE_MS,
}: PoolOptions): Pool {
  const waiting: Promise<DenoProcess>[] = []
  const alive = new Set<DenoProcess>()
  const starting = new Set<Promise<DenoProcess>>()
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  const begin = async (): Promise<DenoProcess> => {
    const started = start()
    starting.add(started)
    const process = await started.finally(() => starting.delete(started))
    alive.add(process)
    void process.ended.then(() => alive.delete(process))
    if (isClosed) process.end()
    const clock = setTimeout(() => process.end(), START_MS_MAX)
    await process.ready.finally(() => clearTimeout(clock))
    return process
  }
  const fill = (): void => {
    while (!isClosed && waiting.length < warm) {
      const next = begin()
      waiting.push(next)
      const remove = (): void => {
        const index = waiting.indexOf(next)
        if (index >= 0) waiting.splice(index, 1)
      }
      // Remove a process that ends or fails while it waits for a call.
      next.then((process) => process.ended).then(remove, remove)
    }
  }
  const endWaiting = (): void => {
    for (const next of waiting.splice(0)) endWhenStarted(next)
  }
  const evictIdle = (): void => {
    endWaiting()
    onIdle?.()
  }
  /** Returns the next process. Retries once if a start failed. */
  const next = async (): Promise<DenoProcess> => {
    try {
      return await (waiting.shift() ?? begin())
    } catch (error) {
      if (isClosed || error instanceof SandboxUnavailable) throw error
      log.warn({ err: error }, 'a sandbox did not start; retrying once')
      await onBroken?.()
      return begin()
    }
  }

  return {
    async take(signal) {
      if (isClosed) throw stopping()
      clearTimeout(idle)
      idle = setTimeout(evictIdle, idleMs).unref()
      const taking = next()
      fill()
      const aborted = Promise.withResolvers<never>()
      const abort = (): void => aborted.reject(signal.reason)
      signal.addEventListener('abort', abort)
      try {
        return await Promise.race([taking, aborted.promise])
      } catch (error) {
        endWhenStarted(taking)
        signal.throwIfAborted()
        if (isClosed) throw stopping()
        if (error instanceof SandboxUnavailable) throw error
        log.error({ err: error }, 'no sandbox could be started')
        throw new SandboxUnavailable(sentence('sandbox.unavailable'), { cause: error })
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    async close() {
      isClosed = true
      clearTimeout(idle)
      endWaiting()
      await Promise.allSettled(starting)
      for (const process of alive) process.end()
      await Promise.all([...alive].map((process) => process.ended))
    },
  }
}

function endWhenStarted(starting: Promise<DenoProcess>): void {
  starting.then(
    (process) => process.end(),
    () => {},
  )
}

const stopping = (): SandboxUnavailable => new SandboxUnavailable(sentence('sandbox.stopping'))
