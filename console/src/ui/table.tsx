import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export interface Column<Row> {
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

/** A table. On phones, each row is a card: its first cell is the title, and the other cells have their headings. */
export function Table<Row>({ label, rows, keyOf, columns }: TableProps<Row>) {
  return (
    <div className="relative overflow-x-auto rounded-xl border border-line bg-raised">
      <table aria-label={label} className="w-full text-left text-sm max-sm:block">
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-muted">
            {columns.map((column) => (
              <th key={column.header} scope="col" className={cellLook(column, 'px-4 py-2 font-medium')}>
                {column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="relative border-b border-line last:border-b-0 max-sm:flex max-sm:flex-col max-sm:gap-1 max-sm:px-4 max-sm:py-3"
            >
              {columns.map((column, place) => (
                <td
                  key={column.header}
                  data-label={column.header}
                  className={cellLook(column, `sm:px-4 sm:py-2 ${cardLook(column, place)}`)}
                >
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
  classNames('align-middle', numeric && 'text-right tabular-nums', wideOnly && 'max-sm:hidden', more)

/** Returns the classes of a cell on phones: the title, buttons in the corner, or a value next to its heading. */
function cardLook<Row>({ hideHeader, wideOnly }: Column<Row>, place: number): string {
  if (wideOnly) return ''
  if (place === 0) return 'max-sm:pr-12'
  if (hideHeader) return 'max-sm:absolute max-sm:top-1.5 max-sm:right-2'
  return classNames(
    'max-sm:flex max-sm:items-center max-sm:justify-between max-sm:gap-4 max-sm:empty:hidden max-sm:before:text-muted max-sm:before:content-[attr(data-label)]',
  )
}
