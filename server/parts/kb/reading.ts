import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import { hasKb } from './claimable.ts'
import type { IngestionDependencies, SourceRef } from './ingestion.ts'

export interface ReadingSource extends SourceRef {
  type: 'web' | 's3'
  config: Record<string, unknown>
  secrets: string | null
  /** Number of this reading of the source, from 1. */
  reading: number
  failures: number
}

export interface ReadingResult {
  /** True if the reading found all documents of the source. Documents that it did not find are then deleted. */
  isComplete: boolean
  /** Number of files skipped because their type contains no text. */
  skipped: number
}

/**
 * Thrown if the source was deleted or another process has claimed it. The reading's result is discarded, and no
 * failure is recorded.
 */
export class SourceGone extends Error {
  override readonly name = 'SourceGone'
}

/** For a row of kb_sources: true if this process is still performing this reading of the source, and its knowledge base exists. */
export const isBeingRead = (
  sql: FragmentSql,
  { services: { instance } }: IngestionDependencies,
  { organizationId, sourceId, reading }: ReadingSource,
): Fragment => sql`
  id = ${sourceId} and organization_id = ${organizationId} and reading = ${reading} and status = 'reading'
  and claimed_by = ${instance.id} and ${hasKb(sql)}`
