import type { Person } from './client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from './mcp/authorized-server.ts'
import { findRedis, startRedis } from './redis.ts'
import { startBucket } from './s3.ts'
import { startTestServer, type TestServer } from './server.ts'
import { createOrganization } from './tenants.ts'
import { findTraces } from './traces.ts'

/** A server with everything that keeps what people write: a bucket, Redis where there is one, and an MCP server. */
export interface ErasureStage {
  server: TestServer
  provider: AuthorizedMcpServer
  /** Whatever holds this word in the database, the storage, Redis and the mail that is kept. */
  traces(word: string): Promise<string[]>
  newOrganization(owner: Person, name: string): Promise<Person>
  close(): Promise<void>
}

/** How long all of somebody takes to be gone, at most. */
const GONE_MS = 25_000
/** Looking for traces reads every table, so it is not done twenty times a second. */
export const GONE = { timeout: GONE_MS, interval: 250 }

export async function openErasureStage(): Promise<ErasureStage> {
  const redis = findRedis() === undefined ? undefined : await startRedis()
  const bucket = await startBucket()
  const provider = await startAuthorizedMcpServer()
  const server = await startTestServer({ ...bucket.environment, ...(redis && { REDIS_URL: redis.url }) })
  const folders = [server.environment['DATA_DIR'] ?? '', bucket.directory]
  return {
    server,
    provider,
    traces: (word) => findTraces(server, { folders, ...(redis && { redisUrl: redis.url }) }, word),
    newOrganization: (owner, name) => createOrganization(server, owner, { name, granted: 100_000 }),
    async close() {
      await server.stop()
      await Promise.all([provider.close(), bucket.close(), redis?.stop()])
    },
  }
}

/** A word that stands nowhere yet. */
export const newMark = (): string => `cnry${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}x`
