import { isUnspaced, listWords, wordsIn } from './words.ts'

export interface KnowledgeQuery {
  /** Frequency of each word. Includes words in phrases, but not prefixes. */
  words: Map<string, number>
  /** Quoted phrases of two or more words. */
  phrases: string[][]
  prefixes: string[]
  /**
   * Adjacent characters in scripts without spaces. In such scripts each character is treated as a word, so pairs
   * capture the order of characters within real words. Unlike phrases, pairs are optional.
   */
  pairs: [string, string][]
}

/** Maximum characters of a query. The rest is ignored. */
export const QUERY_CHARACTERS_MAX = 10_000
/**
 * Maximum number of distinct words. Further words are ignored.
 * @limit distinct words of a query (the rest is ignored)
 */
export const QUERY_WORDS_MAX = 64
/** @limit phrases of a query */
export const PHRASES_MAX = 8
/** Maximum words of a phrase. Further words of the phrase are ignored. @limit words of a phrase */
export const PHRASE_WORDS_MAX = 16
/** @limit prefixes of a query */
export const PREFIXES_MAX = 8
export const PAIRS_MAX = 64
/** Minimum length of a prefix. A shorter prefix would match too many words. */
const PREFIX_CHARACTERS_MIN = 2

/**
 * Matches text in paired quotation marks. A straight quote right after a word is an inch mark or an apostrophe, not
 * an opening quote.
 */
const QUOTED =
  /(?<![\p{L}\p{N}\p{M}])["＂]([^"＂]+)["＂]|[“„‟]([^“”„‟]+)[”“‟]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』/gu
/**
 * Matches a word and the asterisk right after it. Excludes 2*3 and **emphasis**, in which other word characters or
 * asterisks are adjacent.
 */
const PREFIX = /(?<![\p{L}\p{N}\p{M}*])[\p{L}\p{N}\p{M}]+\*(?![\p{L}\p{N}\p{M}*])/gu

/**
 * Parses a user's query into words, "phrases" in any quotation marks, and prefixes*. Normalizes words like the words
 * of a text. Applies the limits above, to quoted words first. Never throws: unrecognized characters only separate
 * words.
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

/** Number of capture groups in QUOTED. */
const QUOTE_KINDS = 6

function addWord({ words }: KnowledgeQuery, word: string): void {
  const times = words.get(word) ?? 0
  if (times > 0 || words.size < QUERY_WORDS_MAX) words.set(word, times + 1)
}

/** Returns the replacement for a possible prefix: a space for a prefix, otherwise the same text. */
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
