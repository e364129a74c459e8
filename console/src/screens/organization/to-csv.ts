/**
 * Returns rows as CSV with a header line (RFC 4180). If a spreadsheet would evaluate a cell as a formula, prefixes the
 * cell with an apostrophe (OWASP, CSV injection), as the server does.
 */
export function toCsv(rows: readonly Record<string, string>[]): string {
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(cellOf))]
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('')
}

function cellOf(text: string): string {
  const harmless = /^\s*[=+\-@]/.test(text) || /^[\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
