import { type Block, endOfRecord, LIST_ITEM } from './text-blocks.ts'
import { isBlank, Lines, type Range } from './text-lines.ts'

/** A block, or a part of a block, that is not split further. The pieces of a block are contiguous. */
export interface Piece extends Range {
  block: Block
  tokens: number
  /** Header of the table, for a piece of rows that doesn't contain the header. Null for other pieces. */
  header: Range | null
  /** True if the piece ends inside a sentence. */
  isCut: boolean
}

export interface Measure {
  text: string
  /** Returns the number of tokens in a range. */
  count: (part: Range) => number
  maxTokens: number
}

/** A range with more characters per allowed token than this almost never fits. It is split without being counted. */
const CHARACTERS_A_TOKEN_MAX = 8
/** Maximum number of tokens per UTF-16 code unit. */
const TOKENS_A_CHARACTER_MAX = 3
/** Size of the windows in which sentences are segmented. */
const WINDOW_CHARACTERS = 4_000

/**
 * Yields a block as one piece if it fits into `tokensMax` tokens. Otherwise splits the block by its structure. Yields
 * null where the caller may pause.
 */
export function* piecesOf(measure: Measure, block: Block, tokensMax: number): Generator<Piece | null> {
  const whole = fitting(measure, block, block, tokensMax)
  if (whole) return yield whole
  switch (block.kind) {
    case 'heading':
    case 'prose':
      return yield* inSentences(measure, block, block)
    case 'list':
    case 'code':
      return yield* inLines(measure, block)
    case 'table':
    case 'sheet':
      return yield* inRows(measure, block)
  }
}

function fitting(measure: Measure, block: Block, range: Range, tokensMax: number): Piece | null {
  const { count } = measure
  if (range.end - range.start > tokensMax * CHARACTERS_A_TOKEN_MAX) return null
  const tokens = count(range)
  return tokens > tokensMax ? null : { block, ...pick(range), tokens, header: null, isCut: false }
}

/**
 * Returns the minimum characters of a piece of lines or rows. Shorter lines and rows are grouped before they are
 * counted.
 */
const charactersLeast = ({ maxTokens }: Measure): number => maxTokens >> 3

const pick = ({ start, end }: Range): Range => ({ start, end })

/** Yields list items or lines of code as pieces. */
function* inLines(measure: Measure, block: Block): Generator<Piece | null> {
  const lines = new Lines(measure.text, block)
  while (!lines.isAtEnd) {
    const { start } = lines
    const goesOn = (): boolean =>
      lines.start - start < charactersLeast(measure) ||
      (block.kind === 'list' ? !LIST_ITEM.test(lines.beginning) : lines.isBlank)
    do {
      lines.next()
      if (lines.isStep) yield null
    } while (!lines.isAtEnd && goesOn())
    const range = { start, end: lines.start }
    const whole = fitting(measure, block, range, measure.maxTokens)
    if (whole) yield whole
    else yield* block.kind === 'list' ? inSentences(measure, block, range) : inWords(measure, block, range)
  }
}

/** Yields table rows as pieces. The first piece contains the header, and later pieces refer to it. */
function* inRows(measure: Measure, block: Block): Generator<Piece | null> {
  const { maxTokens } = measure
  const lines = new Lines(measure.text, block)
  const header = { start: block.start, end: block.headerEnd }
  const isShort = fitting(measure, block, header, Math.floor(maxTokens / 2)) !== null
  lines.goTo(header.end)
  let { start } = block
  do {
    do {
      if (block.kind === 'sheet') endOfRecord(lines)
      else lines.next()
    } while (!lines.isAtEnd && lines.start - Math.max(start, header.end) < charactersLeast(measure))
    yield null
    const range = { start, end: lines.start }
    const whole = fitting(measure, block, range, maxTokens)
    if (whole) yield { ...whole, header: isShort && start >= header.end ? header : null }
    else yield* inWords(measure, block, range)
    start = lines.start
  } while (!lines.isAtEnd)
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

function* inSentences(measure: Measure, block: Block, range: Range): Generator<Piece | null> {
  for (const sentence of sentencesOf(measure.text, range)) {
    const whole = fitting(measure, block, sentence, measure.maxTokens)
    if (whole) yield whole
    else yield* inWords(measure, block, sentence)
  }
}

/**
 * Yields the sentences of a range (UAX #29), each with the whitespace after it. Segments the range window by window.
 * A line break before a lowercase letter doesn't end a sentence.
 */
export function* sentencesOf(text: string, { start, end }: Range): Generator<Range> {
  for (let from = start; from < end; ) {
    const until = boundary(text, from, Math.min(from + WINDOW_CHARACTERS, end))
    const window = text.slice(from, until).replace(/\n(?=[ \t]*[\p{Ll}\p{Lo}])/gu, ' ')
    const ends: number[] = []
    for (const { index, segment } of segmenter.segment(window)) {
      if (segment.trim() === '') ends.pop()
      ends.push(from + index + segment.length)
    }
    // The last sentence may continue after the window.
    if (until < end && ends.length > 1) ends.pop()
    for (const next of ends) {
      yield { start: from, end: next }
      from = next
    }
  }
}

/**
 * Yields groups of words as pieces, each with the whitespace after it. Splits a word that is too long for a group.
 */
function* inWords(measure: Measure, block: Block, { start, end }: Range): Generator<Piece | null> {
  const { text, count, maxTokens } = measure
  const characters = Math.max(2, Math.floor(maxTokens / TOKENS_A_CHARACTER_MAX))
  for (let from = start; from < end; ) {
    const until = Math.min(from + characters, end)
    const next = until === end ? end : endOfWord(text, from, until)
    const tokens = count({ start: from, end: next })
    yield { block, start: from, end: next, tokens, header: null, isCut: next < end }
    from = next
  }
}

/** Returns the last start of a word in the range. If there is none, returns the range's end. */
function endOfWord(text: string, from: number, until: number): number {
  for (let at = until; at > from; at--)
    if (isBlank(text, { start: at - 1, end: at }) && !isBlank(text, { start: at, end: at + 1 })) return at
  return boundary(text, from, until)
}

/** Returns `at`, or one code unit earlier if `at` is inside a surrogate pair. */
const boundary = (text: string, from: number, at: number): number =>
  at > from + 1 &&
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) &&
  /[\ud800-\udbff]$/.test(text.slice(at - 1, at))
    ? at - 1
    : at
