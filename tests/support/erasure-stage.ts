import type { Person } from './client.ts'
import { type AuthorizedMcpServer, startAuthorizedMcpServer } from './mcp/authorized-server.ts'
import { findRedis, startRedis } from './redis.ts'
import { startBucket } from './s3.ts'
import { startTestServer, type TestServer } from './server.ts'
import { createOrganization } from './tenants.ts'
import { findTraces } from './traces.ts'

/** A server with every kind of store for what people write: a bucket, Redis if available, and an MCP server. */
export interface ErasureStage {
  server: TestServer
  provider: AuthorizedMcpServer
  /** Returns every place where the word occurs: database, storage, Redis and recorded mail. */
  traces(word: string): Promise<string[]>
  newOrganization(owner: Person, name: string): Promise<Person>
  close(): Promise<void>
}

/** The time limit for a complete erasure. */
const GONE_MS = 25_000
/** Searching for traces reads every table, so tests poll less often. */
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

/** Returns a unique word. */
export const newMark = (): string => `cnry${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}x`
