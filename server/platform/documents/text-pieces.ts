import { type Block, endOfRecord, LIST_ITEM } from './text-blocks.ts'
import { isBlank, Lines, type Range } from './text-lines.ts'

/** What is never parted again: a block, or what it was parted into. The pieces of a block follow each other without a gap. */
export interface Piece extends Range {
  block: Block
  tokens: number
  /** For rows: the header of their table, that they do not hold themselves. */
  header: Range | null
  /** Whether it ends within a sentence. */
  isCut: boolean
}

export interface Measure {
  text: string
  /** Tokens of a part of the text. */
  count: (part: Range) => number
  maxTokens: number
}

/** A text of more characters for each token is rare enough to be parted without being counted as a whole. */
const CHARACTERS_A_TOKEN_MAX = 8
/** No UTF-16 code unit takes more tokens. */
const TOKENS_A_CHARACTER_MAX = 3
/** So much of a text is looked at for sentences at once. */
const WINDOW_CHARACTERS = 4_000

/** A block as one piece where it fits into `tokensMax` tokens, else by its structure. Null is a moment to pause at. */
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

/** Lines and rows that are shorter are not counted one by one. */
const charactersLeast = ({ maxTokens }: Measure): number => maxTokens >> 3

const pick = ({ start, end }: Range): Range => ({ start, end })

/** The items of a list, the lines of code. */
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

/** The header goes with the first row; the rows after it know where it is. */
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
 * The sentences of a part of a text (UAX #29, with the blanks behind), looked for window by window. A line that goes on
 * in small letters is not the end of one.
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
    // The last one may go on behind the window.
    if (until < end && ends.length > 1) ends.pop()
    for (const next of ends) {
      yield { start: from, end: next }
      from = next
    }
  }
}

/** Words with the blanks behind them, as many as are short; and what is one long word, in pieces. */
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

/** The last place between `from` and `until` where a word begins; else `until`, or a character less. */
function endOfWord(text: string, from: number, until: number): number {
  for (let at = until; at > from; at--)
    if (isBlank(text, { start: at - 1, end: at }) && !isBlank(text, { start: at, end: at + 1 })) return at
  return boundary(text, from, until)
}

/** `at`, or a code unit earlier where that is within a pair. */
const boundary = (text: string, from: number, at: number): number =>
  at > from + 1 &&
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) &&
  /[\ud800-\udbff]$/.test(text.slice(at - 1, at))
    ? at - 1
    : at
