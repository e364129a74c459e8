import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What the build makes, in the console's folder. */
export const BUILT_FOLDER = 'dist'
/** The file in it that says what it was built from. It is written last. */
export const BUILT_FROM = 'built-from'

/** Far more than the console has: who meets it has put something else into the folder. */
const SOURCES_MAX = 5_000
/** The last is types only, which are written anew whenever they are checked. */
const NOT_SOURCES = [BUILT_FOLDER, 'node_modules', 'src/api/operations.ts']
/** Hidden files, a build under way among them, and tests. */
const NOT_SOURCE_NAMES = /^\.|\.test\.tsx?$/

/** Whether the console in this folder is built from what is there now. */
export async function isBuilt(folder: string): Promise<boolean> {
  const told = await readFile(join(folder, BUILT_FOLDER, BUILT_FROM), 'utf8').catch(() => null)
  return told !== null && told === (await fingerprint(folder))
}

/**
 * What a build in this folder depends on, as one hash: each source under its path, and the versions of all packages
 * (the package-lock.json beside the folder).
 */
export async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(folder, '..', 'package-lock.json')))
  const paths = await listSources(folder)
  for (const path of paths.sort()) {
    const bytes = await readFile(join(folder, path))
    hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

async function listSources(folder: string): Promise<string[]> {
  const paths: string[] = []
  const folders = ['']
  for (const parent of folders)
    for (const entry of await readdir(join(folder, parent), { withFileTypes: true })) {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`
      if (NOT_SOURCE_NAMES.test(entry.name) || NOT_SOURCES.includes(path)) continue
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) paths.push(path)
      if (folders.length + paths.length > SOURCES_MAX)
        throw new Error(`${folder} has more than ${SOURCES_MAX} files`)
    }
  return paths
}
