import type { Piece } from './hits.ts'

/**
 * The marks of Markdown in a text whose line breaks are gone. Each is removed, or replaced by a space. Only the first of
 * several blanks or dashes begins a mark, so that none is searched for from each of them.
 */
const MARKS = new RegExp(
  [
    /```[\w+-]*\s?/, // a fence, with the language
    /`+/,
    /(?<=^|\s|…)#{1,6}\s+/, // a heading
    /(?<=(?:^|[.:!?…])\s?)>\s+/, // a quote
    /(?:\||(?<![\s:-]))(?:\s*:?-{2,}:?\s*\|)+(?:\s*:?-{2,}:?)?\s*/, // the line below a table's head
    /(?:(?<!\s)\s+)?\|\s*/, // the border of a table's cell
    /!?\[(?=[^\][]*\]\([^()\s]*\))/, // the start of a link
    /\]\([^()\s]*\)/, // the end of a link
    /\*\*|~~/,
    /(?<!\w)__(?=\S)|(?<=\S)__(?!\w)/,
    /(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])/, // emphasis, but not a multiplication
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/**
 * Returns a search result's text without its Markdown, in pieces that match and pieces that don't.
 *
 * @param hits the ranges of the matches in `source`, in UTF-16 code units
 */
export function plainPieces(source: string, hits: readonly { start: number; end: number }[]): Piece[] {
  const pieces: Piece[] = []
  /** The last character of the pieces. Reading it from a growing string would copy the string. */
  let ending: string | undefined
  const add = (text: string, isHit: boolean) => {
    ending = text
    const last = pieces.at(-1)
    if (last?.isHit === isHit) last.text += text
    else pieces.push({ text, isHit })
  }
  const isHit = (at: number) => hits.some(({ start, end }) => start <= at && at < end)
  let begin = 0
  const keepUntil = (end: number) => {
    for (let at = begin; at < end; at += 1) add(source.charAt(at), isHit(at))
  }
  for (const { 0: mark, index } of source.matchAll(MARKS)) {
    keepUntil(index)
    if (mark.includes('|') && ending !== undefined && ending !== ' ') add(' ', false)
    begin = index + mark.length
  }
  keepUntil(source.length)
  return pieces
}
