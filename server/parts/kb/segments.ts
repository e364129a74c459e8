import type { TransactionSql } from 'postgres'
import type { SegmentEntry } from '#platform/retrieval/postings.ts'
import type { KbPlace } from './ingestion.ts'

/** What one batch of documents, or a merge, has written of the postings. */
export interface Segment {
  segment: number
  /** Chunks that it was written for. */
  chunks: number
}

export async function insertSegment(
  tx: TransactionSql,
  place: KbPlace,
  segment: Segment,
  entries: SegmentEntry[],
): Promise<void> {
  await insertPostings(tx, place.kbId, segment.segment, entries)
  await noteSegment(tx, place, segment)
}

export async function noteSegment(
  tx: TransactionSql,
  { organizationId, kbId }: KbPlace,
  { segment, chunks }: Segment,
): Promise<void> {
  await tx`
    insert into kb_segments (organization_id, kb_id, segment, chunks)
    values (${organizationId}, ${kbId}, ${segment}, ${chunks})`
}

export async function insertPostings(
  tx: TransactionSql,
  kbId: string,
  segment: number,
  entries: SegmentEntry[],
): Promise<void> {
  const rows = entries.map(({ term, postings }) => ({ t: term, p: postings.toString('base64') }))
  await tx`
    insert into kb_postings (kb_id, term, segment, postings)
    select ${kbId}, t, ${segment}, decode(p, 'base64')
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as e (t text, p text)`
}
