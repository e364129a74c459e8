import type { BoundedText } from './bounded-text.ts'

/** A list that is being written: the number of its next item, or null where it has dots. */
interface List {
  next: number | null
}

/** A table that is being written. The tables in a cell are part of it. */
interface Table {
  depth: number
  rows: number
  cells: string[]
}

/**
 * Writes the HTML that mammoth makes (well-formed, few elements, everything else escaped) as Markdown. What is bold or
 * italic is not marked: it is noise to whoever looks for words.
 */
export function htmlToMarkdown(html: string, text: BoundedText): void {
  const writer = createWriter(text)
  for (const [, closing, name = '', attributes = '', words] of html.matchAll(TOKEN)) {
    if (text.isFull) return
    if (words !== undefined) writer.say(unescapeHtml(words))
    else if (closing === '/') writer.close(name)
    else writer.open(name, attributes)
  }
  writer.endLine()
}

const TOKEN = /<(\/?)([a-z0-9]+)([^>]*)>|([^<]+)/g

function createWriter(text: BoundedText) {
  const lists: List[] = []
  const links: string[] = []
  let table: Table | null = null
  let line = ''
  let prefix = ''

  const endLine = (gap = '\n'): void => {
    const words = line.trim()
    line = ''
    if (words === '') return
    if (table !== null) table.cells.push(`${table.cells.pop() ?? ''} ${words}`.trim())
    else text.add(`${prefix}${words}${gap}`)
    if (table === null) prefix = prefix.replace(/\S/g, ' ')
  }
  const paragraph = (): void => endLine(lists.length > 0 ? '\n' : '\n\n')

  const openItem = (): void => {
    paragraph()
    const list = lists.at(-1)
    const mark = list === undefined || list.next === null ? '- ' : `${list.next++}. `
    if (table === null) prefix = '  '.repeat(Math.max(0, lists.length - 1)) + mark
    else line = mark
  }
  const closeList = (): void => {
    paragraph()
    lists.pop()
    prefix = ''
    if (lists.length === 0 && table === null) text.add('\n')
  }
  const closeRow = (): void => {
    if (table === null || table.depth > 1) return
    const { cells } = table
    text.add(`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |\n`)
    if (table.rows++ === 0) text.add(`|${' --- |'.repeat(cells.length)}\n`)
    table.cells = []
  }
  const openTable = (): void => {
    paragraph()
    if (table === null) table = { depth: 1, rows: 0, cells: [] }
    else table.depth++
  }
  const closeTable = (): void => {
    endLine()
    if (table === null || --table.depth > 0) return
    table = null
    text.add('\n')
  }
  const openCell = (): void => {
    if (table?.depth === 1) table.cells.push('')
  }

  return {
    endLine,
    say(words: string) {
      line += words
    },
    open(name: string, attributes: string) {
      if (/^h[1-6]$/.test(name)) {
        paragraph()
        if (table === null) line = `${'#'.repeat(Number(name[1]))} `
      } else if (name === 'ul' || name === 'ol') {
        paragraph()
        lists.push({ next: name === 'ol' ? 1 : null })
      } else if (name === 'li') openItem()
      else if (name === 'table') openTable()
      else if (name === 'td' || name === 'th') openCell()
      else if (name === 'br') line += table === null ? '\n' : ' '
      else if (name === 'img') line += attributeOf(attributes, 'alt')
      else if (name === 'a') {
        const href = attributeOf(attributes, 'href')
        links.push(/^(https?|mailto):/i.test(href) ? href : '')
        if (links.at(-1) !== '') line += '['
      }
    },
    close(name: string) {
      if (/^(p|h[1-6]|li|td|th)$/.test(name)) paragraph()
      else if (name === 'ul' || name === 'ol') closeList()
      else if (name === 'tr') closeRow()
      else if (name === 'table') closeTable()
      else if (name === 'a') {
        const href = links.pop() ?? ''
        if (href !== '') line += `](${href})`
      }
    },
  }
}

function attributeOf(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(` ${name}="([^"]*)"`).exec(attributes) ?? []
  return unescapeHtml(value)
}

const unescapeHtml = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
