/** The languages of the interface, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** `pseudo` is English with accents, brackets and longer words. It shows text that cannot be translated or overflows. */
type ShownLanguage = Language | 'pseudo'

const KEY = 'parley.language'

/** Returns the language chosen on this device, else the browser's first supported one, else English. */
export function currentLanguage(): ShownLanguage {
  const chosen = storedLanguage()
  if (chosen === 'pseudo') return 'pseudo'
  return [chosen, ...navigator.languages].map(supported).find((language) => language !== undefined) ?? 'en'
}

/** Stores the language for this device. Takes effect when the page loads next. */
export const storeLanguage = (language: Language): void => localStorage.setItem(KEY, language)

/** Returns the locale for numbers, dates and lists: the browser's variant of the language where it has one (`en-GB`). */
export const localeOf = (language: ShownLanguage): string =>
  navigator.languages.find((locale) => supported(locale) === language) ??
  (language === 'pseudo' ? 'en' : language)

function supported(locale: string | null): Language | undefined {
  const language = locale?.toLowerCase().split('-')[0]
  return language !== undefined && Object.hasOwn(LANGUAGES, language) ? (language as Language) : undefined
}

/** Browsers that block storage throw. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
