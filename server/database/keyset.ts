import type { ISql } from 'postgres'

/** The condition of a page of a list by hand: rows older than the last one of the page before, or all on the first. */
export const olderThan = (sql: ISql, column: string, below: string | undefined) =>
  below === undefined ? sql`true` : sql`${sql(column)} < ${below}`
