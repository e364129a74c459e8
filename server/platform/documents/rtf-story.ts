import type { BoundedText } from './bounded-text.ts'
import { MarkdownWriter } from './markdown-writer.ts'

const HEADING_MAX = 6

/** Writes the paragraphs and table rows of an RTF text, as its control words end them. */
export class RtfStory {
  readonly text: BoundedText
  readonly #writer: MarkdownWriter
  /** Text of the current paragraph or cell. */
  line = ''
  #isInTable = false
  #heading: number | null = null
  #cells: string[] = []
  /** For each cell of the row, whether it continues the cell above. */
  #continued: boolean[] = []
  #isContinued = false
  #isOpen = false

  constructor(text: BoundedText) {
    this.text = text
    this.#writer = new MarkdownWriter(text)
  }

  /** Applies a control word that ends a paragraph, or describes it. Ignores others. */
  apply(word: string, value: number | null): void {
    switch (word) {
      case 'par':
      case 'sect':
      case 'page':
        if (this.#isInTable && word === 'par') this.line += ' '
        else this.#endParagraph()
        return
      case 'pard':
        this.#isInTable = false
        this.#heading = null
        return
      case 'intbl':
        this.#isInTable = true
        return
      case 'outlinelevel':
        this.#heading = value !== null && value < 9 ? value + 1 : null
        return
      case 'trowd':
        this.#continued = []
        this.#isContinued = false
        return
      case 'clvmrg':
        this.#isContinued = true
        return
      case 'cellx':
        this.#continued.push(this.#isContinued)
        this.#isContinued = false
        return
      case 'cell':
        this.#cells.push(this.line)
        this.line = ''
        return
      case 'nestcell':
        this.line += ' '
        return
      case 'row':
        return this.#endRow()
    }
  }

  #endParagraph(): void {
    const words = this.line
    this.line = ''
    if (words.trim() === '') return
    this.#closeTable()
    const name = this.#heading === null ? 'p' : `h${Math.min(this.#heading, HEADING_MAX)}`
    this.#writer.open(name, () => '')
    this.#writer.say(this.#heading === null ? words : words.replaceAll('\n', ' '))
    this.#writer.close(name)
  }

  #endRow(): void {
    if (!this.#isOpen) this.#writer.open('table', () => '')
    this.#isOpen = true
    this.#cells.forEach((cell, index) => {
      this.#writer.addCell({ columns: 1, isContinued: this.#continued[index] === true })
      this.#writer.say(cell)
      this.#writer.close('td')
    })
    this.#writer.close('tr')
    this.#cells = []
  }

  #closeTable(): void {
    if (this.#isOpen) this.#writer.close('table')
    this.#isOpen = false
  }

  /** Writes the rest. */
  finish(): void {
    if (this.#cells.length > 0) this.#endRow()
    this.#isInTable = false
    this.#endParagraph()
    this.#closeTable()
    this.#writer.endLine()
  }
}
