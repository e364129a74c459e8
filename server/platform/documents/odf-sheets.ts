import type { BoundedText } from './bounded-text.ts'
import { COLUMNS_MAX, ROWS_MAX, SheetText } from './sheet-text.ts'
import type { XmlAttributes, XmlHandler } from './xml.ts'

/** A row or cell with text that is repeated is written at most this many times. */
const REPEATED_MAX = 1_000

const SKIPPED = new Set([
  'office:annotation',
  'table:tracked-changes',
  'table:shapes',
  'office:forms',
  'table:dde-links',
])

/** Writes the sheets of an ODS (ODF 1.3): each as `# Name` and CSV rows, with a blank line between sheets. */
export class OdfSheets implements XmlHandler {
  readonly #text: BoundedText
  #sheet: SheetText | null = null
  #sheets = 0
  #row = { number: 0, columns: [] as number[], values: [] as string[] }
  #rowsRepeated = 1
  #column = 0
  #cell: { value: string | null; words: string; repeated: number } | null = null
  #paragraphs = 0
  #skipped = 0
  /** Number of open tables. A table in a cell is a part of the cell. */
  #depth = 0

  constructor(text: BoundedText) {
    this.#text = text
  }

  get isDone(): boolean {
    return this.#text.isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) {
      this.#skipped++
      return
    }
    switch (name) {
      case 'table:table':
        if (++this.#depth === 1) this.#openSheet(attributes.get('table:name') ?? '')
        return
      case 'table:table-row':
        this.#row = { number: this.#row.number + 1, columns: [], values: [] }
        this.#rowsRepeated = repeated(attributes.get('table:number-rows-repeated'), ROWS_MAX)
        this.#column = 0
        return
      case 'table:table-cell':
      case 'table:covered-table-cell':
        return this.#openCell(attributes)
      case 'text:p':
        if (this.#cell !== null && this.#paragraphs++ > 0) this.#cell.words += '\n'
        return
      case 'text:s':
        if (this.#cell !== null) this.#cell.words += ' '
    }
  }

  #openSheet(name: string): void {
    if (this.#sheets++ > 0) this.#text.add('\n')
    this.#text.add(`# ${name.replace(/\s+/g, ' ')}\n`)
    this.#sheet = new SheetText()
    this.#row.number = 0
  }

  #openCell(attributes: XmlAttributes): void {
    const rows = Number(attributes.get('table:number-rows-spanned')) || 1
    if (rows > 1)
      this.#sheet?.addMerge({
        firstRow: this.#row.number,
        lastRow: this.#row.number + rows - 1,
        column: this.#column,
      })
    this.#paragraphs = 0
    this.#cell = {
      value: shownValue(attributes),
      words: '',
      repeated: repeated(attributes.get('table:number-columns-repeated'), COLUMNS_MAX),
    }
  }

  text(words: string): void {
    if (this.#skipped === 0 && this.#cell !== null && this.#paragraphs > 0) this.#cell.words += words
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped--
      return
    }
    if (name === 'table:table-cell' || name === 'table:covered-table-cell') this.#closeCell()
    if (name === 'table:table-row') this.#closeRow()
    if (name === 'table:table' && --this.#depth === 0) {
      this.#sheet?.write(this.#text)
      this.#sheet = null
    }
  }

  #closeCell(): void {
    const cell = this.#cell
    this.#cell = null
    if (cell === null) return
    const shown = cell.value ?? cell.words
    const { columns, values } = this.#row
    for (let count = 0; shown !== '' && count < Math.min(cell.repeated, REPEATED_MAX); count++) {
      if (this.#column + count >= COLUMNS_MAX) break
      columns.push(this.#column + count)
      values.push(shown)
    }
    this.#column += cell.repeated
  }

  #closeRow(): void {
    const { number, columns, values } = this.#row
    const times = values.length === 0 ? 0 : Math.min(this.#rowsRepeated, REPEATED_MAX)
    for (let count = 0; count < times && this.#sheet?.isFull === false; count++)
      this.#sheet.addRow({ number: number + count, columns: [...columns], values: [...values] })
    this.#row.number = number + this.#rowsRepeated - 1
  }
}

const repeated = (value: string | undefined, max: number): number =>
  Math.min(Math.max(1, Number(value) || 1), max)

/** Returns the value of a cell as XLSX readers write it. Null if its text is the value. */
function shownValue(attributes: XmlAttributes): string | null {
  const value = attributes.get('office:value')
  switch (attributes.get('office:value-type')) {
    case 'float':
    case 'currency':
      return value === undefined ? null : String(Number(value))
    case 'percentage':
      return value === undefined ? null : `${Number((Number(value) * 100).toPrecision(15))}%`
    case 'boolean':
      return attributes.get('office:boolean-value') ?? null
    case 'date':
      return (
        (attributes.get('office:date-value') ?? '').replace(/T00:00:00(?:\.0*)?$/, '').replace('T', ' ') ||
        null
      )
    case 'time':
      return timeOf(attributes.get('office:time-value') ?? '')
    case 'string':
      return attributes.get('office:string-value') || null
  }
  const formula = attributes.get('table:formula')
  // A formula that was not calculated has no value.
  return formula === undefined || attributes.get('office:value-type') !== undefined
    ? null
    : showFormula(formula)
}

/** Shows a duration (ISO 8601), such as PT36H00M00S, as 36:00. */
function timeOf(duration: string): string | null {
  const [whole, sign = '', days = '0', hours = '0', minutes = '0', seconds = '0'] =
    /^(-?)P(?:(\d{1,9})D)?T?(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:[.,]\d*)?S)?$/.exec(duration) ?? []
  if (whole === undefined) return null
  const total = Number(days) * 24 + Number(hours)
  const rest = Number(seconds) > 0 ? `:${seconds.padStart(2, '0')}` : ''
  return `${sign}${String(total).padStart(2, '0')}:${minutes.padStart(2, '0')}${rest}`
}

/** Shows a formula such as of:=SUM([.C1:.C9]) as =SUM(C1:C9). */
const showFormula = (formula: string): string =>
  formula
    .replace(/^\w+:(?==)/, '')
    .replace(/\[([^\]]{1,200})\]/g, (_, address: string) =>
      address.replace(/(^|:)\./g, '$1').replace('$.', '!'),
    )
