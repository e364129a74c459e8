import type { BoundedText } from './bounded-text.ts'
import { MarkdownWriter } from './markdown-writer.ts'

export interface NumberedParagraph {
  words: string
  /** Level of a heading, from 1. Null for other paragraphs. */
  heading: number | null
  /** Number of the paragraph, such as `§5`, or `-` for a bullet. '' if it is not numbered. */
  mark: string
  /** Depth of the list, from 0. */
  depth: number
  /** Lists with another key are separated. */
  list: string
}

const LIST_DEPTH_MAX = 8
const HEADING_MAX = 6

/** Writes numbered paragraphs as Markdown. */
export class BlockWriter {
  readonly writer: MarkdownWriter
  /** Number of open lists. */
  #lists = 0
  /** The outermost open list. */
  #list = ''

  constructor(text: BoundedText) {
    this.writer = new MarkdownWriter(text)
  }

  /** Writes a heading, a list item or text. Numbers that are no list in Markdown are a part of the text. */
  add({ words, heading, mark, depth, list }: NumberedParagraph): void {
    const isItem = heading === null && /^(?:-|\d{1,9}[.)])$/.test(mark)
    if (depth === 0 && list !== this.#list) this.endLists()
    if (depth === 0) this.#list = list
    this.#setLists(isItem ? Math.min(depth, LIST_DEPTH_MAX) + 1 : 0)
    const name = heading === null ? 'p' : `h${Math.min(heading, HEADING_MAX)}`
    if (isItem) this.writer.openItem(`${mark} `)
    else this.writer.open(name, () => '')
    if (!isItem && mark !== '' && mark !== '-') this.writer.say(`${mark} `)
    this.writer.say(heading === null ? words : words.replaceAll('\n', ' '))
    this.writer.close(isItem ? 'li' : name)
  }

  /** Adds Markdown as a block. */
  addBlock(markdown: string): void {
    this.endLists()
    this.writer.addBlock(markdown)
  }

  endLists(): void {
    this.#setLists(0)
  }

  #setLists(depth: number): void {
    for (; this.#lists > depth; this.#lists--) this.writer.close('ul')
    for (; this.#lists < depth; this.#lists++) this.writer.open('ul', () => '')
  }

  /** Writes the rest. */
  finish(): void {
    this.endLists()
    this.writer.endLine()
  }
}
