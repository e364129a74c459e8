import { useEffect } from 'react'

interface PagedQuery {
  hasNextPage: boolean
  isFetching: boolean
  isError: boolean
  fetchNextPage: () => Promise<unknown>
}

/**
 * While `isNeeded`, loads all pages of a list, one after the other: filters that the server doesn't know apply to the
 * whole list.
 */
export function useAllPages(
  { hasNextPage, isFetching, isError, fetchNextPage }: PagedQuery,
  isNeeded: boolean,
): void {
  const isNext = isNeeded && hasNextPage && !isFetching && !isError
  useEffect(() => {
    if (isNext) void fetchNextPage()
  }, [isNext, fetchNextPage])
}
