import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { BUILT_FOLDER, BUILT_FROM, fingerprint, isBuilt } from './built-from.ts'

/*
 * Builds the console in this folder, or in the folder given as an argument. Does nothing if the build is current.
 * Replaces `dist` by renaming folders, so several processes can build at the same time.
 *
 * On failure, writes only the error message to stderr and exits with 1. A server that runs this script shows that
 * message.
 */

/** Prefix of the temporary folders that contain unfinished builds. */
const WORKSHOP = '.build-'
/** Maximum age of a temporary folder. Older folders were left behind by killed builds and are deleted. */
const WORKSHOP_MS_MAX = 3_600_000
/** Maximum number of attempts to replace `dist` while other processes are replacing it. */
const TRIES_MAX = 20
/** Files with these extensions and at least this size are compressed. Smaller files fit into one packet anyway. */
const PACKED = /\.(?:js|css|svg|json)$/
const PACKED_BYTES_MIN = 1_024
/** The next higher quality takes ten times as long and produces files that are 7 % smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const GZIP = { level: 9 }

const [packBrotli, packGzip] = [promisify(brotliCompress), promisify(gzip)]

// Stop when the server that started this process exits.
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

try {
  await buildOnce(resolve(process.argv[2] ?? import.meta.dirname))
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`${stripVTControlCharacters(message)}\n`)
  process.exitCode = 1
}

async function buildOnce(folder: string): Promise<void> {
  if (await isBuilt(folder)) return log('The console is built already')
  const began = performance.now()
  await removeLeftWorkshops(folder)
  const workshop = await mkdtemp(join(folder, WORKSHOP))
  try {
    const fresh = join(workshop, BUILT_FOLDER)
    const builtFrom = await fingerprint(folder)
    await bundle(folder, fresh)
    await packAll(fresh)
    await writeFile(join(fresh, BUILT_FROM), builtFrom)
    // If another process has finished the same build, keep its folder, because a server may be using it.
    if (!(await isBuilt(folder)))
      await replaceFolder(fresh, join(folder, BUILT_FOLDER), join(workshop, 'before'))
  } finally {
    await rm(workshop, { recursive: true, force: true })
  }
  log(`The console is built, in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function bundle(folder: string, outDir: string): Promise<void> {
  process.env['NODE_ENV'] = 'production'
  // Vite is imported only for a build: loading it takes longer than checking whether the build is current.
  const { build } = await import('vite')
  await build({
    root: folder,
    configFile: join(folder, 'vite.config.ts'),
    // Node loads the TypeScript config. Vite's other loaders would write files to node_modules.
    configLoader: 'native',
    mode: 'production',
    logLevel: process.send ? 'silent' : 'warn',
    build: { outDir },
  })
}

/** Writes two compressed copies next to each large file: `name.br` and `name.gz`. */
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

/**
 * Replaces `target` with `fresh`. Moves the old folder to `before` first, because a rename cannot replace a folder
 * that contains files. If several processes do this at the same time, the last one wins.
 */
async function replaceFolder(fresh: string, target: string, before: string): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      await rename(target, before).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      return await rename(fresh, target)
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

function log(line: string): void {
  process.stdout.write(`${line}\n`)
}
