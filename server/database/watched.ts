import type { ISql, Sql } from 'postgres'
import { assertConnectionFree } from './ambient.ts'
import { isLook } from './looks.ts'
import type { PendingWork, Pool } from './pool.ts'
import { type Begin, TransactionConnection, type Work } from './transaction-connection.ts'
import { assertNoTransactionControl } from './transaction-control.ts'
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
  /** Milliseconds that the longest of the waits has taken so far. */
  longestWaitMs: number
}

/** The internal statement object of postgres.js 3.4. */
interface Statement extends Promise<unknown>, PendingWork {
  /**
   * Sends the statement. postgres.js calls it once, when the statement is awaited. Fragments of other statements are
   * never sent.
   */
  handler(statement: Statement): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
  /** True once the statement is at the head of the connection's queue. */
  active: boolean
  /** The SQL text between the parameters, before it is sent. */
  strings: readonly string[]
  /** `simple` is true if the text is sent without parameters, and may therefore contain several statements. */
  options: { simple?: boolean }
  /** The SQL text with `$1` for parameters, once it is sent. */
  string?: string
}

/** The SQL text reported for a whole transaction. */
const TRANSACTION = 'transaction'

/** The pool and, inside a transaction, the connection that statements are sent on. */
interface Origin {
  pool: Sql
  connection: TransactionConnection | null
}

/**
 * Wraps a connection pool so that statements are counted and reported to the watch. They reject with
 * DatabaseUnavailable if the database, and not the statement, is the cause.
 */
export function watchStatements(
  pool: Pool,
  watch: StatementWatch | null,
): { sql: Sql; open(): StatementsOpen; sent(): number } {
  const statements = new Statements(pool, watch)
  return { sql: statements.sql, open: () => statements.countOpen(), sent: () => statements.sent }
}

class Statements {
  readonly #pool: Pool
  readonly #watch: StatementWatch | null
  /** The times at which the statements and transactions in progress began, oldest first. */
  readonly #begun = new Map<{ active: boolean }, number>()
  readonly sql: Sql
  /** Number of statements so far, without looks. */
  sent = 0

  constructor(pool: Pool, watch: StatementWatch | null) {
    this.#pool = pool
    this.#watch = watch
    this.sql = this.#wrap(
      () => pool.sql,
      () => ({ pool: pool.sql, connection: null }),
    )
  }

  countOpen(): StatementsOpen {
    const waits = [...this.#begun].filter(([{ active }]) => !active)
    const since = waits[0]?.[1]
    return {
      running: this.#begun.size - waits.length,
      waiting: waits.length,
      longestWaitMs: since === undefined ? 0 : performance.now() - since,
    }
  }

  #wrap<S extends ISql>(current: () => S, originOf: () => Origin): S {
    return new Proxy(current(), {
      apply: (_first, self, args) => this.#follow(Reflect.apply(current() as never, self, args), originOf()),
      get: (_first, name) => {
        const value = Reflect.get(current() as object, name)
        const origin = originOf()
        const begin = (args: unknown[]): [Begin, Work] => [
          (work) => value(...args.slice(0, -1), work),
          args.at(-1) as Work,
        ]
        if (name === 'unsafe') return (...args: unknown[]) => this.#follow(value(...args), origin)
        if (name === 'begin') return (...args: unknown[]) => this.#transact(...begin(args), origin.pool)
        if (name === 'savepoint') return (...args: unknown[]) => this.#savepoint(...begin(args), origin)
        return value
      },
    })
  }

  #follow(made: unknown, origin: Origin): unknown {
    if (!(made instanceof Promise)) return made
    const statement = made as Statement
    const { handler } = statement
    statement.handler = (sent) => {
      const { resolve, reject } = sent
      try {
        assertNoTransactionControl(sent.strings[0] ?? '', sent.options.simple === true)
        if (!origin.connection) assertConnectionFree()
        if (origin.connection?.loss) throw origin.connection.loss
        this.#pool.began(sent)
      } catch (error) {
        return reject(error)
      }
      if (!isLook()) this.sent += 1
      const seen = this.#watch?.begin()
      const end = (error?: unknown): void => {
        this.#pool.ended(sent)
        if (this.#begun.delete(sent)) seen?.end(sent.string, error)
      }
      this.#begun.set(sent, performance.now())
      sent.resolve = (result) => {
        this.#pool.answered()
        end()
        resolve(result)
      }
      sent.reject = (error) => {
        const failure = this.#failureOf(error, origin)
        if (!(failure instanceof DatabaseUnavailable)) this.#pool.answered()
        end(error)
        reject(failure)
      }
      return handler(sent)
    }
    return statement
  }

  /** Returns a failure as callers see it. Replaces the connections if one of them has broken. */
  #failureOf(error: unknown, { pool, connection }: Origin): unknown {
    const failure = asUnavailable(error)
    connection?.note(failure)
    if (failure instanceof DatabaseUnavailable && failure.isLoss) this.#pool.replace(pool)
    return failure
  }

  /** Counts the transaction as waiting until it has a connection. After that, only its statements are counted. */
  async #transact(begin: Begin, work: Work, pool: Sql): Promise<unknown> {
    assertConnectionFree()
    const connection = new TransactionConnection()
    const waiting = { active: false, reject: (error: unknown) => connection.abandon(error) }
    this.#pool.began(waiting)
    const seen = this.#watch?.begin()
    const run = (): Promise<unknown> =>
      connection.run(begin, (tx) => {
        this.#begun.delete(waiting)
        waiting.active = true
        return work(this.#within(tx, { pool, connection }))
      })
    this.#begun.set(waiting, performance.now())
    try {
      const result = await (seen ? seen.within(run) : run())
      seen?.end(TRANSACTION)
      return result
    } catch (error) {
      seen?.end(TRANSACTION, error)
      throw this.#failureOf(error, { pool, connection })
    } finally {
      this.#begun.delete(waiting)
      this.#pool.ended(waiting)
    }
  }

  #savepoint(begin: Begin, work: Work, origin: Origin): Promise<unknown> | undefined {
    return origin.connection?.run(begin, (tx) => work(this.#within(tx, origin)))
  }

  #within<S extends ISql>(sql: S, origin: Origin): S {
    return this.#wrap(
      () => sql,
      () => origin,
    )
  }
}
