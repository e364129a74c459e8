/** The supported languages with their own names. The English messages are the source of all translations. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof LANGUAGES

/** Returns the first supported language in a list of locales, or null. For `['fr', 'de-AT', 'en']`, returns `de`. */
export function findLanguage(locales: readonly string[]): Language | null {
  for (const locale of locales) {
    const language = locale.toLowerCase().split('-')[0] ?? ''
    if (Object.hasOwn(LANGUAGES, language)) return language as Language
  }
  return null
}
