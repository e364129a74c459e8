/** The ids that a search found, best first, and the relevant ids. At least one id must be relevant. */
export interface Ranking<Id> {
  found: readonly Id[]
  right: ReadonlySet<Id>
}

export interface Measures {
  recall: number
  ndcg: number
  reciprocalRank: number
}

const NDCG_RANKS = 10

/**
 * Returns means across rankings, each from 0 to 1: recall of the first `k` ids, nDCG of the first ten, and reciprocal
 * rank (MRR). Returns 0 without rankings. Throws RangeError if a ranking has no relevant id.
 */
export function measureRankings<Id>(rankings: readonly Ranking<Id>[], k: number): Measures {
  return {
    recall: mean(rankings.map((ranking) => recallAt(k, ranking))),
    ndcg: mean(rankings.map(ndcgAt10)),
    reciprocalRank: mean(rankings.map(reciprocalRank)),
  }
}

/** Returns the share of the relevant ids that are among the first `k`. Throws RangeError without a relevant id. */
export function recallAt<Id>(k: number, ranking: Ranking<Id>): number {
  const gains = gainsOf(ranking).slice(0, k)
  return gains.filter(Boolean).length / ranking.right.size
}

/**
 * Returns the normalized discounted cumulated gain of the first ten ids with binary relevance (Järvelin and
 * Kekäläinen, "Cumulated gain-based evaluation of IR techniques", 2002). Throws RangeError without a relevant id.
 */
export function ndcgAt10<Id>(ranking: Ranking<Id>): number {
  const discount = (rank: number): number => 1 / Math.log2(rank + 2)
  const got = gainsOf(ranking)
    .slice(0, NDCG_RANKS)
    .reduce((sum, isRight, rank) => sum + (isRight ? discount(rank) : 0), 0)
  let most = 0
  for (let rank = 0; rank < Math.min(NDCG_RANKS, ranking.right.size); rank++) most += discount(rank)
  return got / most
}

/**
 * Returns 1 / rank of the first relevant id, or 0 if no relevant id was found. Throws RangeError without a relevant
 * id.
 */
export function reciprocalRank<Id>(ranking: Ranking<Id>): number {
  const rank = gainsOf(ranking).indexOf(true)
  return rank < 0 ? 0 : 1 / (rank + 1)
}

/** Returns, for each rank, whether the id is relevant. A duplicate id counts only at its first rank. */
function gainsOf<Id>({ found, right }: Ranking<Id>): boolean[] {
  if (right.size === 0) throw new RangeError('A ranking needs at least one relevant id')
  return [...new Set(found)].map((id) => right.has(id))
}

const mean = (values: number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
