/*
 * Defines a word for search: in indexes, queries and highlights. PostgreSQL's parser is not used, because it depends
 * on the database's locale. In locale C, as in the embedded PostgreSQL, the parser doesn't lowercase Ü and doesn't
 * end words at typographic quotes or Chinese commas.
 */

export interface Word {
  word: string
  /** Position in the text, in UTF-16 code units. `end` is exclusive. */
  start: number
  end: number
  /** True for the words before it as one word: they are separated only by characters that have no width. */
  isJoined: boolean
}

/** Maximum length of a word. Longer words are truncated. */
export const WORD_CHARACTERS_MAX = 100
/** Maximum characters of a word that are read, with those that are not part of it. */
const READ_CHARACTERS_MAX = 4 * WORD_CHARACTERS_MAX

/** Scripts written without spaces, as part of a regular expression's character class. */
export const UNSPACED_SCRIPTS =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}'

/**
 * Characters that change the layout or the look of a word, but not the word: soft hyphens, joiners, marks of direction
 * and variation selectors.
 */
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u180b-\\u180f\\u200d-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\u{e0000}-\\u{e01ef}'
/** Characters without width that separate the parts of a word in some scripts, and words in others. */
const SOFT = '\\u200b\\u200c'
/** Letters, digits and marks, except those of scripts without spaces. */
const LETTER = `[[\\p{L}\\p{N}\\p{M}]--[${UNSPACED_SCRIPTS}${INVISIBLE}]]`
/** Pictographs that readers know as emoji, without the signs for copyright and trademarks, arrows and bullets. */
const EMOJI =
  '[[\\p{Emoji_Presentation}[\\p{Extended_Pictographic}&&[\\u2600-\\u27bf\\u{1f000}-\\u{1ffff}]]]--[\\p{Regional_Indicator}\\p{Emoji_Modifier}]]'

/**
 * A word is a run of letters, digits and marks. In scripts without spaces, each character is a word, and a run of
 * characters is searched as a phrase. An emoji is a word, whatever its skin tone; so is a flag.
 */
const WORD = new RegExp(
  `[${UNSPACED_SCRIPTS}][\\p{M}\\uff9e\\uff9f${INVISIBLE}]*|${LETTER}+(?:[${INVISIBLE}]+${LETTER}+)*` +
    `|\\p{Regional_Indicator}{2}|${EMOJI}[\\p{Emoji_Modifier}\\ufe0e\\ufe0f]*`,
  'vy',
)
/** Words that are separated only by characters without width. */
const JOINED = new RegExp(`[${LETTER}${INVISIBLE}${SOFT}]+`, 'vy')
const UNSEEN = new RegExp(`[${INVISIBLE}${SOFT}\\p{Emoji_Modifier}]+`, 'gv')
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'v')

/** Yields a text's words in order, lowercase and in Unicode form NFKC. */
export function* wordsIn(text: string): Generator<Word> {
  const scanner = new WordScanner(text)
  while (scanner.next())
    yield { word: scanner.word(), start: scanner.start, end: scanner.end, isJoined: scanner.isJoined }
}

/** Returns the same words as `wordsIn`, without positions. Faster for long texts. */
export function listWords(text: string): string[] {
  const words: string[] = []
  const scanner = new WordScanner(text)
  while (scanner.next()) words.push(scanner.word())
  return words
}

/** Returns true if a word is a character of a script without spaces. */
export const isUnspaced = (word: string): boolean => word.charCodeAt(0) > ASCII_MAX && UNSPACED.test(word)

const ASCII_MAX = 0x7f
/** Maps each ASCII code to 1 for letters and digits, and to 0 for separators. */
const ASCII_WORD = Uint8Array.from({ length: ASCII_MAX + 1 }, (_, code) =>
  /[a-z0-9]/i.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Finds the same words as WORD. Scans ASCII words letter by letter, which takes a third of the time. */
class WordScanner {
  start = 0
  end = 0
  isJoined = false
  readonly #text: string
  #isAscii = true
  /** The words of `#text` from `#joinedStart` to `#joinedEnd` as one word, until it is found. */
  #joined: string | null = null
  #joinedStart = 0
  #joinedEnd = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Moves to the next word. Returns false at the end of the text. */
  next(): boolean {
    const text = this.#text
    if (this.#joined !== null && this.end >= this.#joinedEnd) return this.#takeJoined()
    this.isJoined = false
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
    if (isSoft(this.#text.charCodeAt(this.end)) && start >= this.#joinedEnd) this.#findJoined()
    return true
  }

  #findJoined(): void {
    JOINED.lastIndex = this.start
    if (!JOINED.test(this.#text)) return
    let end = JOINED.lastIndex
    while (this.#isUnseen(end - 1)) end--
    this.#joinedEnd = end
    if (end <= this.end) return
    this.#joined = this.#text.slice(this.start, Math.min(end, this.start + READ_CHARACTERS_MAX))
    this.#joinedStart = this.start
  }

  #isUnseen(at: number): boolean {
    UNSEEN.lastIndex = 0
    return UNSEEN.test(this.#text.charAt(at))
  }

  #takeJoined(): boolean {
    this.start = this.#joinedStart
    this.end = this.#joinedEnd
    this.isJoined = true
    this.#isAscii = false
    return true
  }

  /** Returns the current word, normalized and truncated. */
  word(): string {
    const word = this.#text.slice(this.start, Math.min(this.end, this.start + READ_CHARACTERS_MAX))
    if (this.isJoined) this.#joined = null
    if (this.#isAscii || isInert(word)) return cutWord(word).toLowerCase()
    return cutWord(cutWord(word.replace(UNSEEN, '')).normalize('NFKC').toLowerCase())
  }
}

const isSoft = (code: number): boolean => code === 0x200b || code === 0x200c
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

/** Truncates a word. Also applied after normalization, which expands some characters to whole sentences (U+FDFA). */
const cutWord = (word: string): string =>
  word.length > WORD_CHARACTERS_MAX || !word.isWellFormed()
    ? word.slice(0, WORD_CHARACTERS_MAX).toWellFormed()
    : word

/**
 * Letters that NFKC leaves unchanged, alone or in sequence, and whose lowercase form has the same length: Latin,
 * Greek, Cyrillic and CJK without marks.
 */
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
