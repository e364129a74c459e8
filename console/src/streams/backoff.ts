import { waitForRetry } from '../api/wait-for-retry.ts'

const WAIT_MIN_MS = 500
const WAIT_MAX_MS = 15_000
/** A wait is up to so much shorter, so that all who were cut off together do not come back together. */
const JITTER = 0.5

/** When to try again what did not get through: after 0.5 seconds, then twice that, up to 15; at once when a network is there. */
export class Backoff {
  readonly #triesMax: number
  #tries = 0

  /** `triesMax`: so often in a row, then no more. */
  constructor(triesMax: number) {
    this.#triesMax = triesMax
  }

  /** After something got through. */
  reset(): void {
    this.#tries = 0
  }

  /**
   * Waits for the next try, at least as long as the server wants (`atLeastMs`, up to 15 seconds). False: it was tried often
   * enough, or the signal has aborted.
   */
  async wait(signal: AbortSignal, atLeastMs = 0): Promise<boolean> {
    if (signal.aborted || this.#tries >= this.#triesMax) return false
    const fullMs = Math.min(WAIT_MIN_MS * 2 ** this.#tries, WAIT_MAX_MS)
    this.#tries += 1
    const waitMs = Math.max(fullMs * (1 - JITTER * Math.random()), Math.min(atLeastMs, WAIT_MAX_MS))
    await waitForRetry(waitMs, signal)
    return !signal.aborted
  }
}
