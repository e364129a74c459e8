/** Returns a LIKE pattern for strings that contain `words` literally, or null if `words` is blank. */
export function patternHolding(words: string | undefined): string | null {
  const trimmed = words?.trim()
  return trimmed ? `%${trimmed.replace(/[\\%_]/g, '\\$&')}%` : null
}
