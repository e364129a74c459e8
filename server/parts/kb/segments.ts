import type { Database } from '#database/connect.ts'
import type { TenantTransaction } from '#database/tenant-sql.ts'
import type { SegmentEntry } from '#platform/retrieval/postings.ts'
import { copyRows } from './copy-rows-system.ts'
import type { KbRef } from './ingestion.ts'

/** A set of postings, written by one batch of documents, a change of a chunk, or a merge. */
export interface Segment {
  segment: number
  /** Number of chunks when the segment was written. */
  chunks: number
}

/** A transaction, and the database that it runs in. */
export interface SegmentTarget {
  database: Pick<Database, 'embedded'>
  tx: TenantTransaction
}

export async function insertSegment(
  target: SegmentTarget,
  ref: KbRef,
  segment: Segment,
  entries: SegmentEntry[],
): Promise<void> {
  await insertPostings(target, ref, segment.segment, entries)
  await noteSegment(target.tx, ref, segment)
}

export async function noteSegment(
  tx: TenantTransaction,
  { organizationId, kbId }: KbRef,
  { segment, chunks }: Segment,
): Promise<void> {
  await tx`
    insert into kb_segments (organization_id, kb_id, segment, chunks)
    values (${organizationId}, ${kbId}, ${segment}, ${chunks})
    on conflict (kb_id, segment) do update set chunks = excluded.chunks
    where kb_segments.organization_id = ${organizationId}`
}

export async function insertPostings(
  { database, tx }: SegmentTarget,
  ref: KbRef,
  segment: number,
  entries: SegmentEntry[],
): Promise<void> {
  await copyRows<SegmentEntry>(
    database,
    tx,
    ref,
    'kb_postings',
    [
      { name: 'term', type: 'text', of: ({ term }) => term },
      { name: 'segment', type: 'int4', of: () => segment },
      { name: 'postings', type: 'bytea', of: ({ postings }) => postings },
    ],
    entries,
  )
}
