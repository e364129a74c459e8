import { type BoundedText, TEXT_CHARACTERS_MAX } from './bounded-text.ts'

/** Columns and rows of a spreadsheet, as in Excel 2007 and later. */
export const COLUMNS_MAX = 16_384
export const ROWS_MAX = 1_048_576
/** A longer run of columns that are empty in the whole sheet is written as one column. */
const EMPTY_COLUMNS_MAX = 3
/** A row with more empty columns than this, and than SPARSE_RATIO for each value, is written as addresses and values. */
const SPARSE_COLUMNS = 50
const SPARSE_RATIO = 4
/** A longer value of a merged cell is not repeated in the rows below. */
const REPEATED_CHARACTERS_MAX = 200
/** Maximum merged cells whose value is repeated. */
const MERGES_MAX = 20_000

interface Row {
  /** From 1. */
  number: number
  /** From 0. */
  columns: number[]
  values: string[]
}

/** Rows and columns that a merged cell covers. Rows are numbered from 1, columns from 0. */
export interface Merge {
  firstRow: number
  lastRow: number
  column: number
}

/** Collects the cells of one sheet, and writes them as CSV (RFC 4180). */
export class SheetText {
  readonly #rows: Row[] = []
  readonly #merges: Merge[] = []
  #characters = 0

  /** True once the sheet has more text than one file may have. */
  get isFull(): boolean {
    return this.#characters > TEXT_CHARACTERS_MAX
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  /** Adds the cells of a row. The columns are in ascending order. */
  addRow(row: Row): void {
    if (row.values.length === 0) return
    for (const value of row.values) this.#characters += value.length + 1
    this.#rows.push(row)
  }

  /** Repeats the value of a merged cell in the rows below that have other values, so that each row is complete. */
  addMerge(merge: Merge): void {
    if (merge.lastRow > merge.firstRow && this.#merges.length < MERGES_MAX) this.#merges.push(merge)
  }

  /**
   * Writes the rows. Several empty rows become one blank line, and several empty columns become one, so that a cell
   * far from the others costs no more than its value.
   */
  write(text: BoundedText): void {
    this.#fillMerges()
    const places = this.#placeColumns()
    let last = 0
    for (const row of this.#rows) {
      if (text.isFull) return
      if (last > 0 && row.number > last + 1) text.add('\n')
      last = row.number
      text.add(`${lineOf(row, places)}\n`)
    }
  }

  #fillMerges(): void {
    if (this.#merges.length === 0) return
    const merges = this.#merges.sort((a, b) => a.firstRow - b.firstRow)
    let next = 0
    let active: { merge: Merge; value: string }[] = []
    for (const row of this.#rows) {
      active = active.filter(({ merge }) => merge.lastRow >= row.number)
      for (const { merge, value } of active) insert(row, merge.column, value)
      for (; next < merges.length && (merges[next] as Merge).firstRow <= row.number; next++) {
        const merge = merges[next] as Merge
        const value = row.values[row.columns.indexOf(merge.column)] ?? ''
        const isUsed =
          merge.firstRow === row.number && value !== '' && value.length <= REPEATED_CHARACTERS_MAX
        if (isUsed && active.length < EMPTY_MERGES_MAX) active.push({ merge, value })
      }
    }
  }

  /** Returns the column of the text for each column of the sheet. */
  #placeColumns(): Uint16Array {
    const isUsed = new Uint8Array(COLUMNS_MAX)
    for (const { columns } of this.#rows) for (const column of columns) isUsed[column] = 1
    const places = new Uint16Array(COLUMNS_MAX)
    let [place, empty] = [0, 0]
    for (let column = 0; column < COLUMNS_MAX; column++) {
      if (isUsed[column] === 0) {
        empty++
        continue
      }
      place += empty > EMPTY_COLUMNS_MAX ? 1 : empty
      empty = 0
      places[column] = place++
    }
    return places
  }
}

/** Maximum merged cells that one row continues. */
const EMPTY_MERGES_MAX = 50

function insert({ columns, values }: Row, column: number, value: string): void {
  const found = columns.findIndex((other) => other >= column)
  const at = found < 0 ? columns.length : found
  if (columns[at] === column) return
  columns.splice(at, 0, column)
  values.splice(at, 0, value)
}

function lineOf({ number, columns, values }: Row, places: Uint16Array): string {
  const end = places[columns.at(-1) ?? 0] ?? 0
  const empty = end + 1 - columns.length
  if (empty > SPARSE_COLUMNS && empty > columns.length * SPARSE_RATIO)
    return values
      .map((value, index) => quote(`${columnName(columns[index] ?? 0)}${number}: ${value}`))
      .join(',')
  let line = ''
  let place = 0
  columns.forEach((column, index) => {
    const next = places[column] ?? 0
    line += ','.repeat(Math.max(0, next - place)) + quote(values[index] ?? '')
    place = next
  })
  return line
}

/** Quotes a value, also one that would look like the name of a sheet. */
const quote = (value: string): string =>
  /[",\r\n]/.test(value) || value.startsWith('# ') ? `"${value.replaceAll('"', '""')}"` : value

/** Returns the letters of a column from 0, such as `AB`. */
export function columnName(column: number): string {
  let name = ''
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name
  return name
}

const DOLLAR = 0x24
const ADDRESS_CHARACTERS_MAX = 12

/** Returns the row from 1 and the column from 0 of an address such as `AB12`. Null if it is outside of a sheet. */
export function parseAddress(address: string): { row: number; column: number } | null {
  if (address.length > ADDRESS_CHARACTERS_MAX) return null
  let [column, row] = [0, 0]
  for (let at = 0; at < address.length; at++) {
    const code = address.charCodeAt(at)
    // Bit 0x20 is the difference between uppercase and lowercase letters.
    const letter = (code | 0x20) - 0x60
    if (code >= 0x30 && code <= 0x39 && column > 0) row = row * 10 + code - 0x30
    else if (letter >= 1 && letter <= 26 && row === 0) column = column * 26 + letter
    else if (code !== DOLLAR) return null
  }
  return column < 1 || column > COLUMNS_MAX || row < 1 || row > ROWS_MAX ? null : { row, column: column - 1 }
}
