import type { FoundEncoding } from './text-encoding.ts'

/** Maximum length of extracted text, in UTF-16 code units. @limit text of a document */
export const TEXT_CHARACTERS_MAX = 2_000_000

export interface ExtractedText {
  text: string
  /** True if the text was truncated. */
  isCut: boolean
  /** The encoding of the file, if it was chosen or guessed. Absent for Unicode and for files that state it. */
  encoding?: FoundEncoding
}

/** Collects a file's text piece by piece, up to TEXT_CHARACTERS_MAX. */
export interface BoundedText {
  /** True once the limit is exceeded, so that the reader can stop. */
  readonly isFull: boolean
  add(piece: string): void
  /**
   * Returns the text as well-formed Unicode without NUL and soft hyphens, with \n line endings. Truncates it between
   * characters.
   */
  finish(): ExtractedText
}

export function createBoundedText(): BoundedText {
  const pieces: string[] = []
  let length = 0
  return {
    get isFull() {
      return length > TEXT_CHARACTERS_MAX
    },
    add(piece) {
      if (length > TEXT_CHARACTERS_MAX) return
      pieces.push(piece.slice(0, TEXT_CHARACTERS_MAX + 1 - length))
      length += piece.length
    },
    finish() {
      const all = pieces.join('')
      const text = length > TEXT_CHARACTERS_MAX ? cutBetweenCharacters(all) : all
      return { text: cleanText(text), isCut: length > TEXT_CHARACTERS_MAX }
    },
  }
}

function cutBetweenCharacters(text: string): string {
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(TEXT_CHARACTERS_MAX - 1))
  return text.slice(0, isInPair ? TEXT_CHARACTERS_MAX - 1 : TEXT_CHARACTERS_MAX)
}

/** A soft hyphen, which is only visible at the end of a line. There, the word continues in the next line. */
const SOFT_HYPHEN = /\u00ad(?:[ \t]{0,8}\n[ \t]{0,8})?/g

/** Returns well-formed Unicode without NUL and soft hyphens, with \n line endings. */
export const cleanText = (text: string): string =>
  text.replaceAll('\0', '').replace(/\r\n?/g, '\n').replace(SOFT_HYPHEN, '').toWellFormed()
