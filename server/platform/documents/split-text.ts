import { setImmediate as turn } from 'node:timers/promises'
import { loadTokenCounter } from '../models/count-tokens.ts'
import { type Block, blocksOf, type TextKind } from './text-blocks.ts'
import { isBlank, type Range } from './text-lines.ts'
import { type Measure, type Piece, piecesOf, sentencesOf } from './text-pieces.ts'
import { createTokenSums } from './token-sums.ts'

export type { TextKind } from './text-blocks.ts'

/** A part of a text that is found and shown by itself. */
export interface Chunk {
  /** As the text has it, without blanks at its end. Never empty. */
  content: string
  /** 0, 1, 2, … */
  position: number
  /** The titles of the headings above, from the first to the nearest; of a sheet, its name. */
  headings: string[]
  /** The page that it begins on, from 1; null for a text without pages. */
  page: number | null
  /** Of the content, by `countTokens`. */
  tokens: number
}

export interface SplitOptions {
  kind: TextKind
  /** At least 32. */
  maxTokens?: number
  /** At most a quarter of `maxTokens`. */
  overlapTokens?: number
}

const TOKENS_MAX = 400
const OVERLAP_TOKENS = 50
const TOKENS_LEAST = 32
/** Splitting stands back for the other work of the process after so many milliseconds. */
const STEP_MS = 8
/** How far back an overlap is looked for. */
const OVERLAP_CHARACTERS_A_TOKEN = 8

/**
 * Splits a text into chunks of at most `maxTokens` tokens, by its structure: at headings and pages; then between
 * paragraphs, lists, tables and code; then between items, rows (with the table's header above again) and lines; then
 * between sentences, and at last between words. What is small is joined with what follows under the same heading. A
 * chunk begins with the last sentences of the one before, up to `overlapTokens`, within one section. All that the text
 * says is in some chunk, headings included; one text gives the same chunks everywhere. It takes a quarter of a second
 * for an English text of 2,000,000 characters, and two where few signs are ASCII, in steps of milliseconds: in this
 * process, because nothing here can be led astray by what a text holds, and a process of its own would have to load the
 * tokenizer again.
 */
export async function splitText(
  text: string,
  { kind, maxTokens = TOKENS_MAX, overlapTokens = OVERLAP_TOKENS }: SplitOptions,
): Promise<Chunk[]> {
  if (maxTokens < TOKENS_LEAST || overlapTokens > maxTokens / 4)
    throw new RangeError(`Chunks of ${maxTokens} tokens with ${overlapTokens} of overlap can not be made`)
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

/** A chunk that is being put together. */
interface Draft extends Range {
  pieces: Piece[]
  block: Block
  tokens: number
  header: Range | null
}

/** Puts pieces together to chunks. */
class Packer {
  readonly #measure: Measure
  readonly #countText: (text: string) => number
  readonly #overlapTokens: number
  readonly #chunks: Chunk[] = []
  #draft: Draft | null = null
  /** The last piece that is in a chunk, and where its own text begins that can be repeated. */
  #last: { piece: Piece; from: number } | null = null

  constructor(measure: Measure, countText: (text: string) => number, overlapTokens: number) {
    this.#measure = measure
    this.#countText = countText
    this.#overlapTokens = overlapTokens
  }

  /** How many tokens a block may have to stay whole: a heading is not left alone because of what follows. */
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

  /** Where the last sentences before a piece begin, as far as there is room for them; else where it begins itself. */
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
    // What a sentence is cut to, or is looked at from its middle, is cut again only where the chunk ends in a sentence.
    const sentences = [...sentencesOf(text, before)].slice(near > last.from ? 1 : 0)
    const starts = sentences.map((sentence) => sentence.start)
    if (last.piece.isCut) starts.unshift(...wordStarts(text, before, tokensLeft))
    return (
      starts.sort((a, b) => a - b).find((from) => count({ start: from, end: start }) <= tokensLeft) ?? start
    )
  }

  /** Makes a chunk of a draft. Returns the pieces for which there was no room after all. */
  #close(draft: Draft): Piece[] {
    const { text, maxTokens } = this.#measure
    const [first] = draft.pieces as [Piece]
    const rest: Piece[] = []
    let content = this.#contentOf(draft)
    let tokens = this.#tokensOf(draft, content)
    // Counts of parts add up to that of the whole almost always; this is for the other times.
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
    // What is repeated is no chunk by itself: blank rows below a header, blanks behind an overlap.
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

/** Whether a piece may come into a draft: under the same heading, or as what the draft's headings are above. */
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

/** The prose at the end of some pieces: what can stand above the next chunk again. */
function repeatable(pieces: Piece[]): { piece: Piece; from: number } | null {
  const isProse = ({ block }: Piece): boolean => block.kind === 'prose' || block.kind === 'list'
  const [first] = pieces.slice(pieces.findLastIndex((piece) => !isProse(piece)) + 1)
  const piece = pieces.at(-1)
  return piece && first ? { piece, from: first.start } : null
}

/** Where words begin, as far back as there can be room for. */
function wordStarts(text: string, { start, end }: Range, tokensLeft: number): number[] {
  const starts = [...text.slice(start, end).matchAll(/(?<=\s)\S/g)].map(({ index }) => start + index)
  // A word takes a token at least; but slashes at the beginning of a line can be in one token with the line above.
  const tooFar = starts.filter((at) => text[at] !== '/').at(-1 - tokensLeft) ?? -1
  return starts.filter((at) => at > tooFar)
}

const endsSentence = (text: string, { start, end }: Range): boolean =>
  /[.!?:;…。！？]["'”’»)\]]*$/.test(text.slice(start, end).trimEnd())
