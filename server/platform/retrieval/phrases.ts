import type { Stem } from './stems.ts'

/**
 * Converts words to the form in which phrases are compared: stems, with stop words unchanged. Stop words are kept
 * because a quoted phrase such as "the art of war" must match its stop words too.
 */
export const toPhrase = (words: readonly string[], stem: Stem): string[] =>
  words.map((word) => stem(word) ?? word)

/** Counts the occurrences of a phrase. `content` and `phrase` must be results of `toPhrase` in the same language. */
export function countPhrase(content: readonly string[], phrase: readonly string[]): number {
  const [first] = phrase
  if (first === undefined) return 0
  let count = 0
  for (let at = content.indexOf(first); at >= 0; at = content.indexOf(first, at + 1))
    if (phrase.every((word, index) => content[at + index] === word)) count++
  return count
}

/** Counts the unstemmed words that begin with `prefix`. */
export const countPrefix = (words: readonly string[], prefix: string): number =>
  words.reduce((count, word) => (word.startsWith(prefix) ? count + 1 : count), 0)
