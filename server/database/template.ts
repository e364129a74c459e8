import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/*
 * The template of the embedded database: the folder of a database after all migrations, in one file. A release contains
 * it, because a copy takes a tenth of the CPU time of a new database. A checkout has no template.
 */

const TEMPLATE = new URL('./template.zst', import.meta.url)

/** The content of each file by its path. Null for a folder. A folder comes before its content. */
type Tree = Map<string, Buffer | null>

/** Writes the folder of a closed database to `file`. */
export function packTemplate(folder: string, file: string): void {
  const tree: Tree = new Map()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    tree.set(path.slice(folder.length + 1).replaceAll('\\', '/'), entry.isFile() ? readFileSync(path) : null)
  }
  writeFileSync(file, zstdCompressSync(serialize(tree)))
}

/**
 * Creates the folder of a new database from the template. Does nothing if the folder exists or there is no template. The
 * folder appears only when it is complete.
 */
export function copyTemplate(folder: string): void {
  if (existsSync(folder) || !existsSync(TEMPLATE)) return
  const unfinished = `${folder}-new`
  rmSync(unfinished, { recursive: true, force: true }) // of a killed process
  mkdirSync(unfinished, { mode: 0o700 })
  const tree: Tree = deserialize(zstdDecompressSync(readFileSync(TEMPLATE)))
  for (const [path, content] of tree)
    if (content === null) mkdirSync(join(unfinished, path), { mode: 0o700 })
    else writeFileSync(join(unfinished, path), content, { mode: 0o600 })
  renameSync(unfinished, folder)
}
