import type { Language } from '#platform/retrieval/languages.ts'
import type { KnowledgeQuery } from '#platform/retrieval/parse-query.ts'
import { countPhrase, toPhrase } from '#platform/retrieval/phrases.ts'
import type { Stemmer } from '#platform/retrieval/stems.ts'
import { foldWord } from '#platform/retrieval/word-variants.ts'
import { listWords } from '#platform/retrieval/words.ts'
import type { ReadPassage } from './read-passages.ts'

/**
 * Raises the lexical score of passages that contain the query's quoted phrases. In scripts without spaces, adjacent
 * characters of the query count as phrases. The bonus is the phrase's share of the query's words.
 */
export async function addPhrases(
  stemmer: Stemmer,
  { words, phrases, pairs }: KnowledgeQuery,
  passages: ReadPassage[],
): Promise<ReadPassage[]> {
  const allPhrases: string[][] = [...phrases, ...pairs]
  if (allPhrases.length === 0) return passages
  return Promise.all(
    passages.map(async (passage) => {
      const held = await heldPhrases(stemmer, passage, allPhrases)
      const share = held.reduce((sum, phrase) => sum + worthOf(phrase), 0) / Math.max(words.size, 1)
      const score = (passage.lexical?.score ?? 0) + share
      return { ...passage, lexical: passage.lexical && { ...passage.lexical, score } }
    }),
  )
}

/**
 * Returns the weight of a phrase in words. A pair counts as one word, because its characters usually belong to two
 * overlapping pairs.
 */
const worthOf = (phrase: string[]): number => (phrase.length === 2 ? 1 : phrase.length)

async function heldPhrases(
  stemmer: Stemmer,
  { content, language }: { content: string; language: Language },
  phrases: string[][],
): Promise<string[][]> {
  const words = listWords(content).map(foldWord)
  const wanted = phrases.map((phrase) => phrase.map(foldWord))
  const stem = await stemmer.stems([...words, ...wanted.flat()], language)
  const stems = toPhrase(words, stem)
  return phrases.filter((_phrase, at) => countPhrase(stems, toPhrase(wanted[at] ?? [], stem)) > 0)
}
