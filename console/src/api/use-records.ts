import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'

interface Records<R> {
  /** The known records and those that were read. */
  records: R[]
  isLoading: boolean
}

/**
 * Adds the records with these ids to the known records, which may be only the first page of a list. Reads each missing
 * record by itself, as soon as the known records are loaded. Records that cannot be read are missing in the result.
 */
export function useRecords<R extends { id: string }, One extends R>(
  ids: readonly string[],
  known: readonly R[] | undefined,
  readOne: (id: string) => UseQueryOptions<One, Error, One, QueryKey>,
): Records<R> {
  const missing = known ? [...new Set(ids)].filter((id) => !known.some((one) => one.id === id)) : []
  const { more, isLoading } = useQueries({
    queries: missing.map(readOne),
    combine: (results) => ({
      more: results.flatMap(({ data }) => data ?? []),
      isLoading: results.some((result) => result.isLoading),
    }),
  })
  const records = useMemo((): R[] => [...(known ?? []), ...more], [known, more])
  return { records, isLoading }
}
