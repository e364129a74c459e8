import { AsyncLocalStorage } from 'node:async_hooks'
import type { Sql, TransactionSql } from 'postgres'

/*
 * Statements join the transaction of their request automatically. So a handler that knows nothing of it, even one with
 * transactions of its own, can run as a whole in one transaction (docs/idempotency.md).
 */

type Work = () => unknown

/** The target of statements: the ambient transaction, or a savepoint where the handler begins its own. */
class Savepoint {
  tx: TransactionSql | null = null
  readonly transaction: AmbientTransaction
  #turn: Promise<unknown> = Promise.resolve()

  constructor(transaction: AmbientTransaction) {
    this.transaction = transaction
  }

  /** Runs savepoints one at a time: concurrent savepoints of one connection would nest. */
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

/** A section that may wait only for the database. Sections can nest. */
interface DatabaseOnly {
  hasEnded: boolean
  outer: DatabaseOnly | null
}

interface Context {
  savepoint: Savepoint | null
  only: DatabaseOnly | null
}

const contexts = new AsyncLocalStorage<Context | null>()

/** Returns null also in work that a request has left running after its transaction ended. */
function currentSavepoint(): (Savepoint & { tx: TransactionSql }) | null {
  const savepoint = contexts.getStore()?.savepoint ?? null
  return savepoint?.tx && !savepoint.transaction.hasEnded
    ? (savepoint as Savepoint & { tx: TransactionSql })
    : null
}

/**
 * Runs work that may wait only for the database: until it settles, assertOutsideTransaction throws inside it. Used for
 * every transaction, and for handlers whose route declares that all of its effects are in the database.
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
 * Throws inside a transaction, or in a handler that declares only database effects. Call it first in every function
 * that waits for another system: a transaction would hold its connection and locks meanwhile, and could not roll back
 * effects elsewhere. Costs one read of an AsyncLocalStorage.
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
 * Returns the same connections, except that statements inside an ambient transaction join it, and `begin` opens a
 * savepoint there.
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

/** Begins a regular transaction, whose statements go through `tx`. */
function beginOnly(sql: Sql, values: unknown[]): Promise<unknown> {
  const work = values.at(-1) as (tx: TransactionSql) => unknown
  const begin = sql.begin as (...values: unknown[]) => Promise<unknown>
  const from = contexts.getStore()
  return begin(...values.slice(0, -1), (tx: TransactionSql) => onlyInDatabase(() => work(tx), from))
}

/** An ambient transaction that may be opened after `run`. Statements before `open` run outside it. */
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

  /** Opens the transaction: later statements of `run` join it. Does nothing if it is already open. */
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

  /** Registers work to do after the commit or after the rollback. */
  remember(work: Work, end: 'commit' | 'rollback'): void {
    const list = end === 'commit' ? this.#afterCommit : this.#afterRollback
    list.push(work)
  }
}

async function runAll(works: readonly Work[]): Promise<void> {
  for (const work of works) await work()
}

/**
 * Runs work in one transaction that its statements join automatically. Commits if the work resolves, and rolls back if
 * it rejects.
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
 * Runs work outside the ambient transaction, for work that also serves other requests or outlives this one: a loop, a
 * timer, a group.
 */
export const outsideTransaction = <Result>(work: () => Result): Result => contexts.run(null, work)

/**
 * Runs work after the commit, or immediately outside a transaction. For effects that must not be visible before the
 * change that causes them.
 */
export async function afterCommit(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await outsideTransaction(work)
  else savepoint.transaction.remember(work, 'commit')
}

/**
 * Runs work after the rollback, or immediately outside a transaction. For effects that must persist even if the
 * request fails.
 */
export async function afterRollback(work: Work): Promise<void> {
  const savepoint = currentSavepoint()
  if (savepoint === null) await work()
  else savepoint.transaction.remember(work, 'rollback')
}
