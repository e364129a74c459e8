import type { Database } from '#database/connect.ts'

/** An installation that has received only looks for this long is idle. */
const IDLE_MS = 30_000

/**
 * When a process of the installation last used the database for more than looks (database/looks.ts). This process counts
 * its own statements. The renewal of its lease tells it about the other processes (platform/instance).
 */
export class Activity {
  readonly #database: Pick<Database, 'statementsSent'>
  #statements = 0
  #ownAt = performance.now()
  #othersAt = Number.NEGATIVE_INFINITY

  constructor(database: Pick<Database, 'statementsSent'>) {
    this.#database = database
  }

  /** Returns the milliseconds since this process last used the database. */
  ownQuietMs(): number {
    const now = performance.now()
    const statements = this.#database.statementsSent()
    if (statements !== this.#statements) this.#ownAt = now
    this.#statements = statements
    return now - this.#ownAt
  }

  /** Announces that the process is about to do work that a look has found. */
  worked(): void {
    this.#ownAt = performance.now()
  }

  /** Stores the milliseconds since another process last used the database. */
  heardOfOthers(quietMs: number): void {
    this.#othersAt = performance.now() - quietMs
  }

  isIdle(): boolean {
    return Math.min(this.ownQuietMs(), performance.now() - this.#othersAt) >= IDLE_MS
  }
}
