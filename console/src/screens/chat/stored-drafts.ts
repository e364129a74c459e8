/*
 * The texts of drafts, stored in the browser. A draft survives a reload and a closed tab. Its place names the user, so
 * that the browser's other users do not see it.
 */

const PREFIX = 'parley.draft.'
/** Maximum number of stored drafts. The oldest ones are deleted. */
const DRAFTS_MAX = 100

interface StoredDraft {
  text: string
  /** When the draft was last changed, in milliseconds since the Unix epoch. */
  at: number
}

export const readDraft = (place: string): string => parse(localStorage.getItem(PREFIX + place))?.text ?? ''

export function storeDraft(place: string, text: string): void {
  const key = PREFIX + place
  if (text === '') return localStorage.removeItem(key)
  if (localStorage.getItem(key) === null) deleteOldest()
  try {
    localStorage.setItem(key, JSON.stringify({ text, at: Date.now() } satisfies StoredDraft))
  } catch {
    // The browser's storage is full. The draft stays in memory.
  }
}

function deleteOldest(): void {
  const oldest = Object.keys(localStorage)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => ({ key, at: parse(localStorage.getItem(key))?.at ?? 0 }))
    .sort((one, other) => other.at - one.at)
    .slice(DRAFTS_MAX - 1)
  for (const { key } of oldest) localStorage.removeItem(key)
}

function parse(text: string | null): StoredDraft | null {
  try {
    return text === null ? null : (JSON.parse(text) as StoredDraft)
  } catch {
    return null
  }
}
