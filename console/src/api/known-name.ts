import type { OperationName } from '@parley/client'
import { queryClient } from './queries.ts'

interface Row {
  id?: string
  name?: string
  title?: string
}
type List = { data?: Row[]; documents?: Row[] }

/**
 * Returns the name or the title of a record if a cached response of the operation lists it, so that a page can show it
 * before the record is loaded.
 */
export function knownName(operation: OperationName, id: string): string | undefined {
  const lists = queryClient
    .getQueriesData<List & { pages?: List[] }>({ queryKey: [operation] })
    .flatMap(([, cached]) => cached?.pages ?? cached ?? [])
  const row = lists.flatMap(({ data, documents }) => data ?? documents ?? []).find((one) => one.id === id)
  return row?.name ?? row?.title
}
