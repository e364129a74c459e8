import { fileURLToPath, pathToFileURL } from 'node:url'
import compile from 'icu-minify/compile'

/** The module aliases that replace the message parser in a bundle. The bundle then needs compiled messages. */
export const COMPILED_ALIAS = {
  'use-intl/format-message': fileURLToPath(new URL('format-compiled.ts', import.meta.url)),
}

/**
 * A plugin for Vite and Rolldown that compiles messages at build time. Browsers then load a formatter of 2 kB instead
 * of a parser and formatter of 11 kB. Requires `COMPILED_ALIAS`.
 *
 * @param isMessages matches the paths of modules whose default export is messages
 */
export const compileMessages = (isMessages: RegExp) => ({
  name: 'compile-messages',
  async load(id: string): Promise<string | null> {
    if (!isMessages.test(id)) return null
    const { default: messages } = (await import(pathToFileURL(id).href)) as { default: object }
    return `export default ${JSON.stringify(compileAll(messages))}`
  },
})

const compileAll = (messages: object): object =>
  Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? compile(value) : compileAll(value),
    ]),
  )
