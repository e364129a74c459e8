import { isUnspaced, listWords, wordsIn } from './words.ts'

export interface KnowledgeQuery {
  /** How often it has each word, those of its phrases too, but not its prefixes. */
  words: Map<string, number>
  /** What stands in quotes, word by word; two words or more each. */
  phrases: string[][]
  /** Beginnings of words. */
  prefixes: string[]
  /**
   * Characters that follow each other in scripts without spaces, where each character is a word: in which order they
   * stand is what makes them words. Unlike phrases, nobody asked for them.
   */
  pairs: [string, string][]
}

/** So much of a query is read. */
export const QUERY_CHARACTERS_MAX = 10_000
/** Different words; the rest of a longer question is left out. */
export const QUERY_WORDS_MAX = 64
export const PHRASES_MAX = 8
/** Of a longer phrase so many words count. */
export const PHRASE_WORDS_MAX = 16
export const PREFIXES_MAX = 8
export const PAIRS_MAX = 64
/** With fewer letters a prefix would stand for a good part of all words. */
const PREFIX_CHARACTERS_MIN = 2

/** Pairs of quotes. A straight one right after a word is an inch or an apostrophe, and no beginning. */
const QUOTED =
  /(?<![\p{L}\p{N}\p{M}])["＂]([^"＂]+)["＂]|[“„‟]([^“”„‟]+)[”“‟]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』/gu
/** A star right behind a word and before no other: neither 2*3 nor **emphasis**. */
const PREFIX = /(?<![\p{L}\p{N}\p{M}*])[\p{L}\p{N}\p{M}]+\*(?![\p{L}\p{N}\p{M}*])/gu

/**
 * What a person types, taken apart: words, "phrases" in quotes of any kind, and prefixes*. All of it is in the form
 * that words of texts have, and within the bounds above; words in quotes come first. Never throws: what is not
 * understood only parts words.
 */
export function parseQuery(text: string): KnowledgeQuery {
  const query: KnowledgeQuery = { words: new Map(), phrases: [], prefixes: [], pairs: [] }
  const withoutPhrases = text
    .slice(0, QUERY_CHARACTERS_MAX)
    .replace(QUOTED, (_quoted, ...groups: unknown[]) => {
      const words = listWords(
        groups.find((group, at) => typeof group === 'string' && at < QUOTE_KINDS) as string,
      )
      for (const word of words) addWord(query, word)
      if (words.length > 1 && query.phrases.length < PHRASES_MAX)
        query.phrases.push(words.slice(0, PHRASE_WORDS_MAX))
      return ' '
    })
  const rest = withoutPhrases.replace(PREFIX, (found) => addPrefix(query, found))
  addWords(query, rest)
  return query
}

/** Groups of QUOTED. */
const QUOTE_KINDS = 6

function addWord({ words }: KnowledgeQuery, word: string): void {
  const times = words.get(word) ?? 0
  if (times > 0 || words.size < QUERY_WORDS_MAX) words.set(word, times + 1)
}

/** Answers what stays in the query: nothing where it is a prefix, else its words. */
function addPrefix({ prefixes }: KnowledgeQuery, found: string): string {
  const [prefix = '', ...more] = listWords(found)
  if (more.length > 0 || isUnspaced(prefix) || prefix.length < PREFIX_CHARACTERS_MIN) return found
  if (!prefixes.includes(prefix) && prefixes.length < PREFIXES_MAX) prefixes.push(prefix)
  return ' '
}

function addWords(query: KnowledgeQuery, text: string): void {
  const seen = new Set<string>()
  let before: { word: string; end: number } | null = null
  for (const { word, start, end } of wordsIn(text)) {
    addWord(query, word)
    if (before?.end === start && isUnspaced(before.word) && isUnspaced(word)) {
      const pair = `${before.word} ${word}`
      if (!seen.has(pair) && seen.size < PAIRS_MAX) query.pairs.push([before.word, word])
      if (seen.size < PAIRS_MAX) seen.add(pair)
    }
    before = { word, end }
  }
}
