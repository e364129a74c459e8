import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** The data folder is in use or unusable. The error message is a single line for the operator. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

export interface EmbeddedDatabase {
  socketPath: string
  /** Announces that this process is about to stop, so that a starting process waits for the data folder. */
  announceStop(): void
  stop(): Promise<void>
}

/**
 * Maximum length of a Unix socket path; systems allow about 100 bytes. If the path in the data folder is longer, the
 * socket is in the temporary folder.
 */
const SOCKET_PATH_BYTES_MAX = 100
/** A stopping process exits within this time (main.ts). */
const STOPPING_MS_MAX = 10_000
const LOCK_POLL_MS = 50

/**
 * Starts the embedded PostgreSQL (PGlite) on `dataDir`, with exclusive use of the folder. Throws a DataDirError if
 * another process uses the folder, because two processes would overwrite each other's data. If the other process is
 * stopping, first waits up to 10 seconds.
 */
export async function startEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const stopping = join(dataDir, 'stopping')
  const unlock = await lockOnceStopped(join(dataDir, 'lock'), stopping)
  const socketPath = chooseSocketPath(dataDir)
  mkdirSync(dirname(socketPath), { recursive: true, mode: 0o700 })
  rmSync(socketPath, { force: true })
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData: { dataDir: join(dataDir, 'postgres'), socketPath },
  })
  try {
    await nextMessage(worker)
  } catch (error) {
    unlock()
    throw new DataDirError(`The embedded database in ${dataDir} cannot start: ${(error as Error).message}`)
  }
  return {
    socketPath,
    announceStop: () => writeFileSync(stopping, ''),
    async stop() {
      const closed = nextMessage(worker)
      worker.postMessage('close')
      await closed
      await worker.terminate()
      rmSync(socketPath, { force: true })
      unlock()
    },
  }
}

function chooseSocketPath(dataDir: string): string {
  const path = join(dataDir, '.s.PGSQL.5432')
  return Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX
    ? path
    : join(tmpdir(), `parley-${process.pid}`, '.s.PGSQL.5432')
}

const nextMessage = (worker: Worker): Promise<unknown> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })

/** Locks the data folder. While the file `stopping` shows that the current holder is about to exit, retries. */
async function lockOnceStopped(path: string, stopping: string): Promise<() => void> {
  const deadline = performance.now() + STOPPING_MS_MAX
  for (;;) {
    try {
      const unlock = lock(path)
      rmSync(stopping, { force: true })
      return unlock
    } catch (error) {
      if (!existsSync(stopping) || performance.now() >= deadline) throw error
      await sleep(LOCK_POLL_MS)
    }
  }
}

/**
 * Locks the data folder for this process. Throws a DataDirError if another process holds the lock. SQLite's file lock
 * is exclusive, and the operating system releases it even if the process crashes.
 */
function lock(path: string): () => void {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    throw new DataDirError(
      `${path}: another process uses this data directory. Stop that process, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return () => file.close()
}
