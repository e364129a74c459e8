import { fail } from '#errors'

const LIMIT_DEFAULT = 20
const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

export interface Page<T> {
  data: T[]
  pagination: { next_cursor: string | null; has_more: boolean }
}

/**
 * One page of a list that is ordered by id, newest first (ids are UUIDv7, so their order is the order of creation).
 * `read` gets the id to stay below and how many rows to read, one more than the page holds.
 */
export async function readPage<Row extends { id: string }, View>(
  query: { limit?: number; cursor?: string },
  read: (below: string | undefined, count: number) => Promise<Row[]>,
  view: (row: Row) => View,
): Promise<Page<View>> {
  const limit = query.limit ?? LIMIT_DEFAULT
  const rows = await read(query.cursor === undefined ? undefined : decodeCursor(query.cursor), limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  return {
    data: shown.map(view),
    pagination: { next_cursor: hasMore && last ? encodeCursor(last.id) : null, has_more: hasMore },
  }
}

const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url')

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString()
  if (!ID.test(id)) throw fail('request.invalid_cursor')
  return id
}
