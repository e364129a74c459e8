import { fnv1a } from './hash.ts'
import { listWords } from './words.ts'

/** Words in a row that are compared at once. */
const SHINGLE_WORDS = 5
/** Of the shingles of the shorter of two texts, so many in the other make them say the same. */
const CONTAINMENT_MIN = 0.9

/**
 * The items, without those that say nearly the same as an earlier one: 9 of 10 of the five-word rows of the one with
 * fewer stand in the other (containment; Broder, "On the resemblance and containment of documents", 1997). Of two, the
 * later is dropped, also where it says more besides: it was ranked lower with all that it says. Texts of fewer than
 * five words are the same when all their words are.
 */
export function dropNearDuplicates<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  /** By shingle, the places in `sizes` of the kept items that have it. */
  const holders = new Map<number, number[]>()
  const sizes: number[] = []
  return items.filter((item) => {
    const shingles = shinglesOf(listWords(textOf(item)))
    const shared = new Uint32Array(sizes.length)
    for (const shingle of shingles)
      for (const index of holders.get(shingle) ?? NONE) shared[index] = (shared[index] as number) + 1
    const isKnown = (count: number, index: number): boolean =>
      count > 0 && count >= CONTAINMENT_MIN * Math.min(shingles.size, sizes[index] as number)
    if (shared.some(isKnown)) return false
    for (const shingle of shingles) {
      const indexes = holders.get(shingle)
      if (indexes) indexes.push(sizes.length)
      else holders.set(shingle, [sizes.length])
    }
    sizes.push(shingles.size)
    return true
  })
}

const NONE: readonly number[] = []

/** Different rows of words, as numbers of 31 bits: that two rows share one by chance is rare, and matters little. */
function shinglesOf(words: string[]): Set<number> {
  const hashes = words.map(fnv1a)
  const width = Math.min(SHINGLE_WORDS, words.length)
  const shingles = new Set<number>()
  for (let at = 0; width > 0 && at + width <= hashes.length; at++) {
    let hash = width
    for (let next = at; next < at + width; next++)
      hash = Math.imul(hash ^ (hashes[next] as number), 0x9e3779b1) ^ (hash >>> 15)
    shingles.add(hash >>> 1)
  }
  return shingles
}
