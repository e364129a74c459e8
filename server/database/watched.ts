import type { ISql, Sql } from 'postgres'

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

/** Wraps a connection pool so that statements are counted and reported to the watch. */
export function watchStatements(
  sql: Sql,
  watch: StatementWatch | null,
): { sql: Sql; open(): StatementsOpen } {
  const begun = new Set<{ active: boolean }>()

  function follow(made: unknown): unknown {
    if (!(made instanceof Promise)) return made
    const statement = made as Statement
    const { handler } = statement
    statement.handler = (sent) => {
      const seen = watch?.begin()
      const { resolve, reject } = sent
      begun.add(sent)
      sent.resolve = (result) => {
        if (begun.delete(sent)) seen?.end(sent.string)
        resolve(result)
      }
      sent.reject = (error) => {
        if (begun.delete(sent)) seen?.end(sent.string, error)
        reject(error)
      }
      return handler(sent)
    }
    return statement
  }

  /** Counts the transaction as waiting until it has a connection. After that, only its statements are counted. */
  async function transact(begin: (work: Work) => Promise<unknown>, work: Work): Promise<unknown> {
    const waiting = { active: false }
    const seen = watch?.begin()
    const run = (): Promise<unknown> =>
      begin((tx) => {
        begun.delete(waiting)
        return work(watched(tx))
      })
    begun.add(waiting)
    try {
      const result = await (seen ? seen.within(run) : run())
      seen?.end(TRANSACTION)
      return result
    } catch (error) {
      seen?.end(TRANSACTION, error)
      throw error
    } finally {
      begun.delete(waiting)
    }
  }

  const watched = <S extends ISql>(target: S): S =>
    new Proxy(target, {
      apply: (make, self, args) => follow(Reflect.apply(make as never, self, args)),
      get(from, name) {
        const value = Reflect.get(from as object, name)
        if (name === 'unsafe') return (...args: unknown[]) => follow(value(...args))
        if (name === 'begin')
          return (...args: unknown[]) =>
            transact((work) => value(...args.slice(0, -1), work), args.at(-1) as Work)
        if (name === 'savepoint')
          return (...args: unknown[]) =>
            value(...args.slice(0, -1), (tx: AnySql) => (args.at(-1) as Work)(watched(tx)))
        if (name === 'reserve') return async () => watched(await value())
        return value
      },
    })

  return {
    sql: watched(sql),
    open() {
      const running = [...begun].filter(({ active }) => active).length
      return { running, waiting: begun.size - running }
    },
  }
}
