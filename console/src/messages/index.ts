import { createMessages, type Messages } from '@parley/messages'
import type first from './en/first.ts'
import type rest from './en/rest.ts'
import { currentLanguage, localeOf } from './languages.ts'

/*
 * The text of the interface, in the language in use. English is the source; en/*.ts has one file for each area, in ICU
 * MessageFormat, and each other language has the same files with the same keys.
 */

/** `first` is what signing in and the home page need. `rest` comes before any other screen (shell/late-screen.ts). */
type Text = typeof first & typeof rest

type Area = keyof Text

/** A lookup of messages that are not known by type. */
type Lookup = Messages<Record<string, string>>

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

const text: Partial<Record<Area, object>> = {}

/** Load the text of the first screens, without which nothing is shown, and of all others: one `import()` each. */
export const { first: loadFirst, rest: loadRest } = LOADERS[language]

/** Adds what `loadFirst` or `loadRest` has loaded. */
export function addMessages({ default: areas }: { default: object }): void {
  Object.assign(text, areas)
}

/**
 * Returns the function that looks up messages of an area (@parley/messages, createMessages). It throws while modules load,
 * before there is text: call it within functions only.
 */
export function translator<A extends Area>(area: A): Messages<Text[A]> {
  let created: Lookup | undefined
  const get = (): Lookup => {
    created ??= createMessages<Record<string, string>>(locale, text[area] ?? {})
    return created
  }
  const t = (...given: Parameters<Lookup>) => get()(...given)
  const rich = (...given: Parameters<Lookup['rich']>) => get().rich(...given)
  const has = (key: string) => text[area] !== undefined && get().has(key)
  return Object.assign(t, { rich, has }) as unknown as Messages<Text[A]>
}
