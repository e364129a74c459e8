import { waitForRetry } from './wait-for-retry.ts'

const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 15_000
/**
 * The largest share by which a wait is shortened at random. Clients that were disconnected at the same time therefore
 * reconnect at different times.
 */
const JITTER = 0.5

/**
 * Exponential backoff with jitter: waits 0.5 seconds before the first retry, then doubles the wait, up to 15 seconds.
 */
export class Backoff {
  readonly #triesMax: number
  #tries = 0

  /** `triesMax` is the maximum number of consecutive retries. Retries while the browser is offline don't count. */
  constructor(triesMax: number) {
    this.#triesMax = triesMax
  }

  /** Resets the wait and the number of retries. Call this after a success. */
  reset(): void {
    this.#tries = 0
  }

  /**
   * Waits before the next retry: at least `atLeastMs` milliseconds, at most 15 seconds. Returns false if no retries
   * are left or the signal aborts.
   */
  async wait(signal?: AbortSignal | null, atLeastMs = 0): Promise<boolean> {
    if (signal?.aborted || this.#tries >= this.#triesMax) return false
    const fullMs = Math.min(WAIT_MIN_MS * 2 ** this.#tries, WAIT_MAX_MS)
    if (!isOffline()) this.#tries += 1
    const waitMs = Math.max(fullMs * (1 - JITTER * Math.random()), Math.min(atLeastMs, WAIT_MAX_MS))
    await waitForRetry(waitMs, signal)
    return !signal?.aborted
  }
}

/** Node doesn't report its network state. The types of Node lack the browser's `navigator.onLine`. */
const isOffline = (): boolean =>
  (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
