import type { Fragment, FragmentSql } from '#database/tenant-sql.ts'
import type { IngestionDependencies, SourceRef } from './ingestion.ts'

/** A source that this process is reading. */
export interface ReadingSource extends SourceRef {
  type: 'web' | 's3'
  config: Record<string, unknown>
  secrets: string | null
  /** Which reading of it this is. */
  reading: number
  failures: number
}

/** What a reading of a source has come to. */
export interface ReadingResult {
  /** Whether all was seen that is there, so that documents which were not are gone. */
  isComplete: boolean
  /** Files that hold no text by their kind. */
  skipped: number
}

/** The source was deleted, or another process has it: what was read is for nothing, and that is no failure. */
export class SourceGone extends Error {
  override readonly name = 'SourceGone'
}

/** Of a row of kb_sources: whether this reading of it goes on. */
export const isBeingRead = (
  sql: FragmentSql,
  { services: { instance } }: IngestionDependencies,
  { organizationId, sourceId, reading }: ReadingSource,
): Fragment => sql`
  id = ${sourceId} and organization_id = ${organizationId} and reading = ${reading} and status = 'reading'
  and claimed_by = ${instance.id}`
