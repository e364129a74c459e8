import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import type { KbRef } from './ingestion.ts'

/**
 * For a row of kb_vectors or kb_postings, which have no organization column: true if the row belongs to this
 * knowledge base of the organization. The first comparison lets PostgreSQL use the index. The second comparison
 * checks the organization once, before rows are read.
 */
export const isOfKb = (sql: FragmentSql, { organizationId, kbId }: KbRef): Fragment => sql`
  kb_id = ${kbId} and kb_id = (select id from knowledge_bases where id = ${kbId} and organization_id = ${organizationId})`
