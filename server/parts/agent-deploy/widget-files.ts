import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Language } from '@parley/messages/languages'
import type { BuiltWidget } from '../../../widget/build.ts'

/** An immutable file whose name contains the hash of its content. */
export interface Asset {
  contentType: string
  bytes: Buffer
  zipped: Buffer
}

export interface WidgetFiles {
  /** The loader script. It expects a variable LOOK of type ButtonLook in its scope. */
  loader: string
  /** Asset names of the frame's script per language, and of its style sheet. */
  frameScripts: Record<Language, string>
  frameStyle: string
  assets: ReadonlyMap<string, Asset>
}

const FOLDER = join(import.meta.dirname, '../../../widget')
const BUILD_PROGRAM = join(FOLDER, 'build.ts')
/** The output of the build, as JSON. A release contains this file instead of the sources. */
const BUILT = join(FOLDER, 'built.json')
/** Timeout of a build. A build normally takes half a second. */
const BUILD_MS_MAX = 30_000
const OUTPUT_CHARACTERS_MAX = 4_000
/** Number of hash characters in a file name. */
const HASH_CHARACTERS = 16

const SCRIPT = 'text/javascript; charset=utf-8'

const zip = promisify(gzip)

/**
 * Returns a function that provides the widget's browser files. Its first call builds the files from source (a release
 * contains them already), and later calls return the same files. If the build fails, the function rejects and its next
 * call builds again.
 */
export function createWidgetFiles(): () => Promise<WidgetFiles> {
  let made: Promise<WidgetFiles> | undefined
  return () => {
    made ??= (existsSync(BUILT) ? readBuilt() : build()).then(name).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

export const zipText = (text: string): Promise<Buffer> => zip(text, { level: 9 })

const readBuilt = async (): Promise<BuiltWidget> => JSON.parse(await readFile(BUILT, 'utf8'))

/**
 * Builds the widget in a separate process, because the bundler takes 150 MB that the server's process would not free.
 */
function build(): Promise<BuiltWidget> {
  return new Promise((resolve, reject) => {
    const child = fork(BUILD_PROGRAM, {
      execArgv: [],
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      timeout: BUILD_MS_MAX,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
    })
    child.once('message', (built) => resolve(built as BuiltWidget))
    child.once('error', reject)
    child.once('close', (code, signal) =>
      reject(new Error(`The widget was not built (${signal ?? code}): ${output}`)),
    )
  })
}

async function name({ loader, frameScripts, frameStyle }: BuiltWidget): Promise<WidgetFiles> {
  const assets = new Map<string, Asset>()
  const add = async (extension: string, contentType: string, text: string): Promise<string> => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARACTERS)
    const file = `frame-${hash}.${extension}`
    assets.set(file, { contentType, bytes: Buffer.from(text), zipped: await zipText(text) })
    return file
  }
  return {
    loader,
    frameScripts: {
      en: await add('js', SCRIPT, frameScripts.en),
      de: await add('js', SCRIPT, frameScripts.de),
    },
    frameStyle: await add('css', 'text/css; charset=utf-8', frameStyle),
    assets,
  }
}
