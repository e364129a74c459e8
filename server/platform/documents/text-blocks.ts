import { findHeader, startsTable } from './sheet-header.ts'
import { Lines, type Range } from './text-lines.ts'

/**
 * The format of a document: Markdown, plain text, PDF pages separated by \f, or CSV with `# Name` above each sheet.
 */
export type TextKind = 'markdown' | 'plain' | 'pages' | 'table'

/** A structural unit of a document, including the blank lines after it. The blocks of a page are contiguous. */
export interface Block extends Range {
  kind: 'heading' | 'prose' | 'list' | 'code' | 'table' | 'sheet'
  /**
   * Titles of the headings above the block, outermost first. A heading block includes its own title. All blocks of a
   * section share one array.
   */
  headings: readonly string[]
  /** Page number, from 1. Null if the document has no pages. */
  page: number | null
  /** End of the header of a table or sheet. For other blocks, the start of the block. */
  headerEnd: number
}

/** Maximum length of a heading. Longer lines are treated as text. */
const HEADING_CHARACTERS_MAX = 500

const NO_HEADINGS: readonly string[] = []

/** Yields the blocks of a document in order. Yields null where the caller may pause. */
export function* blocksOf(text: string, kind: TextKind): Generator<Block | null> {
  switch (kind) {
    case 'markdown':
      return yield* markdownBlocks(text)
    case 'table':
      return yield* sheetBlocks(text)
    case 'plain':
      return yield* paragraphs(text, { start: 0, end: text.length }, null)
    case 'pages':
      return yield* pageBlocks(text)
  }
}

function* pageBlocks(text: string): Generator<Block | null> {
  let start = 0
  for (let page = 1; start <= text.length; page++) {
    const feed = text.indexOf('\f', start)
    const end = feed < 0 ? text.length : feed
    yield* paragraphs(text, { start, end }, page)
    yield null
    start = end + 1
  }
}

function* paragraphs(text: string, within: Range, page: number | null): Generator<Block | null> {
  const lines = new Lines(text, within)
  yield* lines.skipBlank()
  while (!lines.isAtEnd) {
    const { start } = lines
    while (!lines.isAtEnd && !lines.isBlank) {
      lines.next()
      if (lines.isStep) yield null
    }
    yield* lines.skipBlank()
    yield { kind: 'prose', start, end: lines.start, headings: NO_HEADINGS, page, headerEnd: start }
  }
}

/**
 * Yields the sheets of extracted XLSX text as blocks. A CSV file is a single unnamed sheet. Lines above the header of a
 * table are prose. A table below a blank line with its own header is a block of its own.
 */
function* sheetBlocks(text: string): Generator<Block | null> {
  const lines = new Lines(text, { start: 0, end: text.length })
  let headings = NO_HEADINGS
  yield* lines.skipBlank()
  while (!lines.isAtEnd) {
    const { start } = lines
    const block = { start, page: null, headerEnd: start }
    if (lines.beginsWith('# ') && lines.length <= HEADING_CHARACTERS_MAX) {
      headings = [lines.line.slice(2).trim()]
      lines.next()
      yield* lines.skipBlank()
      yield { ...block, kind: 'heading', end: lines.start, headings }
      continue
    }
    const header = findHeader(lines)
    if (header !== null) {
      yield { ...block, kind: 'prose', end: header.start, headings }
      lines.goTo(header.start)
    }
    block.start = lines.start
    const headerEnd = endOfRecord(lines)
    let wasBlank = false
    while (!lines.isAtEnd && !(wasBlank && (lines.beginsWith('# ') || startsTable(lines)))) {
      wasBlank = lines.isBlank
      endOfRecord(lines)
      if (lines.isStep) yield null
    }
    yield { ...block, kind: 'sheet', end: lines.start, headings, headerEnd }
  }
}

/**
 * Maximum lines of a quoted field (RFC 4180). A quote that stays open for more lines is treated as a plain character.
 */
const RECORD_LINES_MAX = 100

/** Advances past one record, including line breaks in quoted fields. Returns the end of the record. */
export function endOfRecord(lines: Lines): number {
  const { start } = lines
  let isOpen = false
  for (let count = 0; !lines.isAtEnd && count < RECORD_LINES_MAX; count++) {
    const { line } = lines
    for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) isOpen = !isOpen
    lines.next()
    if (!isOpen) return lines.start
  }
  if (isOpen) {
    lines.goTo(start)
    lines.next()
  }
  return lines.start
}

/**
 * Yields Markdown blocks by the rules of CommonMark 0.31 and GFM tables, as far as the rules affect block boundaries.
 */
function* markdownBlocks(text: string): Generator<Block | null> {
  const lines = new Lines(text, { start: 0, end: text.length })
  const path: { level: number; title: string }[] = []
  let headings = NO_HEADINGS
  yield* lines.skipBlank()
  while (!lines.isAtEnd) {
    const { start } = lines
    const heading = readHeading(lines)
    if (heading) {
      while ((path.at(-1)?.level ?? 0) >= heading.level) path.pop()
      path.push(heading)
      headings = path.map(({ title }) => title)
      yield* lines.skipBlank()
      yield { kind: 'heading', start, end: lines.start, headings, page: null, headerEnd: start }
      continue
    }
    const { kind, headerEnd = start } = yield* readBody(lines)
    yield* lines.skipBlank()
    yield { kind, start, end: lines.start, headings, page: null, headerEnd }
  }
}

function readHeading(lines: Lines): { level: number; title: string } | null {
  if (lines.length > HEADING_CHARACTERS_MAX) return null
  const { line } = lines
  const [mark, signs] = /^ {0,3}(#{1,6})(?=[ \t\n]|$)/.exec(line) ?? []
  if (mark !== undefined && signs !== undefined) {
    lines.next()
    const title = line.slice(mark.length).trim()
    return { level: signs.length, title: title.replace(/(^|[ \t])#+$/, '').trim() }
  }
  const underline = lines.following
  if (!isPlain(line) || !/^ {0,3}(=+|-+)[ \t]*\n?$/.test(underline)) return null
  lines.next()
  lines.next()
  return { level: underline.includes('=') ? 1 : 2, title: line.trim() }
}

/** Returns true if a line can be part of a paragraph. Examines only this line. */
const isPlain = (line: string): boolean =>
  !/^ {4}|^\t/.test(line) &&
  !LIST_ITEM.test(line) &&
  !FENCE.test(line) &&
  !RULE.test(line) &&
  !/^ {0,3}>/.test(line)

export const LIST_ITEM = /^[ \t]{0,20}(?:[-*+]|\d{1,9}[.)])(?=[ \t\n]|$)/
const FENCE = /^[ \t]{0,20}(`{3,}(?=[^`]*$)|~{3,})/
const RULE = /^ {0,3}(?:-[ \t]*){3,}\n?$|^ {0,3}(?:\*[ \t]*){3,}\n?$|^ {0,3}(?:_[ \t]*){3,}\n?$/

function* readBody(lines: Lines): Generator<null, { kind: Block['kind']; headerEnd?: number }> {
  const fence = FENCE.exec(lines.beginning)?.[1]
  if (fence !== undefined) {
    yield* readFenced(lines, fence)
    return { kind: 'code' }
  }
  if (lines.start === 0 && /^---[ \t]*\n?$/.test(lines.beginning) && isFrontMatter(lines)) {
    yield* readFenced(lines, '---')
    return { kind: 'code' }
  }
  if (lines.beginning.includes('|') && isDelimiterRow(lines.following)) {
    lines.next()
    lines.next()
    const headerEnd = lines.start
    while (!lines.isAtEnd && !lines.isBlank && lines.line.includes('|')) {
      lines.next()
      if (lines.isStep) yield null
    }
    return { kind: 'table', headerEnd }
  }
  const isList = LIST_ITEM.test(lines.beginning) && !RULE.test(lines.beginning)
  const isOver = isList ? endsList : endsParagraph
  do {
    lines.next()
    if (lines.isStep) yield null
  } while (!lines.isAtEnd && !isOver(lines))
  return { kind: isList ? 'list' : 'prose' }
}

/** Returns true if the file starts with front matter: metadata between two lines of dashes. */
const isFrontMatter = ({ following }: Lines): boolean => /^[\w-]+:/.test(following)

function* readFenced(lines: Lines, fence: string): Generator<null> {
  const isEnd = (line: string): boolean => {
    const words = line.trim()
    return words.length >= fence.length && words === fence.charAt(0).repeat(words.length)
  }
  do {
    lines.next()
    if (lines.isStep) yield null
  } while (!lines.isAtEnd && !isEnd(lines.beginning))
  if (!lines.isAtEnd) lines.next()
}

const isDelimiterRow = (line: string): boolean =>
  /^[ \t|:-]+\n?$/.test(line) && /-/.test(line) && line.includes('|')

/**
 * Returns true if the line ends a list. A list continues across blank lines if an item or an indented line follows.
 */
function endsList(lines: Lines): boolean {
  if (lines.isBlank) return false
  const { beginning } = lines
  if (LIST_ITEM.test(beginning)) return RULE.test(beginning)
  return lines.isAfterBlank ? !/^(?: {2}|\t)/.test(beginning) : startsBlock(lines)
}

const endsParagraph = (lines: Lines): boolean => lines.isBlank || startsBlock(lines)

/** Returns true if a line interrupts a paragraph. */
function startsBlock(lines: Lines): boolean {
  const { beginning } = lines
  if (/^ {0,3}#{1,6}(?:[ \t\n]|$)/.test(beginning)) return lines.length <= HEADING_CHARACTERS_MAX
  if (FENCE.test(beginning) || LIST_ITEM.test(beginning)) return true
  return beginning.includes('|') && isDelimiterRow(lines.following)
}
