import type { Stem } from './stems.ts'

/**
 * Words as phrases are compared by: stems, and stop words as they stand. Who puts "the art of war" in quotes wants these
 * words: in place of a stop word, no other will do.
 */
export const toPhrase = (words: readonly string[], stem: Stem): string[] =>
  words.map((word) => stem(word) ?? word)

/** How often the words of a phrase stand in a content one after another; both by `toPhrase`, of one language. */
export function countPhrase(content: readonly string[], phrase: readonly string[]): number {
  const [first] = phrase
  if (first === undefined) return 0
  let count = 0
  for (let at = content.indexOf(first); at >= 0; at = content.indexOf(first, at + 1))
    if (phrase.every((word, index) => content[at + index] === word)) count++
  return count
}

/** How many of the words of a content, unstemmed, begin so. */
export const countPrefix = (words: readonly string[], prefix: string): number =>
  words.reduce((count, word) => (word.startsWith(prefix) ? count + 1 : count), 0)
