import type { Database } from '#database/connect.ts'
import { systemSql } from '#database/system-sql.ts'

export async function forgetPastDays(database: Database): Promise<void> {
  await systemSql(database)`delete from invitation_days where day < (now() at time zone 'utc')::date`
}
