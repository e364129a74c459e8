import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * Whether a row is of this knowledge base of the organization; for vectors and postings, which name no organization.
 * The id is compared twice, so that PostgreSQL plans with it and looks whose it is once, before any row is read.
 */
export const isOfKb = (sql: FragmentSql, { organizationId, kbId }: KbRef): Fragment => sql`
  kb_id = ${kbId} and kb_id = (select id from knowledge_bases where id = ${kbId} and organization_id = ${organizationId})`
