import { setImmediate } from 'node:timers/promises'
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { threads } from '../threads/threads.ts'

/** Maximum characters in the cache of word counts: about 70,000 words. */
const KNOWN_CHARACTERS_MAX = 500_000
/**
 * Maximum characters that are tokenized. The tokenizer takes about a second per megabyte, so the count of a longer
 * string is extrapolated.
 */
const COUNTED_CHARACTERS_MAX = 400_000
/**
 * Characters counted between yields to the event loop: about 5 ms. Counting in pieces changes the result by less than
 * 1%.
 */
const PIECE_CHARACTERS = 5_000
/** A longer string is counted in a thread. */
const COUNTED_HERE_CHARACTERS_MAX = 50_000
/**
 * Maximum length of a word. A longer one, such as repeated `/` and line ends, is counted in pieces, because the
 * tokenizer takes quadratic time for a word.
 */
const WORD_CHARACTERS_MAX = 256
/**
 * Maximum length of a run of letters, punctuation or whitespace. Longer runs are split, because the tokenizer takes
 * quadratic time for a run.
 */
const RUN_CHARACTERS_MAX = 32
const LONG_RUN = new RegExp(
  ['[\\p{L}\\p{M}]', '[^\\s\\p{L}\\p{N}]', '\\s']
    .map((sign) => `${sign}{${RUN_CHARACTERS_MAX + 1},}`)
    .join('|'),
  'gu',
)

/**
 * Counts the tokens of a string in the o200k encoding. Used before a request, and if the provider reports no usage.
 * Other models' counts differ by a few percent. The encoding's tables are large and are loaded on first use.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0
  const counted = text.slice(0, COUNTED_CHARACTERS_MAX)
  const tokens = await (counted.length > COUNTED_HERE_CHARACTERS_MAX
    ? // A reply is charged even if all threads are busy.
      threads.run('countPieces', counted).catch(() => countPieces(counted))
    : countPieces(counted))
  return Math.ceil((tokens * text.length) / counted.length)
}

/** Counts the tokens of a string in pieces. Returns to the event loop between them. */
export async function countPieces(text: string): Promise<number> {
  const count = await loadTokenCounter()
  let tokens = 0
  for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
    if (from > 0) await setImmediate()
    tokens += count(text.slice(from, from + PIECE_CHARACTERS))
  }
  return tokens
}

/**
 * Returns a synchronous token counter for many short strings. Counting a megabyte of ASCII takes about 40 ms if its
 * words are cached. Other scripts and uncached words take up to a second per megabyte.
 */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/o200k_base')
  // Disable the tokenizer's own cache. Its keys are slices, each of which keeps the whole string in memory.
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

/**
 * Returns true if the string may contain a run longer than RUN_CHARACTERS_MAX. This check avoids searching with
 * LONG_RUN, which is much slower than counting. A non-ASCII character is assumed to belong to every kind.
 */
function mayHoldLongRun(text: string): boolean {
  const isOf = (kind: number, at: number): boolean => {
    const code = text.charCodeAt(at)
    return code >= ASCII_KINDS.length || ASCII_KINDS[code] === kind
  }
  // Every run that is too long covers at least one of the positions that this loop visits.
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

/** Kinds of ASCII characters. ASCII_KINDS maps each character code to an index in this list. */
const KINDS = [/[A-Za-z]/, /[^\sA-Za-z0-9]/, /\s/, /[0-9]/]
const ASCII_KINDS = Uint8Array.from({ length: 128 }, (_, code) =>
  KINDS.findIndex((kind) => kind.test(String.fromCharCode(code))),
)
const RUN_KINDS = [0, 1, 2]

/**
 * The tokenizer splits a string into words with this pattern and tokenizes each word separately. Every character
 * belongs to a word.
 */
const WORD = new RegExp(O200K_TOKEN_SPLIT_REGEX.source, 'uy')
/**
 * ASCII version of WORD, three times as fast. Finds the same word as WORD if the character after the word is ASCII or
 * the string ends there.
 */
const ASCII_WORD = new RegExp(
  `(?=[\\0-\\x7f])(?:${O200K_TOKEN_SPLIT_REGEX.source
    .replaceAll('\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}', 'A-Z')
    .replaceAll('\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}', 'a-z')
    .replaceAll('[^\\r\\n\\p{L}', '[^\\r\\nA-Za-z\\x80-\\uffff')
    .replaceAll('[^\\s\\p{L}', '[^\\sA-Za-z\\x80-\\uffff')
    .replaceAll('\\p{N}', '\\d')})`,
  'y',
)

/** Cache of token counts by word. */
const known = new Map<string, number>()
let knownCharacters = 0

function countWords(text: string, count: (text: string) => number): number {
  // The tokenizer recognizes a special token only at the start of a string, so such a start is not split into words.
  const whole = text.startsWith('<|') ? Math.min(text.length, WORD_CHARACTERS_MAX) : 0
  let tokens = whole === 0 ? 0 : count(text.slice(0, whole))
  for (let start = whole; start < text.length; ) {
    const end = endOfWord(text, start)
    while (start < end) {
      const word = text.slice(start, Math.min(end, start + WORD_CHARACTERS_MAX))
      tokens += known.get(word) ?? learn(word, count(word))
      start += word.length
    }
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
  // Copy the word, because a slice would keep the whole string in memory.
  known.set(Buffer.from(word, 'utf16le').toString('utf16le'), tokens)
  return tokens
}
