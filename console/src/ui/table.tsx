import type { ReactNode } from 'react'
import { translator } from '../messages/index.ts'
import { classNames } from './class-names.ts'
import { Skeleton } from './states.tsx'

const t = translator('ui')

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

/**
 * A table. On phones, each row is a card: its first cell is the title, whose link covers the card, and the other cells
 * have their headings.
 */
export function Table<Row>({ label, rows, keyOf, columns }: TableProps<Row>) {
  const titleAt = columns.findIndex(({ wideOnly }) => !wideOnly)
  return (
    <div className="relative overflow-x-auto rounded-xl border border-line bg-raised">
      <table aria-label={label} className="cards w-full text-left text-sm">
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-muted">
            {columns.map((column) => (
              <th
                key={column.header}
                scope="col"
                className={cellLook(column, 'px-4 py-2 font-medium whitespace-nowrap')}
              >
                {column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="relative border-b border-line last:border-b-0">
              {columns.map((column, place) => (
                <td
                  key={column.header}
                  data-label={column.header}
                  data-part={partOf(column, place === titleAt)}
                  className={cellLook(column, 'sm:px-4 sm:py-2')}
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

/**
 * Returns what a cell is on a card (app.css): the title, buttons in the corner, or a value after its heading. Returns
 * undefined for hidden cells.
 */
function partOf<Row>({ hideHeader, wideOnly }: Column<Row>, isTitle: boolean): string | undefined {
  if (wideOnly) return undefined
  return isTitle ? 'title' : hideHeader ? 'corner' : 'value'
}

/** The widths of the titles of rows that are loading, repeated. */
const TITLE_WIDTHS = ['w-1/2', 'w-3/4', 'w-2/5', 'w-2/3']
const SKELETON_ROW = 'grid items-center gap-8 border-b border-line px-4 py-3.5 last:border-b-0'

/** A placeholder in the shape of a table that is loading: headings and rows, or cards on phones. */
export function TableSkeleton({ columns, rows = 6 }: { columns: number; rows?: number }) {
  const style = { gridTemplateColumns: `minmax(0, 3fr) repeat(${columns - 1}, minmax(0, 1fr))` }
  const others = Array.from({ length: columns - 1 }, (_, place) => place)
  return (
    <div
      role="status"
      aria-label={t('loading')}
      className="late overflow-hidden rounded-xl border border-line bg-raised"
    >
      <div style={style} className={classNames(SKELETON_ROW, 'max-sm:hidden')}>
        <Skeleton className="h-3 w-16" />
        {others.map((place) => (
          <Skeleton key={place} className="h-3 w-12" />
        ))}
      </div>
      {Array.from({ length: rows }, (_, place) => place).map((row) => (
        <div
          key={row}
          style={style}
          className={classNames(SKELETON_ROW, 'max-sm:flex max-sm:flex-col max-sm:items-start max-sm:gap-2')}
        >
          <Skeleton className={classNames('h-4', TITLE_WIDTHS[row % TITLE_WIDTHS.length])} />
          {others.map((place) => (
            <Skeleton
              key={place}
              className={classNames('h-4', place === 0 ? 'max-sm:w-20' : 'max-sm:hidden')}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface RowsSkeletonProps {
  rows?: number
  /** Whether the line about the title is next to it, except on phones. */
  short?: boolean
}

/** A placeholder in the shape of a list that is loading: rows with a title and a line about it. */
export const RowsSkeleton = ({ rows = 4, short = false }: RowsSkeletonProps) => (
  <div
    role="status"
    aria-label={t('loading')}
    className="late divide-y divide-line rounded-2xl border border-line bg-raised"
  >
    {Array.from({ length: rows }, (_, place) => place).map((row) => (
      <div key={row} className={classNames('flex flex-col gap-2.5 px-4 py-4', short && 'sm:py-3')}>
        <Skeleton className={classNames('h-4', TITLE_WIDTHS[row % TITLE_WIDTHS.length])} />
        <Skeleton className={classNames('h-3.5 w-4/5 max-w-lg', short && 'sm:hidden')} />
      </div>
    ))}
  </div>
)
