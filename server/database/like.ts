import { and, ilike, or, type PgColumn, type SQL } from './drizzle.ts'

/** Maximum number of rows, newest first, that a search of the whole installation compares with a pattern. */
export const SEARCHED_MAX = 10_000

/** Returns a LIKE pattern for strings that contain `words` literally, or null if `words` is blank. */
export function patternHolding(words: string | undefined): string | null {
  const trimmed = words?.trim()
  return trimmed ? `%${trimmed.replace(/[\\%_]/g, '\\$&')}%` : null
}

/** Returns a LIKE pattern for each word. A string that matches all patterns contains the words in any order. */
export const patternsHolding = (words = ''): string[] =>
  words.split(/\s+/).flatMap((word) => patternHolding(word) ?? [])

/** True if each word occurs in one of the columns. Undefined without words. */
export const holdsWords = (columns: readonly PgColumn[], words: string | undefined): SQL | undefined =>
  and(...patternsHolding(words).map((pattern) => or(...columns.map((column) => ilike(column, pattern)))))
