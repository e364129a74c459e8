import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The first script of the page. It must not wait for any others. */
export const START = join(import.meta.dirname, 'src/start.ts')
/** Matches the modules of the first script that the console shares. */
export const SHARED_BY_START =
  /\/console\/src\/(?:ui\/theme|shell\/frame|messages\/languages)\.ts$|rolldown\/runtime|\/packages\/messages\/src\/languages\.ts$/
const CONSOLE_SCRIPT = /<script type="module" crossorigin src="([^"]+)"><\/script>/

/** The modules that each frame of the page (src/shell/frame.ts) needs next, and those in each language. */
const NEXT: Record<string, string[]> = {
  outside: ['screens/identity/sign-in.tsx'],
  page: ['screens/home/home.tsx'],
  chats: ['screens/chat/chats.tsx'],
  'en outside': ['messages/en/first.ts'],
  'en page': ['messages/en/first.ts'],
  'en chats': ['messages/en/first.ts', 'messages/en/chats.ts'],
  'de outside': ['messages/de/first.ts'],
  'de page': ['messages/de/first.ts'],
  'de chats': ['messages/de/first.ts', 'messages/de/chats.ts'],
}

type Bundle = Rolldown.OutputBundle

/**
 * Puts src/start.ts first. The page only preloads the console's script, which src/start.ts imports after it has shown
 * the page's frame. `data-next` has the scripts that src/start.ts preloads then.
 */
export const startFirst: Plugin = {
  name: 'start-first',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const file = bundle && fileOf(bundle, START)
      const next = bundle ? JSON.stringify(nextIn(bundle)) : ''
      return {
        html: html.replace(
          CONSOLE_SCRIPT,
          `<link id="script" rel="modulepreload" crossorigin href="$1" data-next='${next}'>`,
        ),
        tags: [
          {
            tag: 'script',
            attrs: { type: 'module', crossorigin: true, src: `/${file ?? 'src/start.ts'}` },
            injectTo: 'head',
          },
        ],
      }
    },
  },
}

function nextIn(bundle: Bundle): Record<string, string[]> {
  const first = withImports(bundle, fileOf(bundle, join(import.meta.dirname, 'index.html')))
  return Object.fromEntries(
    Object.entries(NEXT).map(([key, paths]) => {
      const files = paths.flatMap((path) => [
        ...withImports(bundle, fileOf(bundle, join(import.meta.dirname, 'src', path))),
      ])
      return [key, [...new Set(files)].filter((file) => !first.has(file)).map((file) => `/${file}`)]
    }),
  )
}

/** Returns the file of the chunk that a module begins. Throws if there is none. */
function fileOf(bundle: Bundle, module: string): string {
  const chunk = Object.values(bundle).find((file) => file.type === 'chunk' && file.facadeModuleId === module)
  if (!chunk) throw new Error(`No chunk begins with ${module}`)
  return chunk.fileName
}

/** Returns a file with all files that it imports statically. */
function withImports(bundle: Bundle, first: string): Set<string> {
  const files = new Set([first])
  for (const name of files) {
    const file = bundle[name]
    if (file?.type === 'chunk') for (const imported of file.imports) files.add(imported)
  }
  return files
}
