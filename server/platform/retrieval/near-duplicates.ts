import { fnv1a } from './hash.ts'
import { listWords } from './words.ts'

/** Number of consecutive words in a shingle. */
const SHINGLE_WORDS = 5
/** Minimum share of the smaller set of shingles that the other set must contain for two texts to be duplicates. */
const CONTAINMENT_MIN = 0.9

/**
 * Drops items that nearly duplicate an earlier item. Two items match if at least 90% of the smaller set of five-word
 * shingles occurs in the other set (containment; Broder, "On the resemblance and containment of documents", 1997).
 *
 * The later item is dropped even if it is longer, because it was ranked lower. Texts of fewer than five words match
 * only if all words are equal.
 */
export function dropNearDuplicates<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  /** Maps each shingle to the indexes in `sizes` of the kept items that contain the shingle. */
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

/** Returns the distinct shingles of a text as 31-bit hashes. Collisions are rare and do little harm. */
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
