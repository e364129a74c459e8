import type { Database } from '#database/connect.ts'
import { type SystemStatements, systemSql, tenantSql } from '#database/system-sql.ts'
import type { Fragment, TenantSql } from '#database/tenant-sql.ts'
import { isAtWork } from '#platform/access/suspension.ts'
import { WORDS_VERSION } from '#platform/retrieval/word-variants.ts'
import { isDocumentClaimable, isDocumentOf, isRunClaimable, isSourceClaimable } from './claimable.ts'
import type { RunRef } from './claimed-run.ts'
import type { KbRef, SourceRef } from './ingestion.ts'

/*
 * These queries find work across all organizations. Each item is then processed with tenant statements of its own
 * organization.
 */

/** Limits per sweep. The next sweep finds the remaining work. */
const FOUND_MAX = 500
const RUNS_FOUND_MAX = 100

/** Returns an organization's tenant statements, for jobs and agents that act without a Scope. */
export const sqlOf = (database: Database, { organizationId }: { organizationId: string }): TenantSql =>
  tenantSql(database, { organizationId, userId: null })

/** Returns due sources, longest overdue first. */
export function findDueSources(database: Database): Promise<SourceRef[]> {
  const sql = systemSql(database)
  return dueSources(sql, sql`true`)
}

/** Returns the due sources of one knowledge base. */
export function findDueSourcesOf(database: Database, ref: KbRef): Promise<SourceRef[]> {
  const sql = sqlOf(database, ref)
  return dueSources(sql, sql`organization_id = ${ref.organizationId} and kb_id = ${ref.kbId}`)
}

async function dueSources(sql: SystemStatements, isWanted: Fragment): Promise<SourceRef[]> {
  return sql<SourceRef[]>`
    select organization_id as "organizationId", kb_id as "kbId", id as "sourceId" from kb_sources
    where ${isSourceClaimable(sql)} and ${isWanted}
    order by next_reading_at limit ${FOUND_MAX}`
}

/** Returns knowledge bases with documents that can be claimed for indexing, or whose words an older release has indexed. */
export const findUnindexed = async (database: Database): Promise<KbRef[]> =>
  (await Promise.all([findClaimable(database), findOutdated(database)])).flat()

async function findClaimable(database: Database): Promise<KbRef[]> {
  const sql = systemSql(database)
  return sql<KbRef[]>`
    select distinct s.organization_id as "organizationId", s.kb_id as "kbId" from kb_sources s
    where s.documents_pending > 0 and ${isAtWork(sql, sql`s.organization_id`)} and exists (
      select from kb_documents d where d.kb_id = s.kb_id and ${isDocumentClaimable(sql)})
    limit ${FOUND_MAX}`
}

async function findOutdated(database: Database): Promise<KbRef[]> {
  const rows = await systemSql(database)<KbRef[]>`
    select organization_id as "organizationId", kb_id as "kbId" from kb_documents
    where words_version < 1 and status = 'ready' and words_version < ${WORDS_VERSION}
    order by kb_id, id limit ${FOUND_MAX}`
  return [...new Map(rows.map((row) => [row.kbId, { ...row }])).values()]
}

/**
 * Returns unfinished evaluation runs that no live process works on. `held` lists the runs that this process works on.
 */
export async function findOpenRuns(
  database: Database,
  instanceId: string,
  held: string[],
): Promise<RunRef[]> {
  const sql = systemSql(database)
  return sql<RunRef[]>`
    select organization_id as "organizationId", kb_id as "kbId", id as "runId" from kb_evaluation_runs
    where status in ('pending', 'processing') and ${isRunClaimable(sql, instanceId, held)}
    order by id limit ${RUNS_FOUND_MAX}`
}

/** Releases sources claimed by this process. They stay due, so another process can claim them immediately. */
export async function releaseSources(
  database: Database,
  instanceId: string,
  sourceIds: string[],
): Promise<void> {
  await systemSql(database)`
    update kb_sources set status = 'pending', claimed_by = null
    where id = any(${sourceIds}) and status = 'reading' and claimed_by = ${instanceId}`
}

/** Releases documents claimed by this process, except those in `held`. */
export async function releaseForgotten(
  database: Database,
  instanceId: string,
  held: string[],
): Promise<void> {
  const sql = systemSql(database)
  await sql`
    with forgotten as (
      select d.id from kb_documents d
      where d.kb_id in (select s.kb_id from kb_sources s where s.documents_pending > 0)
        and ${isDocumentOf(sql, instanceId)} and not d.id = any(${held})
      for update skip locked)
    update kb_documents d set status = 'pending', claimed_by = null from forgotten where d.id = forgotten.id`
}
