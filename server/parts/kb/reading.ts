import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import type { IngestionDependencies, SourceRef } from './ingestion.ts'

export interface ReadingSource extends SourceRef {
  type: 'web' | 's3'
  config: Record<string, unknown>
  secrets: string | null
  /** Sequence number of this reading. */
  reading: number
  failures: number
}

/** Outcome of a reading. */
export interface ReadingResult {
  /** True if everything was listed, so that documents not seen no longer exist. */
  isComplete: boolean
  /** Number of files whose type contains no text. */
  skipped: number
}

/** The source was deleted or another process claimed it. The result is discarded; this is not a failure. */
export class SourceGone extends Error {
  override readonly name = 'SourceGone'
}

/** For a row of kb_sources: true while this reading of it continues. */
export const isBeingRead = (
  sql: FragmentSql,
  { services: { instance } }: IngestionDependencies,
  { organizationId, sourceId, reading }: ReadingSource,
): Fragment => sql`
  id = ${sourceId} and organization_id = ${organizationId} and reading = ${reading} and status = 'reading'
  and claimed_by = ${instance.id}`
