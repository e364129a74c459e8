import postgres, { type Sql } from 'postgres'
import { SilenceWatch } from './silence-watch.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** The connections to a database. */
export interface Pool {
  /** The current connections. They are replaced if one breaks during a statement, and after a silence. */
  readonly sql: Sql
  /** Announces work that waits for the database. Throws DatabaseUnavailable if the server is silent. */
  began(work: object): void
  ended(work: object): void
  /** Announces that a result has arrived. */
  answered(): void
  /** Replaces these connections, unless others have replaced them already. */
  replace(broken: Sql): void
  close(): Promise<void>
}

/** The driver's types lack this method, which ends the connections that are open now. */
type Closable = Sql & { close(): Promise<void> }

const CLOSE_SECONDS = 5
/** Time after which a discarded pool has no connection left that is still being opened. */
const LEFTOVERS_MS = 15_000

/** Returns a pool whose server runs in this process, and is therefore never silent. */
export const plainPool = (sql: Sql): Pool => ({
  sql,
  began() {},
  ended() {},
  answered() {},
  replace() {},
  close: () => sql.end({ timeout: CLOSE_SECONDS }),
})

/**
 * Returns a pool that fails statements instead of blocking them.
 *
 * If the server is silent, all statements in progress fail, and new ones fail at once until it answers again. A frozen
 * machine or a broken network may never answer on the old connections, so they are discarded.
 *
 * If a connection breaks during a statement, all connections are discarded. The driver (postgres.js 3.4.9) would open
 * it again with the state of the lost statement: a refusal of the server is then retried forever instead of reported,
 * and a lost transaction continues on the new connection (porsager/postgres#1215, #1216).
 */
export function watchedPool(first: Sql): Pool {
  let sql = first
  const replace = (broken: Sql): void => {
    if (broken !== sql) return
    sql = postgres(first.options as object)
    void broken.end({ timeout: 0 })
    setTimeout(() => (broken as Closable).close(), LEFTOVERS_MS).unref()
  }
  const watch = new SilenceWatch(first.options, () => replace(sql))
  return {
    get sql() {
      return sql
    },
    began(work) {
      if (watch.isSilent) throw new DatabaseUnavailable()
      watch.began(work)
    },
    ended: (work) => watch.ended(work),
    answered: () => watch.answered(),
    replace,
    async close() {
      watch.close()
      await sql.end({ timeout: CLOSE_SECONDS })
    },
  }
}
