import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The output of the build, in the console's folder. */
export const BUILT_FOLDER = 'dist'
/** The file in it with the fingerprint of the sources. Written last. */
export const BUILT_FROM = 'built-from'

/** Far above the size of the console. More files mean that the folder contains something else. */
const SOURCES_MAX = 5_000
/** The packages of this project, beside the console's folder. */
const PACKAGES = '../packages'
/** Hidden files (unfinished builds too), tests, and types that `npm run types` generates. */
const NOT_SOURCE_NAMES = /^\.|\.test\.tsx?$|^node_modules$|^generated\.ts$/

/** Returns whether the build in this folder is current. */
export async function isBuilt(folder: string): Promise<boolean> {
  const told = await readFile(join(folder, BUILT_FOLDER, BUILT_FROM), 'utf8').catch(() => null)
  return told !== null && told === (await fingerprint(folder))
}

/**
 * Returns a hash of everything that a build in this folder depends on: the paths and contents of its sources and of the
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

/** Lists the sources below a path, relative to the folder. Returns none if the path does not exist. */
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
