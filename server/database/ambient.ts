import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql, TransactionSql } from 'postgres'

/*
 * Statements find the transaction that their request runs in without being handed it. So a handler that was written
 * without knowing of one, with transactions of its own, can be run as a whole in one (docs/idempotency.md).
 */

type Work = () => unknown

/** Where statements go: what was begun here, or, within one of its own transactions, a savepoint of it. */
class Savepoint {
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
        const savepoint = new Savepoint(this.transaction)
        savepoint.tx = inner
        return contexts.run({ savepoint, only: null }, () => work(inner) as Promise<unknown>)
      }),
    )
    this.#turn = begun.catch(() => {})
    return begun
  }
}

/** A section that may wait for nothing but the database. It may lie within another one. */
interface DatabaseOnly {
  hasEnded: boolean
  outer: DatabaseOnly | null
}

interface Context {
  savepoint: Savepoint | null
  only: DatabaseOnly | null
}

const contexts = new AsyncLocalStorage<Context | null>()

/** Null also in what a request has left behind that goes on after its transaction. */
function currentSavepoint(): (Savepoint & { tx: TransactionSql }) | null {
  const savepoint = contexts.getStore()?.savepoint ?? null
  return savepoint?.tx && !savepoint.transaction.hasEnded
    ? (savepoint as Savepoint & { tx: TransactionSql })
    : null
}

/**
 * Runs work that may wait for nothing but the database: until it settles, assertOutsideTransaction throws in it. Every
 * transaction is such work, and so is a handler whose route declares that all of its effects are in the database.
 */
export async function onlyInDatabase<Result>(
  work: () => Result | Promise<Result>,
  from = contexts.getStore(),
): Promise<Result> {
  const { savepoint = null, only: outer = null } = from ?? {}
  const only = { hasEnded: false, outer }
  try {
    return await contexts.run({ savepoint, only }, work)
  } finally {
    only.hasEnded = true
  }
}

/**
 * Throws where a transaction is open, or a handler said that it stays in the database. Call it first in everything that
 * waits for something else: a transaction would hold its connection and its locks meanwhile, and could not take back
 * what was done elsewhere. Costs one read of an AsyncLocalStorage.
 */
export function assertOutsideTransaction(what: string): void {
  const context = contexts.getStore()
  if (!context) return
  let { only } = context
  while (only?.hasEnded) only = only.outer
  if (only === null && currentSavepoint() === null) return
  throw new Error(
    `${what} was called inside a database transaction, or by a route that declares effects: 'database'. ` +
      "Call it before the transaction begins or after it has committed, and declare effects: 'outside' on the route " +
      '(docs/idempotency.md).',
  )
}

/** The same connections, but within an ambient transaction its own: there `begin` is a savepoint. */
export function ambientSql(plain: Sql): Sql {
  return new Proxy(plain, {
    apply: (target, self, values) => Reflect.apply(currentSavepoint()?.tx ?? target, self, values),
    get(target, name) {
      const savepoint = currentSavepoint()
      if (name === 'begin')
        return savepoint
          ? (...values: unknown[]) => savepoint.begin(values.at(-1) as never)
          : (...values: unknown[]) => beginOnly(target, values)
      return Reflect.get(savepoint && name in savepoint.tx ? savepoint.tx : target, name)
    },
  })
}

/** A transaction of its own, in which statements are sent by its `tx` as ever. */
function beginOnly(sql: Sql, values: unknown[]): Promise<unknown> {
  const work = values.at(-1) as (tx: TransactionSql) => unknown
  const begin = sql.begin as (...values: unknown[]) => Promise<unknown>
  const from = contexts.getStore()
  return begin(...values.slice(0, -1), (tx: TransactionSql) => onlyInDatabase(() => work(tx), from))
}

/** A transaction that may be opened late: what is run by it before then goes its usual way. */
export class AmbientTransaction {
  readonly #sql: Sql
  readonly #savepoint = new Savepoint(this)
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
    return contexts.run({ savepoint: this.#savepoint, only: contexts.getStore()?.only ?? null }, work)
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
    this.#savepoint.tx = await begun.promise
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

export const isInTransaction = (): boolean => currentSavepoint() !== null

/** For what serves other requests too, or outlives this one: a loop, a timer, a group. */
export const outsideTransaction = <Result>(work: () => Result): Result => contexts.run(null, work)

/** Does what must not be seen before its cause is: after the commit, or at once where there is no transaction. */
export async function afterCommit(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await outsideTransaction(work)
  else savepoint.transaction.remember(work, 'commit')
}

/** Does what must stay done although the request fails: after the rollback, or at once where there is no transaction. */
export async function afterRollback(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await work()
  else savepoint.transaction.remember(work, 'rollback')
}
