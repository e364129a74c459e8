import { AsyncLocalStorage } from 'node:async_hooks'
import { AmbientTransaction, inTransaction, onlyInDatabase } from '#database/ambient.ts'
import type { OpenDatabase } from '#database/connect.ts'

type Work = () => Promise<unknown>

/** The pending answer of the current request. */
const answers = new AsyncLocalStorage<PendingAnswer>()

/** The answer of a request with a key and effects outside the database, until it is stored. */
export class PendingAnswer {
  readonly #sql: OpenDatabase['sql']
  readonly #transaction: AmbientTransaction
  readonly #deferred: Work[] = []
  readonly #settled = Promise.withResolvers<void>()
  #hasEnded = false
  #wasTried = false

  constructor(sql: OpenDatabase['sql']) {
    this.#sql = sql
    this.#transaction = new AmbientTransaction(sql)
  }

  /** Resolves when the answer is stored, or when it is certain that there will be none. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether the handler has begun its final transaction. */
  get isInTransaction(): boolean {
    return this.#transaction.isOpen
  }

  run<Result>(work: () => Result): Result {
    return answers.run(this, () => this.#transaction.run(work))
  }

  defer(work: Work): void {
    this.#deferred.push(work)
  }

  begin(): Promise<void> {
    return this.#transaction.open()
  }

  /** Runs `store` and all deferred work in one transaction. Nothing can be deferred after that. */
  async commit(store: Work): Promise<void> {
    this.#hasEnded = true
    this.#wasTried = true
    const all = async () => {
      await store()
      for (const work of this.#deferred) await work()
    }
    if (!this.isInTransaction) return inTransaction(this.#sql, all)
    try {
      await this.#transaction.run(all)
    } catch (error) {
      await this.#transaction.rollback()
      throw error
    }
    await this.#transaction.commit()
  }

  /**
   * Rolls back because there will be no answer, and runs the deferred work on its own. Skips that if storing the answer
   * failed: a repeat will run the work.
   */
  async abandon(): Promise<void> {
    this.#hasEnded = true
    if (this.#wasTried) return
    if (!this.#transaction.hasEnded) await this.#transaction.rollback()
    for (const work of this.#deferred) await work()
  }

  settle(): void {
    this.#settled.resolve()
  }
}

const current = (): PendingAnswer | null => {
  const answer = answers.getStore()
  return answer && !answer.hasEnded ? answer : null
}

/**
 * Runs the last statements of a handler in the transaction that stores its answer, so that both are committed or
 * neither. The transaction stays open until the answer is stored and includes all later statements of the handler.
 * Without an Idempotency-Key the statements commit as usual. In both cases `work` may only wait for the database.
 */
export async function commitWithAnswer<Result>(work: () => Promise<Result>): Promise<Result> {
  await current()?.begin()
  return onlyInDatabase(work)
}

/**
 * Defers database work to the transaction that stores the answer, for work before the handler's last step. Returns a
 * promise that resolves when it is done. Returns null if there is no answer to wait for; then run the work immediately.
 */
export function deferToAnswer(work: Work): Promise<void> | null {
  const answer = current()
  answer?.defer(work)
  return answer?.settled ?? null
}
