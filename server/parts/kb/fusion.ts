import type { SearchedKb, StageHit } from './searched-kbs.ts'

/** A chunk that at least one stage has found. */
export interface Candidate {
  kb: SearchedKb
  number: number
  lexical: Ranked | null
  dense: Ranked | null
  /** By reciprocal ranks; only its order means something. */
  fused: number
  /** In that order, from 1. */
  fusedRank: number
}

export interface Ranked {
  /** 1 is the best. */
  rank: number
  score: number
}

/** Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", 2009. */
const RANK_CONSTANT = 60
/** The built-in embedding sees the same words as the lexical stage, only less exactly (bench/retrieval.ts). */
const LOCAL_RANK_WEIGHT = 0.3
const LOCAL_SCORE_WEIGHT = 0.15
/** Where hardly a word is found, as when it is misspelt, its vector alone is worth this much. */
const LOCAL_ALONE_WEIGHT = 0.25
const MODEL_SCORE_WEIGHT = 0.5
/** How soon words that are there make a passage fit: at a share of this much of the ceiling it is 63 %. */
const LEXICAL_SCALE = 0.65

const isLocal = (kb: SearchedKb): boolean => kb.embeddingModelId === null

/** One list of what the stages have found, by reciprocal ranks, best first. */
export function fuse(lexical: readonly StageHit[], dense: readonly StageHit[]): Candidate[] {
  const candidates = new Map<string, Candidate>()
  const candidateOf = ({ kb, number }: StageHit): Candidate => {
    const key = `${kb.id} ${number}`
    const known = candidates.get(key) ?? { kb, number, lexical: null, dense: null, fused: 0, fusedRank: 0 }
    candidates.set(key, known)
    return known
  }
  lexical.forEach((hit, place) => {
    const candidate = candidateOf(hit)
    candidate.lexical = { rank: place + 1, score: hit.score }
    candidate.fused += 1 / (RANK_CONSTANT + place + 1)
  })
  dense.forEach((hit, place) => {
    const candidate = candidateOf(hit)
    candidate.dense = { rank: place + 1, score: hit.score }
    candidate.fused += (isLocal(hit.kb) ? LOCAL_RANK_WEIGHT : 1) / (RANK_CONSTANT + place + 1)
  })
  const inOrder = [...candidates.values()].sort((a, b) => b.fused - a.fused)
  inOrder.forEach((candidate, place) => {
    candidate.fusedRank = place + 1
  })
  return inOrder
}

/**
 * How well a passage fits, from 0 to 1, of the same meaning in every knowledge base: by how much of what the question
 * asks for its words have (a share of the lexical ceiling), and by how much nearer than unrelated texts its vector is.
 * `hasVectors`: whether the dense stage could be done at all; without it the words alone count.
 */
export function relevanceOf(
  { kb, lexical, dense }: Pick<Candidate, 'kb' | 'lexical' | 'dense'>,
  hasVectors: boolean,
): number {
  const byWords = 1 - Math.exp(-(lexical?.score ?? 0) / LEXICAL_SCALE)
  if (!hasVectors) return byWords
  const byVector = Math.min(dense?.score ?? 0, 1)
  const weight = isLocal(kb) ? LOCAL_SCORE_WEIGHT : MODEL_SCORE_WEIGHT
  const together = (1 - weight) * byWords + weight * byVector
  return isLocal(kb) ? Math.max(together, LOCAL_ALONE_WEIGHT * byVector) : together
}
