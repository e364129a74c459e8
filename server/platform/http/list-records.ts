import { and, desc, type InferSelectModel, lt, type PgColumn } from '#database/drizzle.ts'
import { holdsWords } from '#database/like.ts'
import type { ScopedDatabase, TenantTable } from '../access/scoped-database.ts'
import { type ListQuery, type Page, type PageBytes, readPage } from './pagination.ts'

type ListedTable = TenantTable & { id: PgColumn }
type RecordOf<T extends ListedTable> = InferSelectModel<T> & { id: string }

interface List<T extends ListedTable, View> {
  query: ListQuery
  view: (record: RecordOf<T>) => View
  /** The columns that must contain the words of `query.q`. Omitted for a list without a search. */
  searched?: readonly PgColumn[]
  bytes?: PageBytes<RecordOf<T>>
}

/** Returns one page of a table's records that the scope can access, newest first. */
export const listRecords = <T extends ListedTable, View>(
  scope: Pick<ScopedDatabase, 'select'>,
  table: T,
  { query, view, searched = [], bytes }: List<T, View>,
): Promise<Page<View>> =>
  readPage(
    query,
    (below, count) =>
      scope.select(table, {
        where: and(holdsWords(searched, query.q), below === undefined ? undefined : lt(table.id, below)),
        orderBy: [desc(table.id)],
        limit: count,
        // Drizzle cannot derive the type of the id from any table.
      }) as Promise<RecordOf<T>[]>,
    view,
    bytes,
  )
