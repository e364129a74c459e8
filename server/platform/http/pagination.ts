import { fail } from '#errors'

const LIMIT_DEFAULT = 20
const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

export interface Page<T> {
  data: T[]
  pagination: { next_cursor: string | null; has_more: boolean }
}

/** The query parameters of a list. `q` contains the words to search for. */
export interface ListQuery {
  q?: string
  limit?: number
  cursor?: string
}

/** Size limit for pages of long rows. The row that reaches `max` bytes is the last row of the page. */
export interface PageBytes<Row> {
  max: number
  of: (row: Row) => number
}

/**
 * Returns one page of a list, newest first. Rows are sorted by id, because UUIDv7 ids are in order of creation.
 *
 * `read` receives an exclusive upper bound for the ids, and the number of rows to read, which is the page size plus
 * one. With `bytes`, `read` may stop after the first row that does not fit.
 */
export async function readPage<Row extends { id: string }, View>(
  query: ListQuery,
  read: (below: string | undefined, count: number) => Promise<Row[]>,
  view: (row: Row) => View,
  bytes?: PageBytes<Row>,
): Promise<Page<View>> {
  const limit = query.limit ?? LIMIT_DEFAULT
  const rows = await read(query.cursor === undefined ? undefined : decodeCursor(query.cursor), limit + 1)
  const fitting = withinBytes(rows.slice(0, limit), bytes)
  const last = fitting.at(-1)
  const hasMore = rows.length > fitting.length
  return {
    data: fitting.map(view),
    pagination: { next_cursor: hasMore && last ? encodeCursor(last.id) : null, has_more: hasMore },
  }
}

function withinBytes<Row>(rows: Row[], bytes: PageBytes<Row> | undefined): Row[] {
  let sum = 0
  const end = rows.findIndex((row) => {
    if (bytes === undefined || sum >= bytes.max) return bytes !== undefined
    sum += bytes.of(row)
    return false
  })
  return end === -1 ? rows : rows.slice(0, end)
}

const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url')

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!ID.test(id)) throw fail('request.invalid_cursor')
  return id
}
