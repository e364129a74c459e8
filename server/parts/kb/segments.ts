import type { TransactionSql } from 'postgres'
import type { OpenDatabase } from '#database/connect.ts'
import { insertRows } from '#database/insert-rows.ts'
import type { SegmentEntry } from '#platform/retrieval/postings.ts'
import type { KbRef } from './ingestion.ts'

/** What one batch of documents, or a merge, has written of the postings. */
export interface Segment {
  segment: number
  /** Chunks that it was written for. */
  chunks: number
}

/** A transaction, and of which kind of database. */
export interface SegmentTarget {
  database: Pick<OpenDatabase, 'embedded'>
  tx: TransactionSql
}

export async function insertSegment(
  target: SegmentTarget,
  ref: KbRef,
  segment: Segment,
  entries: SegmentEntry[],
): Promise<void> {
  await insertPostings(target, ref.kbId, segment.segment, entries)
  await noteSegment(target.tx, ref, segment)
}

export async function noteSegment(
  tx: TransactionSql,
  { organizationId, kbId }: KbRef,
  { segment, chunks }: Segment,
): Promise<void> {
  await tx`
    insert into kb_segments (organization_id, kb_id, segment, chunks)
    values (${organizationId}, ${kbId}, ${segment}, ${chunks})`
}

export async function insertPostings(
  { database, tx }: SegmentTarget,
  kbId: string,
  segment: number,
  entries: SegmentEntry[],
): Promise<void> {
  await insertRows<SegmentEntry>(
    tx,
    database,
    'kb_postings',
    [
      { name: 'kb_id', type: 'uuid', of: () => kbId },
      { name: 'term', type: 'text', of: ({ term }) => term },
      { name: 'segment', type: 'int4', of: () => segment },
      { name: 'postings', type: 'bytea', of: ({ postings }) => postings },
    ],
    entries,
  )
}
