import { findLanguage, type Language } from '@parley/messages'

/** `pseudo` is English with accents, brackets and longer words. It shows text that cannot be translated or overflows. */
type ShownLanguage = Language | 'pseudo'

const KEY = 'parley.language'

/** Returns the language of the account that last used this browser, else the browser's first supported one, else English. */
export function currentLanguage(): ShownLanguage {
  const stored = storedLanguage()
  if (stored === 'pseudo') return 'pseudo'
  return findLanguage([...(stored === null ? [] : [stored]), ...navigator.languages]) ?? 'en'
}

/**
 * Stores the language of the account in this browser; null removes it. Takes effect when the page loads next. Where storage
 * is blocked, and in the pseudo-language, nothing changes.
 */
export function storeLanguage(language: Language | null): void {
  if (storedLanguage() === 'pseudo') return
  try {
    if (language === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, language)
  } catch {
    // The browser blocks storage.
  }
}

/** Returns the locale for numbers, dates and lists: the browser's variant of the language where it has one (`en-GB`). */
export const localeOf = (language: ShownLanguage): string =>
  navigator.languages.find((locale) => findLanguage([locale]) === language) ??
  (language === 'pseudo' ? 'en' : language)

/** Browsers that block storage throw. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
