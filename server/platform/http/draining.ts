import { fail, sentence } from '#errors'

/** Seconds after which a refused client should try again. Other processes can serve it immediately. */
const RETRY_SECONDS = 1

/** Whether this process is shutting down. It then accepts no new streams, and finishes those that it has. */
export class Draining {
  readonly #handOvers = new Set<() => void>()
  #isOn = false

  get isOn(): boolean {
    return this.#isOn
  }

  /** Begins to drain, and calls all functions that wait for it. */
  begin(): void {
    this.#isOn = true
    for (const handOver of this.#handOvers) handOver()
  }

  /** Calls `handOver` when draining begins. Returns a function that cancels the call. */
  onBegin(handOver: () => void): () => void {
    this.#handOvers.add(handOver)
    return () => this.#handOvers.delete(handOver)
  }

  /** Throws server.unavailable while the process is shutting down. */
  refuse(): void {
    if (this.#isOn)
      throw fail(
        'server.unavailable',
        { reason: sentence('server.shutting_down') },
        { retryAfter: RETRY_SECONDS },
      )
  }
}
