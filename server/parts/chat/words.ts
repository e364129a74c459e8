import { createHash } from 'node:crypto'
import { foldWord } from '#platform/retrieval/word-variants.ts'
import { wordsIn } from '#platform/retrieval/words.ts'

/** Maximum number of indexed characters per text. @limit searchable text of a message */
export const INDEXED_CHARACTERS_MAX = 200_000
/** A tsvector holds at most 1 MB of words and positions (PostgreSQL, limitations of text search). */
const VECTOR_BYTES_MAX = 1_000_000
/** Size of a word without its letters (alignment, number of positions) and of a position, in bytes. */
const WORD_BYTES = 4
const POSITION_BYTES = 2
/** Limits of a tsvector: the highest position, and the number of positions per word. */
const POSITION_MAX = 16_383
const POSITIONS_MAX = 255
const MARK_CHARACTERS = 6

/**
 * Returns a prefix for the indexed and searched words of one user in one organization. The prefix makes searches
 * fast, because words of other users never match. Access control relies on the owner columns instead.
 */
export const ownerMark = (owner: { organizationId: string; userId: string }): string =>
  createHash('sha256')
    .update(`${owner.organizationId} ${owner.userId}`)
    .digest('base64url')
    .slice(0, MARK_CHARACTERS)

/** Quotes a word with its prefix, for a tsvector or tsquery. */
export const quoteWord = (mark: string, word: string): string =>
  `'${mark}${word.replaceAll(/['\\]/g, '$&$&')}'`

/**
 * Formats the words of a text as a tsvector. A word with accents is at its position without them, too. Omits words beyond
 * the limits of a tsvector.
 */
export function toVector(mark: string, text: string): string {
  const positions = new Map<string, number[]>()
  let position = 0
  let bytes = 0
  const add = (word: string): void => {
    const known = positions.get(word)
    if (known && (position > POSITION_MAX || known.length === POSITIONS_MAX)) return
    const more = POSITION_BYTES + (known ? 0 : WORD_BYTES + MARK_CHARACTERS + Buffer.byteLength(word))
    if (bytes + more > VECTOR_BYTES_MAX) return
    bytes += more
    if (known) known.push(position)
    else positions.set(word, [Math.min(position, POSITION_MAX)])
  }
  for (const { word, isJoined } of wordsIn(text)) {
    // A joined word stands where its last part is, so that the words after it follow it.
    if (!isJoined) position += 1
    add(word)
    const folded = foldWord(word)
    if (folded !== word) add(folded)
  }
  return [...positions].map(([word, at]) => `${quoteWord(mark, word)}:${at.join(',')}`).join(' ')
}
