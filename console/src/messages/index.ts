import { createMessages, type Messages } from '@parley/messages'
import type chats from './en/chats.ts'
import type first from './en/first.ts'
import type rest from './en/rest.ts'
import { currentLanguage, localeOf } from './languages.ts'

/*
 * The text of the interface, in the language in use. English is the source; en/*.ts has one file for each area, in ICU
 * MessageFormat, and each other language has the same files with the same keys.
 */

type Text = typeof first & typeof chats & typeof rest

/**
 * How much text a screen needs, each level with those before it: `first` for signing in and the home page, `chats` for
 * chats, `rest` for all others. Chats have a level of their own because people open them first.
 */
export type Level = 'first' | 'chats' | 'rest'

type Area = keyof Text

/** A lookup for keys that are not checked by type. */
type Lookup = Messages<Record<string, string>>

export const language = currentLanguage()

type Load = () => Promise<{ default: object }>

/** Each language has its own chunks, so a browser loads only the one in use. */
const LOADERS: Record<typeof language, Record<Level, Load>> = {
  en: {
    first: () => import('./en/first.ts'),
    chats: () => import('./en/chats.ts'),
    rest: () => import('./en/rest.ts'),
  },
  de: {
    first: () => import('./de/first.ts'),
    chats: () => import('./de/chats.ts'),
    rest: () => import('./de/rest.ts'),
  },
  pseudo: {
    first: () => import('./pseudo/first.ts'),
    chats: () => import('./pseudo/chats.ts'),
    rest: () => import('./pseudo/rest.ts'),
  },
}

const LEVELS: readonly Level[] = ['first', 'chats', 'rest']

/** The locale for `Intl`. */
export const locale = localeOf(language)

const text: Partial<Record<Area, object>> = {}

/**
 * Loads the text up to a level. Call it before a screen of that level is shown.
 *
 * @param get loads one chunk; by default once, without retries
 */
export async function loadText(level: Level, get = (load: Load) => load()): Promise<void> {
  const levels = LEVELS.slice(0, LEVELS.indexOf(level) + 1)
  const chunks = await Promise.all(levels.map((each) => get(LOADERS[language][each])))
  for (const { default: areas } of chunks) Object.assign(text, areas)
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
