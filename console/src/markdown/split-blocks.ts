import type { Token, Tokens } from 'marked'
import { type Fence, fenceOf, isClosing, mayClose, withoutIndent } from './code-fence.ts'
import { joined, linesOf, markerOf, partsOfTable, piecesOf, tokensOf } from './tokens.ts'

/**
 * A part of a Markdown string that renders separately. A complete block remains the same object while the string
 * grows.
 */
export type Block =
  | { kind: 'prose'; text: string; isOpen: boolean }
  /** Source that is not parsed yet, because parsing it on each change would take too long. */
  | { kind: 'plain'; text: string; isOpen: true }
  | CodeBlock
  | TableBlock
  | ListBlock

/** Code, split into pieces of several lines. While the code grows, only the last piece renders again. */
export type CodeBlock = { kind: 'code'; language: string; pieces: readonly string[]; isOpen: boolean }
/** A table, split into pieces of several rows. `head` consists of the header row and the delimiter row. */
export type TableBlock = { kind: 'table'; head: string; pieces: readonly string[]; isOpen: boolean }
/** A list, split into pieces of several items. `start` is null for a bullet list. */
export type ListBlock = { kind: 'list'; start: number | null; pieces: readonly string[]; isOpen: boolean }

const CODE_PIECE_LINES = 40
const TABLE_PIECE_ROWS = 8
const LIST_PIECE_ITEMS = 4
/**
 * Unparsed source up to this length is parsed on each change. Longer source is parsed again when it has grown by the
 * factor `GROWTH`.
 */
const EAGER_CHARACTERS_MAX = 4_000
const GROWTH = 1.25

/** The complete pieces of a block that is still growing. */
type Begun =
  | { kind: 'code'; fence: Fence; pieces: string[]; lines: string[] }
  | { kind: 'table'; head: string; pieces: string[] }
  | { kind: 'list'; start: number | null; marker: string; pieces: string[] }

/**
 * Splits a growing Markdown string into blocks. The cost of an update depends only on the new text: complete blocks
 * are not parsed again. Unfinished code, tables and lists are parsed from their last lines.
 */
export class BlockSplitter {
  /** The link reference definitions found so far (CommonMark 0.31, 4.7). */
  definitions = ''
  #text = ''
  #isComplete = false
  #blocks: readonly Block[] = []
  #done: Block[] = []
  #open: Block[] = []
  #begun: Begun | null = null
  /** The number of characters that are already in `#done` and `#begun`. The source after them is the rest. */
  #read = 0
  /** The length of the rest when it was last parsed. */
  #parsed = 0

  /** Returns the blocks of a string. If the string does not start with the previous one, parses all of it again. */
  split(text: string, isComplete: boolean): readonly Block[] {
    const clean = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
    if (clean === this.#text && isComplete === this.#isComplete) return this.#blocks
    if (this.#isComplete || !clean.startsWith(this.#text)) this.#forget()
    this.#text = clean
    this.#isComplete = isComplete
    while (this.#begun?.kind === 'code' ? this.#readCode(this.#begun) : this.#readRest());
    this.#blocks = [...this.#done, ...this.#open]
    return this.#blocks
  }

  #forget(): void {
    this.definitions = ''
    this.#done = []
    this.#begun = null
    this.#read = 0
    this.#parsed = 0
  }

  /** Reads new lines of a code block. Returns true if the block has ended. */
  #readCode(code: Extract<Begun, { kind: 'code' }>): boolean {
    for (;;) {
      const end = this.#text.indexOf('\n', this.#read)
      if (end < 0 && !this.#isComplete) break
      const line = this.#text.slice(this.#read, end < 0 ? undefined : end)
      this.#read += line.length + (end < 0 ? 0 : 1)
      const isOver = isClosing(line, code.fence)
      if (!isOver && (end >= 0 || line !== '')) code.lines.push(`${withoutIndent(line, code.fence)}\n`)
      if (isOver || end < 0) {
        this.#done.push(this.#codeBlock(code, ''))
        this.#begun = null
        this.#parsed = 0
        return true
      }
      if (code.lines.length === CODE_PIECE_LINES) code.pieces.push(code.lines.splice(0).join(''))
    }
    const line = this.#text.slice(this.#read)
    this.#open = [{ ...this.#codeBlock(code, mayClose(line, code.fence) ? '' : line), isOpen: true }]
    return false
  }

  #codeBlock({ fence, pieces, lines }: Extract<Begun, { kind: 'code' }>, lastLine: string): CodeBlock {
    const newest = lines.join('') + withoutIndent(lastLine, fence)
    const all = newest === '' ? [...pieces] : [...pieces, newest]
    return { kind: 'code', language: fence.language, pieces: all, isOpen: false }
  }

  /**
   * Parses the rest and stores its complete blocks. Returns true if the rest starts with an unfinished code block.
   */
  #readRest(): boolean {
    const rest = this.#text.slice(this.#read)
    if (!this.#isComplete && rest.length > EAGER_CHARACTERS_MAX && rest.length < this.#parsed * GROWTH) {
      const parsed = this.#open.filter(({ kind }) => kind !== 'plain')
      this.#open = [...parsed, { kind: 'plain', text: rest.slice(this.#parsed), isOpen: true }]
      return false
    }
    const tokens = tokensOf(this.#begunHead + rest)
    const firstOpen = this.#isComplete ? tokens.length : firstOpenOf(tokens)
    for (const token of tokens.slice(0, firstOpen)) this.#finish(token)
    const [first, ...others] = tokens.slice(firstOpen)
    this.#endBegunBefore(first)
    if (first && others.length === 0 && this.#beginCode(first)) return true
    this.#open = [
      ...(first ? [this.#openBlock(first)] : this.#begunBlocks(true)),
      ...others.filter(({ type }) => type !== 'space').map((token) => blockOf(token, null, true)),
    ]
    this.#parsed = this.#text.trimEnd().length - this.#read
    return false
  }

  /** The head of the unfinished table, or ''. Prepended to the rest, so that the remaining rows parse as a table. */
  get #begunHead(): string {
    return this.#begun?.kind === 'table' ? this.#begun.head : ''
  }

  #finish(token: Token): void {
    this.#endBegunBefore(token)
    this.#read += token.raw.length - this.#begunHead.length
    if (token.type === 'space') return
    if (token.type === 'def') this.definitions += `\n${token.raw.trim()}`
    else this.#done.push(blockOf(token, this.#begun, false))
    this.#begun = null
  }

  /**
   * Ends the unfinished block if `token` does not continue it. A list ends before a block that isn't part of the same
   * list, and every block ends at the end of a complete string.
   */
  #endBegunBefore(token: Token | undefined): void {
    const { kind, marker } = (this.#begun ?? {}) as { kind?: string; marker?: string }
    const isAnother = token && token.type !== 'space' && kind === 'list' && markerOf(token) !== marker
    if (!isAnother && (token || !this.#isComplete)) return
    this.#done.push(...this.#begunBlocks(false))
    this.#begun = null
  }

  #begunBlocks(isOpen: boolean): Block[] {
    const begun = this.#begun
    if (begun?.kind === 'table') return [{ kind: 'table', head: begun.head, pieces: begun.pieces, isOpen }]
    if (begun?.kind === 'list') return [{ kind: 'list', start: begun.start, pieces: begun.pieces, isOpen }]
    return []
  }

  #beginCode(token: Token): boolean {
    const fence = token.type === 'code' ? fenceOf(token.raw) : null
    if (fence === null) return false
    this.#read += fence.length
    this.#begun = { kind: 'code', fence, pieces: [], lines: [] }
    return true
  }

  /** Returns the unfinished block that starts with `token`. Stores the complete pieces of a table or list. */
  #openBlock(token: Token): Block {
    const begun = this.#begun
    if (token.type === 'table') {
      const { head, rows } = partsOfTable(token.raw)
      const complete = piecesOf(rows.slice(0, -1), TABLE_PIECE_ROWS)
      if (complete.length > 0) {
        this.#read += joined(complete).length + (begun ? 0 : head.length)
        this.#begun = { kind: 'table', head, pieces: [...(begun?.pieces ?? []), ...complete] }
      }
      const shown = joined(rows).slice(joined(complete).length)
      return {
        kind: 'table',
        head,
        pieces: [...(this.#begun?.pieces ?? []), ...asPiece(shown)],
        isOpen: true,
      }
    }
    if (token.type === 'list') {
      const { raw, items } = token as Tokens.List
      // The last two items can still change when the current line grows.
      const texts = items.slice(0, -2).map((item) => item.raw)
      const complete = raw.startsWith(joined(texts)) ? piecesOf(texts, LIST_PIECE_ITEMS) : []
      const start = begun?.kind === 'list' ? begun.start : startOf(token as Tokens.List)
      const pieces = [...(begun?.pieces ?? []), ...complete]
      if (complete.length > 0) {
        this.#read += joined(complete).length
        this.#begun = { kind: 'list', start, marker: markerOf(token), pieces }
      }
      const shown = raw.slice(joined(complete).length)
      return { kind: 'list', start, pieces: [...pieces, ...asPiece(shown)], isOpen: true }
    }
    return blockOf(token, null, true)
  }
}

/**
 * Returns the index of the first block that can still change. This is the last block, or the one before it if the
 * last block has no complete line.
 */
function firstOpenOf(tokens: Token[]): number {
  const isShown = ({ type }: Token): boolean => type !== 'space'
  const last = tokens.findLastIndex(isShown)
  if (last < 0) return tokens.length
  const hasLine = tokens.slice(last).some(({ raw }) => raw.includes('\n'))
  const before = tokens.slice(0, last).findLastIndex(isShown)
  return hasLine || before < 0 ? last : before
}

function blockOf(token: Token, begun: Begun | null, isOpen: boolean): Block {
  const before = begun?.pieces ?? []
  if (token.type === 'code') {
    const { text, lang = '' } = token as Tokens.Code
    const pieces = piecesOf(linesOf(`${text}\n`), CODE_PIECE_LINES, true)
    return { kind: 'code', language: lang.trim().split(/\s/, 1)[0] ?? '', pieces, isOpen }
  }
  if (token.type === 'table') {
    const { head, rows } = partsOfTable(token.raw)
    return { kind: 'table', head, pieces: [...before, ...piecesOf(rows, TABLE_PIECE_ROWS, true)], isOpen }
  }
  if (token.type === 'list') {
    const list = token as Tokens.List
    const texts = list.items.map(({ raw }) => raw)
    const isWhole = joined(texts).trimEnd() === list.raw.trimEnd()
    const pieces = isWhole ? piecesOf(texts, LIST_PIECE_ITEMS, true) : [list.raw]
    const start = begun?.kind === 'list' ? begun.start : startOf(list)
    return { kind: 'list', start, pieces: [...before, ...pieces], isOpen }
  }
  return { kind: 'prose', text: token.raw, isOpen }
}

const startOf = ({ ordered, start }: Tokens.List): number | null => (ordered ? Number(start) : null)
const asPiece = (text: string): string[] => (text === '' ? [] : [text])
