import type { ISql, Sql } from 'postgres'
import type { Pool } from './pool.ts'
import { asUnavailable, DatabaseUnavailable } from './unavailable.ts'

/**
 * `begin` is called when a statement begins and returns an object that is notified of the statement's end. A
 * transaction is also reported as one statement, in addition to the statements that it contains.
 */
export interface StatementWatch {
  begin(): WatchedStatement
}

export interface WatchedStatement {
  within<R>(work: () => R): R
  /** `text` is the SQL with `$1` for parameters. It is undefined if the statement was never sent. */
  end(text: string | undefined, error?: unknown): void
}

/**
 * Numbers of statements in progress: `running` counts those that the database executes, and `waiting` those that wait
 * for a connection.
 */
export interface StatementsOpen {
  running: number
  waiting: number
}

/** The internal statement object of postgres.js 3.4. */
interface Statement extends Promise<unknown> {
  /**
   * Sends the statement. postgres.js calls it once, when the statement is awaited. Fragments of other statements are
   * never sent.
   */
  handler(statement: Statement): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
  /** True once the statement is at the head of the connection's queue. */
  active: boolean
  string?: string
}

/** The SQL text reported for a whole transaction. */
const TRANSACTION = 'transaction'

type AnySql = ISql & ((...args: unknown[]) => unknown)
type Work = (sql: AnySql) => unknown
type Begin = (work: Work) => Promise<unknown>

/**
 * The connection of a transaction. Once it has broken, nothing more may be sent on it. The driver would write to a
 * closed socket, which ends the process (porsager/postgres#1208).
 */
class Connection {
  readonly #lost = Promise.withResolvers<never>()
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

  /**
   * Runs work in a transaction or savepoint, which `begin` opens. After a loss, the promise for `begin` never settles,
   * so that the driver neither commits nor rolls back.
   */
  run(begin: Begin, work: Work): Promise<unknown> {
    const ran = begin(async (tx) => {
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

/**
 * Wraps a connection pool so that statements are counted and reported to the watch. They reject with
 * DatabaseUnavailable if the database, and not the statement, is the cause.
 */
export function watchStatements(
  pool: Pool,
  watch: StatementWatch | null,
): { sql: Sql; open(): StatementsOpen } {
  const begun = new Set<{ active: boolean }>()

  /** Returns a failure as callers see it. Replaces the connections if one of them has broken. */
  function failureOf(error: unknown, from: Sql, connection?: Connection): unknown {
    const failure = asUnavailable(error)
    connection?.note(failure)
    if (failure instanceof DatabaseUnavailable && failure.isLoss) pool.replace(from)
    return failure
  }

  function follow(made: unknown, from: Sql, connection?: Connection): unknown {
    if (!(made instanceof Promise)) return made
    const statement = made as Statement
    const { handler } = statement
    statement.handler = (sent) => {
      const { resolve, reject } = sent
      try {
        if (connection?.loss) throw connection.loss
        pool.began(sent)
      } catch (error) {
        return reject(error)
      }
      const seen = watch?.begin()
      const end = (error?: unknown): void => {
        pool.ended(sent)
        if (begun.delete(sent)) seen?.end(sent.string, error)
      }
      begun.add(sent)
      sent.resolve = (result) => {
        end()
        resolve(result)
      }
      sent.reject = (error) => {
        end(error)
        reject(failureOf(error, from, connection))
      }
      return handler(sent)
    }
    return statement
  }

  /** Counts the transaction as waiting until it has a connection. After that, only its statements are counted. */
  async function transact(begin: Begin, work: Work, from: Sql): Promise<unknown> {
    const waiting = { active: false }
    const connection = new Connection()
    pool.began(waiting)
    const seen = watch?.begin()
    const run = (): Promise<unknown> =>
      connection.run(begin, (tx) => {
        begun.delete(waiting)
        return work(watched(() => tx, from, connection))
      })
    begun.add(waiting)
    try {
      const result = await (seen ? seen.within(run) : run())
      seen?.end(TRANSACTION)
      return result
    } catch (error) {
      seen?.end(TRANSACTION, error)
      throw failureOf(error, from)
    } finally {
      begun.delete(waiting)
      pool.ended(waiting)
    }
  }

  async function reserve(value: () => Promise<ISql>, from: Sql): Promise<ISql> {
    const waiting = {}
    pool.began(waiting)
    try {
      const reserved = await value()
      return watched(() => reserved, from, new Connection())
    } catch (error) {
      throw failureOf(error, from)
    } finally {
      pool.ended(waiting)
    }
  }

  /** `connection` is that of a transaction, if any. `from` is the pool that it belongs to, by default the current one. */
  const watched = <S extends ISql>(current: () => S, from?: Sql, connection?: Connection): S =>
    new Proxy(current(), {
      apply: (_first, self, args) =>
        follow(Reflect.apply(current() as never, self, args), from ?? pool.sql, connection),
      get(_first, name) {
        const value = Reflect.get(current() as object, name)
        const owner = from ?? pool.sql
        if (name === 'unsafe') return (...args: unknown[]) => follow(value(...args), owner, connection)
        if (name === 'begin')
          return (...args: unknown[]) =>
            transact((work) => value(...args.slice(0, -1), work), args.at(-1) as Work, owner)
        if (name === 'savepoint')
          return (...args: unknown[]) =>
            (connection as Connection).run(
              (work) => value(...args.slice(0, -1), work),
              (tx) => (args.at(-1) as Work)(watched(() => tx, owner, connection)),
            )
        if (name === 'reserve') return () => reserve(value, owner)
        return value
      },
    })

  return {
    sql: watched(() => pool.sql),
    open() {
      const running = [...begun].filter(({ active }) => active).length
      return { running, waiting: begun.size - running }
    },
  }
}
