export interface Ranked {
  /** Rank of the hit, from 1 for the best hit. */
  rank: number
  score: number
}

/** Rank of a hit by words. */
export interface RankedByWords extends Ranked {
  /** Share of what the knowledge base holds of the query (bm25.ts). */
  coverage: number
}

/** Scores of a hit in a stage. Only the lexical stage has a coverage. */
export interface Scored {
  score: number
  coverage?: number
}

/** Ranks and scores of a candidate that at least one stage found. */
export interface Fused {
  lexical: RankedByWords | null
  dense: Ranked | null
  /** Reciprocal rank fusion score. Use it only to order candidates. */
  fused: number
  /** Rank by `fused`, from 1. */
  fusedRank: number
}

/** A candidate: what identifies the hit, without its scores, and the ranks and scores of both stages. */
export type FusedHit<Hit extends Scored> = Omit<Hit, keyof Scored> & Fused

/**
 * The constant of reciprocal rank fusion. Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms
 * Condorcet and individual Rank Learning Methods", 2009.
 */
const RANK_CONSTANT = 60
/**
 * Weights of the built-in embedding's ranks and scores. They are low, because this embedding captures the same words
 * as the lexical stage, but less precisely (bench/retrieval.ts). The scores have this weight if both stages agree.
 */
const LOCAL_RANK_WEIGHT = 0.3
const LOCAL_SCORE_WEIGHT = 0.15
/** The relevance is at least this share of the vector similarity, even if few words match, as with misspellings. */
const LOCAL_ALONE_WEIGHT = 0.25
const MODEL_SCORE_WEIGHT = 0.5
/**
 * The relevance is at least this share of the coverage, however many other words the query has. High enough for a
 * passage on the query's subject to reach the threshold of a chat, and too low to change which passages are the best.
 */
const COVERAGE_WEIGHT = 0.2
/** Saturation of word matches. A lexical score of this share of the ceiling counts as 63%. */
const LEXICAL_SCALE = 0.65

/**
 * Fuses the hits of the lexical and the dense stage by reciprocal ranks. Input and output are sorted best first.
 * `keyOf` identifies the same text in both lists. `isLocal` returns true if the hit's vector is from the built-in
 * embedding.
 */
export function fuse<Hit extends Scored>(
  lexical: readonly Hit[],
  dense: readonly Hit[],
  keyOf: (hit: Hit) => string,
  isLocal: (hit: Hit) => boolean,
): FusedHit<Hit>[] {
  const candidates = new Map<string, FusedHit<Hit>>()
  const candidateOf = (hit: Hit): Fused => {
    const key = keyOf(hit)
    const known = candidates.get(key)
    if (known) return known
    const { score: _score, coverage: _coverage, ...found } = hit
    const made = { ...found, lexical: null, dense: null, fused: 0, fusedRank: 0 }
    candidates.set(key, made)
    return made
  }
  lexical.forEach((hit, index) => {
    const candidate = candidateOf(hit)
    candidate.lexical = { rank: index + 1, score: hit.score, coverage: hit.coverage ?? 0 }
    candidate.fused += 1 / (RANK_CONSTANT + index + 1)
  })
  dense.forEach((hit, index) => {
    const candidate = candidateOf(hit)
    candidate.dense = { rank: index + 1, score: hit.score }
    candidate.fused += (isLocal(hit) ? LOCAL_RANK_WEIGHT : 1) / (RANK_CONSTANT + index + 1)
  })
  const inOrder = [...candidates.values()].sort((a, b) => b.fused - a.fused)
  inOrder.forEach((candidate, index) => {
    candidate.fusedRank = index + 1
  })
  return inOrder
}

/** Number of best hits of each stage that are compared. */
const AGREEMENT_RANKS = 10

/**
 * Returns the share of the best hits by words that are also among the best by vectors. Few in common are a sign that the
 * built-in embedding follows chance, as in a collection of short titles.
 */
export function agreementOf(candidates: readonly Pick<Fused, 'lexical' | 'dense'>[]): number {
  const isBest = (ranked: Ranked | null): boolean => ranked !== null && ranked.rank <= AGREEMENT_RANKS
  const best = candidates.filter(({ lexical }) => isBest(lexical))
  return best.filter(({ dense }) => isBest(dense)).length / Math.max(best.length, 1)
}

/** How much the vectors of a search tell. With `none`, the dense stage failed, so only words count. */
export interface Evidence {
  vectors: 'local' | 'model' | 'none'
  /** Result of `agreementOf`. */
  agreement: number
}

/**
 * Returns the relevance of a text from 0 to 1, comparable across knowledge bases. Combines the lexical score (as a
 * share of the ceiling) with the vector similarity (relative to unrelated texts).
 */
export function relevanceOf(
  { lexical, dense }: Pick<Fused, 'lexical' | 'dense'>,
  { vectors, agreement }: Evidence,
): number {
  const byWords = 1 - Math.exp(-(lexical?.score ?? 0) / LEXICAL_SCALE)
  const byVector = Math.min(dense?.score ?? 0, 1)
  const weight = { local: LOCAL_SCORE_WEIGHT * agreement, model: MODEL_SCORE_WEIGHT, none: 0 }[vectors]
  return Math.max(
    (1 - weight) * byWords + weight * byVector,
    COVERAGE_WEIGHT * (lexical?.coverage ?? 0),
    vectors === 'local' ? LOCAL_ALONE_WEIGHT * byVector : 0,
  )
}
