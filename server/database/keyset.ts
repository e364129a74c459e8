import type { ISql } from 'postgres'

/**
 * Returns the condition of a page in descending order: values of `column` less than `below`, the last value of the
 * previous page. Matches all rows if `below` is undefined.
 */
export const olderThan = (sql: ISql, column: string, below: string | undefined) =>
  below === undefined ? sql`true` : sql`${sql(column)} < ${below}`
