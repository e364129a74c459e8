import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient, type Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { startNginx } from '#tests/support/nginx.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase } from '#tests/support/server.ts'
import { checkExchange, converse, createChat, type Exchange, Fleet, ROLES } from './kill-instances.ts'

/**
 * `npm run test:kill -- tests/kill/kill-instances.test.ts`: two processes that serve clients and a worker, behind nginx. One
 * of them is killed every five seconds, for 30 seconds or for KILL_SECONDS.
 */

const SECONDS = Number(process.env['KILL_SECONDS'] ?? 30)
const KILL_EVERY_MS = 5_000
const USERS = 4
const SEED = 7

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis', 'nginx')

const dataDir = mkdtempSync(join(tmpdir(), 'parley-kill-instances-'))
let redis: Awaited<ReturnType<typeof startRedis>>
let provider: Awaited<ReturnType<typeof startProvider>>
let fleet: Fleet
let nginx: Awaited<ReturnType<typeof startNginx>>
let front: Client
beforeAll(async () => {
  redis = await startRedis()
  provider = await startProvider()
  fleet = new Fleet({
    DATABASE_URL: database?.url ?? '',
    REDIS_URL: redis.url,
    SECRET: 's'.repeat(32),
    DATA_DIR: dataDir,
    BASE_URL: 'http://parley.test',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    ADMIN_PASSWORD: 'administrator',
    LOG_LEVEL: 'fatal',
  })
  await fleet.start()
  nginx = await startNginx(fleet.ports.filter((_port, index) => ROLES[index] === 'api'))
  front = createClient(nginx.url)
}, 240_000)
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true })
  await nginx.stop()
  await fleet.stop()
  await provider.close()
  await redis.stop()
  await database?.drop()
})

interface User {
  person: Person
  exchanges: Exchange[]
  chatIds: string[]
}

/** Chats until the deadline. */
async function use(user: User, modelId: string, deadline: number): Promise<void> {
  for (let count = 0; Date.now() < deadline; count++) {
    user.exchanges.push(await converse(front, user.person, modelId, `Question ${count}`))
    user.chatIds.push(await createChat(front, user.person))
  }
}

test('no acknowledged write is lost, every stream ends, and the ledger is exact', {
  ...needed,
  timeout: SECONDS * 1_000 + 300_000,
}, async () => {
  const random = createRandom(SEED)
  const users = await Promise.all(
    Array.from({ length: USERS }, async () => {
      const person = await front.signUp()
      const modelId = await front.addModel(person, {
        provider: 'openai-compatible',
        version: 'emu-n40-gap40',
        config: { base_url: `${provider.url}/v1` },
      })
      return { modelId, user: { person, exchanges: [], chatIds: [] } as User }
    }),
  )
  const deadline = Date.now() + SECONDS * 1_000
  const using = Promise.all(users.map(({ user, modelId }) => use(user, modelId, deadline)))
  let kills = 0
  while (Date.now() < deadline) {
    const rest = sleep(KILL_EVERY_MS)
    await fleet.replace(Math.floor(random() * ROLES.length))
    kills++
    await rest
  }
  await using
  const sql = postgres(database?.url ?? '', { max: 1, onnotice: () => {} })
  const held = async () =>
    (await sql<{ count: number }[]>`select count(*)::int as count from open_holds`)[0]?.count
  // Holds of killed processes are settled once their leases have expired.
  await expect.poll(held, { timeout: 60_000 }).toBe(0)
  for (const { user } of users) {
    for (const exchange of user.exchanges) await checkExchange(front, user.person, exchange)
    for (const id of user.chatIds) {
      const path = `/api/chat?org_id=${user.person.organizationId}&chat_id=${id}`
      expect((await front.call('GET', path, { token: user.person.token })).status).toBe(200)
    }
    await expectSoundLedger(sql, user.person.organizationId)
  }
  await sql.end()
  const exchanges = users.flatMap(({ user }) => user.exchanges)
  const reloaded = exchanges.filter(({ isReloaded }) => isReloaded).length
  process.stdout.write(`${kills} kills, ${exchanges.length} replies, ${reloaded} read from storage\n`)
})
