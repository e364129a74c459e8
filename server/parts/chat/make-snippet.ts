import { findTerms, type SearchQuery } from './search-query.ts'

export interface Snippet {
  snippet: string
  /** Ranges of matches within the snippet, in UTF-16 code units. Ordered and non-overlapping. */
  highlights: { start: number; end: number }[]
}

const SNIPPET_CHARACTERS = 200
/** Maximum number of the snippet's characters before the first match. */
const CHARACTERS_BEFORE = 60
const ELLIPSIS = '…'

/** Returns the part of a text around the first match, with collapsed whitespace. */
export function makeSnippet(text: string, query: SearchQuery): Snippet {
  const { value: first = { start: 0, end: 0 } } = findTerms(text, query).next()
  const from = cutBefore(text, first.start)
  const to = cutAfter(text, from, first.end)
  // A byte order mark within a word is no whitespace.
  const part = text
    .slice(from, to)
    .replace(/[\s--\ufeff]+/gv, ' ')
    .trim()
  const snippet = `${from > 0 ? ELLIPSIS : ''}${part}${to < text.length ? ELLIPSIS : ''}`
  return { snippet, highlights: joined([...findTerms(snippet, query)]) }
}

/** Returns the start of the snippet: after a space if possible, otherwise at a character boundary. */
function cutBefore(text: string, first: number): number {
  const from = first - CHARACTERS_BEFORE
  if (from <= 0) return 0
  const space = text.slice(from, first).search(/\s/)
  return space === -1 ? betweenCharacters(text, from) : from + space + 1
}

function cutAfter(text: string, from: number, foundEnd: number): number {
  const to = from + SNIPPET_CHARACTERS
  if (to >= text.length) return text.length
  const space = text.slice(foundEnd, to).search(/\s\S*$/)
  return space === -1 ? betweenCharacters(text, to) : foundEnd + space
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const betweenCharacters = (text: string, at: number): number =>
  isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at

function joined(found: { start: number; end: number }[]): { start: number; end: number }[] {
  const apart: { start: number; end: number }[] = []
  for (const { start, end } of found.sort((a, b) => a.start - b.start)) {
    const before = apart.at(-1)
    if (before && start < before.end) before.end = Math.max(before.end, end)
    else apart.push({ start, end })
  }
  return apart
}
