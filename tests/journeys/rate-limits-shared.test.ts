import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/** Two processes on one PostgreSQL and one Redis count together. Without Redis each process counts alone. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

const KEYS = '/.well-known/jwks.json'
const ME = '/api/users/me'
const CONNECTIONS_OF_SERVER = 5

let redis: Awaited<ReturnType<typeof startRedis>>
let environment: Record<string, string>
beforeAll(async () => {
  redis = await startRedis()
  environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32), REDIS_URL: redis.url }
})
afterAll(async () => {
  await redis.stop()
  await database?.drop()
})

/** Runs the work with this number of servers of the same kind. */
async function withServers(
  count: number,
  limits: Record<string, string>,
  work: (...servers: TestServer[]) => Promise<void>,
): Promise<void> {
  await command((store) => store.flushAll())
  const started = Array.from({ length: count }, () => startTestServer({ ...environment, ...limits }))
  const servers = await Promise.all(started)
  await work(...servers)
  for (const server of servers) await server.stop()
}

async function command<A>(run: (store: ReturnType<typeof createClient>) => Promise<A>): Promise<A> {
  const store = createClient({ url: redis.url })
  await store.connect()
  const answer = await run(store as ReturnType<typeof createClient>)
  store.destroy()
  return answer
}

interface Passed {
  status: number
  remaining: number
  retryAfter: number | undefined
}

/** Sends requests concurrently, on a few connections to each server. Returns the responses. */
async function atOnce(
  count: number,
  servers: TestServer[],
  path: string,
  headers: (place: number) => Record<string, string> = () => ({}),
): Promise<Passed[]> {
  const connections = servers.length * CONNECTIONS_OF_SERVER
  const batches = Array.from({ length: connections }, (_, connection) =>
    Array.from({ length: count }, (_, place) => place).filter((place) => place % connections === connection),
  )
  const texts = batches.map((places, connection) => {
    const requests = places.map((place, index) => {
      const lines = Object.entries({
        Host: 'parley.test',
        ...(index === places.length - 1 && { Connection: 'close' }),
        ...headers(place),
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
    })
    return exchange((servers[connection % servers.length] as TestServer).url, requests.join(''))
  })
  return (await Promise.all(texts)).flatMap(readHeads)
}

async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return text(socket)
}

const readHeads = (answers: string): Passed[] =>
  answers.split(/(?=HTTP\/1\.1 \d{3})/).map((answer) => {
    const retryAfter = /^retry-after: (\d+)/im.exec(answer)?.[1]
    return {
      status: Number(answer.slice(9, 12)),
      remaining: Number(/^x-ratelimit-remaining: (\d+)/im.exec(answer)?.[1]),
      retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    }
  })

const statuses = (answers: Passed[]): Record<number, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  )
const remaining = (answers: Passed[]): number[] =>
  answers
    .filter(({ status }) => status === 200)
    .map((answer) => answer.remaining)
    .sort((one, other) => one - other)
const downFrom = (count: number): number[] => Array.from({ length: count }, (_, left) => left)

test(
  'exactly 100 of 1,000 concurrent requests from one address pass, over two processes',
  needed,
  async () => {
    await withServers(2, { RATE_LIMIT_IP_PER_MINUTE: '100' }, async (...servers) => {
      const answers = await atOnce(1_000, servers, KEYS, (place) => ({
        'x-forwarded-for': `203.0.113.${place % 256}`,
      }))
      expect(statuses(answers)).toEqual({ 200: 100, 429: 900 })
      expect(remaining(answers)).toEqual(downFrom(100))
      for (const { retryAfter } of answers.filter(({ status }) => status === 429))
        expect(retryAfter).toBeGreaterThan(0)
      // Ends the window, so that another begins.
      const keys = await command((store) => store.keys('parley:rate:*'))
      expect(keys).toEqual(['parley:rate:ip:127.0.0.1'])
      await command((store) => store.pExpire('parley:rate:ip:127.0.0.1', 1))
      expect(statuses(await atOnce(300, servers, KEYS))).toEqual({ 200: 100, 429: 200 })
    })
  },
)

test('exactly 1,000 of 1,300 concurrent requests of one user pass, over two processes', needed, async () => {
  await withServers(2, { RATE_LIMIT_USER_PER_HOUR: '1000' }, async (here, there) => {
    const person = await here.signUp()
    const other = await there.signUp()
    const answers = await atOnce(1_300, [here, there], ME, () => ({
      authorization: `Bearer ${person.token}`,
    }))
    expect(statuses(answers)).toEqual({ 200: 1_000, 429: 300 })
    expect(remaining(answers)).toEqual(downFrom(1_000))
    expect((await there.call('GET', ME, { token: other.token })).headers.get('x-ratelimit-remaining')).toBe(
      '999',
    )
  })
})

test('a single process without Redis is equally exact', needed, async () => {
  const alone = await startTestServer({ RATE_LIMIT_IP_PER_MINUTE: '100' })
  expect(statuses(await atOnce(1_000, [alone], KEYS))).toEqual({ 200: 100, 429: 900 })
  await alone.stop()
})

const leftAt = async (server: TestServer): Promise<number> =>
  Number((await server.call('GET', KEYS)).headers.get('x-ratelimit-remaining'))

/** Sends requests in turn until both processes report consistent remaining counts. */
async function untilTogether(here: TestServer, there: TestServer): Promise<void> {
  while (true) {
    const left = [await leftAt(here), await leftAt(there), await leftAt(here)]
    const [first = 0] = left
    if (first > 2 && String(left) === String([first, first - 1, first - 2])) return
    await sleep(50)
  }
}

test('while Redis is down, each process counts alone, and later together again', needed, async () => {
  await withServers(2, { RATE_LIMIT_IP_PER_MINUTE: '1000' }, async (here, there) => {
    expect([await leftAt(here), await leftAt(there)]).toEqual([999, 998])
    await redis.stop()
    expect([await leftAt(here), await leftAt(here)]).toEqual([999, 998])
    expect([await leftAt(there), await leftAt(there)]).toEqual([999, 998])
    expect(statuses(await atOnce(1_200, [here], KEYS))).toEqual({ 200: 998, 429: 202 })
    redis = await startRedis(Number(new URL(redis.url).port))
    await untilTogether(here, there)
  })
})

test('while Redis is frozen, the limit is the same, and counting resumes afterwards', needed, async () => {
  await withServers(2, { RATE_LIMIT_IP_PER_MINUTE: '2000' }, async (here, there) => {
    expect([await leftAt(here), await leftAt(there)]).toEqual([1_999, 1_998])
    process.kill(redis.pid, 'SIGSTOP')
    const answers = await atOnce(600, [here], KEYS)
    expect(remaining(answers)).toEqual(downFrom(2_000).slice(-600))
    expect(await leftAt(there)).toBe(1_999)
    process.kill(redis.pid, 'SIGCONT')
    await untilTogether(here, there)
  })
})
