import { fail } from '#errors'
import { type Word, wordsIn } from '#platform/retrieval/words.ts'
import { quoteWord } from './words.ts'

/** A sequence of consecutive words. */
export interface Term {
  words: string[]
  /** True if the last word is a prefix: `plan` matches `planning`. */
  isPrefix: boolean
}

export interface SearchQuery {
  wanted: Term[]
  excluded: Term[]
}

/** Matches an optional minus, followed by a quoted phrase or a word. The closing quote may be missing. */
const TERM = /(-?)(?:"([^"]*)"?|([^\s"]+))/g

/**
 * Parses a search query: words match as prefixes, quoted phrases as whole words in order, and `-word` excludes. All
 * other characters separate words. Throws chat.search_empty if the query has no word to search for.
 */
export function parseQuery(q: string): SearchQuery {
  const query: SearchQuery = { wanted: [], excluded: [] }
  for (const [, minus, phrase, plain = ''] of q.matchAll(TERM)) {
    const words = [...wordsIn(phrase ?? plain)].map(({ word }) => word)
    if (words.length === 0) continue
    const terms = minus === '-' ? query.excluded : query.wanted
    terms.push({ words, isPrefix: phrase === undefined })
  }
  if (query.wanted.length === 0) throw fail('chat.search_empty')
  return query
}

/** Formats a query as a tsquery that matches only words with the owner's prefix `mark`. */
export function toTsQuery(mark: string, { wanted, excluded }: SearchQuery): string {
  const term = ({ words, isPrefix }: Term) =>
    `(${words.map((word) => quoteWord(mark, word)).join(' <-> ')}${isPrefix ? ':*' : ''})`
  return [...wanted.map(term), ...excluded.map((one) => `!${term(one)}`)].join(' & ')
}

/** Yields the ranges of the wanted terms in a text, ordered by end. Ranges may overlap. */
export function* findTerms(text: string, { wanted }: SearchQuery): Generator<{ start: number; end: number }> {
  const longest = Math.max(...wanted.map(({ words }) => words.length))
  const last: Word[] = []
  for (const word of wordsIn(text)) {
    last.push(word)
    if (last.length > longest) last.shift()
    for (const term of wanted)
      if (endsWithTerm(last, term))
        yield { start: last[last.length - term.words.length]?.start ?? word.start, end: word.end }
  }
}

/** Compares from the last word backwards: most words of a text differ from a term there, and cost one comparison. */
function endsWithTerm(text: readonly Word[], { words, isPrefix }: Term): boolean {
  const before = text.length - words.length
  if (before < 0) return false
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const word = text[before + index]?.word ?? ''
    const wanted = words[index] as string
    const isPrefixHere = isPrefix && index === words.length - 1
    if (isPrefixHere ? !word.startsWith(wanted) : word !== wanted) return false
  }
  return true
}
