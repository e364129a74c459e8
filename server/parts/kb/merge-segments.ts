import { mergePostings, type SegmentEntry } from '#platform/retrieval/postings.ts'
import type { IngestionDependencies, KbRef } from './ingestion.ts'
import { lockKb } from './lock-kb.ts'
import { isOfKb } from './own-kb.ts'
import { insertPostings, noteSegment, type Segment } from './segments.ts'

/*
 * A search reads one row per term from each segment. Fewer segments therefore make searches faster. When eight
 * segments of similar size exist, they are merged, so a posting is rewritten once per eightfold growth.
 *
 * The postings of deleted chunks stay in the index, and readers skip them. When there is one deleted chunk for every
 * five existing chunks, all postings are rewritten without the deleted chunks.
 */

const MERGED_MIN = 8
/** Sizes of the smallest and the largest size class that is merged, in chunks. */
const SIZE_MIN = 1_000
const SIZE_MAX = 10_000_000
const DEAD_SHARE_MAX = 0.2
const DEAD_LEAST = 200
/** Number of terms rewritten per statement. */
const TERMS_AT_ONCE = 5_000

export async function mergeSegments(
  { sqlOf }: IngestionDependencies,
  { organizationId, kbId }: KbRef,
): Promise<void> {
  const ref = { organizationId, kbId }
  await sqlOf(ref).begin(async (tx) => {
    if (!(await lockKb(tx, ref))) return
    const segments = await tx<Segment[]>`
      select segment, chunks from kb_segments
      where kb_id = ${kbId} and organization_id = ${organizationId} order by segment`
    const merged = mergeable(segments)
    const last = merged.at(-1)
    if (!last) return
    const numbers = merged.map(({ segment }) => segment)
    // Chunk numbers and segment numbers are allocated under the same lock. Later segments therefore have higher chunk
    // numbers, and postings can be concatenated.
    await tx`
      with old as (
        delete from kb_postings where ${isOfKb(tx, ref)} and segment = any(${numbers})
        returning kb_id, term, segment, postings)
      insert into kb_postings (kb_id, term, segment, postings)
      select kb_id, term, ${last.segment}, string_agg(postings, ''::bytea order by segment)
      from old group by term, kb_id`
    await tx`
      delete from kb_segments
      where kb_id = ${kbId} and organization_id = ${organizationId} and segment = any(${numbers})`
    const chunks = merged.reduce((sum, segment) => sum + segment.chunks, 0)
    await noteSegment(tx, ref, { segment: last.segment, chunks })
  })
}

/** Returns the newest segments if at least `MERGED_MIN` are of similar size, otherwise an empty list. */
function mergeable(segments: readonly Segment[]): Segment[] {
  // Starts with the smallest size class. Otherwise, every eighth segment would cause a rewrite of all segments.
  for (let size = SIZE_MIN; size <= SIZE_MAX; size *= MERGED_MIN) {
    const larger = segments.findLastIndex(({ chunks }) => chunks > size)
    const newest = segments.slice(larger + 1)
    if (newest.length >= MERGED_MIN) return newest
  }
  return []
}

/** Rewrites the postings without deleted chunks if there are enough deleted chunks. */
export async function compactPostings(
  { services: { database }, sqlOf }: IngestionDependencies,
  { organizationId, kbId }: KbRef,
): Promise<void> {
  const ref = { organizationId, kbId }
  await sqlOf(ref).begin(async (tx) => {
    const kb = await lockKb(tx, ref)
    if (!kb || kb.deadCount < DEAD_LEAST || kb.deadCount < kb.chunkCount * DEAD_SHARE_MAX) return
    const chunks = await tx<{ number: number }[]>`
      select number from kb_chunks where kb_id = ${kbId} and organization_id = ${organizationId}`
    const alive = new Set(chunks.map(({ number }) => number))
    const [next] = await tx<{ segment: number }[]>`
      update knowledge_bases set next_segment = next_segment + 1, dead_count = 0
      where id = ${kbId} and organization_id = ${organizationId}
      returning next_segment - 1 as segment`
    const segment = next?.segment as number
    await tx`delete from kb_segments where kb_id = ${kbId} and organization_id = ${organizationId}`
    await noteSegment(tx, ref, { segment, chunks: alive.size })
    for (let after: string | undefined = ''; after !== undefined; ) {
      const old: { term: string; postings: Buffer[] }[] = await tx<{ term: string; postings: Buffer[] }[]>`
        select term, array_agg(postings order by segment) as postings from kb_postings
        where ${isOfKb(tx, ref)} and segment < ${segment} and term > ${after}
        group by term order by term limit ${TERMS_AT_ONCE}`
      await insertPostings(
        { database, tx },
        ref,
        segment,
        old
          .map(({ term, postings }) => mergeTerm(term, postings, alive))
          .filter(({ postings }) => postings.length > 0),
      )
      after = old.at(-1)?.term
    }
    await tx`delete from kb_postings where ${isOfKb(tx, ref)} and segment < ${segment}`
  })
}

const mergeTerm = (term: string, postings: Buffer[], alive: ReadonlySet<number>): SegmentEntry => ({
  term,
  postings: mergePostings(postings, (number) => alive.has(number)),
})
