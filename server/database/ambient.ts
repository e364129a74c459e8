import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql, TransactionSql } from 'postgres'

/*
 * Statements find the transaction that their request runs in without being handed it. So a handler that was written
 * without knowing of one, with transactions of its own, can be run as a whole in one (docs/idempotency.md).
 */

type Work = () => unknown

/** Where statements go: what was begun here, or, within one of its own transactions, a savepoint of it. */
class Place {
  tx: TransactionSql | null = null
  readonly transaction: AmbientTransaction
  #turn: Promise<unknown> = Promise.resolve()

  constructor(transaction: AmbientTransaction) {
    this.transaction = transaction
  }

  /** One after the other: savepoints on one connection lie within each other. */
  begin(work: (tx: TransactionSql) => unknown): Promise<unknown> {
    const begun = this.#turn.then(() =>
      this.tx?.savepoint((inner) => {
        const place = new Place(this.transaction)
        place.tx = inner
        return places.run(place, () => work(inner) as Promise<unknown>)
      }),
    )
    this.#turn = begun.catch(() => {})
    return begun
  }
}

const places = new AsyncLocalStorage<Place | null>()

/** Null also in what a request has left behind that goes on after its transaction. */
function currentPlace(): (Place & { tx: TransactionSql }) | null {
  const place = places.getStore() ?? null
  return place?.tx && !place.transaction.hasEnded ? (place as Place & { tx: TransactionSql }) : null
}

/** The same connections, but within an ambient transaction its own: there `begin` is a savepoint. */
export function ambientSql(plain: Sql): Sql {
  return new Proxy(plain, {
    apply: (target, self, values) => Reflect.apply(currentPlace()?.tx ?? target, self, values),
    get(target, name) {
      const place = currentPlace()
      if (place === null) return Reflect.get(target, name)
      if (name === 'begin') return (...values: unknown[]) => place.begin(values.at(-1) as never)
      return Reflect.get(name in place.tx ? place.tx : target, name)
    },
  })
}

/** A transaction that may be opened late: what is run by it before then goes its usual way. */
export class AmbientTransaction {
  readonly #sql: Sql
  readonly #place = new Place(this)
  readonly #last = Promise.withResolvers<void>()
  readonly #afterCommit: Work[] = []
  readonly #afterRollback: Work[] = []
  #whole: Promise<void> | undefined
  hasEnded = false

  constructor(sql: Sql) {
    this.#sql = sql
  }

  get isOpen(): boolean {
    return this.#whole !== undefined
  }

  run<Result>(work: () => Result): Result {
    return places.run(this.#place, work)
  }

  /** From now on what `run` has begun is in the transaction. Opened again it stays as it is. */
  async open(): Promise<void> {
    if (this.#whole) return
    const begun = Promise.withResolvers<TransactionSql>()
    this.#whole = outsideTransaction(() =>
      this.#sql.begin(async (tx) => {
        begun.resolve(tx)
        await this.#last.promise
      }),
    ) as Promise<void>
    this.#whole.catch(begun.reject)
    this.#place.tx = await begun.promise
  }

  /** Rejects where the database has refused any statement that was not in a savepoint, and then nothing is stored. */
  async commit(): Promise<void> {
    this.hasEnded = true
    this.#last.resolve()
    try {
      await this.#whole
    } catch (error) {
      await outsideTransaction(() => runAll(this.#afterRollback))
      throw error
    }
    await outsideTransaction(() => runAll(this.#afterCommit))
  }

  async rollback(): Promise<void> {
    this.hasEnded = true
    this.#last.reject(new Error('rolled back'))
    this.#last.promise.catch(() => {})
    await this.#whole?.catch(() => {})
    await outsideTransaction(() => runAll(this.#afterRollback))
  }

  /** For what is to be told, or kept, when it is known how the transaction has ended. */
  remember(work: Work, end: 'commit' | 'rollback'): void {
    const list = end === 'commit' ? this.#afterCommit : this.#afterRollback
    list.push(work)
  }
}

async function runAll(works: readonly Work[]): Promise<void> {
  for (const work of works) await work()
}

/** Runs work in one transaction, wherever its statements come from. All of it is stored, or it rejects. */
export async function inTransaction<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const transaction = new AmbientTransaction(sql)
  await transaction.open()
  let result: Result
  try {
    result = await transaction.run(work)
  } catch (error) {
    await transaction.rollback()
    throw error
  }
  await transaction.commit()
  return result
}

export const isInTransaction = (): boolean => currentPlace() !== null

/** For what serves other requests too, or outlives this one: a loop, a timer, a group. */
export const outsideTransaction = <Result>(work: () => Result): Result => places.run(null, work)

/** Does what must not be seen before its cause is: after the commit, or at once where there is no transaction. */
export async function afterCommit(work: Work): Promise<void> {
  const place = currentPlace()
  if (place === null) await outsideTransaction(work)
  else place.transaction.remember(work, 'commit')
}

/** Does what has to stay done though the request is refused: after the rollback, or at once without a transaction. */
export async function despiteRefusal(work: Work): Promise<void> {
  const place = currentPlace()
  if (place === null) await work()
  else place.transaction.remember(work, 'rollback')
}
