import type { Piece } from '../../markdown/hits.ts'

export interface Sought {
  words: readonly string[]
  phrases: readonly string[]
  prefixes: readonly string[]
}

/** Scripts that are written without spaces. Each character is a word (server/platform/retrieval/words.ts). */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]\p{M}*|[\p{L}\p{N}\p{M}]+/gu
/**
 * Minimum length of a word to highlight. Shorter words are mostly stop words, such as "the". If the query has only
 * shorter words, they are highlighted.
 */
const TELLING_CHARACTERS_MIN = 4
/**
 * Two words count as forms of the same word if they share at least this many letters at the start, and their lengths
 * differ by at most ENDING_CHARACTERS_MAX.
 */
const STEM_CHARACTERS_MIN = 4
const ENDING_CHARACTERS_MAX = 4

/**
 * Splits a passage into pieces that match the query and pieces that don't. Words match if they differ only in a short
 * ending, which approximates the server's stemming.
 */
export function markHits(text: string, sought: Sought): Piece[] {
  const words = tellingWords(sought)
  const prefixes = sought.prefixes.map(fold)
  const isHit = (word: string): boolean => {
    const folded = fold(word)
    return words.some((one) => isFormOf(folded, one)) || prefixes.some((prefix) => folded.startsWith(prefix))
  }
  const pieces: Piece[] = []
  const add = (piece: string, is: boolean): void => {
    const last = pieces.at(-1)
    if (last?.isHit === is) last.text += piece
    else if (piece !== '') pieces.push({ text: piece, isHit: is })
  }
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    add(text.slice(end, index), false)
    add(word, isHit(word))
    end = index + word.length
  }
  add(text.slice(end), false)
  return pieces
}

function tellingWords({ words, phrases }: Sought): string[] {
  const all = [...new Set([...words, ...phrases.flatMap((phrase) => phrase.split(' '))].map(fold))]
  const telling = all.filter(
    (word) => word.length >= TELLING_CHARACTERS_MIN || /\p{N}/u.test(word) || UNSPACED.test(word),
  )
  return telling.length > 0 ? telling : all
}

function isFormOf(a: string, b: string): boolean {
  if (a === b) return true
  const shorter = Math.min(a.length, b.length)
  if (shorter < STEM_CHARACTERS_MIN || Math.abs(a.length - b.length) > ENDING_CHARACTERS_MAX) return false
  let same = 0
  while (same < shorter && a[same] === b[same]) same += 1
  return same >= Math.max(STEM_CHARACTERS_MIN, shorter - 1)
}

const fold = (word: string): string => word.normalize('NFKC').toLowerCase()
