/** The waits between tries; the last one repeats. */
const WAITS_MS = [400, 1_000, 2_000, 4_000, 8_000]
const TRIES_MAX = 12
/** A wait is up to so much longer, so that the visitors of a server that was away do not all come back at once. */
const SPREAD = 0.4

/** When to try again what did not get through. */
export class Backoff {
  #tries = 0

  /** After something got through. */
  reset(): void {
    this.#tries = 0
  }

  /**
   * Waits for the next try; without a network, for the network. False: it was tried often enough, or there is no need
   * any more.
   */
  async wait(signal: AbortSignal): Promise<boolean> {
    if (this.#tries >= TRIES_MAX) return false
    const waitMs = (WAITS_MS[this.#tries] ?? (WAITS_MS.at(-1) as number)) * (1 + Math.random() * SPREAD)
    this.#tries += 1
    await new Promise<void>((resolve) => {
      const over = new AbortController()
      const go = (): void => {
        over.abort()
        resolve()
      }
      addEventListener('online', go, { signal: over.signal })
      signal.addEventListener('abort', go, { signal: over.signal })
      if (navigator.onLine) setTimeout(go, waitMs)
    })
    return !signal.aborted
  }
}
