import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'

/** Whether the process that has claimed a row is alive. */
export const isAlive = (sql: FragmentSql): Fragment => sql`exists (
  select from server_instances i where i.id = claimed_by and i.lease_until > now())`

/** Of a row `d` of kb_documents: whether it waits, and nobody who lives is at it. */
export const isDocumentClaimable = (sql: FragmentSql): Fragment => sql`
  (d.status = 'pending' and (d.not_before is null or d.not_before <= now())
    or d.status = 'processing' and not ${isAlive(sql)})`

/** Of a row `d` of kb_documents: whether this process has claimed it. */
export const isDocumentOf = (sql: FragmentSql, instanceId: string): Fragment =>
  sql`d.status = 'processing' and d.claimed_by = ${instanceId}`

/** Of a row of kb_sources: whether it is due, and nobody who lives is at it. */
export const isSourceClaimable = (sql: FragmentSql): Fragment => sql`
  next_reading_at <= now() and (status <> 'reading' or not ${isAlive(sql)})`

/** Of a row of kb_evaluation_runs: whether nobody who lives is at it; `held`: what this process is at. */
export const isRunClaimable = (sql: FragmentSql, instanceId: string, held: string[]): Fragment => sql`
  (status = 'pending' or status = 'processing' and (not ${isAlive(sql)}
    or claimed_by = ${instanceId} and not id = any(${held})))`
