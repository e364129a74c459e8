/** The pattern of LIKE for what holds these words as they are written; null where there are none to look for. */
export function patternHolding(words: string | undefined): string | null {
  const trimmed = words?.trim()
  return trimmed ? `%${trimmed.replace(/[\\%_]/g, '\\$&')}%` : null
}
