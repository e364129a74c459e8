import { toVectorText } from '#database/insert-rows.ts'
import { isOfAll, isSearched } from './filter.ts'
import { isOfKb } from './own-kb.ts'
import type { IndexRequest } from './search-index.ts'
import { refOf, type SearchedKb, type StageHit } from './searched-kbs.ts'

/**
 * Returns the chunks whose vectors have the largest inner product with the query's vector. Vectors have length 1, so
 * the inner product is the cosine similarity. `distance + 0` prevents an index scan, which would be approximate.
 */
export async function findNearest(
  { sql, filter }: IndexRequest,
  kb: SearchedKb,
  vector: Float32Array,
  count: number,
): Promise<StageHit[]> {
  const isWanted = isOfAll(kb, filter)
    ? sql`true`
    : sql`number in (
          select c.number from kb_documents d join kb_chunks c on c.kb_id = d.kb_id and c.document_id = d.id
          where d.kb_id = ${kb.id} and d.organization_id = ${kb.organizationId} and ${isSearched(sql, filter)})`
  // The subselect makes PostgreSQL parse the query's vector once instead of once per row.
  const rows = await sql<{ number: number; similarity: number }[]>`
    select number, -distance as similarity from (
      select number, embedding <#> (select ${toVectorText(vector)}::text::halfvec) as distance from kb_vectors
      where ${isOfKb(sql, refOf(kb))} and generation = ${kb.generation} and is_enabled and ${isWanted}) as near
    order by distance + 0 limit ${count}`
  const floor = kb.floor ?? 0
  return rows
    .filter(({ similarity }) => similarity > floor)
    .map(({ number, similarity }) => ({ kb, number, score: (similarity - floor) / (1 - floor) }))
}
