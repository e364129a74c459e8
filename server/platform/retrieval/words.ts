/*
 * What counts as a word in search, for indexes, for queries and for highlights alike. It is decided here and not by
 * PostgreSQL's parser, which follows the locale of the database: in a cluster of locale C, such as the embedded one,
 * it neither finds the lower case of Ü nor takes a typographic quote or a Chinese comma for the end of a word.
 */

export interface Word {
  word: string
  /** Where it stands in the text, in UTF-16 units; the end is exclusive. */
  start: number
  end: number
}

/** Of longer words this much counts. */
export const WORD_CHARACTERS_MAX = 100

/** Scripts that are written without spaces, as they stand in a class of a regular expression. */
export const UNSPACED_SCRIPTS =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'

/**
 * Letters, digits and their marks in a row are a word. In scripts that are written without spaces each character is
 * one, and a row of them is looked for as a phrase.
 */
const WORD = new RegExp(`[${UNSPACED_SCRIPTS}]\\p{M}*|[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED_SCRIPTS}]]+`, 'vy')
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'v')

/** The words of a text in their order, in lower case and in one Unicode form (NFKC). */
export function* wordsIn(text: string): Generator<Word> {
  const scanner = new WordScanner(text)
  while (scanner.next()) yield { word: scanner.word(), start: scanner.start, end: scanner.end }
}

/** The same words without their places, for much text. */
export function listWords(text: string): string[] {
  const words: string[] = []
  const scanner = new WordScanner(text)
  while (scanner.next()) words.push(scanner.word())
  return words
}

/** Whether a word is a character of a script that is written without spaces. */
export const isUnspaced = (word: string): boolean => word.charCodeAt(0) > ASCII_MAX && UNSPACED.test(word)

const ASCII_MAX = 0x7f
/** By ASCII character: 1 for letters and digits, of which words are; 0 for what parts them. */
const ASCII_WORD = Uint8Array.from({ length: ASCII_MAX + 1 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Finds what WORD finds. Most words of most texts are ASCII: a look at each letter finds those in a third of the time. */
class WordScanner {
  start = 0
  end = 0
  readonly #text: string
  #isAscii = true

  constructor(text: string) {
    this.#text = text
  }

  /** Goes to the next word; false where there is none. */
  next(): boolean {
    const text = this.#text
    let at = this.end
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code > ASCII_MAX) {
        if (this.#match(at)) return true
        at += isSurrogate(code) && (text.codePointAt(at) as number) > 0xffff ? 2 : 1
      } else if (ASCII_WORD[code] === 0) at++
      else return this.#takeAscii(at)
    }
    return false
  }

  #takeAscii(start: number): boolean {
    const text = this.#text
    let at = start + 1
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > ASCII_MAX) return this.#match(start)
      if (ASCII_WORD[code] === 0) break
    }
    this.start = start
    this.end = at
    this.#isAscii = true
    return true
  }

  #match(start: number): boolean {
    WORD.lastIndex = start
    if (!WORD.test(this.#text)) return false
    this.start = start
    this.end = WORD.lastIndex
    this.#isAscii = false
    return true
  }

  /** The word where the scanner is, in its normal form. */
  word(): string {
    const word = this.#text.slice(this.start, this.end)
    const cut = word.length > WORD_CHARACTERS_MAX ? cutWord(word) : word
    if (this.#isAscii || isInert(cut)) return cut.toLowerCase()
    return cutWord(cut.normalize('NFKC').toLowerCase())
  }
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Also after it is normal: some letters are whole sentences then (U+FDFA). */
const cutWord = (word: string): string => word.slice(0, WORD_CHARACTERS_MAX).toWellFormed()

/** Letters that NFKC and lower case leave as many, also beside each other: of Latin, Greek, Cyrillic and CJK, without marks. */
const IS_INERT = new Uint8Array(0x10000)
for (const [first, last] of [
  [0x00, 0x7f],
  [0xc0, 0x12f],
  [0x134, 0x13e],
  [0x141, 0x148],
  [0x14a, 0x17e],
  [0x391, 0x3ce],
  [0x400, 0x481],
  [0x48a, 0x52f],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x9fff],
] as const)
  IS_INERT.fill(1, first, last + 1)

function isInert(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (IS_INERT[word.charCodeAt(at)] === 0) return false
  return true
}
