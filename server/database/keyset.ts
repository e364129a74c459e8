import type { ISql } from 'postgres'

/**
 * Returns the SQL condition for the next page in descending order: `column` is less than `below`, the last value of
 * the previous page. For the first page, `below` is undefined and all rows match.
 */
export const olderThan = (sql: ISql, column: string, below: string | undefined) =>
  below === undefined ? sql`true` : sql`${sql(column)} < ${below}`
