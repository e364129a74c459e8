import type { BoundedText } from './bounded-text.ts'

/** An open list. `next` is the number of the list's next item, or null for a bulleted list. */
interface List {
  next: number | null
}

/** An open table. Nested tables are flattened into the cells of the outermost table. */
interface Table {
  depth: number
  /** Number of rows that are written. */
  rows: number
  cells: string[]
  /** Number of columns that the current cell spans. */
  span: number
  /** Cells of the previous row, for cells that continue in the next one. */
  above: string[]
  /** Rows below the current one that a cell continues into, by column. */
  carried: Map<number, number>
  /** Rows that the current cell spans below its own. */
  rowsBelow: number
}

/** A table cell. A continued cell belongs to the cell above it. */
export interface TableCell {
  columns: number
  rows?: number
  isContinued: boolean
}

/** Returns the value of an element's attribute, or '' if the attribute is missing. */
export type AttributeOf = (name: string) => string

/** Block elements other than headings, lists, tables and preformatted code. */
const BLOCKS = new Set(
  `address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
  header hr main nav p search section summary`.split(/\s+/),
)
const SPAN_MAX = 50
const ROW_SPAN_MAX = 65_534
/** A longer value of a cell that spans several rows is not repeated in each row. */
const REPEATED_CHARACTERS_MAX = 200
/** Maximum depth of quotes and lists. Deeper levels are written at this depth. */
const DEPTH_MAX = 10
const LANGUAGE = /^(?:language|lang)-([\w+#.-]{1,30})$/

/** Returns true if an element is a block element. */
export const isBlock = (name: string): boolean =>
  BLOCKS.has(name) || /^(h[1-6]|ul|ol|li|table|tr|td|th|pre)$/.test(name)

/**
 * Converts a stream of HTML elements to Markdown: headings, lists, tables, links, code and quotes. Images become
 * their alt text. Bold and italics are dropped, because they are noise in a search index. Callers must pass lowercase
 * element names and close elements in order.
 */
export class MarkdownWriter {
  readonly #text: BoundedText
  readonly #lists: List[] = []
  readonly #links: string[] = []
  #table: Table | null = null
  #code: { text: string; language: string } | null = null
  #quotes = 0
  #line = ''
  /** Prefix of the next line: a list item's marker on the item's first line, then spaces of the same width. */
  #prefix = ''
  #heading = ''

  constructor(text: BoundedText) {
    this.#text = text
  }

  say(words: string): void {
    if (this.#code !== null) this.#code.text += words
    else this.#line += words
  }

  open(name: string, attributeOf: AttributeOf): void {
    if (this.#code !== null) return this.#openInCode(name, attributeOf)
    if (isBlock(name)) this.#endParagraph()
    if (/^h[1-6]$/.test(name)) this.#heading = `${'#'.repeat(Number(name[1]))} `
    else if (name === 'ul' || name === 'ol') this.#lists.push({ next: name === 'ol' ? 1 : null })
    else if (name === 'li') this.openItem(this.#nextMark())
    else if (name === 'table') this.#openTable()
    else if (name === 'td' || name === 'th')
      this.addCell({
        columns: Number(attributeOf('colspan')),
        // A value of 0 spans the rest of the row group.
        rows: attributeOf('rowspan') === '0' ? ROW_SPAN_MAX : Number(attributeOf('rowspan')),
        isContinued: false,
      })
    else if (name === 'blockquote') this.#quotes++
    else if (name === 'pre') this.#code = { text: '', language: '' }
    else if (name === 'code') this.#line += '`'
    else if (name === 'br') this.#line += this.#table === null ? '\n' : ' '
    else if (name === 'img') this.#line += attributeOf('alt')
    else if (name === 'a') {
      const href = attributeOf('href')
      this.#links.push(/^(https?|mailto):/i.test(href) ? href : '')
      if (this.#links.at(-1) !== '') this.#line += '['
    }
  }

  close(name: string): void {
    if (name === 'pre') this.#endCode()
    if (this.#code !== null) return
    if (isBlock(name)) this.#endParagraph()
    if (/^h[1-6]$/.test(name)) this.#heading = ''
    else if (name === 'ul' || name === 'ol') this.#closeList()
    else if (name === 'td' || name === 'th') this.#closeCell()
    else if (name === 'tr') this.#closeRow()
    else if (name === 'thead' || name === 'tbody' || name === 'tfoot') this.#closeRowGroup()
    else if (name === 'table') this.#closeTable()
    else if (name === 'blockquote') this.#quotes--
    else if (name === 'code') this.#line += '`'
    else if (name === 'a') {
      const href = this.#links.pop() ?? ''
      if (href !== '') this.#line += `](${href})`
    }
  }

  /** Writes the pending text as a line, or appends it to the current table cell. */
  endLine(gap = '\n'): void {
    const words = this.#line
      .replace(/[ \t\f\r]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    this.#line = ''
    if (words === '') return
    if (this.#table !== null) {
      const { cells } = this.#table
      cells.push(`${cells.pop() ?? ''} ${words}`.trim())
      return
    }
    this.#text.add(
      `${'> '.repeat(Math.min(this.#quotes, DEPTH_MAX))}${this.#prefix}${this.#heading}${words}${gap}`,
    )
    this.#prefix = this.#prefix.replace(/\S/g, ' ')
  }

  /** Adds finished Markdown as a block, or as the words of the current table cell. */
  addBlock(markdown: string): void {
    if (markdown.trim() === '') return
    this.#endParagraph()
    if (this.#table === null) this.#text.add(`${markdown.trim()}\n\n`)
    else {
      this.#line = markdown
      this.endLine()
    }
  }

  #nextMark(): string {
    const list = this.#lists.at(-1)
    return list === undefined || list.next === null ? '- ' : `${list.next++}. `
  }

  #endParagraph(): void {
    this.endLine(this.#lists.length > 0 ? '\n' : '\n\n')
  }

  /** Opens a list item with its mark, such as `7. `. Close it as `li`. */
  openItem(mark: string): void {
    this.#endParagraph()
    const depth = Math.min(Math.max(0, this.#lists.length - 1), DEPTH_MAX)
    if (this.#table === null) this.#prefix = '  '.repeat(depth) + mark
    else this.#line = mark
  }

  #closeList(): void {
    this.#lists.pop()
    this.#prefix = ''
    if (this.#lists.length === 0 && this.#table === null) this.#text.add('\n')
  }

  #openTable(): void {
    if (this.#table !== null) this.#table.depth++
    else this.#table = { depth: 1, rows: 0, cells: [], span: 1, above: [], carried: new Map(), rowsBelow: 0 }
  }

  /** Opens a table cell, after the cells of the rows above that continue before it. Close it as `td`. */
  addCell({ columns, rows = 1, isContinued }: TableCell): void {
    const table = this.#table
    if (table?.depth !== 1) return
    this.endLine()
    this.#addCarried(table)
    table.cells.push(isContinued ? (table.above[table.cells.length] ?? '') : '')
    table.span = columns > 1 ? Math.min(columns, SPAN_MAX) : 1
    table.rowsBelow = rows > 1 ? Math.min(rows, ROW_SPAN_MAX) - 1 : 0
  }

  #addCarried({ cells, carried, above }: Table): void {
    for (let left = carried.get(cells.length); left !== undefined; left = carried.get(cells.length)) {
      if (left === 1) carried.delete(cells.length)
      else carried.set(cells.length, left - 1)
      cells.push(above[cells.length] ?? '')
    }
  }

  /**
   * Adds empty cells after a cell that spans several columns, so that the rows stay aligned. A cell that spans several rows
   * is carried into them.
   */
  #closeCell(): void {
    const table = this.#table
    if (table?.depth !== 1) return
    const first = table.cells.length - 1
    for (let column = 1; column < table.span; column++) table.cells.push('')
    if (table.rowsBelow > 0)
      for (let column = first; column < table.cells.length; column++)
        table.carried.set(column, table.rowsBelow)
    table.span = 1
    table.rowsBelow = 0
  }

  #closeRow(): void {
    if (this.#table === null || this.#table.depth > 1) return
    const table = this.#table
    const isSpanned = table.cells.length === 0
    this.#addCarried(table)
    const { cells } = table
    table.cells = []
    if (isSpanned) return
    table.above = cells.map((cell) => (cell.length > REPEATED_CHARACTERS_MAX ? '' : cell))
    const row = cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' '))
    this.#text.add(`| ${row.join(' | ')} |\n`)
    if (table.rows++ === 0) this.#text.add(`|${' --- |'.repeat(cells.length)}\n`)
  }

  /** Ends the cells that span rows, because none continues in the next row group (HTML, "forming a table"). */
  #closeRowGroup(): void {
    if (this.#table?.depth === 1) this.#table.carried.clear()
  }

  #closeTable(): void {
    if (this.#table === null || --this.#table.depth > 0) return
    this.#table = null
    this.#text.add('\n')
  }

  #openInCode(name: string, attributeOf: AttributeOf): void {
    if (this.#code === null) return
    if (name === 'br') this.#code.text += '\n'
    if (name !== 'code') return
    const [, language = ''] = LANGUAGE.exec(attributeOf('class').split(/\s+/).find(isLanguage) ?? '') ?? []
    this.#code.language = language
  }

  #endCode(): void {
    if (this.#code === null) return
    const { text, language } = this.#code
    this.#code = null
    if (this.#table !== null) this.#line += ` ${text} `
    else if (text.trim() !== '') {
      // The fence must be longer than any fence in the code (CommonMark, fenced code blocks).
      const longest = text.match(/`{3,}/g)?.reduce((length, run) => Math.max(length, run.length), 2) ?? 2
      const fence = '`'.repeat(longest + 1)
      this.#text.add(`${fence}${language}\n${text.replace(/^\n+/, '').trimEnd()}\n${fence}\n\n`)
    }
  }
}

const isLanguage = (word: string): boolean => LANGUAGE.test(word)
