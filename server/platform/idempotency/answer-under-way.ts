import { AsyncLocalStorage } from 'node:async_hooks'
import { AmbientTransaction, inTransaction } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'

type Work = () => Promise<unknown>

/** What has effects outside of the database finds here what its last effects in it are to be stored with. */
const underWay = new AsyncLocalStorage<AnswerUnderWay | null>()

/** The answer of a request that came with a key and works outside of the database, until it is stored. */
export class AnswerUnderWay {
  readonly #sql: Database['sql']
  readonly #transaction: AmbientTransaction
  readonly #left: Work[] = []
  readonly #stored = Promise.withResolvers<void>()
  #hasEnded = false
  #wasTried = false

  constructor(sql: Database['sql']) {
    this.#sql = sql
    this.#transaction = new AmbientTransaction(sql)
  }

  /** Settles when the answer is stored, or when it is known that there will be none. */
  get stored(): Promise<void> {
    return this.#stored.promise
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Whether the rest of the request was begun, which is all or nothing. */
  get isJoined(): boolean {
    return this.#transaction.isOpen
  }

  run<Result>(work: () => Result): Result {
    return underWay.run(this, () => this.#transaction.run(work))
  }

  leave(work: Work): void {
    this.#left.push(work)
  }

  join(): Promise<void> {
    return this.#transaction.open()
  }

  /** Has `store` store the answer in one transaction with all that was left to it. From then on nothing is left to it. */
  async commit(store: Work): Promise<void> {
    this.#hasEnded = true
    this.#wasTried = true
    const all = async () => {
      await store()
      for (const work of this.#left) await work()
    }
    if (!this.isJoined) return inTransaction(this.#sql, all)
    try {
      await this.#transaction.run(all)
    } catch (error) {
      await this.#transaction.rollback()
      throw error
    }
    await this.#transaction.commit()
  }

  /**
   * There will be no answer: what was begun is rolled back, and what was left to it is done for itself; but not where it
   * could not be stored with its answer, since a repeat is going to do it.
   */
  async giveUp(): Promise<void> {
    this.#hasEnded = true
    if (this.#wasTried) return
    if (!this.#transaction.hasEnded) await this.#transaction.rollback()
    for (const work of this.#left) await work()
  }

  end(): void {
    this.#stored.resolve()
  }
}

const current = (): AnswerUnderWay | null => {
  const answer = underWay.getStore()
  return answer && !answer.hasEnded ? answer : null
}

/**
 * Has the rest of a request, as far as it is in the database, commit together with its answer: from here on it is one
 * transaction, so nothing may wait for anybody else. Changes nothing for a request without a key, or whose effects
 * are all in the database.
 */
export async function joinAnswer(): Promise<void> {
  await current()?.join()
}

/**
 * Leaves work in the database until the answer is stored, to be stored with it. Null where there is no answer to wait
 * for: then it is to be done at once. Else what settles when it was done.
 */
export function whenAnswered(work: Work): Promise<void> | null {
  const answer = current()
  answer?.leave(work)
  return answer?.stored ?? null
}

/** For what is stored piece by piece before there is an answer, and can be undone: none of it waits for the answer. */
export const beforeAnswer = <Result>(work: () => Result): Result => underWay.run(null, work)
