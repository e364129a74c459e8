import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { inject } from 'vitest'
import type { Overrides } from '#app'
import { readConfig } from '#config'
import type { OpenDatabase } from '#database/connect.ts'
import { createPasswords } from '#platform/secrets/passwords.ts'
import type { Services } from '#platform/services.ts'
import { type Server, startServer } from '../../server/main.ts'
import { startProving } from '../tenancy/prover.ts'
import { type Client, createClient } from './client.ts'
import { copyEmbedded } from './embedded.ts'
import { UNBUILT, UNLIMITED } from './process.ts'
import { NONE_WARM, shareSnapshot } from './sandbox.ts'

/** Hashes passwords with cheap parameters, because tests sign up hundreds of users. */
const QUICK_PASSWORDS = createPasswords({ memory: 64, passes: 1, parallelism: 1 })

/** A server whose database is accessible to tests. */
export interface OpenServer extends Server {
  services: Services & { database: OpenDatabase }
}

export interface TestServer extends Client {
  server: OpenServer
  /** The server's environment variables, to start another process on the same database. */
  environment: Record<string, string>
  stop(): Promise<void>
}

/**
 * Maximum number of database connections. Each connection plans every statement separately. Ten connections would
 * cost a third more of PostgreSQL's CPU time.
 */
const CONNECTIONS_MAX = 4

/** Short, because tests leave replies in progress when they stop a server. */
const STREAMS_GRACE_MS = 2_000

/** Starts a server with a new database, as main.ts does. The server listens on loopback. */
export async function startTestServer(
  environment: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-test-'))
  shareSnapshot(dataDir)
  const database = environment['DATABASE_URL'] === undefined ? await createDatabase() : null
  const complete = {
    PORT: '0',
    HOST: '127.0.0.1',
    BASE_URL: 'http://parley.test',
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: 'administrator',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    LOG_LEVEL: 'silent',
    ...UNLIMITED,
    ...UNBUILT,
    ...(database && { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }),
    ...environment,
  }
  if (!complete['DATABASE_URL']) await copyEmbedded(complete['DATA_DIR'])
  const server = (await startServer(readConfig(complete), undefined, {
    passwords: QUICK_PASSWORDS,
    connectionsMax: CONNECTIONS_MAX,
    streamsGraceMs: STREAMS_GRACE_MS,
    sandboxBounds: NONE_WARM,
    ...overrides,
  })) as OpenServer
  await startProving(server.services.database.sql)
  return {
    ...createClient(server.address),
    server,
    environment: complete,
    async stop() {
      await server.stop()
      await database?.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

let shared: Promise<TestServer> | undefined

/**
 * Returns a server with default settings that all test files of a worker share. The server ends with the worker. Use
 * it for tests that access only organizations they create. A test that changes or counts data of the whole
 * installation must start its own server.
 */
export function sharedTestServer(): Promise<TestServer> {
  // The folder outlives the worker. It is deleted with the other folders of the run.
  shared ??= startTestServer({ DATA_DIR: mkdtempSync(join(inject('templates'), 'shared-')) }).then(
    (server) => ({
      ...server,
      stop: async () => {},
    }),
  )
  return shared
}

/**
 * If tests run on PostgreSQL, copies the migrated template database, or creates an empty database with `isEmpty`.
 * Returns null if tests run on the embedded database.
 */
export async function createDatabase({ isEmpty = false } = {}): Promise<{
  url: string
  drop(): Promise<void>
} | null> {
  const available = inject('postgres')
  if (available === null) return null
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const run = async (statement: string): Promise<void> => {
    const sql = postgres(available.administration, { max: 1, onnotice: () => {} })
    await sql.unsafe(statement)
    await sql.end()
  }
  await run(`create database ${name} ${isEmpty ? '' : `template ${available.template} strategy file_copy`}`)
  const url = new URL(available.administration)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database if exists ${name} with (force)`) }
}
