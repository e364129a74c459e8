import { findLanguage, type Language } from '@parley/messages/languages'

/**
 * The pseudo-language is English with accents, brackets and longer words. It reveals text that has no translation or
 * does not fit.
 */
type ShownLanguage = Language | 'pseudo'

const KEY = 'parley.language'

/**
 * Returns the language stored in this browser. If there is none, returns the browser's first supported language, or
 * English.
 */
export function currentLanguage(): ShownLanguage {
  const stored = storedLanguage()
  if (stored === 'pseudo') return 'pseudo'
  return findLanguage([...(stored === null ? [] : [stored]), ...navigator.languages]) ?? 'en'
}

/**
 * Stores the user's language in this browser. Null deletes the stored language. The next page load uses the new
 * language.
 *
 * Has no effect if the browser blocks storage or the pseudo-language is stored.
 */
export function storeLanguage(language: Language | null): void {
  if (storedLanguage() === 'pseudo') return
  try {
    if (language === null) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, language)
  } catch {
    // The browser blocks storage. The language then cannot be stored.
  }
}

/**
 * Returns the locale for numbers, dates and lists. Prefers a regional variant from the browser's settings, such as
 * `en-GB`.
 */
export const localeOf = (language: ShownLanguage): string =>
  navigator.languages.find((locale) => findLanguage([locale]) === language) ??
  (language === 'pseudo' ? 'en' : language)

/** Returns the stored language, or null if there is none or the browser blocks storage. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
