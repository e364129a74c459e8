/**
 * Returns the distinct email addresses in pasted text, and the parts that are not addresses. Accepts `Ada
 * <ada@example.com>`, and commas, semicolons, spaces and line breaks as separators.
 */
export function addressesIn(text: string): { addresses: string[]; others: string[] } {
  const parts = text.split(/[,;\n]+/).flatMap((part) => {
    const inBrackets = /<([^<>]*)>/.exec(part)
    return inBrackets ? [inBrackets[1]?.trim() ?? ''] : part.trim().split(/\s+/)
  })
  const known = new Map(parts.filter(Boolean).map((part) => [part.toLowerCase(), part]))
  const all = [...known.values()]
  return { addresses: all.filter(isAddress), others: all.filter((part) => !isAddress(part)) }
}

const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
