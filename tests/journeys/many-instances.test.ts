import { afterAll, beforeAll, describe } from 'vitest'
import { type InstanceStage, openInstanceStage, testInstances } from '#tests/support/instance-journeys.ts'
import { findRedis, startRedis } from '#tests/support/redis.ts'
import { createDatabase } from '#tests/support/server.ts'

/** Two instances that serve clients and a worker, on one PostgreSQL and one Redis. */

const database = await createDatabase()
const isPossible = database !== null && findRedis() !== undefined
if (process.env['CI'] && !isPossible) throw new Error('redis-server and PostgreSQL are missing')

let redis: Awaited<ReturnType<typeof startRedis>>
let stage: InstanceStage
beforeAll(async () => {
  if (!isPossible) return
  redis = await startRedis()
  stage = await openInstanceStage({ DATABASE_URL: database.url, REDIS_URL: redis.url })
})
afterAll(async () => {
  if (!isPossible) return
  await stage.stop()
  await redis.stop()
  await database.drop()
})

describe.skipIf(!isPossible)('instances on one Redis', () => {
  testInstances(() => stage)
})
