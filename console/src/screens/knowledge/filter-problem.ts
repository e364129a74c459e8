/** Why a text is no filter, in words; null where it is one, or empty. What it holds the server checks. */
export function filterProblem(text: string): string | null {
  if (text.trim() === '') return null
  try {
    const filter: unknown = JSON.parse(text)
    const isObject = typeof filter === 'object' && filter !== null && !Array.isArray(filter)
    return isObject ? null : 'An object is needed, as {"mime_type": "application/pdf"}'
  } catch {
    return 'This is no JSON: names and texts stand in "straight quotes"'
  }
}
