import type { ReactNode } from 'react'
import { createTranslator, type RichTranslationValues, type TranslationValues } from 'use-intl/core'
import { isolate } from './isolate.ts'

export { findLanguage, LANGUAGES, type Language } from './languages.ts'

/** A translation of the English messages, with exactly the same keys. */
export type Translation<Messages> = {
  readonly [Key in keyof Messages]: Messages[Key] extends string ? string : Translation<Messages[Key]>
}

/** A function that looks up and formats messages: `t('invite')`, `t('removed', { name })`. */
export type Messages<English extends object> = ReturnType<typeof createTranslator<English>>

/** A function that looks up messages by any string as the key. */
type Lookup = ReturnType<typeof createTranslator<Record<string, string>>>

/**
 * Returns a function that looks up and formats messages: `t('invite')`, `t('removed', { name })`. `t.rich` takes a
 * function for each tag in the message: `t.rich('terms', { link: (text) => <a>{text}</a> })`. Throws if a message is
 * missing.
 *
 * @param locale BCP 47 locale that formats numbers and selects plural forms
 * @param messages the English messages or a translation, as source or compiled (compile.ts)
 */
export function createMessages<English extends object>(locale: string, messages: object): Messages<English> {
  const lookUp = createTranslator({ locale, messages, onError }) as unknown as Lookup
  const t = (key: string, values?: TranslationValues): string => lookUp(key, isolate(values))
  const rich = (key: string, values?: RichTranslationValues): ReactNode => lookUp.rich(key, isolate(values))
  return Object.assign(t, { rich, has: lookUp.has }) as unknown as Messages<English>
}

function onError(error: Error): never {
  throw error
}
