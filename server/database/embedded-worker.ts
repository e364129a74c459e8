import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/**
 * The embedded PostgreSQL, in a thread of its own because it blocks the event loop that it runs on.
 * It is reached through a socket like any other PostgreSQL, so that there is one driver for both.
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
