import type { Terms } from './terms.ts'

/*
 * A posting records that a chunk contains a term. It consists of the chunk's number (uint32), the term's frequency
 * and the chunk's length in words (uint16 each, capped at 65,535).
 *
 * A posting has 8 bytes in little-endian order, which is the order of all machines on which Node runs. Postings are
 * therefore read without conversion. The postings of a term are sorted by ascending chunk number.
 */

/** A row of a segment: a term and its postings, sorted by ascending chunk number. */
export interface SegmentEntry {
  term: string
  postings: Buffer
}

const POSTING_BYTES = 8
const NUMBER_MAX = 0xffff_ffff
/** Maximum of a frequency and of a length. */
const COUNT_MAX = 0xffff

/**
 * Returns postings as pairs of numbers: the chunk's number, then the packed frequency and length (see `frequencyOf`
 * and `lengthOf`). Returns a view if the bytes are aligned, otherwise a copy. Throws RangeError if the number of
 * bytes is not a multiple of 8.
 */
export function readPostings(postings: Uint8Array): Uint32Array {
  if (postings.byteLength % POSTING_BYTES !== 0)
    throw new RangeError(`${postings.byteLength} bytes are not a whole number of postings`)
  const { buffer, byteOffset, byteLength } = postings
  return byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
    ? new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
    : new Uint32Array(new Uint8Array(postings).buffer)
}

export const frequencyOf = (counts: number): number => counts & COUNT_MAX
export const lengthOf = (counts: number): number => counts >>> 16
const packCounts = (frequency: number, length: number): number =>
  (Math.min(frequency, COUNT_MAX) | (Math.min(length, COUNT_MAX) << 16)) >>> 0

/**
 * Merges the postings of one term from several segments, and drops the postings of deleted chunks. If two postings
 * have the same chunk number, the later posting wins.
 */
export function mergePostings(segments: readonly Uint8Array[], isAlive: (number: number) => boolean): Buffer {
  const merged = mergeRuns(segments.map(readPostings), (_earlier, later) => later)
  const alive = new Uint32Array(merged.length)
  let length = 0
  for (let at = 0; at < merged.length; at += 2) {
    if (!isAlive(merged[at] as number)) continue
    alive[length++] = merged[at] as number
    alive[length++] = merged[at + 1] as number
  }
  return Buffer.from(alive.buffer, 0, length * Uint32Array.BYTES_PER_ELEMENT)
}

/** Combines the counts of two postings with the same chunk number. */
export type Combine = (earlier: number, later: number) => number

export const sumOfCounts: Combine = (earlier, later) =>
  packCounts(frequencyOf(earlier) + frequencyOf(later), lengthOf(later))

/** Merges several results of `readPostings` into one. */
export function mergeRuns(given: readonly Uint32Array[], combine: Combine): Uint32Array {
  if (areApart(given)) return joined(given)
  let runs = given
  // Merge neighbors pairwise, as in merge sort, to copy each posting as rarely as possible.
  while (runs.length > 1)
    runs = Array.from({ length: Math.ceil(runs.length / 2) }, (_, at) =>
      mergeTwo(runs[2 * at] as Uint32Array, runs[2 * at + 1], combine),
    )
  return runs[0] ?? new Uint32Array()
}

/** Returns true if each run begins after the previous run ends. Returns false if any run is empty. */
export const areApart = (runs: readonly Uint32Array[]): boolean =>
  runs.every(
    (run, at) => run.length > 0 && (at === 0 || lastOf(runs[at - 1] as Uint32Array) < (run[0] as number)),
  )

/** Returns the chunk number of the last posting. */
export const lastOf = (run: Uint32Array): number => run[run.length - 2] as number

function joined(runs: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(runs.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const run of runs) {
    all.set(run, end)
    end += run.length
  }
  return all
}

function mergeTwo(earlier: Uint32Array, later: Uint32Array | undefined, combine: Combine): Uint32Array {
  if (later === undefined) return earlier
  const merged = new Uint32Array(earlier.length + later.length)
  let length = 0
  let from = 0
  for (let at = 0; at < later.length; at += 2) {
    const number = later[at] as number
    let counts = later[at + 1] as number
    while (from < earlier.length && (earlier[from] as number) < number) {
      merged[length++] = earlier[from++] as number
      merged[length++] = earlier[from++] as number
    }
    if (earlier[from] === number) {
      counts = combine(earlier[from + 1] as number, counts)
      from += 2
    }
    merged[length++] = number
    merged[length++] = counts
  }
  merged.set(earlier.subarray(from), length)
  return merged.subarray(0, length + earlier.length - from)
}

/**
 * Adds `by` to the chunk numbers in a segment's rows, in place. A segment can therefore be built before its chunks
 * have numbers.
 */
export function raiseNumbers(entries: readonly SegmentEntry[], by: number): void {
  for (const { postings } of entries)
    for (let at = 0; at < postings.length; at += POSTING_BYTES)
      postings.writeUInt32LE(postings.readUInt32LE(at) + by, at)
}

/** Collects the words of a batch of chunks and builds their segment. Uses memory in proportion to the batch. */
export class SegmentBuilder {
  /**
   * Chunks that contain a term, keyed by term. Each chunk has two numbers: its index in the batch and the term's
   * frequency.
   */
  readonly #terms = new Map<string, number[]>()
  readonly #numbers: number[] = []
  readonly #lengths: number[] = []

  /**
   * Adds a chunk with its words in order, under the terms of each word. Returns the chunk's length: the number of words
   * that are not stop words. Throws RangeError if the chunk's number is not a uint32 or not above the previous number.
   */
  add(number: number, words: readonly string[], { stem, variant }: Terms): number {
    const index = this.#numbers.length
    if (!Number.isInteger(number) || number > NUMBER_MAX || number <= (this.#numbers[index - 1] ?? -1))
      throw new RangeError(`Chunk ${number} cannot follow ${this.#numbers[index - 1] ?? 'nothing'}`)
    let length = 0
    for (const word of words) {
      const term = stem(word)
      if (term === null) continue
      length++
      this.#count(term, index)
      const other = variant(word)
      if (other !== null) this.#count(other, index)
    }
    this.#numbers.push(number)
    this.#lengths.push(length)
    return length
  }

  #count(term: string, index: number): void {
    const holders = this.#terms.get(term)
    if (holders === undefined) this.#terms.set(term, [index, 1])
    else if (holders[holders.length - 2] === index)
      holders[holders.length - 1] = (holders[holders.length - 1] as number) + 1
    else holders.push(index, 1)
  }

  /** Returns the rows of the segment, sorted by term in UTF-16 code units. */
  entries(): SegmentEntry[] {
    let count = 0
    for (const holders of this.#terms.values()) count += holders.length
    const all = new Uint32Array(count)
    let end = 0
    return [...this.#terms.keys()].sort().map((term) => {
      const start = end
      const holders = this.#terms.get(term) as number[]
      for (let at = 0; at < holders.length; at += 2) {
        const index = holders[at] as number
        all[end++] = this.#numbers[index] as number
        all[end++] = packCounts(holders[at + 1] as number, this.#lengths[index] as number)
      }
      return { term, postings: Buffer.from(all.buffer, start * 4, (end - start) * 4) }
    })
  }
}
