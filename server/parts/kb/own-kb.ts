import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * True if a row belongs to this knowledge base of the organization; for vectors and postings, which have no
 * organization column. The id is compared twice, so that PostgreSQL can plan with it and checks its owner only
 * once, before reading rows.
 */
export const isOfKb = (sql: FragmentSql, { organizationId, kbId }: KbRef): Fragment => sql`
  kb_id = ${kbId} and kb_id = (select id from knowledge_bases where id = ${kbId} and organization_id = ${organizationId})`
