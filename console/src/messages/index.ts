import type { ReactNode } from 'react'
import { createTranslator, type RichTranslationValues, type TranslationValues } from 'use-intl/core'
import type first from './en/first.ts'
import type rest from './en/rest.ts'
import { isolate } from './isolate.ts'
import { currentLanguage, localeOf } from './languages.ts'

/*
 * The text of the interface, in the language in use. English is the source; en/*.ts has one file for each area, in ICU
 * MessageFormat, and each other language has the same files with the same keys.
 */

/** `first` is what signing in and the home page need. `rest` comes before any other screen (shell/late-screen.ts). */
type Messages = typeof first & typeof rest

type Area = keyof Messages

type Translator<A extends Area> = ReturnType<typeof createTranslator<Messages[A]>>

/** A translator whose messages are not known by type. */
type Translate = ReturnType<typeof createTranslator<Record<string, string>>>

export const language = currentLanguage()

type Load = () => Promise<{ default: object }>

/** Each language is two chunks, so a browser loads only the one in use. */
const LOADERS: Record<typeof language, { first: Load; rest: Load }> = {
  en: { first: () => import('./en/first.ts'), rest: () => import('./en/rest.ts') },
  de: { first: () => import('./de/first.ts'), rest: () => import('./de/rest.ts') },
  pseudo: { first: () => import('./pseudo/first.ts'), rest: () => import('./pseudo/rest.ts') },
}

/** The locale for `Intl`. */
export const locale = localeOf(language)

const messages: Partial<Record<Area, object>> = {}

/** Load the text of the first screens, without which nothing is shown, and of all others: one `import()` each. */
export const { first: loadFirst, rest: loadRest } = LOADERS[language]

/** Adds what `loadFirst` or `loadRest` has loaded. */
export function addMessages({ default: areas }: { default: object }): void {
  Object.assign(messages, areas)
}

/**
 * Returns the function that looks up messages of an area: `t('invite')`, `t('removed', { name })`. `t.rich` takes a function
 * for each tag of the message: `t.rich('terms', { link: (text) => <a>{text}</a> })`. A missing message throws, and so does every
 * message while modules load: call `t` within functions only.
 */
export function translator<A extends Area>(area: A): Translator<A> {
  let created: Translate | undefined
  const get = (): Translate => {
    created ??= createTranslator({ locale, messages: messages[area] ?? {}, onError }) as Translate
    return created
  }
  const has = (key: string): boolean => messages[area] !== undefined && get().has(key)
  const t = (key: string, values?: TranslationValues): string => get()(key, isolate(values))
  const rich = (key: string, values?: RichTranslationValues): ReactNode => get().rich(key, isolate(values))
  return Object.assign(t, { rich, has }) as unknown as Translator<A>
}

function onError(error: Error): never {
  throw error
}
