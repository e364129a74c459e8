import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { type RedisServer, startRedis } from '#tests/support/redis.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { examine } from '../../server/doctor/doctor.ts'

/** Redis at its maxmemory, which refuses writes and answers everything else. */

describe('a full Redis', needs('Redis'), () => {
  let redis: RedisServer
  let provider: Awaited<ReturnType<typeof startProvider>>
  let server: TestServer
  beforeAll(async () => {
    ;[redis, provider] = await Promise.all([startRedis(), startProvider()])
    server = await startTestServer({ REDIS_URL: redis.url })
  })
  afterAll(async () => {
    await server?.stop()
    await Promise.all([provider?.close(), redis?.stop()])
  })

  async function setMaxMemory(bytes: number): Promise<void> {
    const client = await createClient({ url: redis.url }).connect()
    await client.configSet('maxmemory', String(bytes))
    client.destroy()
  }
  const readiness = async () => (await server.call('GET', '/readyz')).status

  test('is named by readiness and the doctor, and replies are complete', async () => {
    const person = await server.signUp()
    const model = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu-n20',
      config: { base_url: `${provider.url}/v1` },
    })
    expect(await readiness()).toBe(200)
    await setMaxMemory(1)
    await expect.poll(readiness).toBe(503)
    const { body } = await server.call('GET', '/readyz')
    expect(body.detail).toMatch(/^Redis is full and refuses writes: .* maxmemory/)
    expect((await server.call('GET', '/metrics')).text).toContain('parley_redis_up 0')
    const lines = await examine({ REDIS_URL: redis.url })
    expect(lines).toContainEqual({ check: 'redis', status: 'problem', message: body.detail })
    const reply = await server.say(person, { model_id: model }, { content: 'Hi' })
    expect(reply.events.at(-1)?.data).toMatchObject({ message: 'DONE' })
    await setMaxMemory(0)
    await expect.poll(readiness).toBe(200)
  })
})
