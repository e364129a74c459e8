/** Parses an absolute URL. Returns null for any other string. */
export function parseAddress(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
