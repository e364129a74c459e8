import type { File } from './define-route.ts'

export const CSV_TYPE = 'text/csv'

/**
 * Returns a table as a CSV file with a header line (RFC 4180). If a spreadsheet would evaluate a cell as a formula,
 * prefixes the cell with an apostrophe (OWASP, CSV injection).
 */
export function csvFile(
  name: string,
  columns: readonly string[],
  rows: readonly Record<string, string | number | null | undefined>[],
): File {
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])).join(','))
  return {
    name,
    contentType: `${CSV_TYPE}; charset=utf-8; header=present`,
    content: [columns.join(','), ...lines].map((line) => `${line}\r\n`).join(''),
  }
}

function cellOf(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const harmless = /^[\s]*[=+\-@]/.test(value) || /^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
