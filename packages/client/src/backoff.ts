import { waitForRetry } from './wait-for-retry.ts'

const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 15_000
/** A wait is up to this share shorter, so that clients that were cut off together do not return together. */
const JITTER = 0.5

/** The waits between tries: 0.5 seconds, then twice as long each time, up to 15 seconds. */
export class Backoff {
  readonly #triesMax: number
  #tries = 0

  /** Allows `triesMax` tries in a row. Tries of a browser that has no network do not count. */
  constructor(triesMax: number) {
    this.#triesMax = triesMax
  }

  /** Starts from the beginning after a success. */
  reset(): void {
    this.#tries = 0
  }

  /**
   * Waits for the next try, at least `atLeastMs` (up to 15 seconds). Returns false if there were enough tries, or if the
   * signal has aborted.
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

/** Node has no network state, and its types do not know the browser's. */
const isOffline = (): boolean =>
  (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
