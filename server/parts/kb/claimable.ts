import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import { isAtWork } from '#platform/access/suspension.ts'

/** For a row with `claimed_by`: true if the claiming process has an unexpired lease. */
export const isAlive = (sql: FragmentSql): Fragment => sql`exists (
  select from server_instances i where i.id = claimed_by and i.lease_until > now())`

/** For a row `d` of kb_documents: true if the document is pending and due, or claimed by a dead process. */
export const isDocumentClaimable = (sql: FragmentSql): Fragment => sql`
  (d.status = 'pending' and (d.not_before is null or d.not_before <= now())
    or d.status = 'processing' and not ${isAlive(sql)})`

/** For a row `d` of kb_documents: true if this process has claimed the document. */
export const isDocumentOf = (sql: FragmentSql, instanceId: string): Fragment =>
  sql`d.status = 'processing' and d.claimed_by = ${instanceId}`

/** For a row of kb_sources: true if its knowledge base has not been deleted. */
export const hasKb = (sql: FragmentSql): Fragment => sql`exists (
  select from knowledge_bases k where k.id = kb_sources.kb_id and k.organization_id = kb_sources.organization_id)`

/** For a row `d` of kb_documents: true if its source has not been deleted. */
export const hasSource = (sql: FragmentSql): Fragment => sql`exists (
  select from kb_sources s where s.id = d.source_id and s.organization_id = d.organization_id)`

/** For a row of kb_sources: true if the source is due and no live process is reading it. */
export const isSourceClaimable = (sql: FragmentSql): Fragment => sql`
  next_reading_at <= now() and (status <> 'reading' or not ${isAlive(sql)}) and ${hasKb(sql)}
    and ${isAtWork(sql, sql`kb_sources.organization_id`)}`

/**
 * For a row of kb_evaluation_runs: true if the run is unfinished and no live process works on it. `held` lists the
 * runs that this process works on.
 */
export const isRunClaimable = (sql: FragmentSql, instanceId: string, held: string[]): Fragment => sql`
  ((status = 'pending' or status = 'processing' and (not ${isAlive(sql)}
    or claimed_by = ${instanceId} and not id = any(${held})))
    and ${isAtWork(sql, sql`organization_id`)})`
