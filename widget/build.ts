import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { COMPILED_ALIAS, compileMessages } from '@parley/messages/compile'
import type { Language } from '@parley/messages/languages'
import { build, type Plugin } from 'rolldown'

export interface BuiltWidget {
  /** The loader script. Reads a global constant `LOOK` of type ButtonLook, which the server prepends. */
  loader: string
  frameScripts: Record<Language, string>
  frameStyle: string
}

/** Supports browsers released in the last four years. */
const TARGET = 'es2022'

/** Bundles and minifies the loader once, and the frame once per language. */
export async function buildWidget(): Promise<BuiltWidget> {
  const [loader, en, de, frameStyle] = await Promise.all([
    bundle('loader.ts'),
    bundle('frame/main.tsx', inLanguage('en')),
    bundle('frame/main.tsx', inLanguage('de')),
    readFile(pathOf('frame/frame.css'), 'utf8'),
  ])
  return { loader, frameScripts: { en, de }, frameStyle }
}

async function bundle(file: string, plugins: Plugin[] = []): Promise<string> {
  const { output } = await build({
    input: pathOf(file),
    write: false,
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: false,
    // use-intl imports two functions from React. Preact provides the same functions.
    resolve: { alias: { ...COMPILED_ALIAS, react: 'preact' } },
    plugins,
    transform: { target: TARGET, jsx: { runtime: 'automatic', importSource: 'preact' } },
    output: { format: 'iife', minify: true, comments: false },
  })
  return output[0].code
}

/** Returns the plugins that replace the English messages with those of `language` and compile them. */
const inLanguage = (language: Language): Plugin[] => [
  {
    name: 'language',
    resolveId: (source) => (source.endsWith('/messages/en.ts') ? pathOf(`messages/${language}.ts`) : null),
  },
  compileMessages(/\/widget\/messages\/\w+\.ts$/),
]

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

// The server runs this file in a child process, so that the bundler's memory is freed when the process exits.
if (process.send) {
  const built = await buildWidget()
  process.send(built, () => process.disconnect())
}
