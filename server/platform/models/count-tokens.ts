import { setImmediate } from 'node:timers/promises'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'

/** As many characters of words are kept with their tokens, which is 70,000 words: a text says most of its words again and again. */
const KNOWN_CHARACTERS_MAX = 500_000
/** Texts longer than this are counted in part and scaled: the tokenizer takes a second for each megabyte. */
const COUNTED_CHARACTERS_MAX = 400_000
/** After so many, others have their turn. That tokens are cut where two pieces meet makes less than a per cent. */
const TURN_CHARACTERS = 20_000
/** The tokenizer takes quadratic time for a run of letters, of signs or of blanks: longer ones are counted in pieces. */
const RUN_CHARACTERS_MAX = 32
const LONG_RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '\\s']
    .map((sign) => `${sign}{${RUN_CHARACTERS_MAX + 1},}`)
    .join('|'),
  'gu',
)

/**
 * Tokens of a text by the o200k encoding, for where a provider tells no usage, or before one is asked. Other models
 * differ by some per cent. The tables of the encoding are large, so they are loaded when first needed.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const count = await loadTokenCounter()
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  let tokens = 0
  for (let from = 0; from < counted.length; from += TURN_CHARACTERS) {
    if (from > 0) await setImmediate()
    tokens += count(counted.slice(from, from + TURN_CHARACTERS))
  }
  return Math.ceil((tokens * text.length) / counted.length)
}

/**
 * The same count for many short texts: a megabyte of ASCII takes some 40 ms once its words are known. New words, and
 * other scripts, take up to a second.
 */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
  // Its own cache would keep the texts that its words were found in.
  setMergeCacheSize(0)
  const count = (text: string): number => countTokens(text, { allowedSpecial: 'all' })
  return (text) => {
    if (!mayHoldLongRun(text)) return countWords(text, count)
    let tokens = 0
    let counted = 0
    for (const { 0: run, index } of text.matchAll(LONG_RUN)) {
      if (index > counted) tokens += countWords(text.slice(counted, index), count)
      for (let start = 0; start < run.length; start += RUN_CHARACTERS_MAX)
        tokens += countWords(run.slice(start, start + RUN_CHARACTERS_MAX), count)
      counted = index + run.length
    }
    return tokens + (counted < text.length ? countWords(text.slice(counted), count) : 0)
  }
}

/** Whether to look for LONG_RUN, which takes far longer than counting. What is not ASCII may be of any kind. */
function mayHoldLongRun(text: string): boolean {
  const isOf = (kind: number, at: number): boolean => {
    const code = text.charCodeAt(at)
    return code >= ASCII_KINDS.length || ASCII_KINDS[code] === kind
  }
  // A run that is too long goes over one of these places.
  for (let at = RUN_CHARACTERS_MAX; at < text.length; at += RUN_CHARACTERS_MAX + 1)
    for (const kind of RUN_KINDS) {
      if (!isOf(kind, at)) continue
      let start = at
      while (start > 0 && at - start < RUN_CHARACTERS_MAX && isOf(kind, start - 1)) start -= 1
      let end = at + 1
      while (end < text.length && end - start <= RUN_CHARACTERS_MAX && isOf(kind, end)) end += 1
      if (end - start > RUN_CHARACTERS_MAX) return true
    }
  return false
}

/** The place in this list of what each sign of ASCII is. */
const KINDS = [/[A-Za-z]/, /[^\sA-Za-z0-9]/, /\s/, /[0-9]/]
const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  KINDS.findIndex((kind) => kind.test(String.fromCharCode(code))),
)
const RUN_KINDS = [0, 1, 2]

/** The tokenizer parts a text into words by this and counts each by itself. Every sign is in one of them. */
const WORD = new RegExp(O200K_TOKEN_SPLIT_REGEX.source, 'uy')
/** The same for words of ASCII, three times as fast: it finds what WORD does, if another sign of ASCII or none follows. */
const ASCII_WORD = new RegExp(
  `(?=[\\0-\\x7f])(?:${O200K_TOKEN_SPLIT_REGEX.source
    .replaceAll('\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}', 'A-Z')
    .replaceAll('\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}', 'a-z')
    .replaceAll('[^\\r\\n\\p{L}', '[^\\r\\nA-Za-z\\x80-\\uffff')
    .replaceAll('[^\\s\\p{L}', '[^\\sA-Za-z\\x80-\\uffff')
    .replaceAll('\\p{N}', '\\d')})`,
  'y',
)

/** The tokens of words that were counted. */
const known = new Map<string, number>()
let knownCharacters = 0

function countWords(text: string, count: (text: string) => number): number {
  // A special token is one only at the beginning.
  if (text.startsWith('<|')) return count(text)
  let tokens = 0
  for (let start = 0; start < text.length; ) {
    const end = endOfWord(text, start)
    const word = text.slice(start, end)
    tokens += known.get(word) ?? learn(word, count(word))
    start = end
  }
  return tokens
}

function endOfWord(text: string, start: number): number {
  ASCII_WORD.lastIndex = start
  if (ASCII_WORD.test(text) && !(text.charCodeAt(ASCII_WORD.lastIndex) > 0x7f)) return ASCII_WORD.lastIndex
  WORD.lastIndex = start
  WORD.test(text)
  return WORD.lastIndex
}

function learn(word: string, tokens: number): number {
  knownCharacters += word.length
  if (knownCharacters > KNOWN_CHARACTERS_MAX) {
    known.clear()
    knownCharacters = word.length
  }
  // A copy, because a part of a text would keep all of it.
  known.set(Buffer.from(word, 'utf16le').toString('utf16le'), tokens)
  return tokens
}
