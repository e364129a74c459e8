import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'

/** Deletes the invitation counts of past days. */
export async function forgetPastDays(database: Database): Promise<void> {
  await systemSql(database)`delete from invitation_days where day < (now() at time zone 'utc')::date`
}
