/** The pattern of LIKE for what holds these words as they are written; null where there are none to look for. */
export function patternHolding(words: string | undefined): string | null {
  const wanted = words?.trim()
  return wanted ? `%${wanted.replace(/[\\%_]/g, '\\$&')}%` : null
}
