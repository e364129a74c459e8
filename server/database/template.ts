import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/*
 * The template of the embedded database: the folder of a database after all migrations, in one file. A release contains
 * it, because a copy takes a tenth of the CPU time of a new database. A checkout has no template.
 */

const TEMPLATE = new URL('./template.zst', import.meta.url)

/** The paths below a folder, with the content of files, and null for folders. A folder comes before its content. */
export type Tree = Iterable<[path: string, content: Uint8Array | null]>

/** Writes the folder of a closed database to a file. */
export function packTemplate(folder: string, file: string): void {
  const tree = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    return [relative(folder, path), entry.isFile() ? readFileSync(path) : null]
  })
  writeFileSync(file, zstdCompressSync(serialize(tree)))
}

/** Creates the folder of a new database from the template. Returns false if there is no template. */
export function copyTemplate(folder: string): boolean {
  if (!existsSync(TEMPLATE)) return false
  writeTree(deserialize(zstdDecompressSync(readFileSync(TEMPLATE))), folder)
  return true
}

/** Writes a new folder, which appears only when it is complete. */
export function writeTree(tree: Tree, folder: string): void {
  const unfinished = `${folder}-new`
  rmSync(unfinished, { recursive: true, force: true }) // of a killed process
  mkdirSync(unfinished, { mode: 0o700 })
  for (const [path, content] of tree)
    if (content === null) mkdirSync(join(unfinished, path), { mode: 0o700 })
    else writeFileSync(join(unfinished, path), content, { mode: 0o600 })
  renameSync(unfinished, folder)
}
