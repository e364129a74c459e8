import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InstanceStage, openInstanceStage, testInstances } from '#tests/support/instance-journeys.ts'
import { needs } from '#tests/support/programs.ts'
import { startRedisCluster } from '#tests/support/redis.ts'
import { createDatabase } from '#tests/support/server.ts'

/** Two instances that serve clients and a worker, on one PostgreSQL and a Redis Cluster of three masters. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

let redis: Awaited<ReturnType<typeof startRedisCluster>>
let stage: InstanceStage
beforeAll(async () => {
  redis = await startRedisCluster()
  stage = await openInstanceStage({ DATABASE_URL: database?.url ?? '', REDIS_URL: redis.url })
})
afterAll(async () => {
  await stage.stop()
  await redis.stop()
  await database?.drop()
})

describe('instances with a Redis Cluster', needed, () => {
  testInstances(() => stage)

  test('instances share the memory of the MCP playground', async () => {
    const { apis, provider } = stage
    const person = await apis[0].signUp()
    await apis[0].addModel(person, {
      name: 'gpt-emu',
      provider: 'openai-compatible',
      version: 'gpt-emu',
      config: { base_url: `${provider.url}/v1` },
    })
    for (const [index, content] of ['say: One.', 'say: Two.'].entries()) {
      const body = { content, model: 'gpt-emu' }
      const options = { token: person.token, body }
      expect((await apis[index]?.call('POST', '/api/mcp_playground/chat', options))?.status).toBe(200)
    }
    for (const api of apis) {
      const { body } = await api.call('GET', '/api/mcp_playground/memory', { token: person.token })
      const said = body.map(({ content }: { content: string }) => content)
      expect(said).toEqual(['say: One.', 'One.', 'say: Two.', 'Two.'])
    }
  })

  test('all three masters store keys', async () => {
    const cluster = createCluster({ rootNodes: [{ url: redis.url }] })
    await cluster.connect()
    const sizes = await Promise.all(
      cluster.masters.map(async (master) => (await cluster.nodeClient(master)).dbSize()),
    )
    expect(sizes.filter((size) => size > 0)).toHaveLength(3)
    cluster.destroy()
  })
})
