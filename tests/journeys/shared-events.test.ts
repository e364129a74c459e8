import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { type LiveSocket, openReady } from '#tests/support/live-socket.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { expectReadiness } from '#tests/support/readiness.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/** Two processes on one PostgreSQL and one Redis: clients of either process receive the events of both. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

let redis: Awaited<ReturnType<typeof startRedis>>
let provider: Awaited<ReturnType<typeof startProvider>>
let here: TestServer
let there: TestServer
let person: Person

beforeAll(async () => {
  redis = await startRedis()
  provider = await startProvider()
  const environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32), REDIS_URL: redis.url }
  here = await startTestServer(environment)
  there = await startTestServer(environment)
  person = await here.signUp()
})
afterAll(async () => {
  for (const server of [here, there]) await server.stop()
  await redis.stop()
  await provider.close()
  await database?.drop()
})

function publish(server: TestServer, type: string, extra: { isKept?: boolean } = {}): void {
  server.server.services.events.publish({
    type,
    organizationId: person.organizationId,
    data: { title: 'Ahoy' },
    to: { permission: 'chats:read', userId: person.userId },
    ...extra,
  })
}

/** Publishes here until the event arrives, because events are lost while Redis is unavailable. */
async function publishUntilHeard(type: string, socket: LiveSocket): Promise<void> {
  while (!socket.received.some((message) => message.type === type)) {
    publish(here, type)
    await sleep(50)
  }
}

const typesOf = ({ received }: LiveSocket) => received.map(({ type }) => type)

test('an event reaches clients of any process once', needed, async () => {
  const stranger = await there.signUp()
  const sockets = {
    here: await openReady(here.url, person.token),
    there: await openReady(there.url, person.token),
  }
  const elsewhere = await openReady(there.url, stranger.token)
  publish(here, 'chat.title_updated')
  publish(here, 'last')
  const [near, far] = [await sockets.here.until('last'), await sockets.there.until('last')]
  expect(near.map(({ type }) => type)).toEqual(['chat.title_updated', 'last'])
  expect(far).toEqual(near)
  expect(typesOf(elsewhere)).toEqual(['ready'])
})

test('only persistent events are in the realtime store', needed, async () => {
  const store = createClient({ url: redis.url })
  await store.connect()
  const live = await openReady(there.url, person.token)
  publish(here, 'not kept')
  publish(here, 'chat.title_updated', { isKept: true })
  const heard = (await live.until('chat.title_updated')).at(-1)
  const key = `parley:realtime:${person.organizationId}`
  while ((await store.xLen(key)) === 0) await sleep(10)
  const entries = (await store.xRange(key, '-', '+')) ?? []
  expect(entries.map(({ message }) => ({ ...message }))).toEqual([
    {
      type: 'chat.title_updated',
      data: '{"title":"Ahoy"}',
      user_id: person.userId,
      created_at: heard.created_at,
    },
  ])
  store.destroy()
})

test('while Redis restarts, events reach only clients of their own process', needed, async () => {
  const sockets = {
    here: await openReady(here.url, person.token),
    there: await openReady(there.url, person.token),
  }
  await redis.stop()
  publish(here, 'without Redis', { isKept: true })
  await sockets.here.until('without Redis')
  await expectReadiness(here, 503)
  redis = await startRedis(Number(new URL(redis.url).port))
  await publishUntilHeard('with Redis', sockets.there)
  expect(typesOf(sockets.there)).not.toContain('without Redis')
  await expectReadiness(here, 200)
})

test('a frozen Redis blocks nothing', needed, async () => {
  const modelId = await here.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n500-gap20',
    config: { base_url: `${provider.url}/v1` },
  })
  const stream = await openMessage(here.url, person, { model_id: modelId }, { content: 'Hi' })
  await stream.take(2)
  const sockets = {
    here: await openReady(here.url, person.token),
    there: await openReady(there.url, person.token),
  }
  const leaving = await startTestServer(there.environment)
  process.kill(redis.pid, 'SIGSTOP')
  publish(here, 'frozen')
  await sockets.here.until('frozen')
  expect((await resumeMessage(there.url, person, idsOf(stream))).status).toBe(503)
  await expectReadiness(here, 503)
  await stream.take(2)
  await leaving.stop()
  process.kill(redis.pid, 'SIGCONT')
  await publishUntilHeard('thawed', sockets.there)
  await expectReadiness(there, 200)
  const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
  await here.call('POST', path, { token: person.token })
  await stream.take()
})
