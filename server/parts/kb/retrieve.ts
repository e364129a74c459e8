import type { TenantSql } from '#database/tenant-sql.ts'
import type { Payer } from '#platform/ledger/ledger.ts'
import {
  agreementOf,
  fuse,
  type Ranked,
  type RankedByWords,
  relevanceOf,
} from '#platform/retrieval/fusion.ts'
import { dropNearDuplicates } from '#platform/retrieval/near-duplicates.ts'
import { type KnowledgeQuery, parseQuery } from '#platform/retrieval/parse-query.ts'
import { NAMES, OPERATIONS } from '#platform/telemetry/names.ts'
import type { ResolvedModel } from '../llm/index.ts'
import { denseStage } from './dense-stage.ts'
import type { KbDependencies } from './dependencies.ts'
import type { Condition } from './filter.ts'
import { addPhrases } from './phrase-scores.ts'
import { type PassageContent, type ReadPassage, readPassages } from './read-passages.ts'
import { rerank } from './rerank.ts'
import { type Candidate, isLocal, readSearchedKbs, STAGE_MAX, type StageHit } from './searched-kbs.ts'

/*
 * Search, query and chat share these steps of retrieval:
 *
 * 1. Lexical: BM25 over the words of the query, with each knowledge base's own document frequencies.
 * 2. Dense: exact vector search in each knowledge base.
 * 3. Fusion: reciprocal rank fusion merges both result lists into one list of candidates.
 * 4. Score: relevance from 0 to 1, computed from both stages (fusion.ts), with a bonus for quoted phrases.
 * 5. Rerank: optionally, a language model's scores replace the relevance.
 * 6. Filter: drops near-duplicates of better passages, and passages below the threshold.
 */

export interface SearchRequest {
  /** Organization that owns the knowledge bases. The payer may be another organization. */
  organizationId: string
  sql: TenantSql
  knowledgeBaseIds: string[]
  /** Ignores deleted knowledge bases instead of throwing kb.not_found. */
  mayBeGone?: boolean
  query: string
  limit: number
  scoreThreshold: number
  filter: Condition[]
  rerank: ResolvedModel | null
  /** Returns only the best passage per document. */
  oncePerDocument?: boolean
}

export interface FoundPassage extends PassageContent {
  /** Relevance or reranking score, from 0 to 1. */
  score: number
  lexical: RankedByWords | null
  dense: Ranked | null
  fusedRank: number
  /** Score from the language model. Null if the passage was not reranked. */
  reranked: number | null
}

/** Details of a retrieval, for clients that request an explanation. */
export interface Receipt {
  knowledgeBases: { id: string; indexVersion: number; embeddingModel: string; chunks: number }[]
  words: string[]
  phrases: string[]
  prefixes: string[]
  candidates: { lexical: number; dense: number; fused: number }
  /** Share of the best candidates by words that are also among the best by vectors. */
  agreement: number
  /** Reason why the dense stage failed. Null if it did not fail. */
  denseFailure: string | null
  dropped: { duplicates: number; belowThreshold: number }
  milliseconds: { lexical: number; dense: number; all: number }
}

export interface Retrieval {
  passages: FoundPassage[]
  receipt: Receipt
}

/** Number of fused candidates to consider: `POOL_PER_RESULT` per requested passage, but at least `POOL`. */
const POOL = 40
const POOL_PER_RESULT = 2
/** Number of extra passages to read, because some may be near-duplicates. */
const SPARE = 5

/**
 * Retrieves passages, best first. Throws billing.insufficient_credits, llm.failed if reranking fails, and, unless
 * `mayBeGone`, kb.not_found if a knowledge base is not in the organization.
 */
export async function retrieve(
  deps: KbDependencies,
  payer: Payer,
  request: SearchRequest,
): Promise<Retrieval> {
  const { tracing } = deps.services
  if (!tracing) return find(deps, payer, request)
  const attributes = {
    [NAMES.operation]: OPERATIONS.retrieval,
    [NAMES.knowledgeBases]: request.knowledgeBaseIds,
  }
  return tracing.span({ name: OPERATIONS.retrieval, attributes }, async (span) => {
    const retrieval = await find(deps, payer, request)
    span.set({ [NAMES.passages]: retrieval.passages.length })
    return retrieval
  })
}

async function find(deps: KbDependencies, payer: Payer, request: SearchRequest): Promise<Retrieval> {
  const begin = performance.now()
  const kbs = await readSearchedKbs(request)
  const query = parseQuery(request.query)
  const findWords = (isChecked: boolean) =>
    timed(gather(kbs.map((kb) => deps.index.findByWords(request, kb, query, isChecked))))
  const [unchecked, dense] = await Promise.all([
    findWords(false),
    timed(denseStage(deps, payer, kbs, request, STAGE_MAX)),
  ])
  const choose = async (hits: StageHit[]) => {
    const fused = fuse(hits, dense.result.hits, keyOf, ({ kb }) => isLocal(kb))
    const vectors = { hasVectors: dense.result.failure === null, agreement: agreementOf(fused) }
    return {
      fused,
      agreement: vectors.agreement,
      ...(await selectPassages(deps, payer, request, query, fused, vectors)),
    }
  }
  let lexical = unchecked
  let chosen = await choose(lexical.result)
  if (chosen.isSomeGone) {
    lexical = await findWords(true)
    chosen = await choose(lexical.result)
  }
  const { fused, agreement, passages, dropped } = chosen
  return {
    passages,
    receipt: {
      knowledgeBases: kbs.map(({ id, indexVersion, embeddingModel, chunkCount }) => ({
        id,
        indexVersion,
        embeddingModel,
        chunks: chunkCount,
      })),
      words: [...query.words.keys()],
      phrases: query.phrases.map((phrase) => phrase.join(' ')),
      prefixes: query.prefixes,
      candidates: {
        lexical: lexical.result.length,
        dense: dense.result.hits.length,
        fused: fused.length,
      },
      agreement,
      denseFailure: dense.result.failure,
      dropped,
      milliseconds: {
        lexical: lexical.milliseconds,
        dense: dense.milliseconds,
        all: performance.now() - begin,
      },
    },
  }
}

const keyOf = ({ kb, number }: StageHit): string => `${kb.id} ${number}`

interface Selection {
  passages: FoundPassage[]
  dropped: Receipt['dropped']
  /** True if a candidate was deleted or disabled, so that lower-ranked chunks may replace it. */
  isSomeGone: boolean
}

/**
 * Runs steps 4 to 6. If content doesn't affect the ranking, reads only the content of passages that may be returned.
 */
async function selectPassages(
  deps: KbDependencies,
  payer: Payer,
  request: SearchRequest,
  query: KnowledgeQuery,
  fused: Candidate[],
  { hasVectors, agreement }: { hasVectors: boolean; agreement: number },
): Promise<Selection> {
  const { limit, scoreThreshold, oncePerDocument = false } = request
  const vectorsOf = ({ kb }: Pick<Candidate, 'kb'>) =>
    hasVectors ? (isLocal(kb) ? 'local' : 'model') : 'none'
  const score = <Found extends Pick<Candidate, 'kb' | 'lexical' | 'dense'>>(found: Found[]) =>
    bestFirst(
      found.map((one) => ({ ...one, score: relevanceOf(one, { vectors: vectorsOf(one), agreement }) })),
    )
  const size = Math.max(POOL, limit * POOL_PER_RESULT)

  const decides = query.phrases.length + query.pairs.length > 0 || request.rerank !== null || oncePerDocument
  if (!decides) {
    const scored = score(fused.slice(0, size))
    const good = scored.filter((one) => one.score >= scoreThreshold)
    const { read, different, requested } = await readDifferent(request, good)
    const dropped = { duplicates: read - different.length, belowThreshold: scored.length - good.length }
    return { passages: different.slice(0, limit), dropped, isSomeGone: read < requested }
  }
  const pool = await readPool(request, fused, size)
  const scored = score(await addPhrases(deps.stemmer, query, pool.passages))
  const ranked = request.rerank ? await rerank(deps, payer, request.rerank, request.query, scored) : scored
  const different = dropNearDuplicates(ranked, ({ content }) => content)
  const good = different.filter((one) => one.score >= scoreThreshold)
  const dropped = {
    duplicates: ranked.length - different.length,
    belowThreshold: different.length - good.length,
  }
  const passages = (oncePerDocument ? bestOfEach(good) : good).slice(0, limit)
  return { passages, dropped, isSomeGone: pool.isSomeGone && !request.rerank }
}

/**
 * Reads candidates until `limit` passages remain without near-duplicates, or no candidates are left. Also returns the
 * number of candidates requested, and the number of them that still existed.
 */
async function readDifferent(
  request: SearchRequest,
  scored: (Candidate & { score: number })[],
): Promise<{ read: number; different: FoundPassage[]; requested: number }> {
  const { limit } = request
  for (let requested = limit + SPARE; ; requested = scored.length) {
    const some = scored.slice(0, requested)
    const read = await readPassages(request, some)
    const different = dropNearDuplicates(read, ({ content }) => content)
    if (different.length >= limit || requested >= scored.length)
      return { read: read.length, different, requested: some.length }
  }
}

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  const begin = performance.now()
  const result = await work
  return { result, milliseconds: performance.now() - begin }
}

export const bestFirst = <Scored extends { score: number }>(passages: Scored[]): Scored[] =>
  passages.sort((a, b) => b.score - a.score)

const bestOfEach = (passages: FoundPassage[]): FoundPassage[] => {
  const seen = new Set<string>()
  return passages.filter(({ documentId }) => !seen.has(documentId) && seen.add(documentId))
}

/** Merges the hits of all knowledge bases, best first, up to the limit of a stage. */
async function gather(finding: Promise<StageHit[]>[]): Promise<StageHit[]> {
  const hits = (await Promise.all(finding)).flat()
  return bestFirst(hits).slice(0, STAGE_MAX)
}

/**
 * Reads the content of the first `size` candidates. With `oncePerDocument`, extends them until they cover `limit`
 * documents or all candidates.
 */
async function readPool(
  request: SearchRequest,
  fused: Candidate[],
  size: number,
): Promise<{ passages: ReadPassage[]; isSomeGone: boolean }> {
  const { limit, oncePerDocument } = request
  const requested = oncePerDocument ? fused : fused.slice(0, size)
  const passages = await readPassages(request, requested)
  const isSomeGone = passages.length < requested.length
  if (!oncePerDocument) return { passages, isSomeGone }
  const documents = new Set<string>()
  const last = passages.findIndex(
    ({ documentId }, index) => documents.add(documentId).size >= limit && index + 1 >= size,
  )
  return { passages: last === -1 ? passages : passages.slice(0, last + 1), isSomeGone }
}
