import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { type Tree, writeTree } from './template.ts'

/*
 * A program that creates the folder of a new embedded database, which has no tables yet:
 *
 * node --liftoff-only create-database.ts FOLDER
 *
 * PGlite creates a database in memory with half of the CPU time that it needs on a disk. The memory is free again when
 * this process ends. The flag turns off the optimizing compiler, which would take longer than it saves.
 */

const DATA = '/pglite/data'

const database = await PGlite.create()
const { FS } = database.Module
await database.close()
writeTree(listTree(''), process.argv[2] as string)

/** Lists a folder of the database's file system. Paths are relative to the database. */
function* listTree(folder: string): Tree {
  for (const name of FS.readdir(`${DATA}/${folder}`)) {
    if (name === '.' || name === '..') continue
    const path = join(folder, name)
    const isFolder = FS.isDir(FS.lstat(`${DATA}/${path}`).mode)
    yield [path, isFolder ? null : FS.readFile(`${DATA}/${path}`)]
    if (isFolder) yield* listTree(path)
  }
}
