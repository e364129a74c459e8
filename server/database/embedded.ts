import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

/** The folder of the embedded database is in use, or cannot be used. Its message is one clear line. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
}

export interface EmbeddedDatabase {
  socketPath: string
  stop(): Promise<void>
}

/** Unix socket paths are limited to about 100 bytes; a longer data folder gets its socket elsewhere. */
const SOCKET_PATH_BYTES_MAX = 100

/**
 * Starts the embedded PostgreSQL (PGlite) on `dataDir`, which this process then owns: a second process on the same
 * folder is refused with a DataDirError, because two would overwrite each other's data.
 */
export async function startEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const unlock = lock(join(dataDir, 'lock'))
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
    throw new DataDirError(`The embedded database in ${dataDir} does not start: ${(error as Error).message}`)
  }
  return {
    socketPath,
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

/**
 * Takes the data folder for this process, or throws at once. It is SQLite's file lock, because the operating system
 * gives that one back when a process dies however it dies, and two processes that start together can't both have it.
 */
function lock(path: string): () => void {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    file.close()
    throw new DataDirError(`${path}: another process is already using this data folder`, { cause: error })
  }
  return () => file.close()
}
