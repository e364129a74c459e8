import { type BoundedText, createBoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { MarkdownWriter } from './markdown-writer.ts'
import type { OfficePackage, Relation } from './office-package.ts'
import { decodePage } from './page-encoding.ts'
import { pageToMarkdown } from './page-to-markdown.ts'
import { parsePage } from './read-web-page.ts'
import type { XmlHandler } from './xml.ts'

/** Charts, diagrams and embedded documents of one part that are read. */
const EMBEDDED_MAX = 500

/**
 * Reads the charts, diagrams and embedded documents to which a part refers. Returns their Markdown by the ID of the
 * relation. Charts become tables of their values. A damaged one is left out, because the document contains the rest.
 */
export async function readEmbedded(
  parts: OfficePackage,
  relations: Map<string, Relation>,
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { id, type, target } of relations.values()) {
    const read = READERS[type]
    if (read === undefined || found.size >= EMBEDDED_MAX || !parts.has(target)) continue
    const text = createBoundedText()
    try {
      await read(parts, target, text)
    } catch (error) {
      if (error instanceof DocumentError) throw error
    }
    const words = text.finish().text.trim()
    if (words !== '') found.set(id, words)
  }
  return found
}

type Read = (parts: OfficePackage, name: string, text: BoundedText) => Promise<void>

const READERS: Record<string, Read> = {
  chart: async (parts, name, text) => {
    const chart = new ChartReader()
    await parts.parse(name, chart)
    chart.write(text)
  },
  diagramData: async (parts, name, text) => parts.parse(name, paragraphReader(text)),
  aFChunk: readChunk,
}

/** Reads an embedded document: HTML, as programs that create DOCX from web pages store it, or text. */
async function readChunk(parts: OfficePackage, name: string, text: BoundedText): Promise<void> {
  const content = await parts.read(name)
  if (/\.txt$/i.test(name)) text.add(decodePage(content, ''))
  else if (/\.mht(ml)?$/i.test(name))
    await (await import('./read-eml.ts')).addMail(content, text, { hasHeaders: false })
  else if (/\.(xhtml|xht|html|htm)$/i.test(name)) {
    const { body } = await parsePage(decodePage(content, ''))
    pageToMarkdown(body, 'about:blank', text)
  }
}

/** Writes the paragraphs of a drawing, one a line. */
export function paragraphReader(text: BoundedText): XmlHandler {
  let line = ''
  let isText = false
  return {
    open(name) {
      isText = name === 'a:t'
      if (name === 'a:br') line += ' '
    },
    close(name) {
      isText = false
      if (name !== 'a:p') return
      if (line.trim() !== '') text.add(`${line.trim()}\n`)
      line = ''
    },
    text(words) {
      if (isText) line += words
    },
  }
}

interface Series {
  name: string
  /** Values by the number of their point. */
  labels: Map<number, string>
  values: Map<number, string>
}

/** Points of one series that are written. */
const POINTS_MAX = 2_000

/** Reads the title and the values of a chart (ECMA-376, 21.2), as the file caches them. */
class ChartReader implements XmlHandler {
  readonly #open: string[] = []
  readonly #series: Series[] = []
  readonly #words: string[] = []
  #point = 0

  open(name: string, attributes: { get(name: string): string | undefined }): void {
    this.#open.push(name)
    if (name === 'c:ser') this.#series.push({ name: '', labels: new Map(), values: new Map() })
    if (name === 'c:pt') this.#point = Number(attributes.get('idx')) || 0
  }

  close(): void {
    this.#open.pop()
  }

  text(words: string): void {
    const series = this.#series.at(-1)
    const last = this.#open.at(-1)
    if (last === 'a:t' && this.#open.includes('c:title')) this.#words.push(words)
    if (last !== 'c:v' || series === undefined) return
    const add = (values: Map<number, string>): void => {
      if (this.#point < POINTS_MAX) values.set(this.#point, (values.get(this.#point) ?? '') + words)
    }
    if (this.#open.includes('c:tx')) series.name += words
    else if (this.#open.some((name) => name === 'c:cat' || name === 'c:xVal')) add(series.labels)
    else if (this.#open.some((name) => name === 'c:val' || name === 'c:yVal')) add(series.values)
  }

  write(text: BoundedText): void {
    const title = this.#words.join(' ').trim()
    if (title !== '') text.add(`${title}\n\n`)
    const series = this.#series.filter(({ values }) => values.size > 0)
    const labels = series.find((one) => one.labels.size > 0)?.labels ?? new Map<number, string>()
    const points = [...new Set(series.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b)
    const writer = new MarkdownWriter(text)
    writer.open('table', () => '')
    const addRow = (cells: string[]): void => {
      for (const cell of cells) {
        writer.addCell({ columns: 1, isContinued: false })
        writer.say(cell)
        writer.close('td')
      }
      writer.close('tr')
    }
    if (points.length > 0) addRow(['', ...series.map(({ name }) => name)])
    for (const point of points)
      addRow([labels.get(point) ?? '', ...series.map(({ values }) => values.get(point) ?? '')])
    writer.close('table')
  }
}
