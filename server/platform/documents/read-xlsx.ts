import type { BoundedText } from './bounded-text.ts'
import { DocumentError } from './document-error.ts'
import { builtInFormat, type NumberFormat, PLAIN_NUMBER, parseFormat, showNumber } from './number-format.ts'
import { mainPart, type OfficePackage, type Relation, readRelations, withPackage } from './office-package.ts'
import { COLUMNS_MAX, parseAddress, ROWS_MAX, SheetText } from './sheet-text.ts'
import { shiftFormula } from './shift-formula.ts'
import { type XmlAttributes, XmlError, type XmlHandler } from './xml.ts'

/**
 * Extracts the cells of an XLSX: each sheet as `# Name` and CSV rows (RFC 4180), with a blank line between sheets.
 * Numbers are written as their format shows them, dates as in ISO 8601. Formulas are replaced by their cached results,
 * or written as `=SUM(A1:A9)` if they have none. Hidden sheets are included, charts are not.
 */
export function readXlsx(path: string, text: BoundedText): Promise<void> {
  return withPackage(path, 'spreadsheet', async (parts) => {
    const name = await mainPart(parts, 'xl/workbook.xml')
    const book = await readWorkbook(parts, name)
    const relations = await readRelations(parts, name)
    const cells: CellContext = {
      strings: await readOptional(parts, relations, 'sharedStrings', readStrings, []),
      formats: await readOptional(parts, relations, 'styles', readFormats, []),
      is1904: book.is1904,
    }
    let isFirst = true
    for (const sheet of book.sheets) {
      const relation = relations.get(sheet.relation)
      if (relation?.type !== 'worksheet' || !parts.has(relation.target)) continue
      if (!isFirst) text.add('\n')
      isFirst = false
      text.add(`# ${sheet.name.replace(/\s+/g, ' ')}\n`)
      const rows = new SheetText()
      await parts.parse(relation.target, new SheetReader(cells, rows))
      rows.write(text)
      if (text.isFull) return
    }
    if (isFirst) throw new XmlError('The workbook has no sheet')
  })
}

interface Workbook {
  sheets: { name: string; relation: string }[]
  is1904: boolean
}

async function readWorkbook(parts: OfficePackage, name: string): Promise<Workbook> {
  const book: Workbook = { sheets: [], is1904: false }
  await parts.parse(name, {
    open(element, attributes) {
      if (element === 'sheet')
        book.sheets.push({ name: attributes.get('name') ?? '', relation: attributes.get('r:id') ?? '' })
      if (element === 'workbookPr') book.is1904 = isTrue(attributes.get('date1904'))
    },
    close() {},
    text() {},
  })
  return book
}

const isTrue = (value: string | undefined): boolean => value === '1' || value?.toLowerCase() === 'true'

/**
 * Reads a part that a workbook can do without. If it is missing or damaged, returns what was read of it: single cells
 * lose their text or format, and the others keep theirs.
 */
async function readOptional<Value>(
  parts: OfficePackage,
  relations: Map<string, Relation>,
  type: string,
  read: (found: Value) => XmlHandler,
  found: Value,
): Promise<Value> {
  const relation = [...relations.values()].find((candidate) => candidate.type === type)
  if (relation === undefined) return found
  try {
    await parts.parse(relation.target, read(found))
  } catch (error) {
    if (error instanceof DocumentError) throw error
  }
  return found
}

/** Collects the shared strings. Skips the phonetic hints of East Asian text. */
function readStrings(strings: string[]): XmlHandler {
  let words = ''
  let isText = false
  let hints = 0
  return {
    open(name) {
      if (name === 'si') words = ''
      if (name === 'rPh') hints++
      isText = name === 't' && hints === 0
    },
    close(name) {
      isText = false
      if (name === 'rPh') hints--
      if (name === 'si') strings.push(decodeEscapes(words))
    },
    text(piece) {
      if (isText) words += piece
    },
  }
}

/** Replaces the escapes of characters that XML cannot contain, such as _x000D_ (ECMA-376, 22.9.2.19). */
const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

/** Collects the number format of each cell style. */
function readFormats(formats: NumberFormat[]): XmlHandler {
  const custom = new Map<number, NumberFormat>()
  let isInCells = false
  return {
    open(name, attributes) {
      const id = Number(attributes.get('numFmtId'))
      if (name === 'cellXfs') isInCells = true
      if (name === 'numFmt') custom.set(id, parseFormat(attributes.get('formatCode') ?? ''))
      if (name === 'xf' && isInCells) formats.push(custom.get(id) ?? builtInFormat(id))
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false
    },
    text() {},
  }
}

interface CellContext {
  strings: string[]
  formats: NumberFormat[]
  is1904: boolean
}

/** The cell that is being read. */
interface Cell {
  column: number
  type: string
  style: number
  /** Null if the cell has no such element. */
  value: string | null
  formula: string | null
  inline: string | null
}

/** Reads the rows of a worksheet. Rows and cells without a reference follow the previous ones. */
class SheetReader implements XmlHandler {
  readonly #context: CellContext
  readonly #sheet: SheetText
  /** Formulas that other cells share, with the address of the cell that states the formula. */
  readonly #shared = new Map<string, { formula: string; row: number; column: number }>()
  #row = { number: 0, columns: [] as number[], values: [] as string[] }
  #column = -1
  #cell: Cell | null = null
  #sharedIndex: string | null = null
  #target: 'value' | 'formula' | 'inline' | null = null
  #hints = 0
  #isFull = false

  constructor(context: CellContext, sheet: SheetText) {
    this.#context = context
    this.#sheet = sheet
  }

  get isDone(): boolean {
    return this.#isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'row':
        return this.#openRow(Number(attributes.get('r')))
      case 'c':
        return this.#openCell(attributes)
      case 'v':
        return this.#collect('value')
      case 'f':
        this.#sharedIndex = attributes.get('t') === 'shared' ? (attributes.get('si') ?? '') : null
        return this.#collect('formula')
      case 'is':
        return this.#collect('inline')
      case 'rPh':
        this.#hints++
        break
      case 't':
        if (this.#cell?.inline != null && this.#hints === 0) this.#target = 'inline'
        return
      case 'mergeCell':
        this.#addMerge(attributes.get('ref') ?? '')
    }
    this.#target = null
  }

  close(name: string): void {
    this.#target = null
    if (name === 'rPh') this.#hints--
    if (name === 'c') this.#closeCell()
    if (name === 'row') this.#closeRow()
  }

  text(piece: string): void {
    if (this.#cell === null || this.#target === null) return
    this.#cell[this.#target] += piece
  }

  #openRow(stated: number): void {
    const isValid = Number.isInteger(stated) && stated > 0 && stated <= ROWS_MAX
    this.#row = { number: isValid ? stated : this.#row.number + 1, columns: [], values: [] }
    this.#column = -1
  }

  #openCell(attributes: XmlAttributes): void {
    const place = parseAddress(attributes.get('r') ?? '')
    this.#column = place?.column ?? this.#column + 1
    this.#cell = {
      column: this.#column,
      type: attributes.get('t') ?? 'n',
      style: Number(attributes.get('s') ?? 0),
      value: null,
      formula: null,
      inline: null,
    }
    this.#target = null
  }

  #collect(target: 'value' | 'formula' | 'inline'): void {
    if (this.#cell !== null) this.#cell[target] ??= ''
    // Only the `t` elements of an inline string are text.
    this.#target = target === 'inline' ? null : target
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null || cell.column >= COLUMNS_MAX) return
    this.#shareFormula(cell)
    const shown = showCell(cell, this.#context)
    if (shown === '') return
    const { columns, values } = this.#row
    const last = columns.at(-1) ?? -1
    // Writers list the cells in order. A cell that is listed twice or too late is placed after the others.
    columns.push(cell.column > last ? cell.column : Math.min(last + 1, COLUMNS_MAX - 1))
    values.push(shown)
  }

  /** Completes a shared formula, which only its first cell states. */
  #shareFormula(cell: Cell): void {
    if (this.#sharedIndex === null || cell.formula === null) return
    const place = { row: this.#row.number, column: cell.column }
    const first = this.#shared.get(this.#sharedIndex)
    if (cell.formula !== '') this.#shared.set(this.#sharedIndex, { formula: cell.formula, ...place })
    else if (first !== undefined && !cell.value)
      cell.formula = shiftFormula(first.formula, place.row - first.row, place.column - first.column)
    this.#sharedIndex = null
  }

  #closeRow(): void {
    this.#sheet.addRow(this.#row)
    this.#isFull = this.#sheet.isFull
  }

  #addMerge(range: string): void {
    const [from = '', to = ''] = range.split(':')
    const [first, last] = [parseAddress(from), parseAddress(to)]
    if (first !== null && last !== null)
      this.#sheet.addMerge({ firstRow: first.row, lastRow: last.row, column: first.column })
  }
}

function showCell(
  { type, style, value, formula, inline }: Cell,
  { strings, formats, is1904 }: CellContext,
): string {
  if (inline !== null) return decodeEscapes(inline)
  // An empty result is a result if it is text, and otherwise means that the formula was not calculated.
  if (formula && (value === null || (value === '' && type !== 'str')))
    return `=${formula.replace(/_xl(?:fn|ws|pm|udf)\./g, '')}`
  const shown = (value ?? '').trim()
  if (shown === '' && type !== 'str' && type !== 'inlineStr') return ''
  switch (type) {
    case 's':
      return strings[Number(shown)] ?? ''
    case 'b':
      return shown === '1' ? 'true' : shown === '0' ? 'false' : shown
    case 'd':
      return shown
        .replace(/Z$/, '')
        .replace(/T00:00(?::00(?:\.0+)?)?$/, '')
        .replace('T', ' ')
    case 'e':
      return shown
    case 'str':
    case 'inlineStr':
      return decodeEscapes(value ?? '')
  }
  const number = Number(shown)
  return Number.isFinite(number) ? showNumber(number, formats[style] ?? PLAIN_NUMBER, is1904) : shown
}
