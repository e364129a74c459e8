import { COLUMNS_MAX, columnName, parseAddress, ROWS_MAX } from './sheet-text.ts'

/** Text in quotes, or an address that is not a part of a name or a function. */
const PARTS = /"[^"]*"|'[^']*'|(?<![\w.$])\$?[A-Za-z]{1,3}\$?\d{1,7}(?![\w.(])/g

/** Moves the relative addresses of a formula, as for a cell that shares the formula of another cell. */
export function shiftFormula(formula: string, rows: number, columns: number): string {
  return formula.replace(PARTS, (part) => {
    const place = parseAddress(part)
    if (place === null) return part
    const [, fixedColumn = '', fixedRow = ''] = /^(\$?)[A-Za-z]+(\$?)/.exec(part) ?? []
    const column = fixedColumn === '' ? place.column + columns : place.column
    const row = fixedRow === '' ? place.row + rows : place.row
    if (column < 0 || column >= COLUMNS_MAX || row < 1 || row > ROWS_MAX) return '#REF!'
    return `${fixedColumn}${columnName(column)}${fixedRow}${row}`
  })
}
