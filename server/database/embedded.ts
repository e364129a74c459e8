import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** The data folder is in use or unusable. The error message is a single line for the operator. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

/** Another process holds the lock of the data folder. */
export class DataDirLockedError extends DataDirError {}

/** The paths that the thread of the embedded database receives. */
export interface EmbeddedPaths {
  dataDir: string
  socketPath: string
  snapshotSocketPath: string
}

export interface EmbeddedDatabase {
  socketPath: string
  /** Announces that this process is about to stop, so that a starting process waits for the data folder. */
  announceStop(): void
  stop(): Promise<void>
}

/** The subfolder of the data folder that contains the embedded database. */
export const DATABASE_FOLDER = 'postgres'
/** Exists while `parley restore` replaces the entries of the data folder (backup/restore.ts). */
export const RESTORE_MARKER = 'restore-unfinished'

/**
 * Maximum length of a Unix socket path; systems allow about 100 bytes. If the path in the data folder is longer, the
 * socket is in the temporary folder.
 */
const SOCKET_PATH_BYTES_MAX = 100
const DATABASE_SOCKET = '.s.PGSQL.5432'
const SNAPSHOT_SOCKET = '.s.snapshot'
/** A stopping process exits within 45 seconds (`STOP_DEADLINE_MS` in main.ts). */
const STOPPING_MS_MAX = 50_000
const LOCK_POLL_MS = 50
/** Time for a new database to be created, or for one to recover after a crash. */
const START_MS_MAX = 120_000
/** Limit of `startEmbedded`, with time to report which of its waits was too long. */
export const EMBEDDED_START_MS_MAX = STOPPING_MS_MAX + START_MS_MAX + 10_000
const STOP_MS_MAX = 20_000

/**
 * Starts the embedded PostgreSQL (PGlite) on `dataDir`, with exclusive use of the folder. Throws a DataDirError if
 * another process uses the folder, because two processes would overwrite each other's data. If the other process is
 * stopping, first waits up to 50 seconds.
 */
export async function startEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const stopping = join(dataDir, 'stopping')
  const unlock = await lockOnceStopped(dataDir, stopping)
  if (existsSync(join(dataDir, RESTORE_MARKER))) {
    unlock()
    throw new DataDirError(
      `A restore into ${dataDir} was interrupted. Run parley restore FILE --force again; it keeps the earlier data in a folder replaced-….`,
    )
  }
  const { socketPath, snapshotSocketPath } = socketPathsOf(dataDir)
  if (dirname(socketPath) !== dataDir) createPrivateFolder(dirname(socketPath))
  for (const path of [socketPath, snapshotSocketPath]) rmSync(path, { force: true })
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData: { dataDir, socketPath, snapshotSocketPath } satisfies EmbeddedPaths,
  })
  try {
    await nextMessage(worker, START_MS_MAX)
  } catch (error) {
    await worker.terminate()
    unlock()
    throw new DataDirError(`The embedded database in ${dataDir} cannot start: ${(error as Error).message}`)
  }
  let isStopping = false
  worker.once('exit', (code) => {
    // Uncaught, so that it ends this process.
    if (!isStopping) throw new Error(`The thread of the embedded database ended with code ${code}.`)
  })
  return {
    socketPath,
    announceStop: () => writeFileSync(stopping, ''),
    async stop() {
      isStopping = true
      const closed = nextMessage(worker, STOP_MS_MAX)
      worker.postMessage('close')
      // A database that does not close is ended like that of a killed process, from which the next start recovers.
      await closed.catch(() => {})
      await worker.terminate()
      for (const path of [socketPath, snapshotSocketPath]) rmSync(path, { force: true })
      unlock()
    },
  }
}

/**
 * Returns the paths of the sockets: of the database, and of the requests for a snapshot (snapshot.ts). Other processes
 * find them by the path of the data folder.
 */
export function socketPathsOf(dataDir: string): { socketPath: string; snapshotSocketPath: string } {
  const fits = Buffer.byteLength(join(dataDir, DATABASE_SOCKET)) <= SOCKET_PATH_BYTES_MAX
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = fits ? dataDir : join(tmpdir(), `parley-${name}`)
  return { socketPath: join(folder, DATABASE_SOCKET), snapshotSocketPath: join(folder, SNAPSHOT_SOCKET) }
}

/** Creates a folder in the temporary folder. Throws a DataDirError if another user has created one with this name. */
function createPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (lstatSync(folder).uid !== process.getuid?.())
    throw new DataDirError(`${folder} belongs to another user. Delete it, or set a shorter DATA_DIR.`)
}

/**
 * Waits for the next message of the thread. Rejects if the thread ends instead, or sends none in time. At other times,
 * an error of the thread has no listener and ends the process, which cannot continue without its database.
 */
async function nextMessage(worker: Worker, timeoutMs: number): Promise<void> {
  const end = new AbortController()
  const waiting = { signal: AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)]) }
  try {
    await Promise.race([
      once(worker, 'message', waiting), // rejects after an error of the thread
      once(worker, 'exit', waiting).then(([code]) => {
        throw new Error(`its thread ended with code ${code}`)
      }),
    ])
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
    throw new Error(`it did not respond within ${timeoutMs / 1_000} s`, { cause: error })
  } finally {
    end.abort()
  }
}

/** Locks the data folder. While the file `stopping` shows that the current holder is about to exit, retries. */
async function lockOnceStopped(dataDir: string, stopping: string): Promise<() => void> {
  const deadline = performance.now() + STOPPING_MS_MAX
  for (;;) {
    try {
      const unlock = lockDataDir(dataDir)
      rmSync(stopping, { force: true })
      return unlock
    } catch (error) {
      if (!existsSync(stopping) || performance.now() >= deadline) throw error
      await sleep(LOCK_POLL_MS)
    }
  }
}

/**
 * Locks the data folder for this process. Returns the function that unlocks it. Throws a DataDirLockedError if another
 * process holds the lock. SQLite's file lock is exclusive, and the operating system releases it even if the process
 * crashes.
 */
export function lockDataDir(dataDir: string): () => void {
  const path = join(dataDir, 'lock')
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    throw new DataDirLockedError(
      `${path}: another process uses this data directory. Stop that process, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return () => file.close()
}
