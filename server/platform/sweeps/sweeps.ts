import type { Logger } from 'pino'
import type { Database } from '#database/connect.ts'
import { asLook, asWork } from '#database/looks.ts'

/** A look for work at an interval. */
export interface Sweep<Found> {
  everyMs: number
  /** Returns the work that is due, with few statements. */
  find(): Promise<Found[]>
  /** Does the work. Called only if there is some. */
  work(found: Found[]): Promise<unknown>
  /** Log message for a failed sweep. The next one retries. */
  failure: string
}

export interface RunningSweep {
  /** Looks now, without waiting for the interval. */
  wake(): void
  /** Stops looking. Resolves when the sweep in progress has ended. */
  end(): Promise<void>
}

/** An embedded database that has received only looks for this long is idle. */
const IDLE_MS = 30_000
/**
 * Interval between the looks of an idle process. Work that becomes due by time alone, such as a retry after five
 * minutes, starts at most this much later.
 */
const IDLE_INTERVAL_MS = 30_000

/**
 * Looks for work at intervals. Other processes may write to PostgreSQL at any time, so looks there keep their
 * interval. Only this process writes to the embedded database: without other statements, a look finds nothing new, and
 * the sweeps of an idle process become rare until its next statement.
 */
export class Sweeps {
  readonly #database: Database
  readonly #log: Logger
  #statements = 0
  #activeAt = performance.now()

  constructor(database: Database, log: Logger) {
    this.#database = database
    this.#log = log
  }

  /** Looks now, and then at the interval. A look that takes longer than the interval delays the next one. */
  begin<Found>({ everyMs, find, work, failure }: Sweep<Found>): RunningSweep {
    let running: Promise<void> | undefined
    let isWoken = false
    let hasEnded = false
    let lookedAt = 0
    const sweep = async (): Promise<void> => {
      do {
        isWoken = false
        lookedAt = performance.now()
        const found = await asLook(find)
        if (found.length === 0) continue
        this.#activeAt = performance.now()
        await asWork(() => work(found))
      } while (isWoken)
    }
    const wake = (): void => {
      if (hasEnded) return
      isWoken = true
      running ??= sweep()
        .catch((error: unknown) => this.#log.error({ err: error }, failure))
        .finally(() => {
          running = undefined
        })
    }
    const timer = setInterval(() => {
      if (!running && (!this.#isIdle() || performance.now() - lookedAt >= IDLE_INTERVAL_MS)) wake()
    }, everyMs)
    wake()
    return {
      wake,
      async end() {
        clearInterval(timer)
        hasEnded = true
        isWoken = false
        await running
      },
    }
  }

  #isIdle(): boolean {
    if (!this.#database.embedded) return false
    const now = performance.now()
    const statements = this.#database.statementsSent()
    if (statements !== this.#statements) this.#activeAt = now
    this.#statements = statements
    return now - this.#activeAt >= IDLE_MS
  }
}
