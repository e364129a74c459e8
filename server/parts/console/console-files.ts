import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface ConsoleFiles {
  /** Returns the HTML page with a nonce inserted. All paths use the same page. */
  page(nonce: string): string
  /** All served files, by path such as `assets/index-B1x2.js`. */
  files: ReadonlyMap<string, ConsoleFile>
}

export interface ConsoleFile {
  contentType: string
  bytes: Buffer
  /** Compressed versions that are smaller than the original, smallest first. */
  codings: { name: 'br' | 'gzip'; bytes: Buffer }[]
}

const PAGE = 'index.html'
/** Stands for the nonce in the built page. */
const NONCE_PLACEHOLDER = '__NONCE__'
/** Content types by file extension. Other files, such as source maps, are not served. */
const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}
const CODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const
const FILES_MAX = 5_000
const BYTES_MAX = 128 * 1024 * 1024

/**
 * Reads a folder written by console/build.ts. Throws an error with code ENOENT if the folder is missing, or an Error
 * that describes what is wrong with it.
 */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles> {
  const template = (await readFile(join(folder, PAGE), 'utf8')).split(NONCE_PLACEHOLDER)
  if (template.length === 1) throw new Error(`${PAGE} has no ${NONCE_PLACEHOLDER}`)
  const read = await readAll(folder)
  const files = new Map<string, ConsoleFile>()
  for (const [path, bytes] of read) {
    const contentType = CONTENT_TYPES[extname(path)]
    if (contentType === undefined) continue
    const codings = CODINGS.flatMap(({ name, suffix }) => {
      const coded = read.get(path + suffix)
      return coded && coded.length < bytes.length ? [{ name, bytes: coded }] : []
    })
    files.set(path, { contentType, bytes, codings })
  }
  return { page: (nonce) => template.join(nonce), files }
}

async function readAll(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  if (entries.length > FILES_MAX) throw new Error(`The built console has more than ${FILES_MAX} files`)
  const read = new Map<string, Buffer>()
  let size = 0
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    size += bytes.length
    if (size > BYTES_MAX) throw new Error(`The built console has more than ${BYTES_MAX} bytes`)
    read.set(relative(folder, path).replaceAll(sep, '/'), bytes)
  }
  return read
}
