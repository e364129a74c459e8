import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface Column<Row> {
  header: string
  cell: (row: Row) => ReactNode
  /** Whether the column contains numbers, which are right-aligned. */
  numeric?: boolean
  /** Whether the column is hidden on phones. */
  wideOnly?: boolean
  /** Whether the heading is visually hidden, for example above buttons. Screen readers still read it. */
  hideHeader?: boolean
}

interface TableProps<Row> {
  /** The table's name for screen readers. */
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly Column<Row>[]
}

export function Table<Row>({ label, rows, keyOf, columns }: TableProps<Row>) {
  return (
    <div className="relative overflow-x-auto rounded-2xl border border-line bg-raised">
      <table aria-label={label} className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line text-muted">
            {columns.map((column) => (
              <th key={column.header} scope="col" className={cellLook(column, 'py-2.5 font-medium')}>
                {column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-b border-line last:border-b-0">
              {columns.map((column) => (
                <td key={column.header} className={cellLook(column, 'py-3')}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const cellLook = <Row,>({ numeric, wideOnly }: Column<Row>, more: string): string =>
  classNames(
    'px-4 align-middle',
    numeric && 'text-right tabular-nums',
    wideOnly && 'hidden sm:table-cell',
    more,
  )
