/** Returns a LIKE pattern that matches text containing these words literally, or null if there are none. */
export function patternHolding(words: string | undefined): string | null {
  const trimmed = words?.trim()
  return trimmed ? `%${trimmed.replace(/[\\%_]/g, '\\$&')}%` : null
}
