import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the build makes, in the console's folder. */
export const BUILT_FOLDER = 'dist'
/** The file in it that says what it was built from. It is written last. */
export const BUILT_FROM = 'built-from'

/** Far more than the console has: who meets it has put something else into the folder. */
const SOURCES_MAX = 5_000
/** The packages of this project, beside the console's folder. */
const PACKAGES = '../packages'
/** Hidden files, a build under way among them, tests, and types, which are written whenever they are checked. */
const NOT_SOURCE_NAMES = /^\.|\.test\.tsx?$|^node_modules$|^generated\.ts$/

/** Whether the console in this folder is built from what is there now. */
export async function isBuilt(folder: string): Promise<boolean> {
  const told = await readFile(join(folder, BUILT_FOLDER, BUILT_FROM), 'utf8').catch(() => null)
  return told !== null && told === (await fingerprint(folder))
}

/**
 * Returns one hash of everything that a build in this folder depends on: each source under its path, the sources of the
 * project's own packages, and the versions of all others (the package-lock.json beside the folder).
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

/** Lists the sources below a path, as paths from the folder. A path that is not there has none. */
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
