import { waitForRetry } from './wait-for-retry.ts'

const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 15_000
/**
 * Shortens each wait by a random share, at most this one. So clients that disconnected together don't reconnect
 * together.
 */
const JITTER = 0.5

/**
 * Exponential backoff with jitter: waits 0.5 seconds before the first retry, then doubles the wait, up to 15 seconds.
 */
export class Backoff {
  readonly #triesMax: number
  #tries = 0

  /** `triesMax` is the number of consecutive retries. Retries while the browser is offline don't count. */
  constructor(triesMax: number) {
    this.#triesMax = triesMax
  }

  /** Starts over. Call it after a success. */
  reset(): void {
    this.#tries = 0
  }

  /**
   * Waits for the next retry, at least `atLeastMs` milliseconds (capped at 15 seconds). Returns false if no retries
   * are left or the signal is aborted.
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

/** Node has no network state, and its types lack the browser's `navigator.onLine`. */
const isOffline = (): boolean =>
  (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
