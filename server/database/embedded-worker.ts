import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/**
 * Runs the embedded PostgreSQL in its own thread, because it blocks the thread's event loop. The server connects
 * through a socket, so the embedded database and a PostgreSQL server use the same driver.
 */
const { dataDir, socketPath } = workerData as { dataDir: string; socketPath: string }
const database = await PGlite.create({ dataDir, extensions: { vector } })
const server = new PGLiteSocketServer({ db: database, path: socketPath, maxConnections: 4 })
await server.start()

parentPort?.once('message', async () => {
  await server.stop()
  await database.close()
  parentPort?.postMessage('closed')
})
parentPort?.postMessage('ready')
