import type { ISql } from 'postgres'
import { asUnavailable, DatabaseUnavailable } from './unavailable.ts'

type AnySql = ISql & ((...args: unknown[]) => unknown)
export type Work = (sql: AnySql) => unknown
/** Begins a transaction or savepoint, and ends it when the work has ended. */
export type Begin = (work: Work) => Promise<unknown>

/**
 * The connection of a transaction. Once it has broken, nothing more may be sent on it. The driver would write to a
 * closed socket, which ends the process (porsager/postgres#1208).
 */
export class TransactionConnection {
  readonly #lost = Promise.withResolvers<never>()
  #hasBegun = false
  #abandoned: { error: unknown } | undefined
  loss: DatabaseUnavailable | undefined

  constructor() {
    this.#lost.promise.catch(() => {})
  }

  /** Records a failure, if it is the loss of the connection. */
  note(error: unknown): void {
    if (this.loss || !(error instanceof DatabaseUnavailable) || !error.isLoss) return
    this.loss = error
    this.#lost.reject(error)
  }

  /** Rejects the promises of `run`. A transaction that has no connection yet is rolled back as soon as it gets one. */
  abandon(error: unknown): void {
    if (!this.#hasBegun) this.#abandoned = { error }
    this.#lost.reject(error)
  }

  /**
   * Runs work in a transaction or savepoint, which `begin` opens. After a loss, the promise for `begin` never settles,
   * so that the driver neither commits nor rolls back.
   */
  run(begin: Begin, work: Work): Promise<unknown> {
    const ran = begin(async (tx) => {
      if (this.#abandoned) throw this.#abandoned.error
      this.#hasBegun = true
      try {
        const result = await work(tx)
        if (!this.loss) return result
      } catch (error) {
        this.note(error)
        if (!this.loss) throw error
      }
      return new Promise(() => {})
    })
    ran.catch((error: unknown) => this.note(asUnavailable(error)))
    return Promise.race([ran, this.#lost.promise])
  }
}
