import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BuiltWidget } from '../../../widget/build.ts'

/** A file that never changes: what it holds is in its name. */
export interface Asset {
  contentType: string
  bytes: Buffer
  zipped: Buffer
}

export interface WidgetFiles {
  /** A script that needs LOOK, a ButtonLook, in its scope. */
  loader: string
  /** Names of assets: of the frame's script and style sheet. */
  frameScript: string
  frameStyle: string
  assets: ReadonlyMap<string, Asset>
}

const BUILD_PROGRAM = fileURLToPath(new URL('../../../widget/build.ts', import.meta.url))
/** It takes half a second. */
const BUILD_MS_MAX = 30_000
const OUTPUT_CHARACTERS_MAX = 4_000
/** Of the hash, in a name. */
const HASH_CHARACTERS = 16

const zip = promisify(gzip)

/**
 * What the server hands to browsers, made from source at the first need and kept. The answer throws where that does not
 * work; then the next one to ask tries again.
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

/** In a process of its own: a bundler takes 150 MB, which the server would keep. */
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

async function name({ loader, frameScript, frameStyle }: BuiltWidget): Promise<WidgetFiles> {
  const assets = new Map<string, Asset>()
  const add = async (extension: string, contentType: string, text: string): Promise<string> => {
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARACTERS)
    const file = `frame-${hash}.${extension}`
    assets.set(file, { contentType, bytes: Buffer.from(text), zipped: await zipText(text) })
    return file
  }
  return {
    loader,
    frameScript: await add('js', 'text/javascript; charset=utf-8', frameScript),
    frameStyle: await add('css', 'text/css; charset=utf-8', frameStyle),
    assets,
  }
}
