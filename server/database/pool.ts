import postgres, { type Sql } from 'postgres'
import { SilenceWatch } from './silence-watch.ts'
import { DatabaseUnavailable } from './unavailable.ts'

/** The connections to a database. */
export interface Pool {
  /** The current connections. They are replaced after a silence of the server. */
  readonly sql: Sql
  /** Announces work that waits for the database. Throws DatabaseUnavailable if the server is silent. */
  began(work: object): void
  ended(work: object): void
  close(): Promise<void>
}

const CLOSE_SECONDS = 5

/** Returns a pool whose server runs in this process, and is therefore never silent. */
export const plainPool = (sql: Sql): Pool => ({
  sql,
  began() {},
  ended() {},
  close: () => sql.end({ timeout: CLOSE_SECONDS }),
})

/**
 * Returns a pool that a silent server does not block. All statements in progress fail, and new ones fail at once until
 * the server answers again. Each silence discards the connections, because a frozen machine or a broken network may
 * never answer on them.
 */
export function watchedPool(first: Sql): Pool {
  let sql = first
  const watch = new SilenceWatch(first.options, () => {
    void sql.end({ timeout: 0 })
    sql = postgres(first.options as object)
  })
  return {
    get sql() {
      return sql
    },
    began(work) {
      if (watch.isSilent) throw new DatabaseUnavailable()
      watch.began(work)
    },
    ended: (work) => watch.ended(work),
    async close() {
      watch.close()
      await sql.end({ timeout: CLOSE_SECONDS })
    },
  }
}
