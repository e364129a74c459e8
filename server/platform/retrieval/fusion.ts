export interface Ranked {
  /** Rank of the hit, from 1 for the best hit. */
  rank: number
  score: number
}

/** Ranks and scores of a candidate that at least one stage found. */
export interface Fused {
  lexical: Ranked | null
  dense: Ranked | null
  /** Reciprocal rank fusion score. Use it only to order candidates. */
  fused: number
  /** Rank by `fused`, from 1. */
  fusedRank: number
}

/**
 * The constant of reciprocal rank fusion. Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms
 * Condorcet and individual Rank Learning Methods", 2009.
 */
const RANK_CONSTANT = 60
/**
 * Weights of the built-in embedding's ranks and scores. They are low, because this embedding captures the same words
 * as the lexical stage, but less precisely (bench/retrieval.ts).
 */
const LOCAL_RANK_WEIGHT = 0.3
const LOCAL_SCORE_WEIGHT = 0.15
/** The relevance is at least this share of the vector similarity, even if few words match, as with misspellings. */
const LOCAL_ALONE_WEIGHT = 0.25
const MODEL_SCORE_WEIGHT = 0.5
/** Saturation of word matches. A lexical score of this share of the ceiling counts as 63%. */
const LEXICAL_SCALE = 0.65

/**
 * Fuses the hits of the lexical and the dense stage by reciprocal ranks. Input and output are sorted best first.
 * `keyOf` identifies the same text in both lists. `isLocal` returns true if the hit's vector is from the built-in
 * embedding.
 */
export function fuse<Hit extends { score: number }>(
  lexical: readonly Hit[],
  dense: readonly Hit[],
  keyOf: (hit: Hit) => string,
  isLocal: (hit: Hit) => boolean,
): (Omit<Hit, 'score'> & Fused)[] {
  const candidates = new Map<string, Omit<Hit, 'score'> & Fused>()
  const candidateOf = (hit: Hit): Fused => {
    const key = keyOf(hit)
    const known = candidates.get(key)
    if (known) return known
    const { score: _score, ...found } = hit
    const made = { ...found, lexical: null, dense: null, fused: 0, fusedRank: 0 }
    candidates.set(key, made)
    return made
  }
  lexical.forEach((hit, index) => {
    const candidate = candidateOf(hit)
    candidate.lexical = { rank: index + 1, score: hit.score }
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

/**
 * Returns the relevance of a text from 0 to 1, comparable across knowledge bases. Combines the lexical score (as a
 * share of the ceiling) with the vector similarity (relative to unrelated texts). `vectors` is the kind of embedding.
 * With `none`, the dense stage failed, so only the lexical score is used.
 */
export function relevanceOf(
  { lexical, dense }: Pick<Fused, 'lexical' | 'dense'>,
  vectors: 'local' | 'model' | 'none',
): number {
  const byWords = 1 - Math.exp(-(lexical?.score ?? 0) / LEXICAL_SCALE)
  if (vectors === 'none') return byWords
  const byVector = Math.min(dense?.score ?? 0, 1)
  const isLocal = vectors === 'local'
  const weight = isLocal ? LOCAL_SCORE_WEIGHT : MODEL_SCORE_WEIGHT
  const together = (1 - weight) * byWords + weight * byVector
  return isLocal ? Math.max(together, LOCAL_ALONE_WEIGHT * byVector) : together
}
