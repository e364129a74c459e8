import { AppError, sentence } from '#errors'
import type { Payer } from '#platform/ledger/ledger.ts'
import { ModelError } from '#platform/models/types.ts'
import type { KbDependencies } from './dependencies.ts'
import { embedTexts } from './embed-texts.ts'
import type { SearchRequest } from './retrieve.ts'
import type { SearchedKb, StageHit } from './searched-kbs.ts'

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
      const found = usable.map((kb) => deps.index.findNearest(request, kb, vector as Float32Array, count))
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
