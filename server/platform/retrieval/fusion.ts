export interface Ranked {
  /** 1 is the best. */
  rank: number
  score: number
}

/** What at least one stage has found. */
export interface Fused {
  lexical: Ranked | null
  dense: Ranked | null
  /** By reciprocal ranks; only its order means something. */
  fused: number
  /** In that order, from 1. */
  fusedRank: number
}

/** Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", 2009. */
const RANK_CONSTANT = 60
/** The built-in embedding sees the same words as the lexical stage, only less exactly (bench/retrieval.ts). */
const LOCAL_RANK_WEIGHT = 0.3
const LOCAL_SCORE_WEIGHT = 0.15
/** Where hardly a word is found, as when it is misspelt, its vector alone is worth this much. */
const LOCAL_ALONE_WEIGHT = 0.25
const MODEL_SCORE_WEIGHT = 0.5
/** How soon words that are there make a text fit: at a share of this much of the ceiling it is 63 %. */
const LEXICAL_SCALE = 0.65

/**
 * One list of what a lexical and a dense stage have found, each best first, by reciprocal ranks, best first. `keyOf`
 * tells by what a text is known in both, `isLocal` whether its vector is of the built-in embedding.
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
 * How well a text fits, from 0 to 1, of the same meaning wherever it was found: by how much of what the question asks
 * for its words have (a share of the lexical ceiling), and by how much nearer than unrelated texts its vector is.
 * `vectors`: whose they are; `none` where the dense stage could not be done at all, and the words alone count.
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
