import { setImmediate as turn } from 'node:timers/promises'
import { loadTokenCounter } from '../models/count-tokens.ts'
import { type Block, blocksOf, type TextKind } from './text-blocks.ts'
import { isBlank, type Range } from './text-lines.ts'
import { type Measure, type Piece, piecesOf, sentencesOf } from './text-pieces.ts'
import { createTokenSums } from './token-sums.ts'

export type { TextKind } from './text-blocks.ts'

/** A part of a document that is indexed and shown as a unit. */
export interface Chunk {
  /** The chunk's text as in the document, without trailing whitespace. Never empty. */
  content: string
  /** Index of the chunk in its document, from 0. */
  position: number
  /** Titles of the headings above the chunk, outermost first. In a sheet, the sheet's name. */
  headings: string[]
  /** Page on which the chunk starts, from 1. Null if the document has no pages. */
  page: number | null
  /** Number of tokens in `content`, as counted by `countTokens`. */
  tokens: number
}

export interface SplitOptions {
  kind: TextKind
  /** Maximum tokens per chunk. At least 32. */
  maxTokens?: number
  /** Maximum tokens that a chunk repeats from the previous chunk. At most a quarter of `maxTokens`. */
  overlapTokens?: number
}

const TOKENS_MAX = 400
const OVERLAP_TOKENS = 50
const TOKENS_LEAST = 32
/** Maximum milliseconds between yields to the event loop. */
const STEP_MS = 8
/** Size of the window in which the start of an overlap is searched, in characters per overlap token. */
const OVERLAP_CHARACTERS_A_TOKEN = 8

/**
 * Splits a document by its structure into chunks of at most `maxTokens` tokens. Uses the coarsest boundaries that
 * suffice:
 * - headings and pages
 * - paragraphs, lists, tables and code
 * - list items, table rows (repeating the header) and lines
 * - sentences
 * - words
 *
 * Joins small pieces under the same heading. Within a section, each chunk repeats the last sentences of the previous
 * chunk, up to `overlapTokens`. The chunks cover the whole document including headings, and are deterministic.
 *
 * Takes 250 ms for 2,000,000 characters of English and 2 seconds for mostly non-ASCII text, in steps of milliseconds.
 * Runs in the server process: the algorithm is safe for hostile input, and a separate process would have to load the
 * tokenizer again.
 */
export async function splitText(
  text: string,
  { kind, maxTokens = TOKENS_MAX, overlapTokens = OVERLAP_TOKENS }: SplitOptions,
): Promise<Chunk[]> {
  if (maxTokens < TOKENS_LEAST || overlapTokens > maxTokens / 4)
    throw new RangeError(
      `Chunks must have at least ${TOKENS_LEAST} tokens and overlap by at most a quarter: ${maxTokens} tokens with an overlap of ${overlapTokens} are invalid.`,
    )
  const countText = await loadTokenCounter()
  const measure: Measure = { text, count: createTokenSums(text, countText), maxTokens }
  const packer = new Packer(measure, countText, overlapTokens)
  let due = performance.now() + STEP_MS
  const pause = async (): Promise<void> => {
    await turn()
    due = performance.now() + STEP_MS
  }
  for (const block of blocksOf(text, kind)) {
    if (performance.now() > due) await pause()
    if (!block) continue
    for (const piece of piecesOf(measure, block, packer.roomFor(block))) {
      if (piece) packer.add(piece)
      if (performance.now() > due) await pause()
    }
  }
  return packer.finish()
}

/** A chunk under construction. */
interface Draft extends Range {
  pieces: Piece[]
  block: Block
  tokens: number
  header: Range | null
}

/** Packs pieces into chunks. */
class Packer {
  readonly #measure: Measure
  readonly #countText: (text: string) => number
  readonly #overlapTokens: number
  readonly #chunks: Chunk[] = []
  #draft: Draft | null = null
  /**
   * The last piece of the previous chunk. An overlap may repeat text from position `from` to the end of this piece.
   */
  #last: { piece: Piece; from: number } | null = null

  constructor(measure: Measure, countText: (text: string) => number, overlapTokens: number) {
    this.#measure = measure
    this.#countText = countText
    this.#overlapTokens = overlapTokens
  }

  /**
   * Returns the maximum tokens for which a block stays whole. If a short heading precedes the block, leaves room for
   * the heading, so that the heading stays with its content.
   */
  roomFor(block: Block): number {
    const { maxTokens } = this.#measure
    const draft = this.#draft
    const follows = draft !== null && draft.block.kind === 'heading' && draft.tokens <= maxTokens / 2
    return follows && block.kind !== 'heading' ? maxTokens - draft.tokens : maxTokens
  }

  add(piece: Piece): void {
    const waiting = [piece]
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const draft = this.#draft
      if (draft === null) this.#begin(next)
      else if (belongs(draft, next) && draft.tokens + next.tokens <= this.#measure.maxTokens)
        extend(draft, next)
      else waiting.unshift(...this.#close(draft), next)
    }
  }

  finish(): Chunk[] {
    while (this.#draft !== null) for (const piece of this.#close(this.#draft)) this.add(piece)
    return this.#chunks
  }

  #begin(piece: Piece): void {
    const { maxTokens, count } = this.#measure
    const { block, start, end, tokens } = piece
    const draft: Draft = { pieces: [piece], block, start, end, tokens, header: null }
    this.#draft = draft
    const headerTokens = piece.header ? count(piece.header) : 0
    if (piece.header && tokens + headerTokens <= maxTokens) {
      draft.header = piece.header
      draft.tokens += headerTokens
    } else if (!piece.header) {
      draft.start = this.#overlapStart(piece)
      draft.tokens += draft.start < start ? count({ start: draft.start, end: start }) : 0
    }
  }

  /**
   * Returns the start of the last sentences before a piece that fit as overlap. Returns the piece's own start if
   * there is no overlap.
   */
  #overlapStart({ block, start, tokens }: Piece): number {
    const tokensLeft = Math.min(this.#overlapTokens, this.#measure.maxTokens - tokens)
    const last = this.#last
    if (
      last === null ||
      tokensLeft <= 0 ||
      block.kind === 'heading' ||
      last.piece.block.headings !== block.headings
    )
      return start
    const { text, count } = this.#measure
    const near = start - tokensLeft * OVERLAP_CHARACTERS_A_TOKEN
    const before = { start: Math.max(last.from, near), end: last.piece.end }
    if (last.piece.block.page !== block.page && endsSentence(text, before)) return start
    // An overlap starts with a whole sentence, so skip a sentence that the search window cuts off. The overlap may
    // start at any word only if the last piece ends inside a sentence.
    const sentences = [...sentencesOf(text, before)].slice(near > last.from ? 1 : 0)
    const starts = sentences.map((sentence) => sentence.start)
    if (last.piece.isCut) starts.unshift(...wordStarts(text, before, tokensLeft))
    return (
      starts.sort((a, b) => a - b).find((from) => count({ start: from, end: start }) <= tokensLeft) ?? start
    )
  }

  /** Turns a draft into a chunk. Returns the pieces that did not fit after all. */
  #close(draft: Draft): Piece[] {
    const { text, maxTokens } = this.#measure
    const [first] = draft.pieces as [Piece]
    const rest: Piece[] = []
    let content = this.#contentOf(draft)
    let tokens = this.#tokensOf(draft, content)
    // The token counts of the pieces almost always add up to the count of the chunk. If the chunk is still too long,
    // drop the header, then the overlap, then the last pieces.
    while (tokens > maxTokens && (draft.start < first.start || draft.header || draft.pieces.length > 1)) {
      if (draft.header) draft.header = null
      else if (draft.start < first.start) draft.start = first.start
      else {
        rest.unshift(draft.pieces.pop() as Piece)
        draft.end = (draft.pieces.at(-1) as Piece).end
      }
      content = this.#contentOf(draft)
      tokens = this.#tokensOf(draft, content)
    }
    const { headings, page } = draft.block
    // Skip a chunk that contains only repeated text: a header above blank rows, or an overlap before whitespace.
    if (!isBlank(text, { start: first.start, end: draft.end }))
      this.#chunks.push({ content, position: this.#chunks.length, headings: [...headings], page, tokens })
    this.#last = repeatable(draft.pieces)
    this.#draft = null
    return rest
  }

  #contentOf({ start, end, header }: Draft): string {
    const { text } = this.#measure
    const own = text.slice(start, end).replaceAll('\f', '\n').trimEnd()
    return header ? `${text.slice(header.start, header.end).trimEnd()}\n${own}` : own
  }

  #tokensOf({ start, header }: Draft, content: string): number {
    const { text, count } = this.#measure
    const part = { start, end: start + content.length }
    return header === null && text.startsWith(content, start) ? count(part) : this.#countText(content)
  }
}

/**
 * Returns true if a piece may join a draft. Both must be on the same page and under the same headings, or both must
 * be headings.
 */
function belongs(draft: Draft, { block }: Piece): boolean {
  if (draft.block.page !== block.page) return false
  return block.kind === 'heading' ? draft.block.kind === 'heading' : draft.block.headings === block.headings
}

function extend(draft: Draft, piece: Piece): void {
  draft.pieces.push(piece)
  draft.tokens += piece.tokens
  draft.end = piece.end
  draft.block = piece.block
}

/** Returns the prose at the end of a chunk's pieces, which the next chunk may repeat. */
function repeatable(pieces: Piece[]): { piece: Piece; from: number } | null {
  const isProse = ({ block }: Piece): boolean => block.kind === 'prose' || block.kind === 'list'
  const [first] = pieces.slice(pieces.findLastIndex((piece) => !isProse(piece)) + 1)
  const piece = pieces.at(-1)
  return piece && first ? { piece, from: first.start } : null
}

/** Returns the starts of words at which an overlap could start. Omits words that are certainly too far back. */
function wordStarts(text: string, { start, end }: Range, tokensLeft: number): number[] {
  const starts = [...text.slice(start, end).matchAll(/(?<=\s)\S/g)].map(({ index }) => start + index)
  // A word has at least one token. Slashes at the start of a line are an exception, because they may share a token
  // with the previous line.
  const tooFar = starts.filter((at) => text[at] !== '/').at(-1 - tokensLeft) ?? -1
  return starts.filter((at) => at > tooFar)
}

const endsSentence = (text: string, { start, end }: Range): boolean =>
  /[.!?:;…。！？]["'”’»)\]]*$/.test(text.slice(start, end).trimEnd())
