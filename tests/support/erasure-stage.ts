import type { Person } from './client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from './mcp/authorized-server.ts'
import { isInstalled } from './programs.ts'
import { startRedis } from './redis.ts'
import { startBucket } from './s3.ts'
import { startTestServer, type TestServer } from './server.ts'
import { createOrganization } from './tenants.ts'
import { findTraces } from './traces.ts'

/**
 * A server with every kind of store that contains user data: a database, a bucket, Redis if it is installed, and an
 * MCP server.
 */
export interface ErasureStage {
  server: TestServer
  provider: AuthorizedMcpServer
  /** Returns every place that contains `word`, in the database, storage, Redis and saved email. */
  traces(word: string): Promise<string[]>
  newOrganization(owner: Person, name: string): Promise<Person>
  close(): Promise<void>
}

/** Time within which an erasure must be complete. */
const GONE_MS = 60_000
/** Options for `expect.poll`. The interval is long, because each search for traces reads every table. */
export const GONE = { timeout: GONE_MS, interval: 250 }

export async function openErasureStage(): Promise<ErasureStage> {
  const redis = isInstalled('Redis') ? await startRedis() : undefined
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

/** Returns a unique word that tests put into fields and later search for. */
export const newMark = (): string => `cnry${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}x`
