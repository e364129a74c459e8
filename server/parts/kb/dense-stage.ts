import { toVectorText } from '#database/insert-rows.ts'
import { AppError, sentence } from '#errors'
import type { Payer } from '#platform/ledger/ledger.ts'
import { ModelError } from '#platform/models/types.ts'
import type { KbDependencies } from './dependencies.ts'
import { embedTexts } from './embed-texts.ts'
import { matches } from './filter.ts'
import { isOfKb } from './own-kb.ts'
import type { SearchRequest } from './retrieve.ts'
import { refOf, type SearchedKb, type StageHit } from './searched-kbs.ts'

/**
 * Timeout of the query's embedding, in milliseconds. Short, because a client waits, and the lexical stage works
 * without vectors.
 */
const QUERY_EMBEDDING_MS = 10_000

/**
 * Returns the chunks nearest to the query by exact vector search over each knowledge base (decisions/0014). If a
 * model cannot embed the query, `failure` is the reason, and that model's knowledge bases have no hits. Throws
 * billing.insufficient_credits.
 */
export async function denseStage(
  deps: KbDependencies,
  payer: Payer,
  kbs: SearchedKb[],
  request: Pick<SearchRequest, 'sql' | 'query' | 'filter'>,
  count: number,
): Promise<{ hits: StageHit[]; failure: string | null }> {
  const embedded = kbs.filter(({ dimensions }) => dimensions !== null)
  const byModel = Map.groupBy(embedded, ({ embeddingModelId }) => embeddingModelId)
  let failure: string | null = null
  const hits = await Promise.all(
    [...byModel].map(async ([embeddingModelId, some]) => {
      const vector = await embedQuery(deps, payer, some[0] as SearchedKb, request.query)
      if (typeof vector === 'string') failure = vector
      const usable = typeof vector === 'string' ? [] : some.filter((kb) => kb.dimensions === vector.length)
      const found = usable.map((kb) => nearest(request, kb, toVectorText(vector as Float32Array), count))
      return (await Promise.all(found)).flat().map((hit) => ({ ...hit, embeddingModelId }))
    }),
  )
  return {
    hits: hits
      .flat()
      .sort((a, b) => b.score - a.score)
      .slice(0, count),
    failure,
  }
}

/** Returns the query's vector, or a sentence with the reason if the model fails. */
async function embedQuery(
  deps: KbDependencies,
  payer: Payer,
  kb: SearchedKb,
  query: string,
): Promise<Float32Array | string> {
  const late = AbortSignal.timeout(QUERY_EMBEDDING_MS)
  try {
    const [vector] = await embedTexts(deps, payer, kb, [query], 'query', late)
    return vector as Float32Array
  } catch (error) {
    if (error instanceof ModelError || isOfModel(error)) return error.message
    if (error === late.reason) return sentence('kb.embedding_timeout', { seconds: QUERY_EMBEDDING_MS / 1000 })
    throw error
  }
}

/**
 * True if the model is disabled or has no key. The search then continues without vectors, because the caller did not
 * choose the model.
 */
const isOfModel = (error: unknown): error is AppError =>
  error instanceof AppError && error.code.startsWith('llm.')

/**
 * Returns the chunks whose vectors have the largest inner product with the query's vector. Vectors have length 1, so
 * the inner product is the cosine similarity. `distance + 0` prevents an index scan, which would be approximate.
 */
async function nearest(
  { sql, filter }: Pick<SearchRequest, 'sql' | 'filter'>,
  kb: SearchedKb,
  vector: string,
  count: number,
): Promise<StageHit[]> {
  const isWanted =
    filter.length === 0
      ? sql`true`
      : sql`number in (
          select c.number from kb_documents d join kb_chunks c on c.kb_id = d.kb_id and c.document_id = d.id
          where d.kb_id = ${kb.id} and d.organization_id = ${kb.organizationId} and ${matches(sql, filter)})`
  // The subselect makes PostgreSQL parse the query's vector once instead of once per row.
  const rows = await sql<{ number: number; similarity: number }[]>`
    select number, -distance as similarity from (
      select number, embedding <#> (select ${vector}::text::halfvec) as distance from kb_vectors
      where ${isOfKb(sql, refOf(kb))} and generation = ${kb.generation} and is_enabled and ${isWanted}) as near
    order by distance + 0 limit ${count}`
  const floor = kb.floor ?? 0
  return rows
    .filter(({ similarity }) => similarity > floor)
    .map(({ number, similarity }) => ({ kb, number, score: (similarity - floor) / (1 - floor) }))
}
