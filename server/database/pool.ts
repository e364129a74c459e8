import postgres, { type Sql } from 'postgres'
import { SilenceWatch } from './silence-watch.ts'
import { DatabaseUnavailable } from './unavailable.ts'
import { WaitLimit } from './wait-limit.ts'

/** The connections to a database. */
export interface Pool {
  /** The current connections. They are replaced if one breaks during a statement, and after a silence. */
  readonly sql: Sql
  /** Announces work that waits for the database. Throws DatabaseUnavailable if the server is silent. */
  began(work: PendingWork): void
  ended(work: PendingWork): void
  /** Announces that a result has arrived. */
  answered(): void
  /** Replaces these connections, unless others have replaced them already. */
  replace(broken: Sql): void
  close(): Promise<void>
}

/** A statement or a transaction. */
export interface PendingWork {
  /** False while it waits for a connection. */
  readonly active: boolean
  /** The SQL text, once it is sent. */
  readonly string?: string
  /** Ends the wait of the caller. A transaction that has not begun yet never does. */
  reject(error: unknown): void
}

/** The driver's types lack this method, which ends the connections that are open now. */
type Closable = Sql & { close(): Promise<void> }

const CLOSE_SECONDS = 5
/** Time after which a discarded pool has no connection left that is still being opened. */
const LEFTOVERS_MS = 15_000

/**
 * Returns the one connection to the embedded database. The database runs in this process and has no limit for the time of
 * a statement, so work that waits for too long fails here, with a line in the log.
 */
export function embeddedPool(first: Sql, report: (line: string) => void): Pool {
  const connections = new Connections(first)
  const limit = new WaitLimit(report, () => connections.replace(connections.sql))
  return {
    get sql() {
      return connections.sql
    },
    began: (work) => limit.began(work),
    ended: (work) => limit.ended(work),
    answered: () => limit.answered(),
    replace: (broken) => connections.replace(broken),
    async close() {
      await connections.close()
      limit.close()
    },
  }
}

/**
 * Returns a pool that fails statements instead of blocking them.
 *
 * If the server is silent, all statements in progress fail, and new ones fail at once until it answers again. A frozen
 * machine or a broken network may never answer on the old connections, so they are discarded.
 */
export function watchedPool(first: Sql): Pool {
  const connections = new Connections(first)
  const watch = new SilenceWatch(first.options, () => connections.replace(connections.sql))
  return {
    get sql() {
      return connections.sql
    },
    began(work) {
      if (watch.isSilent) throw new DatabaseUnavailable()
      watch.began(work)
    },
    ended: (work) => watch.ended(work),
    answered: () => watch.answered(),
    replace: (broken) => connections.replace(broken),
    async close() {
      watch.close()
      await connections.close()
    },
  }
}

/**
 * The connections in use. If one breaks during a statement, all are discarded. The driver (postgres.js 3.4.9) would open
 * it again with the state of the lost statement: a refusal of the server is then retried forever instead of reported, and
 * a lost transaction continues on the new connection (porsager/postgres#1215, #1216).
 */
class Connections {
  sql: Sql

  constructor(first: Sql) {
    this.sql = first
  }

  replace(broken: Sql): void {
    if (broken !== this.sql) return
    this.sql = postgres(broken.options as object)
    void broken.end({ timeout: 0 })
    setTimeout(() => (broken as Closable).close(), LEFTOVERS_MS).unref()
  }

  close(): Promise<void> {
    return this.sql.end({ timeout: CLOSE_SECONDS })
  }
}
