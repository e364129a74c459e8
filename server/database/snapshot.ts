import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { DATABASE_FOLDER, DataDirError, DataDirLockedError, lockDataDir, socketPathsOf } from './embedded.ts'

/*
 * Snapshots of a data folder, for backups. The thread of the embedded database takes them between two messages of its
 * clients, so a server can continue to run. Database and files are of the same moment.
 */

/** The other entries of a data folder that a backup contains. Their files never change, but are replaced. */
const LINKED = ['files', 'mail', 'wheels', 'secret', 'secret.previous']
/** All entries that a backup contains. The rest are caches, sockets and unfinished uploads. */
export const BACKED_UP: readonly string[] = [DATABASE_FOLDER, ...LINKED]
const FOLDER_PREFIX = 'snapshot-'
/** Free space that a copy leaves on the disk, in bytes. */
const RESERVE_BYTES = 64 * 1024 * 1024
/** Maximum length of the answer to a request. It contains a path or a sentence. */
const ANSWER_BYTES_MAX = 16 * 1024

type Answer = { folder: string } | { error: string }

/**
 * Copies a data folder to a new folder in it, and returns that folder's path. The caller deletes the folder. Copies the
 * database, and links the other files, which takes no space. Nothing may write to the database during the call. Throws
 * a DataDirError if the disk is too full.
 */
export function copyDataDir(dataDir: string): string {
  const database = join(dataDir, DATABASE_FOLDER)
  const needed = sizeOf(database) + RESERVE_BYTES
  const { bavail, bsize } = statfsSync(dataDir)
  if (bavail * bsize < needed)
    throw new DataDirError(
      `A backup requires ${Math.ceil(needed / 1024 ** 2)} MB of free disk space in ${dataDir}. Free some space first.`,
    )
  const folder = mkdtempSync(join(dataDir, FOLDER_PREFIX))
  try {
    cpSync(database, join(folder, DATABASE_FOLDER), { recursive: true, mode: constants.COPYFILE_FICLONE })
    for (const name of LINKED) linkTree(join(dataDir, name), join(folder, name))
    return folder
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Takes a snapshot of a data folder, also while a server uses it. Returns the path of the snapshot's folder, which the
 * caller deletes. Throws a DataDirError if there is no database, or the process that uses it takes no snapshots.
 */
export async function takeSnapshot(dataDir: string): Promise<string> {
  if (!existsSync(join(dataDir, DATABASE_FOLDER)))
    throw new DataDirError(`${dataDir} contains no database. Set DATA_DIR to the folder of the server.`)
  deleteAbandoned(dataDir)
  let unlock: () => void
  try {
    unlock = lockDataDir(dataDir)
  } catch (error) {
    if (error instanceof DataDirLockedError) return requestSnapshot(dataDir)
    throw error
  }
  try {
    return copyDataDir(dataDir)
  } finally {
    unlock()
  }
}

/** Listens for requests of takeSnapshot. Each connection gets one snapshot, as a line of JSON with the folder. */
export function serveSnapshots(path: string, copy: () => Promise<string>): Server {
  const server = createServer(async (socket) => {
    socket.on('error', () => socket.destroy()) // the client has gone, and a later backup deletes its snapshot
    const answer: Answer = await copy().then(
      (folder) => ({ folder }),
      (error: Error) => ({ error: error.message }),
    )
    socket.end(JSON.stringify(answer))
  })
  return server.listen(path)
}

/** Asks the process that holds the lock of the data folder for a snapshot. */
async function requestSnapshot(dataDir: string): Promise<string> {
  const socket = connect(socketPathsOf(dataDir).snapshotSocketPath)
  let text = ''
  try {
    for await (const chunk of socket) {
      text += chunk
      if (text.length > ANSWER_BYTES_MAX) break
    }
  } catch (cause) {
    throw new DataDirError(
      `The process that uses ${dataDir} cannot take a backup now. Wait until the server has started, or stop it, and try again.`,
      { cause },
    )
  } finally {
    socket.destroy()
  }
  const answer = parse(text)
  if (answer === null)
    throw new DataDirError(`The server on ${dataDir} stopped during the backup. Try again.`)
  if ('error' in answer) throw new DataDirError(answer.error)
  return answer.folder
}

function parse(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return null
  }
}

/** Deletes the snapshots of interrupted backups. A backup in progress holds the lock of its snapshot. */
function deleteAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(FOLDER_PREFIX))) {
    const folder = join(dataDir, name)
    try {
      lockDataDir(folder)()
      rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (!(error instanceof DataDirLockedError)) throw error
    }
  }
}

/** Links a file or the files of a folder. Skips files that are deleted meanwhile. */
function linkTree(from: string, to: string): void {
  const found = statSync(from, { throwIfNoEntry: false })
  if (!found) return
  if (found.isDirectory()) {
    mkdirSync(to, { mode: 0o700 })
    for (const name of readdirSync(from)) linkTree(join(from, name), join(to, name))
  } else if (found.isFile()) linkFile(from, to)
}

/** Copies the file if the file system has no hard links, or a symbolic link leads to another one. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(code ?? '')) throw error
    copyFileSync(from, to)
  }
}

/** Returns the total size of a folder's files in bytes. */
function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      bytes += statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}
