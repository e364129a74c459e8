import { embedLocally, LOCAL_DIMENSIONS } from '../models/local-embedding.ts'
import { scoreChunks } from './bm25.ts'
import { agreementOf, fuse, relevanceOf } from './fusion.ts'
import { parseQuery } from './parse-query.ts'
import { raiseNumbers, SegmentBuilder } from './postings.ts'
import type { Stemmer } from './stems.ts'
import { termsOf } from './terms.ts'
import { listWords } from './words.ts'

/** Indexed short texts: their words, and their vectors from the built-in embedding. */
export interface TextSegment {
  size: number
  /** Total number of words in all texts, without stop words. */
  words: number
  /** Postings keyed by term, in the format of postings.ts. The chunk numbers are the texts' indexes. */
  postings: ReadonlyMap<string, Buffer>
  /** Vectors of all texts, concatenated. */
  vectors: Float32Array
}

export interface TextHit {
  /**
   * Position of the text: index of its segment among the segments passed to `search`, and index of the text in the
   * segment.
   */
  segment: number
  index: number
  /** Relevance from 0 to 1. */
  score: number
}

/** Maximum characters of a text that are indexed. */
const TEXT_CHARACTERS_MAX = 4_000
/** Maximum number of texts that each stage passes to the fusion. */
const STAGE_MAX = 1_000

/**
 * In-memory full-text and vector search in short texts, for lists that a process already has, such as a catalogue's
 * tools. Ranks words with BM25 across all segments, compares all vectors, and fuses both rankings as in knowledge
 * bases. Treats texts as English, whose stemmer barely changes words of other languages.
 */
export class TextIndex {
  readonly #stemmer: Stemmer

  constructor(stemmer: Stemmer) {
    this.#stemmer = stemmer
  }

  /** Indexes texts. Rejects with database errors, or with the signal's reason on abort. */
  async prepare(texts: readonly string[], signal: AbortSignal): Promise<TextSegment> {
    const cut = texts.map((text) => text.slice(0, TEXT_CHARACTERS_MAX))
    const lists = cut.map(listWords)
    const [terms, vectors] = await Promise.all([
      termsOf(this.#stemmer, wordsOf(lists), 'english'),
      embedLocally(cut, signal),
    ])
    const builder = new SegmentBuilder()
    let words = 0
    for (const [index, list] of lists.entries()) words += builder.add(index, list, terms)
    const all = new Float32Array(vectors.length * LOCAL_DIMENSIONS)
    for (const [index, vector] of vectors.entries()) all.set(vector, index * LOCAL_DIMENSIONS)
    return {
      size: texts.length,
      words,
      postings: new Map(builder.entries().map(({ term, postings }) => [term, postings])),
      vectors: all,
    }
  }

  /** Returns the texts that share a word with the question or have a similar vector, best first. */
  async search(
    segments: readonly TextSegment[],
    question: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<TextHit[]> {
    const [vector] = await embedLocally([question], signal)
    const lexical = await this.#byWords(segments, question)
    const dense = byVector(segments, vector as Float32Array)
    const candidates = fuse(lexical, dense, keyOf, () => true)
    const agreement = agreementOf(candidates)
    return candidates
      .map((found) => ({
        segment: found.segment,
        index: found.index,
        score: relevanceOf(found, { vectors: 'local', agreement }),
        fusedRank: found.fusedRank,
      }))
      .sort((a, b) => b.score - a.score || a.fusedRank - b.fusedRank)
      .slice(0, limit)
      .map(({ fusedRank: _rank, ...hit }) => hit)
  }

  async #byWords(segments: readonly TextSegment[], question: string): Promise<TextHit[]> {
    const { words, prefixes } = parseQuery(question)
    // Only knowledge bases support prefix search. Here, a prefix is an ordinary word.
    const times = new Map([...words, ...prefixes.map((prefix) => [prefix, 1] as const)])
    const { stem, variant } = await termsOf(this.#stemmer, times.keys(), 'english')
    const starts = startsOf(segments)
    const postingsOf = (term: string | null) =>
      segments.flatMap((segment, at) => {
        const found = term === null ? undefined : segment.postings.get(term)
        return found ? [raised(term as string, found, starts[at] as number)] : []
      })
    const terms = [...times].flatMap(([word, count]) =>
      stem(word) === null
        ? []
        : [{ postings: postingsOf(stem(word)), variants: postingsOf(variant(word)), times: count }],
    )
    const size = sumOf(segments, ({ size }) => size)
    const scores = scoreChunks(terms, {
      chunks: size,
      averageLength: size === 0 ? 0 : sumOf(segments, ({ words }) => words) / size,
    })
    return scores.best(STAGE_MAX).map(({ number, score, coverage }) => {
      const segment = starts.findLastIndex((start) => start <= number)
      const index = number - (starts[segment] as number)
      return { segment, index, score: score / scores.ceiling, coverage }
    })
  }
}

const keyOf = ({ segment, index }: TextHit): string => `${segment} ${index}`

function* wordsOf(lists: string[][]): Generator<string> {
  for (const list of lists) yield* list
}

const sumOf = (segments: readonly TextSegment[], of: (segment: TextSegment) => number): number =>
  segments.reduce((sum, segment) => sum + of(segment), 0)

/** Numbers the texts of all segments consecutively. Returns the number of each segment's first text. */
function startsOf(segments: readonly TextSegment[]): number[] {
  let next = 0
  return segments.map(({ size }) => {
    const start = next
    next += size
    return start
  })
}

function raised(term: string, postings: Buffer, by: number): Buffer {
  if (by === 0) return postings
  const copy = Buffer.from(postings)
  raiseNumbers([{ term, postings: copy }], by)
  return copy
}

/** Similarity that the built-in embedding may assign to texts unrelated to a short question. */
const LOCAL_FLOOR = 0.3

function byVector(segments: readonly TextSegment[], question: Float32Array): TextHit[] {
  const hits: TextHit[] = []
  for (const [segment, { size, vectors }] of segments.entries())
    for (let index = 0; index < size; index++) {
      let similarity = 0
      const start = index * LOCAL_DIMENSIONS
      for (let at = 0; at < LOCAL_DIMENSIONS; at++)
        similarity += (vectors[start + at] as number) * (question[at] as number)
      if (similarity > LOCAL_FLOOR)
        hits.push({ segment, index, score: (similarity - LOCAL_FLOOR) / (1 - LOCAL_FLOOR) })
    }
  return hits.sort((a, b) => b.score - a.score).slice(0, STAGE_MAX)
}
