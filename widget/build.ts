import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

/** What the server hands to browsers. */
export interface BuiltWidget {
  /** Needs `LOOK`, a ButtonLook, in its scope. */
  loader: string
  frameScript: string
  frameStyle: string
}

/** Browsers of the last four years. */
const TARGET = 'es2022'

/** Bundles and minifies loader and frame. */
export async function buildWidget(): Promise<BuiltWidget> {
  const [loader, frameScript, frameStyle] = await Promise.all([
    bundle('loader.ts'),
    bundle('frame/main.tsx'),
    readFile(pathOf('frame/frame.css'), 'utf8'),
  ])
  return { loader, frameScript, frameStyle }
}

async function bundle(file: string): Promise<string> {
  const { output } = await build({
    input: pathOf(file),
    write: false,
    platform: 'browser',
    logLevel: 'warn',
    tsconfig: false,
    transform: { target: TARGET, jsx: { runtime: 'automatic', importSource: 'preact' } },
    output: { format: 'iife', minify: true, comments: false },
  })
  return output[0].code
}

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

// The server runs this as a process of its own, so that a bundler's memory ends with it.
if (process.send) {
  const built = await buildWidget()
  process.send(built, () => process.disconnect())
}
