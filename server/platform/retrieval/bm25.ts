import { areApart, frequencyOf, lastOf, lengthOf, mergeRuns, readPostings, sumOfCounts } from './postings.ts'

export interface QueryTerm {
  /**
   * Posting lists of the term. A term has several lists if it occurs in several segments, has stems in several
   * languages, or is a prefix of several words. If a chunk is in several lists, its frequencies are added up.
   */
  postings: readonly Uint8Array[]
  /** Posting lists of the term's other form, such as without accents. They include chunks of the term itself. */
  variants?: readonly Uint8Array[]
  /** Frequency of the term in the query. */
  times: number
}

/** Statistics of one knowledge base. */
export interface Statistics {
  chunks: number
  /** Mean of the lengths that SegmentBuilder.add returned. */
  averageLength: number
}

export interface Hit {
  number: number
  score: number
  /**
   * Share of what the knowledge base holds of the query, from 0 to 1. A term counts by the number of chunks that contain
   * it, and not at all if no chunk does, so that further words in a query do not lower the coverage of a passage on its
   * subject.
   */
  coverage: number
}

export interface Scores {
  /**
   * The score of a chunk of average length that contains each term once, including terms that no chunk contains. A
   * score divided by the ceiling is comparable across queries and knowledge bases. A chunk that repeats terms may
   * exceed the ceiling.
   */
  ceiling: number
  /** Returns a chunk's score, or 0 if the chunk contains no term. */
  of(number: number): number
  /** Returns the best hits, by descending score, then ascending number. Omits chunks without any term. */
  best(count: number): Hit[]
}

const K1 = 1.2
const B = 0.75
/** Weight of a chunk that has a term only in its other form. If no chunk has the term, these count in full. */
const VARIANT_WEIGHT = 0.5
/** Maximum range of chunk numbers for a dense array. For a larger range, scores are stored in a map. */
const DENSE_RANGE_MAX = 1_000_000

/**
 * Scores all chunks that contain a term, with Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance
 * Framework", 2009) and a non-negative idf (ln(1 + …)). Postings of deleted chunks may remain, so the number of
 * chunks with a term is capped at the number of chunks.
 */
export function scoreChunks(terms: readonly QueryTerm[], { chunks, averageLength }: Statistics): Scores {
  const united = terms.flatMap(uniteForms)
  const sums = createSums(united.flatMap(({ runs }) => runs))
  const covered = createSums(united.flatMap(({ runs }) => runs))
  const shortest = K1 * (1 - B)
  const perWord = (K1 * B) / Math.max(averageLength, 1)
  let ceiling = 0
  let held = 0
  for (const { runs, times, isVariant, holders } of united) {
    const weight = times * idfOf(Math.min(holders, chunks), chunks)
    if (!isVariant) ceiling += weight
    if (!isVariant) held += holders
    for (const run of runs)
      for (let at = 0; at < run.length; at += 2) {
        const counts = run[at + 1] as number
        const frequency = frequencyOf(counts)
        const norm = shortest + perWord * lengthOf(counts)
        sums.add(run[at] as number, (weight * frequency * (K1 + 1)) / (frequency + norm))
        covered.add(run[at] as number, isVariant ? VARIANT_WEIGHT * holders : holders)
      }
  }
  return {
    ceiling,
    of: (number) => sums.of(number),
    best: (count) => bestOf(sums, count).map((hit) => ({ ...hit, coverage: covered.of(hit.number) / held })),
  }
}

interface UnitedTerm {
  runs: Uint32Array[]
  times: number
  /** True for the chunks that have a term only in its other form. */
  isVariant: boolean
  /** Number of chunks that have the term, in either form for a variant. */
  holders: number
}

/** Returns a term, and as another one the chunks that have it only in its other form. */
function uniteForms({ postings, variants = [], times }: QueryTerm): UnitedTerm[] {
  const runs = unite(postings.map(readPostings))
  const term = { runs, times, isVariant: false, holders: holdersIn(runs) }
  if (variants.length === 0) return [term]
  const others = unite(variants.map(readPostings))
  if (runs.length === 0) return [{ ...term, runs: others, holders: holdersIn(others) }]
  const rest = without(mergeRuns(others, sumOfCounts), mergeRuns(runs, sumOfCounts))
  if (rest.length === 0) return [term]
  return [
    term,
    { runs: [rest], times: times * VARIANT_WEIGHT, isVariant: true, holders: term.holders + rest.length / 2 },
  ]
}

const holdersIn = (runs: readonly Uint32Array[]): number =>
  runs.reduce((count, run) => count + run.length / 2, 0)

/** Returns the postings of chunks that are not in another run. */
function without(run: Uint32Array, excluded: Uint32Array): Uint32Array {
  const rest = new Uint32Array(run.length)
  let length = 0
  let from = 0
  for (let at = 0; at < run.length; at += 2) {
    while (from < excluded.length && (excluded[from] as number) < (run[at] as number)) from += 2
    if (excluded[from] === run[at]) continue
    rest[length++] = run[at] as number
    rest[length++] = run[at + 1] as number
  }
  return rest.subarray(0, length)
}

const idfOf = (holders: number, chunks: number): number =>
  Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5))

/**
 * Merges runs that may contain the same chunk. Keeps runs separate if their chunk numbers don't overlap, as in
 * different segments.
 */
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
  return highest - lowest < DENSE_RANGE_MAX ? new DenseSums(lowest, highest) : new SparseSums()
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

/** Selects the best hits without sorting all scores: most scores are below the lowest of the current best hits. */
function bestOf(sums: Sums, count: number): Omit<Hit, 'coverage'>[] {
  const best: Omit<Hit, 'coverage'>[] = []
  let least = 0
  sums.each((number, score) => {
    if (score <= 0 || score < least) return
    const index = best.findLastIndex(
      (hit) => hit.score > score || (hit.score === score && hit.number < number),
    )
    if (index + 1 >= count) return
    best.splice(index + 1, 0, { number, score })
    if (best.length > count) best.pop()
    if (best.length === count) least = best.at(-1)?.score ?? 0
  })
  return best
}
