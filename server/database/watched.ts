import type { ISql, Sql } from 'postgres'

/** Sees each statement of a database begin; what it answers sees it end. A transaction counts as one around its own. */
export interface StatementWatch {
  begin(): WatchedStatement
}

export interface WatchedStatement {
  within<R>(work: () => R): R
  /** `text` with its parameters as `$1`; absent where it was never sent. */
  end(text: string | undefined, error?: unknown): void
}

/** Statements that have begun and not ended: the database works on some, the others wait for a connection. */
export interface StatementsOpen {
  running: number
  waiting: number
}

/** What postgres.js 3.4 keeps of a statement. */
interface Statement extends Promise<unknown> {
  /** Sends it; called once, when somebody waits for the statement. Fragments of others are never sent. */
  handler(statement: Statement): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
  /** It has got to the head of its connection. */
  active: boolean
  string?: string
}

/** What stands for the text of a transaction as a whole. */
const TRANSACTION = 'transaction'

type AnySql = ISql & ((...args: unknown[]) => unknown)
type Work = (sql: AnySql) => unknown

/** The same database, with its statements counted and, where there is a watch, told to it. */
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

  /** What waits for a connection counts; what a transaction does with it are statements of their own. */
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
