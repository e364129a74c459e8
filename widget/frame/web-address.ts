/** Returns the URL in a text; null unless it is absolute. */
export function parseAddress(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
