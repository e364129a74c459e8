import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { type Receiver, startReceiver } from '#tests/support/receiver.ts'

/** The source tree that the product runs from, and a function that creates its databases. */
export interface Place {
  root: string
  /** Creates a PostgreSQL database. If it returns null, the product uses its embedded database. */
  createDatabase(): Promise<NewDatabase | null>
}

export interface NewDatabase {
  url: string
  drop(): Promise<void>
}

/** The product as an operator starts it. All its dependencies are on loopback. */
export interface Stage extends Client {
  server: ServerProcess
  provider: EmulatedProvider
  /** A server that records webhook deliveries. */
  receiver: Receiver
  environment: Record<string, string>
  /** The server's SECRET, which it uses to sign and encrypt. */
  secret: string
  dataDir: string
  /** The URL of the PostgreSQL database. Null for the embedded database. */
  databaseUrl: string | null
  /** An access token of the system administrator. */
  administrator: string
  /**
   * Starts another product from the same source tree, with its own database. The other product stops together with
   * this product.
   */
  another(environment: Record<string, string>): Promise<Stage>
  stop(): Promise<void>
}

export const ROOT = join(import.meta.dirname, '../..')
const ADMINISTRATOR = { email: 'admin@localhost', password: 'administrator' }

export async function startStage(place: Place, environment: Record<string, string> = {}): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-attacks-'))
  // A broken copy of the source must create its own snapshot, which may differ: startProcess shares the snapshot of
  // the tests only if there is no such folder.
  if (place.root !== ROOT) mkdirSync(join(dataDir, 'sandbox'))
  const [provider, receiver, database, port] = await Promise.all([
    startProvider(),
    startReceiver(),
    place.createDatabase(),
    findFreePort(),
  ])
  const secret = crypto.randomUUID().repeat(2)
  const complete = {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: dataDir,
    SECRET: secret,
    ADMIN_PASSWORD: ADMINISTRATOR.password,
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    ...(database && { DATABASE_URL: database.url }),
    ...environment,
  }
  const release = async (): Promise<void> => {
    await Promise.all([provider.close(), receiver.close(), database?.drop()])
    rmSync(dataDir, { recursive: true, force: true })
  }
  const cli = join(place.root, 'server/launch.cjs')
  const server = await startProcess(complete, [cli, 'start']).catch(async (error: unknown) => {
    await release()
    throw error
  })
  const { body } = await server.call('POST', '/api/auth/login', {
    body: { email: ADMINISTRATOR.email, password: complete.ADMIN_PASSWORD },
  })
  const others: Stage[] = []
  return {
    ...server,
    server,
    provider,
    receiver,
    environment: complete,
    secret: complete.SECRET,
    dataDir,
    databaseUrl: database?.url ?? null,
    administrator: body.access_token,
    async another(more) {
      const stage = await startStage(place, more)
      others.push(stage)
      return stage
    },
    async stop() {
      await Promise.all(others.map((stage) => stage.stop()))
      await server.stop()
      await release()
    },
  }
}
