/** The languages of Parley, each by its own name. English is the source of all others. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** Returns the first supported language of a user's locales, such as `de` for `['fr', 'de-AT', 'en']`; else null. */
export function findLanguage(locales: readonly string[]): Language | null {
  for (const locale of locales) {
    const language = locale.toLowerCase().split('-')[0] ?? ''
    if (Object.hasOwn(LANGUAGES, language)) return language as Language
  }
  return null
}
