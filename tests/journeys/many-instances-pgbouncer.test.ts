import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InstanceStage, openInstanceStage, testInstances } from '#tests/support/instance-journeys.ts'
import { startPgBouncer } from '#tests/support/pgbouncer.ts'
import { needs } from '#tests/support/programs.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'

/** Two instances that serve clients and a worker, whose connections to PostgreSQL go through PgBouncer. */

const database = await createDatabase({ isEmpty: true })
const needed = needs('PostgreSQL', 'PgBouncer', 'Redis')

let redis: Awaited<ReturnType<typeof startRedis>>
let pooler: Awaited<ReturnType<typeof startPgBouncer>>
let stage: InstanceStage
beforeAll(async () => {
  redis = await startRedis()
  pooler = await startPgBouncer(database?.url ?? '')
  stage = await openInstanceStage({ DATABASE_URL: pooler.url, REDIS_URL: redis.url })
}, 120_000)
afterAll(async () => {
  await stage.stop()
  await pooler.stop()
  await redis.stop()
  await database?.drop()
})

describe('instances with PgBouncer', needed, () => {
  testInstances(() => stage)

  test('the time of statements is limited where the pooler limits it, and never for migrations', async () => {
    const limiting = await startPgBouncer(database?.url ?? '', { timeout: true })
    const server = await startTestServer({
      DATABASE_URL: limiting.url,
      DATABASE_DIRECT_URL: database?.url ?? '',
      SECRET: 's'.repeat(32),
    })
    const limits = [stage.worker, server].map(
      ({ server: { services } }) => services.database.limitsStatements,
    )
    expect(limits).toEqual([false, true])
    await server.stop()
    await limiting.stop()
  })
})
