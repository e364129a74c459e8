import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Language } from '@parley/messages/languages'
import type { BuiltWidget } from '../../../widget/build.ts'

/** An immutable file with the hash of its content in its name. */
export interface Asset {
  contentType: string
  bytes: Buffer
  zipped: Buffer
}

export interface WidgetFiles {
  /** Loader script; expects LOOK, a ButtonLook, in its scope. */
  loader: string
  /** Asset names of the frame's script and style sheet. */
  frameScripts: Record<Language, string>
  frameStyle: string
  assets: ReadonlyMap<string, Asset>
}

const BUILD_PROGRAM = fileURLToPath(new URL('../../../widget/build.ts', import.meta.url))
/** A build takes half a second. */
const BUILD_MS_MAX = 30_000
const OUTPUT_CHARACTERS_MAX = 4_000
/** Length of the hash in a file name. */
const HASH_CHARACTERS = 16

const SCRIPT = 'text/javascript; charset=utf-8'

const zip = promisify(gzip)

/**
 * Builds the browser files from source on first use and caches them. The returned function throws if the build
 * fails; the next call tries again.
 */
export function createWidgetFiles(): () => Promise<WidgetFiles> {
  let made: Promise<WidgetFiles> | undefined
  return () => {
    made ??= build()
      .then(name)
      .catch((error: unknown) => {
        made = undefined
        throw error
      })
    return made
  }
}

export const zipText = (text: string): Promise<Buffer> => zip(text, { level: 9 })

/** Uses a separate process, because a bundler takes 150 MB that the server would not free. */
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
