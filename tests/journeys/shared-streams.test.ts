import { createClient } from 'redis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

/** Two processes on one PostgreSQL and one Redis: clients can follow and stop a reply through either. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

let redis: Awaited<ReturnType<typeof startRedis>>
let provider: Awaited<ReturnType<typeof startProvider>>
let writer: TestServer
let other: TestServer
let unshared: TestServer

beforeAll(async () => {
  redis = await startRedis()
  provider = await startProvider()
  const environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32) }
  writer = await startTestServer({ ...environment, REDIS_URL: redis.url })
  other = await startTestServer({ ...environment, REDIS_URL: redis.url })
  unshared = await startTestServer(environment)
})
afterAll(async () => {
  for (const server of [writer, other, unshared]) await server.stop()
  await redis.stop()
  await provider.close()
  await database?.drop()
})

async function personWithModel(version: string) {
  const person = await writer.signUp()
  const modelId = await writer.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1` },
  })
  return { person, modelId }
}

test('a reply can be followed through another process, from any event', needed, async () => {
  const { person, modelId } = await personWithModel('emu-n20-gap40')
  const stream = await openMessage(writer.url, person, { model_id: modelId }, { content: 'Hi' })
  const [first, second] = await stream.take(2)
  const through = await resumeMessage(other.url, person, idsOf(stream), second?.id)
  const whole = await stream.take()
  expect([first, second, ...(await through.take())]).toEqual(whole)
})

test('any number of followers share one connection to Redis', needed, async () => {
  const { person, modelId } = await personWithModel('emu-n300-gap20')
  const client = await createClient({ url: redis.url }).connect()
  const connections = async () => (await client.clientList()).length
  const before = await connections()
  const streams = await Promise.all(
    Array.from({ length: 12 }, () =>
      openMessage(writer.url, person, { model_id: modelId }, { content: 'Hi' }),
    ),
  )
  const followers = await Promise.all(
    streams.flatMap((stream) => [1, 2].map(() => resumeMessage(other.url, person, idsOf(stream)))),
  )
  for (const follower of followers) await follower.take(20)
  expect(await connections()).toBe(before + 1)
  const wholes = await Promise.all(streams.map((stream) => stream.take()))
  const followed = await Promise.all(followers.map((follower) => follower.take()))
  expect(followed).toEqual(wholes.flatMap((whole) => [whole, whole]))
  await expect.poll(connections).toBe(before)
  client.destroy()
})

test('a reply can be stopped through another process', needed, async () => {
  const { person, modelId } = await personWithModel('emu-n500-gap20')
  const stream = await openMessage(writer.url, person, { model_id: modelId }, { content: 'Hi' })
  await stream.take(2)
  const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
  expect((await other.call('POST', path, { token: person.token })).status).toBe(200)
  const events = await stream.take()
  expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
  expect(events.length).toBeLessThan(400)
})

test(
  'without Redis another process returns 409, and serves the reply once it is complete',
  needed,
  async () => {
    const { person, modelId } = await personWithModel('emu-n10-gap300')
    const stream = await openMessage(writer.url, person, { model_id: modelId }, { content: 'Hi' })
    await stream.take(1)
    expect((await resumeMessage(unshared.url, person, idsOf(stream))).status).toBe(409)
    const whole = await stream.take()
    const text = whole.map(({ data }) => data['message']).join('')
    const late = await (await resumeMessage(unshared.url, person, idsOf(stream))).take()
    expect(late.map(({ data }) => data['message']).join('')).toBe(text)
  },
)
