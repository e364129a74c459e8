import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql, TransactionSql } from 'postgres'

/*
 * Statements of a request automatically join the request's ambient transaction, if it has one. A handler therefore
 * needs no changes to run as a whole in one transaction, even if it begins transactions of its own
 * (docs/idempotency.md).
 */

type Work = () => unknown

/**
 * The target of statements: the ambient transaction, or a savepoint for a transaction that the handler begins inside
 * it.
 */
class Savepoint {
  tx: TransactionSql | null = null
  readonly transaction: AmbientTransaction
  #turn: Promise<unknown> = Promise.resolve()

  constructor(transaction: AmbientTransaction) {
    this.transaction = transaction
  }

  /**
   * Opens a savepoint for `work` once earlier savepoints have ended. Concurrent savepoints on one connection would
   * nest.
   */
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

/** A section of code that may wait only for the database. Sections can nest. */
interface DatabaseOnly {
  hasEnded: boolean
  outer: DatabaseOnly | null
  /** True if the section is the work of a transaction with a connection of its own, which only `tx` uses. */
  hasConnection: boolean
}

interface Context {
  savepoint: Savepoint | null
  only: DatabaseOnly | null
}

const contexts = new AsyncLocalStorage<Context | null>()

/**
 * Returns the current savepoint. Returns null outside a transaction, and in background work whose transaction has
 * ended.
 */
function currentSavepoint(): (Savepoint & { tx: TransactionSql }) | null {
  const savepoint = contexts.getStore()?.savepoint ?? null
  return savepoint?.tx && !savepoint.transaction.hasEnded
    ? (savepoint as Savepoint & { tx: TransactionSql })
    : null
}

/**
 * Runs `work` as a section that may wait only for the database: assertOutsideTransaction throws in it until `work`
 * settles. Used for every transaction, and for every handler whose route declares `effects: 'database'`.
 */
export async function onlyInDatabase<Result>(
  work: () => Result | Promise<Result>,
  {
    from = contexts.getStore(),
    hasConnection = false,
  }: { from?: Context | null; hasConnection?: boolean } = {},
): Promise<Result> {
  const { savepoint = null, only: outer = null } = from ?? {}
  const only = { hasEnded: false, outer, hasConnection }
  try {
    return await contexts.run({ savepoint, only }, work)
  } finally {
    only.hasEnded = true
  }
}

/**
 * Throws inside a transaction, or in a handler whose route declares `effects: 'database'`. Call it first in every
 * function that waits for another system. During such a wait, a transaction would keep its connection and locks, and
 * its rollback couldn't undo side effects in the other system. The check costs one read of an AsyncLocalStorage.
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

/**
 * Throws inside a transaction that began with `sql.begin`. Called before a statement or transaction of the pool, which
 * would wait for a second connection while the transaction keeps the first. Once all connections are kept this way,
 * nothing continues. The embedded database has only one.
 */
export function assertConnectionFree(): void {
  let only = contexts.getStore()?.only ?? null
  while (only && (only.hasEnded || !only.hasConnection)) only = only.outer
  if (only)
    throw new Error(
      'a statement inside a transaction must use the transaction, because it would wait for another connection',
    )
}

/**
 * Wraps a connection pool. Inside an ambient transaction, statements join the transaction and `begin` opens a
 * savepoint.
 */
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

/** Begins a regular transaction. Its statements must use `tx`. */
function beginOnly(sql: Sql, values: unknown[]): Promise<unknown> {
  const work = values.at(-1) as (tx: TransactionSql) => unknown
  const begin = sql.begin as (...values: unknown[]) => Promise<unknown>
  const from = contexts.getStore()
  return begin(...values.slice(0, -1), (tx: TransactionSql) =>
    onlyInDatabase(() => work(tx), { from: from ?? null, hasConnection: true }),
  )
}

/**
 * An ambient transaction that opens on demand. Statements of `run` that precede `open` run outside the transaction.
 */
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

  /** Opens the transaction, which later statements of `run` join. Does nothing if the transaction is already open. */
  async open(): Promise<void> {
    if (this.#whole) return
    assertConnectionFree()
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

  /** Commits. Rejects and stores nothing if any statement outside a savepoint has failed. */
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

  /** Schedules work to run after the commit or after the rollback. */
  remember(work: Work, end: 'commit' | 'rollback'): void {
    const list = end === 'commit' ? this.#afterCommit : this.#afterRollback
    list.push(work)
  }
}

async function runAll(works: readonly Work[]): Promise<void> {
  for (const work of works) await work()
}

/**
 * Runs `work` in one transaction that its statements join automatically. Commits if `work` resolves, and rolls back
 * if it rejects.
 */
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

/**
 * Runs work outside the ambient transaction. Use it for work that serves other requests too or outlives the request,
 * such as a loop, a timer or a group of statements.
 */
export const outsideTransaction = <Result>(work: () => Result): Result => contexts.run(null, work)

/**
 * Runs work after the commit, or immediately outside a transaction. Use it for side effects that must not be visible
 * before the change that causes them.
 */
export async function afterCommit(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await outsideTransaction(work)
  else savepoint.transaction.remember(work, 'commit')
}

/**
 * Runs work after a rollback, or immediately outside a transaction. Use it for writes that must persist even if the
 * request fails.
 */
export async function afterRollback(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await work()
  else savepoint.transaction.remember(work, 'rollback')
}
