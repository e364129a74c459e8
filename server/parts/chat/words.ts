import { createHash } from 'node:crypto'
import { wordsIn } from '#platform/retrieval/words.ts'

/** No more of a text than this is indexed. */
export const INDEXED_CHARACTERS_MAX = 200_000
/** A tsvector holds 1 MB of words with their places (PostgreSQL, "Limitations" of text search). */
const VECTOR_BYTES_MAX = 1_000_000
/** What a word takes beside its letters: alignment, and the number of its places. */
const WORD_BYTES = 4
const POSITION_BYTES = 2
/** The bounds of a tsvector: no place is higher, and no word has more of them. */
const POSITION_MAX = 16_383
const POSITIONS_MAX = 255
const MARK_CHARACTERS = 6

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
  const positions = new Map<string, number[]>()
  let position = 0
  let bytes = 0
  for (const { word } of wordsIn(text)) {
    position += 1
    const known = positions.get(word)
    if (known && (position > POSITION_MAX || known.length === POSITIONS_MAX)) continue
    const more = POSITION_BYTES + (known ? 0 : WORD_BYTES + MARK_CHARACTERS + Buffer.byteLength(word))
    if (bytes + more > VECTOR_BYTES_MAX) continue
    bytes += more
    if (known) known.push(position)
    else positions.set(word, [Math.min(position, POSITION_MAX)])
  }
  return [...positions].map(([word, at]) => `${quoteWord(mark, word)}:${at.join(',')}`).join(' ')
}
