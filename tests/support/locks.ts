import { outsideTransaction } from '#database/ambient.ts'
import type { SystemSql } from '#database/connect.ts'

/**
 * Returns the number of statements that contain these words and wait for a lock, on PostgreSQL. May be called inside a
 * transaction of the test, and then uses another connection.
 */
export const countLocked = (sql: SystemSql, words = ''): Promise<number> =>
  outsideTransaction(async () => {
    const rows = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and strpos(query, ${words}) > 0`
    return rows.count
  })
