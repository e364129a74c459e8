import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded, More } from './states.tsx'

interface PagedListProps<Row> {
  query: Pick<
    UseInfiniteQueryResult<Row[]>,
    'data' | 'error' | 'fetchNextPage' | 'hasNextPage' | 'isFetchingNextPage' | 'refetch'
  >
  /** The shape of the rows, shown while they load. */
  skeleton: ReactNode
  /** Shown if there are no rows. */
  empty: ReactNode
  children: (rows: Row[]) => ReactNode
}

/** Rows that are loaded page by page. */
export const PagedList = <Row,>({ query, skeleton, empty, children }: PagedListProps<Row>) => (
  <Loaded query={query} skeleton={skeleton}>
    {(rows) =>
      rows.length === 0 ? (
        empty
      ) : (
        <>
          {children(rows)}
          <More query={query} />
        </>
      )
    }
  </Loaded>
)
