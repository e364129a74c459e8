import { AsyncLocalStorage } from 'node:async_hooks'
import { AmbientTransaction, inTransaction, onlyInDatabase } from '#database/ambient.ts'
import type { OpenDatabase } from '#database/connect.ts'

type Work = () => Promise<unknown>

/** Where the work of a request finds its own answer. */
const answers = new AsyncLocalStorage<PendingAnswer>()

/** The answer of a request with a key whose effects are outside of the database too, until it is stored. */
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

  /** Settles when the answer is stored, or when it is known that there will be none. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether the handler has begun its last transaction, which is all or nothing. */
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

  /** Runs `store` and all deferred work in one transaction. From then on nothing more can be deferred. */
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
   * There will be no answer: rolls back, and does the deferred work by itself; but not where it could not be stored with
   * its answer, since a repeat is going to do it.
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
 * Runs the last statements of a handler in the transaction that stores its answer, so that there are both or neither.
 * That transaction stays open until the answer is stored: what the handler still does belongs to it. Without an
 * Idempotency-Key there is no answer to store, and the statements commit as they usually do. In both cases `work` may
 * wait for nothing but the database.
 */
export async function commitWithAnswer<Result>(work: () => Promise<Result>): Promise<Result> {
  await current()?.begin()
  return onlyInDatabase(work)
}

/**
 * Defers work in the database until the answer is stored, in the same transaction, for what isn't the handler's last
 * step. Returns what settles when it was done; null where there is no answer to wait for: then do it at once.
 */
export function deferToAnswer(work: Work): Promise<void> | null {
  const answer = current()
  answer?.defer(work)
  return answer?.settled ?? null
}
