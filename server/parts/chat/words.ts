import { createHash } from 'node:crypto'

/*
 * What counts as a word in search, for the index, for queries and for highlights alike. It is decided here and not by
 * PostgreSQL's parser, which follows the locale of the database: in a cluster of locale C, such as the embedded one,
 * it neither finds the lower case of Ü nor takes a typographic quote or a Chinese comma for the end of a word.
 */

export interface Word {
  word: string
  /** Where it stands in the text, in UTF-16 units; the end is exclusive. */
  start: number
  end: number
}

/** No more of a text than this is indexed. */
export const INDEXED_CHARACTERS_MAX = 200_000
/** Of longer words this much counts. */
const WORD_CHARACTERS_MAX = 100
/** A tsvector holds 1 MB of words with their places (PostgreSQL, "Limitations" of text search). */
const VECTOR_BYTES_MAX = 1_000_000
/** What a word takes beside its letters: alignment, and the number of its places. */
const WORD_BYTES = 4
const PLACE_BYTES = 2
/** The bounds of a tsvector: no place is higher, and no word has more of them. */
const PLACE_MAX = 16_383
const PLACES_MAX = 255
const MARK_CHARACTERS = 6

/**
 * Letters, digits and their marks in a row are a word. In scripts that are written without spaces each character is
 * one, and a row of them is looked for as a phrase.
 */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+/gv
const ASCII = /^[\0-\x7f]*$/

/** The words of a text in their order, in lower case and in one Unicode form (NFKC). */
export function* wordsIn(text: string): Generator<Word> {
  for (const match of text.matchAll(WORD))
    yield { word: normal(match[0]), start: match.index, end: match.index + match[0].length }
}

function normal(word: string): string {
  const cut = word.length > WORD_CHARACTERS_MAX ? word.slice(0, WORD_CHARACTERS_MAX).toWellFormed() : word
  return ASCII.test(cut) ? cut.toLowerCase() : cut.normalize('NFKC').toLowerCase()
}

/**
 * A mark that stands before each word of one user in one organization, in the index and in queries. It keeps the
 * words of users apart from each other in the index; who may see what is held by the columns, not by the mark.
 */
export const ownerMark = (owner: { organizationId: string; userId: string }): string =>
  createHash('sha256')
    .update(`${owner.organizationId} ${owner.userId}`)
    .digest('base64url')
    .slice(0, MARK_CHARACTERS)

/** A word as tsvector and tsquery read it. */
export const quoteWord = (mark: string, word: string): string =>
  `'${mark}${word.replaceAll(/['\\]/g, '$&$&')}'`

/** The text of a tsvector with the words of `text`, within the bounds of one: what is beyond them is left out. */
export function toVector(mark: string, text: string): string {
  const places = new Map<string, number[]>()
  let place = 0
  let bytes = 0
  for (const { word } of wordsIn(text)) {
    place += 1
    const known = places.get(word)
    if (known && (place > PLACE_MAX || known.length === PLACES_MAX)) continue
    const more = PLACE_BYTES + (known ? 0 : WORD_BYTES + MARK_CHARACTERS + Buffer.byteLength(word))
    if (bytes + more > VECTOR_BYTES_MAX) continue
    bytes += more
    if (known) known.push(place)
    else places.set(word, [Math.min(place, PLACE_MAX)])
  }
  return [...places].map(([word, at]) => `${quoteWord(mark, word)}:${at.join(',')}`).join(' ')
}
