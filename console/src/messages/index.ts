import { createMessages, type Messages } from '@parley/messages'
import type chats from './en/chats.ts'
import type first from './en/first.ts'
import type rest from './en/rest.ts'
import { currentLanguage, localeOf } from './languages.ts'

/*
 * The interface messages in the current language, in ICU MessageFormat. English is the source: en/*.ts has one file
 * per area. Every other language has the same files with the same keys.
 */

type Text = typeof first & typeof chats & typeof rest

/**
 * The messages that a screen needs: `first` for sign-in and the home page, `chats` for chats, `rest` for all other
 * screens. Each level includes the previous levels. Chats have their own level because users open them first.
 */
export type Level = 'first' | 'chats' | 'rest'

type Area = keyof Text

/** A function that looks up messages by any string as the key. */
type Lookup = Messages<Record<string, string>>

export const language = currentLanguage()

type Load = () => Promise<{ default: object }>

/** Each language is in separate chunks, so a browser loads only the current language. */
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

/** The locale for `Intl`, which formats numbers and dates. */
export const locale = localeOf(language)

const text: Partial<Record<Area, object>> = {}

/**
 * Loads the messages of a level and of the levels below it. Call this before a screen of that level is shown.
 *
 * @param get loads one chunk. The default tries once.
 */
export async function loadText(level: Level, get = (load: Load) => load()): Promise<void> {
  const levels = LEVELS.slice(0, LEVELS.indexOf(level) + 1)
  const chunks = await Promise.all(levels.map((each) => get(LOADERS[language][each])))
  for (const { default: areas } of chunks) Object.assign(text, areas)
}

/**
 * Returns the function that looks up an area's messages (createMessages in @parley/messages). Call that function only
 * inside other functions: while modules load, there are no messages yet, and it throws.
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
