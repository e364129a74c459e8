import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import type { Person } from '#tests/support/client.ts'
import { type FaultyProxy, startFaultyProxy } from '#tests/support/faulty-proxy.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { type PostgresServer, startPostgres } from '#tests/support/postgres.ts'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { type RedisServer, startRedis } from '#tests/support/redis.ts'
import { startBucket } from '#tests/support/s3.ts'

const PROVIDER = join(import.meta.dirname, '../support/provider/main.ts')
const DATABASE = 'parley'
const CONNECTIONS_MAX = 24
/** Not reached, but counted, so that every request asks Redis. */
const REQUESTS_MAX = '100000'

/** A model provider in a process of its own. */
interface ProviderProcess {
  url: string
  readonly pid: number
  start(): Promise<void>
  kill(): Promise<void>
}

/** A server process with all of its dependencies, each of which can fail, and a user with one model per behavior. */
export interface Stage {
  server: ServerProcess
  postgres: PostgresServer
  redis: RedisServer
  bucket: FaultyProxy
  provider: ProviderProcess
  person: Person
  /** Ids of models: one that replies quickly, one that takes as long as a fault, and one that sees images. */
  models: Record<'quick' | 'slow' | 'seeing', string>
  /** Opens a connection to the server's database. */
  openSql(): Sql
  stop(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-outages-'))
  const [database, redis, store, provider] = await Promise.all([
    startPostgres({ dataDir, settings: { fsync: 'off', max_connections: String(CONNECTIONS_MAX) } }),
    startRedis(),
    startBucket(),
    startProvider(),
  ])
  await database.createDatabase(DATABASE)
  const bucket = await startFaultyProxy(store.environment['S3_ENDPOINT'] ?? '')
  const server = await startProcess({
    ...store.environment,
    S3_ENDPOINT: bucket.url,
    DATABASE_URL: database.url(DATABASE),
    REDIS_URL: redis.url,
    SECRET: 's'.repeat(32),
    DATA_DIR: dataDir,
    BASE_URL: 'http://parley.test',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    ADMIN_PASSWORD: 'administrator',
    RATE_LIMIT_IP_PER_MINUTE: REQUESTS_MAX,
    RATE_LIMIT_USER_PER_HOUR: REQUESTS_MAX,
  })
  const person = await server.signUp()
  const addModel = (version: string, config = {}): Promise<string> =>
    server.addModel(person, {
      name: version,
      provider: 'openai-compatible',
      version,
      config: { base_url: `${provider.url}/v1`, ...config },
    })
  const stage: Stage = {
    server,
    postgres: database,
    redis,
    bucket,
    provider,
    person,
    models: {
      quick: await addModel('emu-n5'),
      slow: await addModel('emu-n80-gap25'),
      seeing: await addModel('emu-n6', { capabilities: ['text', 'vision'] }),
    },
    openSql: () => postgres(database.url(DATABASE), { max: 1, onnotice: () => {}, connect_timeout: 5 }),
    async stop() {
      await server.kill()
      await bucket.close()
      // Faults replace the Redis server.
      await Promise.all([store.close(), provider.kill(), stage.redis.stop(), database.stop()])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return stage
}

async function startProvider(): Promise<ProviderProcess> {
  const port = await findFreePort()
  let child: ChildProcess
  async function start(): Promise<void> {
    child = spawn(process.execPath, [PROVIDER], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout as NodeJS.ReadableStream, 'data')
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return child.pid as number
    },
    start,
    async kill() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Stops or continues a process and its children, as a machine or disk that hangs would. */
export function signalFamily(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  for (const one of [pid, ...children.filter(Boolean).map(Number)]) process.kill(one, signal)
}

const TOO_MANY_CONNECTIONS = '53300'
/** Rounds without a change after which all connections are taken, and their interval. */
const ROUNDS = 4
const ROUND_MS = 25

/**
 * Takes all connections of PostgreSQL, those of the server included. Returns a function that gives them back.
 */
export async function takeConnections(stage: Stage): Promise<() => Promise<void>> {
  const first = stage.openSql()
  const taken = [first]
  // A connection that ends leaves its place a little later, and the server may take it first.
  for (let idleRounds = 0; idleRounds < ROUNDS; idleRounds++) {
    const before = taken.length
    const ended = await first`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley'`
    while (await takeOne(stage, taken));
    if (ended.count > 0 || taken.length > before) idleRounds = -1
    await sleep(ROUND_MS)
  }
  return async () => void (await Promise.all(taken.map((sql) => sql.end({ timeout: 1 }))))
}

async function takeOne(stage: Stage, taken: Sql[]): Promise<boolean> {
  const sql = stage.openSql()
  try {
    await sql`select`
    taken.push(sql)
    return true
  } catch (error) {
    await sql.end()
    if ((error as { code?: string }).code === TOO_MANY_CONNECTIONS) return false
    throw error
  }
}
