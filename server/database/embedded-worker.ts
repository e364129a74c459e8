import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { DATABASE_FOLDER, type EmbeddedPaths } from './embedded.ts'
import { serveEmbedded } from './serve-embedded.ts'
import { copyDataDir, serveSnapshots } from './snapshot.ts'
import { copyTemplate } from './template.ts'

const CREATE_DATABASE = fileURLToPath(new URL('./create-database.ts', import.meta.url))
/**
 * Ends the creation before the start gives up (`START_MS_MAX`). Otherwise, it could continue beside that of the next start,
 * in the same folder.
 */
const CREATION = { timeout: 110_000, killSignal: 'SIGKILL' } as const
/** Reduces PostgreSQL's cache from 128 MB, because the operating system also caches its files. */
const PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB']

/**
 * Runs the embedded PostgreSQL in its own thread, because it blocks the thread's event loop. The server connects
 * through a socket, so the embedded database and a PostgreSQL server use the same driver.
 */
const { dataDir, socketPath, snapshotSocketPath } = workerData as EmbeddedPaths
const folder = join(dataDir, DATABASE_FOLDER)
if (!existsSync(folder) && !copyTemplate(folder))
  await promisify(execFile)(process.execPath, ['--liftoff-only', CREATE_DATABASE, folder], CREATION)
const database = await PGlite.create({ dataDir: folder, extensions: { vector }, startParams: PARAMETERS })
const closeSocket = await serveEmbedded(database, socketPath, (message) => {
  // Uncaught, so that it ends the process. The next start recovers the database.
  setImmediate(() => {
    throw new Error(
      `The embedded database cannot continue: ${message}. Free space if the disk of ${dataDir} is full, then start again.`,
    )
  })
})
// No message of a client runs during the copy. The files are then as a killed process would leave them.
const snapshots = serveSnapshots(snapshotSocketPath, () =>
  database.runExclusive(async () => copyDataDir(dataDir)),
)

parentPort?.once('message', async () => {
  snapshots.close()
  await closeSocket()
  await database.close()
  parentPort?.postMessage('closed')
})
parentPort?.postMessage('ready')
