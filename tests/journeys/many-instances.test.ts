import { afterAll, beforeAll, describe } from 'vitest'
import { type InstanceStage, openInstanceStage, testInstances } from '#tests/support/instance-journeys.ts'
import { needs } from '#tests/support/programs.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase } from '#tests/support/server.ts'

/** Two instances that serve clients and a worker, on one PostgreSQL and one Redis. */

const database = await createDatabase()
const needed = needs('PostgreSQL', 'Redis')

let redis: Awaited<ReturnType<typeof startRedis>>
let stage: InstanceStage
beforeAll(async () => {
  redis = await startRedis()
  stage = await openInstanceStage({ DATABASE_URL: database?.url ?? '', REDIS_URL: redis.url })
})
afterAll(async () => {
  await stage.stop()
  await redis.stop()
  await database?.drop()
})

describe('instances on one Redis', needed, () => {
  testInstances(() => stage)
})
