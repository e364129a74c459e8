import type { ISql } from 'postgres'

/** Returns the condition of a page: rows below the last one of the previous page, or all rows for the first page. */
export const olderThan = (sql: ISql, column: string, below: string | undefined) =>
  below === undefined ? sql`true` : sql`${sql(column)} < ${below}`
