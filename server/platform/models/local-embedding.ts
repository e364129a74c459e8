import { setImmediate as turn } from 'node:timers/promises'
import { FUNCTION_WORDS } from '../retrieval/function-words.ts'
import { fnv1a } from '../retrieval/hash.ts'
import { UNSPACED_SCRIPTS } from '../retrieval/words.ts'

/** Dimensions of a vector of the built-in embedding. */
export const LOCAL_DIMENSIONS = 384
/** Yields to the event loop after this many milliseconds. */
const STEP_MS = 8
/** Longer texts are truncated. Chunks and questions are far shorter. */
const CHARACTERS_MAX = 20_000
const WORD_CHARACTERS_MAX = 40
/** Size of the cache of word features. */
const KNOWN_WORDS_MAX = 40_000

/*
 * The weight of each kind of feature, and the number of dimensions per feature. Tuned on one half of the questions of
 * local-embedding.test.ts; nearby values are about as good. Weights for frequent words outside the function-word list,
 * and for word length, did not help.
 */
const FUNCTION_WORD_WEIGHT = 0.02
const PAIR_WEIGHT = 0.1
const GRAMS_WEIGHT = 0.7
const GRAM_LETTERS = 4
const DIMENSIONS_PER_FEATURE = 2

/**
 * Embeds texts without a model, a key or a download. The vectors are lexical: features of a text are hashed to signed
 * dimensions (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009). Features are words
 * (NFKC, lowercase, lightly stemmed), pairs of neighboring words and character 4-grams. Each is weighted by 1 +
 * log(frequency). So texts are similar if they share words, inflected forms or misspellings; meaning is not captured.
 *
 * Vectors have length 1 (0 for a text without words) and are identical on every machine. Rejects with the signal's
 * reason.
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
  // Clear only between texts: within a text, clearing would count the same word as two.
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
  // All dimensions of a single word can cancel each other out.
  const [first] = words
  if (first && sums.every((sum) => sum === 0)) add(first.dimensions[0] as number, 1)
  return normalised(sums)
}

/** Letters, digits and combining marks. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu
/**
 * Matches whole words plus any non-ASCII characters between them. Several times as fast as WORD, and usually finds a
 * cached word.
 */
const ROUGH_WORD = /[a-z0-9\x80-\uffff]+/g
/** Scripts without spaces between words. Each pair of neighboring characters counts as a word. */
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

/** The features of a word: `dimensions[i]` gets `values[i]`. */
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
  // Copied, because a slice would retain the whole text.
  knownWords.set(Buffer.from(word, 'utf16le').toString('utf16le'), made)
  return made
}

const gramsOf = (word: string): string[] =>
  Array.from({ length: Math.max(0, word.length - GRAM_LETTERS + 1) }, (_, at) =>
    word.slice(at, at + GRAM_LETTERS),
  )

/** Maps each feature to a few dimensions: two features that collide in one rarely collide in all. */
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

/** FNV-1a with an additional finalizer. */
const hashOf = (word: string): number => mix(fnv1a(word))

/** The MurmurHash3 finalizer, as a signed 32-bit integer. */
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
