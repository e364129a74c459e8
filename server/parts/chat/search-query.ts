import { fail } from '#errors'
import { foldWord, withoutParticles } from '#platform/retrieval/word-variants.ts'
import { type Word, wordsIn } from '#platform/retrieval/words.ts'
import { quoteWord } from './words.ts'

/** A sequence of consecutive words. */
export interface Term {
  words: SearchWord[]
  /** True if the last word is a prefix: `plan` matches `planning`. */
  isPrefix: boolean
  /** The words as one, if only characters without width separate them. */
  joined: SearchWord | null
}

/** A word, and the forms without accents or Korean particles under which it is found. */
interface SearchWord {
  word: string
  /** Forms to find in the index: the word itself, and its form without accents. */
  forms: string[]
  /** Forms to find in a text whose words are folded. */
  folded: string[]
}

export interface SearchQuery {
  wanted: Term[]
  excluded: Term[]
}

/**
 * Matches an optional minus, followed by a quoted phrase or a word. The closing quote may be missing. A byte order mark
 * within a word is no whitespace.
 */
const TERM = /(-?)(?:"([^"]*)"?|([[^\s"]\ufeff]+))/gv

/**
 * Parses a search query: words match as prefixes, quoted phrases as whole words in order, and `-word` excludes. All
 * other characters separate words. Accents, vowel points and Korean particles need not match. Throws chat.search_empty
 * if the query has no word to search for.
 */
export function parseQuery(q: string): SearchQuery {
  const query: SearchQuery = { wanted: [], excluded: [] }
  for (const [, minus, phrase, plain = ''] of q.matchAll(TERM)) {
    const found = [...wordsIn(phrase ?? plain)]
    const isExcluded = minus === '-'
    const isPrefix = phrase === undefined
    const parts = found.filter(({ isJoined }) => !isJoined)
    if (parts.length === 0) continue
    const joined = found.find(
      (one) => one.isJoined && one.start === parts[0]?.start && one.end === parts.at(-1)?.end,
    )
    const terms = isExcluded ? query.excluded : query.wanted
    terms.push({
      words: parts.map(({ word }) => toSearchWord(word, isPrefix && !isExcluded)),
      isPrefix,
      joined: joined ? toSearchWord(joined.word, false) : null,
    })
  }
  if (query.wanted.length === 0) throw fail('chat.search_empty')
  return query
}

/** An excluded word and a word of a phrase keep their Korean particle, because it tells more than the noun. */
function toSearchWord(word: string, hasParticle: boolean): SearchWord {
  const plain = foldWord(word)
  const noun = hasParticle ? withoutParticles(plain) : plain
  return { word, forms: [...new Set([word, plain, noun])], folded: [...new Set([plain, noun])] }
}

/** Formats a query as a tsquery that matches only words with the owner's prefix `mark`. */
export function toTsQuery(mark: string, { wanted, excluded }: SearchQuery): string {
  const one = ({ forms }: SearchWord, suffix: string) =>
    `(${forms.map((form) => `${quoteWord(mark, form)}${suffix}`).join(' | ')})`
  const term = ({ words, isPrefix, joined }: Term) => {
    const suffixOf = (index: number) => (isPrefix && index === words.length - 1 ? ':*' : '')
    const phrase = words.map((word, index) => one(word, suffixOf(index))).join(' <-> ')
    return joined === null ? `(${phrase})` : `(${phrase} | ${one(joined, isPrefix ? ':*' : '')})`
  }
  return [...wanted.map(term), ...excluded.map((one) => `!${term(one)}`)].join(' & ')
}

/** Yields the ranges of the wanted terms in a text, ordered by end. Ranges may overlap. */
export function* findTerms(text: string, { wanted }: SearchQuery): Generator<{ start: number; end: number }> {
  const longest = Math.max(...wanted.map(({ words }) => words.length))
  const last: Word[] = []
  for (const found of wordsIn(text)) {
    const word = { ...found, word: foldWord(found.word) }
    if (!word.isJoined) last.push(word)
    if (last.length > longest) last.shift()
    for (const { words, isPrefix, joined } of wanted) {
      const single = word.isJoined
        ? (joined ?? (words.length === 1 ? words[0] : undefined))
        : (joined ?? undefined)
      if (single && isFound(word.word, single, isPrefix)) yield { start: word.start, end: word.end }
      else if (!word.isJoined && endsWithTerm(last, words, isPrefix))
        yield { start: last[last.length - words.length]?.start ?? word.start, end: word.end }
    }
  }
}

const isFound = (word: string, { folded }: SearchWord, isPrefix: boolean): boolean =>
  folded.some((form) => (isPrefix ? word.startsWith(form) : word === form))

/** Compares from the last word backwards: most words of a text differ from a term there, and cost one comparison. */
function endsWithTerm(text: readonly Word[], words: readonly SearchWord[], isPrefix: boolean): boolean {
  const before = text.length - words.length
  if (before < 0) return false
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = text[before + index]?.word ?? ''
    if (!isFound(word, words[index] as SearchWord, isPrefix && index === words.length - 1)) return false
  }
  return true
}
