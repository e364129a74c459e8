import type { TenantTransaction } from '#database/tenant-sql.ts'
import { mergePostings, type SegmentEntry } from '#platform/retrieval/postings.ts'
import { BatchSize } from '#platform/sweeps/pacer.ts'
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
/** Number of terms per transaction. Each keeps the postings of its terms complete, so searches may read in between. */
const TERMS = { least: 50, most: 5_000 }

type MergeDependencies = Pick<IngestionDependencies, 'services' | 'sqlOf' | 'stopping'>

export async function mergeSegments(deps: MergeDependencies, { organizationId, kbId }: KbRef): Promise<void> {
  const ref = { organizationId, kbId }
  const sql = deps.sqlOf(ref)
  const segments = await sql<Segment[]>`
    select segment, chunks from kb_segments
    where kb_id = ${kbId} and organization_id = ${organizationId} order by segment`
  const merged = mergeable(segments)
  const last = merged.at(-1)
  if (!last) return
  const numbers = merged.map(({ segment }) => segment)
  // Chunk numbers and segment numbers are allocated under the same lock. Later segments therefore have higher chunk
  // numbers, and postings can be concatenated.
  const isDone = await byTerms(deps, ref, async (tx, after, limit) => {
    const [page] = await tx<{ last: string | null; count: number }[]>`
      with page as (
        select term from kb_postings
        where ${isOfKb(tx, ref)} and segment = any(${numbers}) and term > ${after}
        group by term order by term limit ${limit}),
      old as (
        delete from kb_postings
        where ${isOfKb(tx, ref)} and segment = any(${numbers}) and term in (select term from page)
        returning kb_id, term, segment, postings),
      merged as (
        insert into kb_postings (kb_id, term, segment, postings)
        select kb_id, term, ${last.segment}, string_agg(postings, ''::bytea order by segment)
        from old group by term, kb_id)
      select max(term) as last, count(*)::int as count from page`
    return { count: page?.count ?? 0, last: page?.last ?? undefined }
  })
  if (!isDone) return
  const chunks = merged.reduce((sum, segment) => sum + segment.chunks, 0)
  await sql.begin(async (tx) => {
    if (!(await lockKb(tx, ref))) return
    await tx`
      delete from kb_segments
      where kb_id = ${kbId} and organization_id = ${organizationId} and segment = any(${numbers})`
    await noteSegment(tx, ref, { segment: last.segment, chunks })
  })
}

/**
 * Rewrites the postings of a knowledge base, some terms per transaction. `rewrite` returns the number of terms and the
 * last of them. Returns false if the knowledge base was deleted.
 */
async function byTerms(
  { services: { pacer }, sqlOf, stopping }: MergeDependencies,
  ref: KbRef,
  rewrite: (
    tx: TenantTransaction,
    after: string,
    limit: number,
  ) => Promise<{ count: number; last: string | undefined }>,
): Promise<boolean> {
  const size = new BatchSize(TERMS)
  let after: string | undefined = ''
  let isGone = false
  const rewriteSome = (limit: number, starts: () => void): Promise<number> =>
    sqlOf(ref).begin(async (tx) => {
      isGone = !(await lockKb(tx, ref))
      if (isGone) return 0
      starts()
      const { count, last } = await rewrite(tx, after ?? '', limit)
      after = last
      return count
    })
  while (after !== undefined && !isGone) await pacer.pace(size, rewriteSome, stopping)
  return !isGone
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

/**
 * Rewrites the postings without deleted chunks if there are enough deleted chunks. If it is interrupted, a later run
 * repeats it.
 */
export async function compactPostings(
  deps: MergeDependencies,
  { organizationId, kbId }: KbRef,
): Promise<void> {
  const { database } = deps.services
  const ref = { organizationId, kbId }
  const sql = deps.sqlOf(ref)
  const start = await sql.begin(async (tx) => {
    const kb = await lockKb(tx, ref)
    if (!kb || kb.deadCount < DEAD_LEAST || kb.deadCount < kb.chunkCount * DEAD_SHARE_MAX) return undefined
    const chunks = await tx<{ number: number }[]>`
      select number from kb_chunks where kb_id = ${kbId} and organization_id = ${organizationId}`
    const [next] = await tx<{ segment: number }[]>`
      update knowledge_bases set next_segment = next_segment + 1
      where id = ${kbId} and organization_id = ${organizationId}
      returning next_segment - 1 as segment`
    const segment = next?.segment as number
    await noteSegment(tx, ref, { segment, chunks: chunks.length })
    return { segment, dead: kb.deadCount, alive: new Set(chunks.map(({ number }) => number)) }
  })
  if (!start) return
  const { segment, dead, alive } = start
  const isDone = await byTerms(deps, ref, async (tx, after, limit) => {
    const old = await tx<{ term: string; postings: Buffer[] }[]>`
      select term, array_agg(postings order by segment) as postings from kb_postings
      where ${isOfKb(tx, ref)} and segment < ${segment} and term > ${after}
      group by term order by term limit ${limit}`
    const terms = old.map(({ term }) => term)
    await tx`delete from kb_postings where ${isOfKb(tx, ref)} and segment < ${segment} and term = any(${terms})`
    await insertPostings(
      { database, tx },
      ref,
      segment,
      old
        .map(({ term, postings }) => mergeTerm(term, postings, alive))
        .filter(({ postings }) => postings.length > 0),
    )
    return { count: old.length, last: terms.at(-1) }
  })
  if (!isDone) return
  await sql.begin(async (tx) => {
    if (!(await lockKb(tx, ref))) return
    await tx`
      update knowledge_bases set dead_count = greatest(dead_count - ${dead}::int, 0)
      where id = ${kbId} and organization_id = ${organizationId}`
    await tx`
      delete from kb_segments
      where kb_id = ${kbId} and organization_id = ${organizationId} and segment < ${segment}`
  })
}

const mergeTerm = (term: string, postings: Buffer[], alive: ReadonlySet<number>): SegmentEntry => ({
  term,
  postings: mergePostings(postings, (number) => alive.has(number)),
})
