import { areApart, frequencyOf, lastOf, lengthOf, mergeRuns, readPostings, sumOfCounts } from './postings.ts'

export interface QueryTerm {
  /**
   * The postings of all that counts as this term: of each segment, of a word's stems in several languages, of all words
   * that begin with a prefix. Where a chunk is in several, it holds the term as often as all say together.
   */
  postings: readonly Uint8Array[]
  /** How often the query has it. */
  times: number
}

/** Of one knowledge base. */
export interface Statistics {
  chunks: number
  /** The mean of what SegmentBuilder.add answered. */
  averageLength: number
}

export interface Hit {
  number: number
  score: number
}

export interface Scores {
  /**
   * The score of a chunk of average length that holds each term once; terms that no chunk holds count too. A share of it
   * can be compared between queries and between knowledge bases. A chunk that repeats terms may be above it.
   */
  ceiling: number
  /** 0 for a chunk that holds no term. */
  of(number: number): number
  /** The best, in descending order, of equal ones the lower number first; only those that hold a term. */
  best(count: number): Hit[]
}

const K1 = 1.2
const B = 0.75
/** Up to so many numbers, from the lowest to the highest, have a place each; scores of more are kept by number. */
const PLACES_MAX = 1_000_000

/**
 * Scores of all chunks that hold a term, by Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework",
 * 2009), with an idf that is never negative (ln(1 + …)). Postings of chunks that are gone may linger: a term counts as
 * held by no more chunks than there are.
 */
export function scoreChunks(terms: readonly QueryTerm[], { chunks, averageLength }: Statistics): Scores {
  const united = terms.map(({ postings, times }) => ({ runs: unite(postings.map(readPostings)), times }))
  const sums = createSums(united.flatMap(({ runs }) => runs))
  const shortest = K1 * (1 - B)
  const perWord = (K1 * B) / Math.max(averageLength, 1)
  let ceiling = 0
  for (const { runs, times } of united) {
    const holders = runs.reduce((count, run) => count + run.length / 2, 0)
    const weight = times * idfOf(Math.min(holders, chunks), chunks)
    ceiling += weight
    for (const run of runs)
      for (let at = 0; at < run.length; at += 2) {
        const counts = run[at + 1] as number
        const frequency = frequencyOf(counts)
        const norm = shortest + perWord * lengthOf(counts)
        sums.add(run[at] as number, (weight * frequency * (K1 + 1)) / (frequency + norm))
      }
  }
  return { ceiling, of: (number) => sums.of(number), best: (count) => bestOf(sums, count) }
}

const idfOf = (holders: number, chunks: number): number =>
  Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))

/** As they are where no two can share a chunk, as segments do not; else as one. */
function unite(postings: Uint32Array[]): Uint32Array[] {
  const runs = postings.filter((run) => run.length > 0).sort((a, b) => (a[0] as number) - (b[0] as number))
  return areApart(runs) ? runs : [mergeRuns(runs, sumOfCounts)]
}

interface Sums {
  add(number: number, score: number): void
  of(number: number): number
  each(take: (number: number, score: number) => void): void
}

function createSums(runs: Uint32Array[]): Sums {
  let lowest = Number.POSITIVE_INFINITY
  let highest = 0
  for (const run of runs) {
    lowest = Math.min(lowest, run[0] as number)
    highest = Math.max(highest, lastOf(run))
  }
  if (runs.length === 0) return new SparseSums()
  return highest - lowest < PLACES_MAX ? new DenseSums(lowest, highest) : new SparseSums()
}

class DenseSums implements Sums {
  readonly #lowest: number
  readonly #sums: Float64Array

  constructor(lowest: number, highest: number) {
    this.#lowest = lowest
    this.#sums = new Float64Array(highest - lowest + 1)
  }

  add(number: number, score: number): void {
    const index = number - this.#lowest
    this.#sums[index] = (this.#sums[index] as number) + score
  }

  of(number: number): number {
    return this.#sums[number - this.#lowest] ?? 0
  }

  each(take: (number: number, score: number) => void): void {
    for (let index = 0; index < this.#sums.length; index++)
      take(index + this.#lowest, this.#sums[index] as number)
  }
}

class SparseSums implements Sums {
  readonly #sums = new Map<number, number>()

  add(number: number, score: number): void {
    this.#sums.set(number, (this.#sums.get(number) ?? 0) + score)
  }

  of(number: number): number {
    return this.#sums.get(number) ?? 0
  }

  each(take: (number: number, score: number) => void): void {
    for (const [number, score] of this.#sums) take(number, score)
  }
}

/** Without sorting all: most chunks are worse than the worst of the best so far. */
function bestOf(sums: Sums, count: number): Hit[] {
  const best: Hit[] = []
  let least = 0
  sums.each((number, score) => {
    if (score <= 0 || score < least) return
    const index = best.findLastIndex(
      (hit) => hit.score > score || (hit.score === score && hit.number < number),
    )
    if (index + 1 >= count) return
    best.splice(index + 1, 0, { number, score })
    if (best.length > count) best.pop()
    if (best.length === count) least = (best.at(-1) as Hit).score
  })
  return best
}
