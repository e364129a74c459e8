import { createRandom } from '#tests/support/random.ts'

/** Returns a shuffled copy of a list. The same seed produces the same order. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = createRandom(seed)
  return list
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}

/** Makes pseudorandom choices, determined by a seed. */
export interface Choice {
  /** Returns an integer that is at least 0 and less than `end`. */
  below(end: number): number
  of<T>(list: readonly T[]): T
  chance(probability: number): boolean
}

export function createChoice(seed: number): Choice {
  const random = createRandom(seed)
  const below = (end: number): number => Math.floor(random() * end)
  return {
    below,
    of: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    chance: (probability) => random() < probability,
  }
}
