import { AsyncLocalStorage } from 'node:async_hooks'
import { AmbientTransaction, inTransaction, onlyInDatabase } from '#database/ambient.ts'
import type { OpenDatabase } from '#database/connect.ts'

type Work = () => Promise<unknown>

/** The pending response of the current request. */
const answers = new AsyncLocalStorage<PendingAnswer>()

/** The response of a request with a key and side effects outside the database, until the response is stored. */
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

  /** Resolves when the response is stored, or when it is certain that none will be stored. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** True after the handler has begun its final transaction. */
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

  /** Runs `store` and all deferred work in one transaction. No further work can be deferred. */
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
   * Ends a request that has no response: rolls back its transaction and runs the deferred work. Does nothing if
   * storing the response failed, because a repeat will run the work.
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
 * Runs the last statements of a handler in the transaction that stores the handler's response. The statements and the
 * response are committed together or not at all. The transaction stays open until the response is stored, and
 * includes all later statements of the handler. Without an Idempotency-Key, the statements commit on their own. In
 * both cases, `work` may wait only for the database.
 */
export async function commitWithAnswer<Result>(work: () => Promise<Result>): Promise<Result> {
  await current()?.begin()
  return onlyInDatabase(work)
}

/**
 * Defers database work until the transaction that stores the response. For work that a handler requests before its last
 * step. Returns a promise that resolves when the work is done. Returns null if there is no response to wait for. Then
 * the caller must run the work itself.
 */
export function deferToAnswer(work: Work): Promise<void> | null {
  const answer = current()
  answer?.defer(work)
  return answer?.settled ?? null
}
