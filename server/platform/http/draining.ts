import { fail, sentence } from '#errors'

/** Seconds after which a refused client should try again. Other processes can serve it immediately. */
const RETRY_SECONDS = 1
/** Grace period for requests that return one result. Their clients have received nothing, and lose nothing by a retry. */
const SINGLE_GRACE_MS = 5_000

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
    if (this.#isOn) throw shuttingDown()
  }

  /**
   * Runs work that returns one result. If the process is shutting down, the signal aborts with server.unavailable after
   * a grace period that is shorter than that of streams.
   */
  async runSingle<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const late = new AbortController()
    let grace: NodeJS.Timeout | undefined
    const begin = (): void => {
      grace = setTimeout(() => late.abort(shuttingDown()), SINGLE_GRACE_MS)
    }
    const cancel = this.onBegin(begin)
    if (this.#isOn) begin()
    try {
      return await work(late.signal)
    } finally {
      cancel()
      clearTimeout(grace)
    }
  }
}

const shuttingDown = () =>
  fail('server.unavailable', { reason: sentence('server.shutting_down') }, { retryAfter: RETRY_SECONDS })
