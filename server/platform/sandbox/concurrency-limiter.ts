import { availableParallelism } from 'node:os'
import { sentence } from '#errors'
import { MEMORY_BYTES_MAX } from './deno-command.ts'
import { machineMemory } from './machine-memory.ts'
import { SandboxUnavailable } from './sandbox-unavailable.ts'

/**
 * Limits the number of concurrent sandboxes. An organization gets at most half of the slots and half of the queue, so
 * it cannot block other organizations.
 */
export interface ConcurrencyLimiter {
  /**
   * Waits for a slot. Returns a function that frees the slot. Rejects with the signal's reason or SandboxUnavailable.
   */
  take(organizationId: string, signal: AbortSignal): Promise<() => void>
  /** Rejects all waiting callers. */
  close(): void
}

/** More than one sandbox per core, because code that waits for I/O does not use the processor. */
const TURNS_PER_CORE = 2
const SHARE_OF_ONE = 0.5
const WAITING_MAX = 200
/** @limit time that a call waits for a sandbox */
const WAIT_MS_MAX = 60_000

interface Waiter {
  organizationId: string
  begin(): void
  refuse(reason: unknown): void
}

/** Maximum share of the machine's memory for all sandboxes of this process. */
const MEMORY_SHARE = 0.5

export interface LimiterBounds {
  turnsMax?: number
  /**
   * Memory for all running sandboxes, in bytes. A sandbox counts with its memory limit, regardless of its actual use.
   * At least one sandbox may run.
   */
  memoryBytes?: number
  waitingMax?: number
  waitMs?: number
}

export function createConcurrencyLimiter({
  turnsMax: requestedTurns = TURNS_PER_CORE * availableParallelism(),
  memoryBytes = MEMORY_SHARE * machineMemory(),
  waitingMax = WAITING_MAX,
  waitMs = WAIT_MS_MAX,
}: LimiterBounds = {}): ConcurrencyLimiter {
  const turnsMax = Math.max(1, Math.min(requestedTurns, Math.floor(memoryBytes / MEMORY_BYTES_MAX)))
  const turnsOfOne = Math.max(1, Math.floor(turnsMax * SHARE_OF_ONE))
  const waitingOfOne = Math.max(1, Math.floor(waitingMax * SHARE_OF_ONE))
  const running = new Map<string, number>()
  const waiting: Waiter[] = []
  let runningAll = 0

  const isFree = (organizationId: string): boolean =>
    runningAll < turnsMax && (running.get(organizationId) ?? 0) < turnsOfOne
  const begin = (organizationId: string): (() => void) => {
    runningAll++
    running.set(organizationId, (running.get(organizationId) ?? 0) + 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      runningAll--
      const left = (running.get(organizationId) ?? 1) - 1
      if (left === 0) running.delete(organizationId)
      else running.set(organizationId, left)
      beginNext()
    }
  }
  const beginNext = (): void => {
    for (;;) {
      const next = waiting.find(({ organizationId }) => isFree(organizationId))
      if (next === undefined) return
      next.begin()
    }
  }
  const wait = (organizationId: string, signal: AbortSignal): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1)
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        organizationId,
        begin() {
          leave()
          resolve(begin(organizationId))
        },
        refuse(reason) {
          leave()
          reject(reason)
        },
      }
      const abort = (): void => waiter.refuse(signal.reason)
      const timer = setTimeout(() => waiter.refuse(tooMany()), waitMs)
      signal.addEventListener('abort', abort)
      waiting.push(waiter)
    })

  return {
    async take(organizationId, signal) {
      signal.throwIfAborted()
      if (isFree(organizationId)) return begin(organizationId)
      const ofOne = waiting.filter((waiter) => waiter.organizationId === organizationId).length
      if (waiting.length >= waitingMax || ofOne >= waitingOfOne) throw tooMany()
      return wait(organizationId, signal)
    },
    close() {
      for (const waiter of [...waiting]) waiter.refuse(new SandboxUnavailable(sentence('sandbox.stopping')))
    },
  }
}

const tooMany = (): SandboxUnavailable => new SandboxUnavailable(sentence('sandbox.busy'))
