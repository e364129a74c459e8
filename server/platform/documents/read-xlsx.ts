import readSheets, { type Sheet } from 'read-excel-file/universal'
import type { BoundedText } from './bounded-text.ts'
import { readOfficePackage } from './office-package.ts'

/**
 * Extracts the cells of an XLSX: each sheet as `# Name` and CSV rows (RFC 4180), with a blank line between sheets.
 * Dates are ISO 8601, without the time if it is midnight. Formulas are replaced by their cached results.
 */
export async function readXlsx(path: string, text: BoundedText): Promise<void> {
  const buffer = await readOfficePackage(path, 'spreadsheet')
  const sheets = await readSheets(
    buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer,
    { trim: false },
  )
  sheets.forEach((sheet, index) => {
    if (index > 0) text.add('\n')
    text.add(`# ${sheet.sheet}\n`)
    for (const row of sheet.data) {
      text.add(`${csvLine(row)}\n`)
      if (text.isFull) return
    }
  })
}

type Row = Sheet['data'][number]

/** Returns a row as CSV, without empty cells at its end. */
function csvLine(row: Row): string {
  const end = row.findLastIndex((cell) => cell !== null) + 1
  return row
    .slice(0, end)
    .map((cell) => quote(show(cell)))
    .join(',')
}

function show(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  if (!(cell instanceof Date)) return String(cell)
  // The cell is a number that is formatted as a date but out of range.
  if (Number.isNaN(cell.getTime())) return ''
  const iso = cell.toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso
}

const quote = (value: string): string => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
