import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../server/config.ts'
import { type Server, startServer } from '../server/main.ts'
import { RateLimits } from '../server/platform/limits/rate-limits.ts'
import { connectRedis } from '../server/platform/redis/redis.ts'
import { createClient } from '../tests/support/client.ts'
import { startPostgres } from '../tests/support/postgres.ts'
import { UNLIMITED } from '../tests/support/process.ts'
import { startRedis } from '../tests/support/redis.ts'
import { POSTGRES_SETTINGS } from './parley.ts'
import { describeTimes, quantile, timed } from './times.ts'

/*
 * Measures the cost of rate limits per request, on PostgreSQL:
 *
 *   node bench/rate-limits.ts
 *
 * Measures a single count. Then measures whole requests, sequentially on one connection, to servers without limits,
 * with limits in the process and with limits in Redis. Alternates between the servers, so that other load on the
 * machine affects all equally. Finally, measures how long the first request and later ones wait while Redis is frozen.
 */

const COUNTS = 20_000
const COUNTS_AT_ONCE = 100
const ROUNDS = 40
const REQUESTS_OF_ROUND = 50
const FROZEN_REQUESTS = 200
/** Limits that are never reached. */
const LIMITED = { RATE_LIMIT_IP_PER_MINUTE: '1000000000', RATE_LIMIT_USER_PER_HOUR: '1000000000' }
const log = pino({ level: 'silent' })

async function measureCounts(): Promise<void> {
  const connection = await connectRedis(redis.url, log)
  for (const [name, shared] of Object.entries({ 'in the process': null, 'in Redis': connection })) {
    const limits = new RateLimits({ ipPerMinute: 1e9, userPerHour: 1e9 }, { redis: shared, log })
    const count = (index: number) =>
      limits.take({ kind: 'ip', id: `2001:db8:${(index % 5_000).toString(16)}::1` })
    const times: number[] = []
    for (let index = 0; index < COUNTS; index++) times.push(await timed(() => count(index)))
    console.log(`A count ${name}: ${describe(times)}`)
    const began = performance.now()
    for (let index = 0; index < COUNTS; index += COUNTS_AT_ONCE)
      await Promise.all(Array.from({ length: COUNTS_AT_ONCE }, (_, more) => count(index + more)))
    const each = (performance.now() - began) / COUNTS
    console.log(`A count ${name}, ${COUNTS_AT_ONCE} concurrent, each: ${each.toFixed(4)} ms`)
  }
  await connection.close()
}

async function measureRequests(servers: Record<string, Server>, path: string, token: string): Promise<void> {
  const measured = Object.entries(servers).map(([name, { address }]) => ({
    name,
    url: address + path,
    times: [] as number[],
    processorMs: 0,
  }))
  for (let round = 0; round < ROUNDS; round++)
    for (const one of measured) {
      const before = process.cpuUsage()
      for (let count = 0; count < REQUESTS_OF_ROUND; count++)
        one.times.push(await timed(() => ask(one.url, token)))
      const { user, system } = process.cpuUsage(before)
      one.processorMs += (user + system) / 1000 / (ROUNDS * REQUESTS_OF_ROUND)
    }
  const [without] = measured
  for (const { name, times, processorMs } of measured) {
    const added = quantile(times, 0.5) - quantile(without?.times ?? [], 0.5)
    const addedProcessor = processorMs - (without?.processorMs ?? 0)
    console.log(`${path}, ${name}: ${describe(times)}, ${added.toFixed(3)} ms added at p50`)
    console.log(
      `  CPU ${processorMs.toFixed(3)} ms (including the client), ${addedProcessor.toFixed(3)} ms added`,
    )
  }
}

async function measureFrozen({ address }: Server, token: string): Promise<void> {
  process.kill(redis.pid, 'SIGSTOP')
  const times: number[] = []
  for (let count = 0; count < FROZEN_REQUESTS; count++)
    times.push(await timed(() => ask(`${address}/api/users/me`, token)))
  // Long enough for the server to query Redis again in between.
  const later: number[] = []
  for (let count = 0; count < FROZEN_REQUESTS; count++) {
    await sleep(20)
    later.push(await timed(() => ask(`${address}/api/users/me`, token)))
  }
  process.kill(redis.pid, 'SIGCONT')
  const [first = Number.NaN, ...others] = times
  console.log(`Redis frozen, first request: ${first.toFixed(0)} ms`)
  console.log(`Redis frozen, later requests: ${describe(others)}, max ${Math.max(...others).toFixed(1)} ms`)
  console.log(`Redis frozen for seconds: ${describe(later)}, max ${Math.max(...later).toFixed(1)} ms`)
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function ask(url: string, token: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume().once('end', () => {
      if (response.statusCode === 200) resolve()
      else reject(new Error(`status ${response.statusCode}`))
    })
  }).once('error', reject)
  return promise
}

const describe = (times: number[]): string => describeTimes(times, [50, 95, 99])

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
const dataDir = join(folder, 'postgres')
mkdirSync(dataDir)
const postgres = await startPostgres({ dataDir, settings: POSTGRES_SETTINGS })
await postgres.createDatabase('parley')
const redis = await startRedis()
const start = (environment: Record<string, string>): Promise<Server> =>
  startServer(
    readConfig({
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: postgres.url('parley'),
      SECRET: 's'.repeat(32),
      LOG_LEVEL: 'silent',
      ...environment,
    }),
  )
const servers = {
  without: await start(UNLIMITED),
  'in the process': await start(LIMITED),
  'in Redis': await start({ ...LIMITED, REDIS_URL: redis.url }),
}

try {
  await measureCounts()
  const { token } = await createClient(servers.without.address).signUp()
  await measureRequests(servers, '/.well-known/jwks.json', token)
  await measureRequests(servers, '/api/users/me', token)
  await measureFrozen(servers['in Redis'], token)
} finally {
  agent.destroy()
  for (const server of Object.values(servers)) await server.stop()
  await redis.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
