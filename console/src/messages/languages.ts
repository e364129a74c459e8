import { findLanguage, type Language } from '@parley/messages'

/** `pseudo` is English with accents, brackets and longer words. It shows text that cannot be translated or overflows. */
type ShownLanguage = Language | 'pseudo'

const KEY = 'parley.language'

/** Returns the language chosen on this device, else the browser's first supported one, else English. */
export function currentLanguage(): ShownLanguage {
  const chosen = storedLanguage()
  if (chosen === 'pseudo') return 'pseudo'
  return findLanguage([...(chosen === null ? [] : [chosen]), ...navigator.languages]) ?? 'en'
}

/** Stores the language for this device. Takes effect when the page loads next. */
export const storeLanguage = (language: Language): void => localStorage.setItem(KEY, language)

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
