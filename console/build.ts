import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { BUILT_FOLDER, BUILT_FROM, fingerprint, isBuilt } from './built-from.ts'

/*
 * Builds the console in this folder, or in the folder given as an argument, unless its build is current. Replaces `dist`
 * atomically, so processes can build concurrently. On failure, writes only the error to stderr and exits with 1: a server
 * that starts this shows it.
 */

/** The prefix of temporary folders for unfinished builds. */
const WORKSHOP = '.build-'
/** Older temporary folders belong to builds that were killed. */
const WORKSHOP_MS_MAX = 3_600_000
/** Attempts to replace `dist` while other processes replace it too. */
const TRIES_MAX = 20
/** Files to compress, from this size on. Smaller files fit into one packet anyway. */
const PACKED = /\.(?:js|css|svg|json)$/
const PACKED_BYTES_MIN = 1_024
/** The next quality level takes ten times as long and saves 7 % more. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const GZIP = { level: 9 }

const [packBrotli, packGzip] = [promisify(brotliCompress), promisify(gzip)]

// Stops when the server that started this is gone.
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

try {
  await buildOnce(resolve(process.argv[2] ?? import.meta.dirname))
} catch (error) {
  const words = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${stripVTControlCharacters(words)}\n`)
  process.exitCode = 1
}

async function buildOnce(folder: string): Promise<void> {
  if (await isBuilt(folder)) return tell('The console is built already')
  const began = performance.now()
  await removeLeftWorkshops(folder)
  const workshop = await mkdtemp(join(folder, WORKSHOP))
  try {
    const fresh = join(workshop, BUILT_FOLDER)
    const builtFrom = await fingerprint(folder)
    await bundle(folder, fresh)
    await packAll(fresh)
    await writeFile(join(fresh, BUILT_FROM), builtFrom)
    // Keeps the build of another process that finished first, since it may be in use.
    if (!(await isBuilt(folder))) await put(fresh, join(folder, BUILT_FOLDER), join(workshop, 'before'))
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
  tell(`The console is built, in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function bundle(folder: string, outDir: string): Promise<void> {
  process.env['NODE_ENV'] = 'production'
  // Loading Vite takes longer than finding the build current.
  const { build } = await import('vite')
  await build({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    // Node loads the TypeScript config itself. The other loaders write files to node_modules.
    configLoader: 'native',
    mode: 'production',
    logLevel: process.send ? 'silent' : 'warn',
    build: { outDir },
  })
}

/** Writes compressed copies beside the files: `name.br` and `name.gz`. */
async function packAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile() && PACKED.test(entry.name))) {
    const path = join(parentPath, name)
    const bytes = await readFile(path)
    if (bytes.length < PACKED_BYTES_MIN) continue
    const [brotli, zipped] = await Promise.all([packBrotli(bytes, BROTLI), packGzip(bytes, GZIP)])
    await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, zipped)])
  }
}

/** Renames cannot replace a folder that has files, so the present one is moved away first. The last process wins. */
async function put(fresh: string, place: string, before: string): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await rename(place, before).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      return await rename(fresh, place)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(code) || tries === TRIES_MAX) throw error
      await rm(before, { recursive: true, force: true })
    }
}

async function removeLeftWorkshops(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(WORKSHOP)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > WORKSHOP_MS_MAX) await rm(path, { recursive: true, force: true })
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}
