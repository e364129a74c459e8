import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The build's output folder, inside the console's folder. */
export const BUILT_FOLDER = 'dist'
/** A file in the output folder with the fingerprint of the build's sources. Written after all other files. */
export const BUILT_FROM = 'built-from'

/** Maximum number of files. The console has far fewer. If a folder has more files, it is not the console's folder. */
const SOURCES_MAX = 5_000
/** This project's own packages, relative to the console's folder. */
const PACKAGES = '../packages'
/**
 * Matches names of files that are not sources: hidden files, unfinished builds, tests, installed packages, and types
 * that `npm run types` generates.
 */
const NOT_SOURCE_NAMES = /^\.|\.test\.tsx?$|^node_modules$|^generated\.ts$/

/** Returns whether the folder's build was made from its current sources. */
export async function isBuilt(folder: string): Promise<boolean> {
  const stored = await readFile(join(folder, BUILT_FOLDER, BUILT_FROM), 'utf8').catch(() => null)
  return stored !== null && stored === (await fingerprint(folder))
}

/**
 * Returns a hash of everything that the build depends on: the paths and contents of the console's sources and of the
 * project's own packages, and the versions of all other packages (package-lock.json).
 */
export async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(folder, '..', 'package-lock.json')))
  const paths = [...(await listSources(folder, '')), ...(await listSources(folder, PACKAGES))]
  for (const path of paths.sort()) {
    const bytes = await readFile(join(folder, path))
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/**
 * Lists the source files below a path. All paths are relative to the folder. The list is empty if the path doesn't
 * exist.
 */
async function listSources(folder: string, below: string): Promise<string[]> {
  const paths: string[] = []
  const folders = [below]
  for (const parent of folders)
    for (const entry of await readdir(join(folder, parent), { withFileTypes: true }).catch(ignoreAbsent)) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`
      if (NOT_SOURCE_NAMES.test(entry.name) || path === BUILT_FOLDER) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) paths.push(path)
      if (folders.length + paths.length > SOURCES_MAX)
        throw new Error(`${folder} has more than ${SOURCES_MAX} files`)
    }
  return paths
}

function ignoreAbsent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}
