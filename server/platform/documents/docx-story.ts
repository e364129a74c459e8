import { BlockWriter } from './block-writer.ts'
import type { BoundedText } from './bounded-text.ts'
import type { DocxNumbering, DocxStyles } from './docx-styles.ts'
import type { MarkdownWriter, TableCell } from './markdown-writer.ts'

export interface Paragraph {
  text: string
  style: string
  list: string | null
  level: number | null
  outline: number | null
  isMarkDeleted: boolean
  /** Text boxes and charts that are anchored in the paragraph. They follow it. */
  anchored: string[]
}

export const newParagraph = (): Paragraph => ({
  text: '',
  style: '',
  list: null,
  level: null,
  outline: null,
  isMarkDeleted: false,
  anchored: [],
})

/** Sets the property of a paragraph that an element states. */
export function describeParagraph(paragraph: Paragraph, name: string, value: string): void {
  if (name === 'w:pStyle') paragraph.style = value
  else if (name === 'w:numId') paragraph.list = value
  else if (name === 'w:ilvl') paragraph.level = Number(value) || 0
  else if (name === 'w:outlineLvl') paragraph.outline = Number(value) || 0
}

const GRID_BEFORE_MAX = 50

/** Writes the paragraphs and tables of a text that stands on its own: the body, a text box, a header or a note. */
export class DocxStory {
  readonly text: BoundedText
  readonly #blocks: BlockWriter
  readonly #writer: MarkdownWriter
  readonly #cells: (TableCell & { isOpen: boolean })[] = []
  /** Text of a paragraph whose mark was deleted. The next paragraph continues it. */
  #carried = ''

  constructor(text: BoundedText) {
    this.text = text
    this.#blocks = new BlockWriter(text)
    this.#writer = this.#blocks.writer
  }

  /** The cell that is being read. Its properties precede its content. */
  get cell(): TableCell | undefined {
    return this.#cells.at(-1)
  }

  openTable(): void {
    this.openContent()
    this.#blocks.endLists()
    this.#writer.open('table', () => '')
  }

  closeTable(): void {
    this.#writer.close('table')
  }

  closeRow(): void {
    this.#writer.close('tr')
  }

  /** Adds the empty cells with which a row starts. */
  addEmptyCells(count: number): void {
    for (let left = Math.min(count, GRID_BEFORE_MAX); left > 0; left--) {
      this.#writer.addCell({ columns: 1, isContinued: false })
      this.#writer.close('td')
    }
  }

  openCell(): void {
    this.#cells.push({ columns: 1, isContinued: false, isOpen: false })
  }

  closeCell(): void {
    this.openContent()
    this.#blocks.endLists()
    this.#cells.pop()
    this.#writer.close('td')
  }

  /** Adds the current cell to the table, once its properties are read. */
  openContent(): void {
    const cell = this.#cells.at(-1)
    if (cell === undefined || cell.isOpen) return
    cell.isOpen = true
    this.#writer.addCell(cell)
  }

  /** Adds Markdown as a block. */
  addBlock(markdown: string): void {
    this.openContent()
    this.#blocks.addBlock(markdown)
  }

  /** Writes a paragraph: a heading, a list item or text, with its number. */
  addParagraph(paragraph: Paragraph, styles: DocxStyles, numbering: DocxNumbering): void {
    const words = this.#carried + paragraph.text
    this.#carried = paragraph.isMarkDeleted ? words : ''
    if (!paragraph.isMarkDeleted) this.#write(paragraph, words, styles, numbering)
    for (const block of paragraph.anchored) this.addBlock(block)
  }

  #write(paragraph: Paragraph, words: string, styles: DocxStyles, numbering: DocxNumbering): void {
    const { outline, style } = paragraph
    const list = paragraph.list ?? styles.listOf(style) ?? '0'
    const level = paragraph.level ?? styles.levelOf(style) ?? numbering.levelOfStyle(list, style)
    // Empty paragraphs of a list are counted, too.
    const label = list === '0' ? null : numbering.next({ list, level })
    if (words.trim() === '') return
    const heading = outline === null ? styles.headingOf(style) : outline < 9 ? outline + 1 : null
    const mark = label === null ? '' : label.isBullet ? '-' : label.text
    this.#blocks.add({ words, heading, mark, depth: level, list })
  }

  /** Writes the rest. */
  finish(): void {
    this.#blocks.finish()
  }
}
