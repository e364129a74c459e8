import { setImmediate as turn } from 'node:timers/promises'
import { FUNCTION_WORDS } from '../retrieval/function-words.ts'
import { fnv1a } from '../retrieval/hash.ts'
import { UNSPACED_SCRIPTS } from '../retrieval/words.ts'

/** Number of dimensions of the built-in embedding. */
export const LOCAL_DIMENSIONS = 384
/** Yields to the event loop between two strings after this many milliseconds. */
const STEP_MS = 8
/** Maximum characters that are embedded. Longer strings are truncated; chunks and queries are far shorter. */
const CHARACTERS_MAX = 20_000
const WORD_CHARACTERS_MAX = 40
/** Maximum words in the cache of word features. */
const KNOWN_WORDS_MAX = 40_000

/*
 * Weights of the kinds of features, and the number of dimensions per feature. The values were tuned on half of the
 * questions in local-embedding.test.ts; nearby values perform about as well. Extra weights for frequent words or long
 * words did not help.
 */
const FUNCTION_WORD_WEIGHT = 0.02
const PAIR_WEIGHT = 0.1
const GRAMS_WEIGHT = 0.7
const GRAM_LETTERS = 4
const DIMENSIONS_PER_FEATURE = 2

/**
 * Embeds strings without a model, an API key or a download. The vectors capture words, not meaning: two strings are
 * similar if they share words, inflected forms or misspellings.
 *
 * A string's features are hashed to signed dimensions (Weinberger et al., "Feature Hashing for Large Scale Multitask
 * Learning", 2009). Features are words (NFKC, lowercase, lightly stemmed), pairs of neighboring words, and character
 * 4-grams. Each feature is weighted by 1 + log(frequency).
 *
 * A vector has length 1, or 0 if the string has no words, and is the same on every machine. Rejects with the signal's
 * reason on abort.
 */
export async function embedLocally(texts: string[], signal: AbortSignal): Promise<Float32Array[]> {
  signal.throwIfAborted()
  const vectors: Float32Array[] = []
  let due = performance.now() + STEP_MS
  for (const text of texts) {
    vectors.push(embedText(text))
    if (performance.now() < due) continue
    await turn()
    signal.throwIfAborted()
    due = performance.now() + STEP_MS
  }
  return vectors
}

function embedText(text: string): Float32Array {
  // Clear the cache only between strings. Clearing it within a string would count a repeated word as two different
  // words.
  if (knownWords.size >= KNOWN_WORDS_MAX) knownWords.clear()
  const words: KnownWord[] = []
  const pairs = new Map<number, number>()
  let before: KnownWord | null = null
  for (const word of wordsOf(text)) {
    if (word.count === 0) words.push(word)
    word.count += 1
    if (word.isFunctionWord) continue
    if (before !== null) {
      const pair = mix(Math.imul(before.hash, 31) ^ word.hash)
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
    before = word
  }
  const sums = new Float64Array(LOCAL_DIMENSIONS)
  const add = (dimension: number, value: number): void => {
    sums[dimension] = (sums[dimension] as number) + value
  }
  for (const word of words) {
    const { dimensions, values } = word
    const times = 1 + Math.log(word.count)
    for (let at = 0; at < dimensions.length; at++)
      add(dimensions[at] as number, (values[at] as number) * times)
    word.count = 0
  }
  for (const [pair, count] of pairs) eachDimension(pair, PAIR_WEIGHT * (1 + Math.log(count)), add)
  // The dimensions of a single word can cancel each other out. Avoid a zero vector.
  const [first] = words
  if (first && sums.every((sum) => sum === 0)) add(first.dimensions[0] as number, 1)
  return normalised(sums)
}

/** A run of letters, digits and combining marks. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu
/**
 * Matches ASCII words together with adjacent non-ASCII characters. Several times as fast as WORD, and the match is
 * usually a cached word.
 */
const ROUGH_WORD = /[a-z0-9\x80-\uffff]+/g
/** Scripts without spaces between words. Each pair of neighboring characters is treated as a word. */
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u')

function wordsOf(text: string): KnownWord[] {
  const plain = text.slice(0, CHARACTERS_MAX).normalize('NFKC').toLowerCase()
  const words: KnownWord[] = []
  for (const rough of plain.match(ROUGH_WORD) ?? []) {
    const known = knownWords.get(rough)
    if (known) words.push(known)
    else for (const word of exactWordsOf(rough)) words.push(knownWords.get(word) ?? learn(word))
  }
  return words
}

function* exactWordsOf(rough: string): Generator<string> {
  for (const [run] of rough.matchAll(WORD)) {
    if (!UNSPACED.test(run)) yield run.slice(0, WORD_CHARACTERS_MAX)
    else {
      const signs = [...run]
      if (signs.length === 1) yield run
      for (let at = 1; at < signs.length; at++) yield `${signs[at - 1]}${signs[at]}`
    }
  }
}

/** A word's sparse features: `values[i]` is the weight in dimension `dimensions[i]`. */
interface KnownWord {
  hash: number
  isFunctionWord: boolean
  dimensions: number[]
  values: number[]
  /** Occurrences in the text that is being embedded. */
  count: number
}

const knownWords = new Map<string, KnownWord>()
const functionWords = new Set(Object.values(FUNCTION_WORDS).flatMap((words) => [...words]))

function learn(word: string): KnownWord {
  const stem = stemOf(word)
  const isFunctionWord = functionWords.has(word)
  const made: KnownWord = { hash: hashOf(stem), isFunctionWord, dimensions: [], values: [], count: 0 }
  const add = (dimension: number, value: number): void => {
    made.dimensions.push(dimension)
    made.values.push(value)
  }
  eachDimension(made.hash, isFunctionWord ? FUNCTION_WORD_WEIGHT : 1, add)
  const grams = isFunctionWord ? [] : gramsOf(`<${stem}>`)
  for (const gram of grams) eachDimension(mix(hashOf(gram)), GRAMS_WEIGHT / Math.sqrt(grams.length), add)
  // Copy the word, because a slice would keep the whole string in memory.
  knownWords.set(Buffer.from(word, 'utf16le').toString('utf16le'), made)
  return made
}

const gramsOf = (word: string): string[] =>
  Array.from({ length: Math.max(0, word.length - GRAM_LETTERS + 1) }, (_, at) =>
    word.slice(at, at + GRAM_LETTERS),
  )

/**
 * Calls `add` for each dimension of a feature. Two features that collide in one dimension rarely collide in all
 * dimensions.
 */
function eachDimension(hash: number, weight: number, add: (dimension: number, value: number) => void): void {
  let state = hash
  for (let dimension = 0; dimension < DIMENSIONS_PER_FEATURE; dimension++) {
    state = mix(state + 0x9e3779b9)
    add((state >>> 1) % LOCAL_DIMENSIONS, (state & 1) === 0 ? weight : -weight)
  }
}

/** Strips the most common inflectional endings of English and related languages. */
function stemOf(word: string): string {
  if (word.length < 4) return word
  for (const [ending, instead] of ENDINGS)
    if (word.endsWith(ending) && word.length - ending.length >= STEM_LETTERS_MIN)
      return word.slice(0, -ending.length) + instead
  return word
}

const STEM_LETTERS_MIN = 3
const ENDINGS: readonly (readonly [string, string])[] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['ings', ''],
  ['ing', ''],
  ['edly', ''],
  ['ers', ''],
  ['er', ''],
  ['ed', ''],
  ['es', ''],
  ['ly', ''],
  ['en', ''],
  ['e', ''],
  ['s', ''],
]

/** Hashes a word with FNV-1a and the MurmurHash3 finalizer. */
const hashOf = (word: string): number => mix(fnv1a(word))

/** Applies the MurmurHash3 finalizer. Returns a signed 32-bit integer. */
function mix(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function normalised(sums: Float64Array): Float32Array {
  let squares = 0
  for (let dimension = 0; dimension < sums.length; dimension++) squares += (sums[dimension] as number) ** 2
  const length = Math.sqrt(squares)
  const vector = new Float32Array(sums.length)
  if (length > 0)
    for (let dimension = 0; dimension < sums.length; dimension++)
      vector[dimension] = (sums[dimension] as number) / length
  return vector
}
