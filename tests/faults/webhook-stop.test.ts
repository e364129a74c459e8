import { expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { startReceiver } from '#tests/support/receiver.ts'
import { createDatabase, startTestServer } from '#tests/support/server.ts'
import { ownWebhooks } from '#tests/support/webhooks.ts'

/** Leases last far longer than the test. */
const TIMES = { timeoutMs: 60_000, claimMarginMs: 10_000, pollMs: 30 }

test(
  "a delivery interrupted by a server's shutdown is sent by another server immediately",
  needs('PostgreSQL'),
  async () => {
    const receiver = await startReceiver()
    receiver.answers.set('/slow', (response, count) => {
      if (count > 0) response.end()
    })
    const database = await createDatabase()
    const environment = { DATABASE_URL: database?.url ?? '', SECRET: 's'.repeat(32) }
    const stopped = await startTestServer(environment, { webhookTimes: TIMES })
    const owner = await ownWebhooks(stopped)
    const { id } = await owner.add(`${receiver.url}/slow`)
    await owner.converse()
    await expect.poll(() => receiver.at('/slow').length).toBe(1)
    await stopped.stop()
    const other = await startTestServer(environment, { webhookTimes: TIMES })
    const { deliveries } = await ownWebhooks(other, owner.person)
    await expect.poll(async () => (await deliveries(id))[0].status).toBe('delivered')
    expect((await deliveries(id))[0].attempts).toHaveLength(1)
    expect(receiver.at('/slow')).toHaveLength(2)
    await other.stop()
    await receiver.close()
    await database?.drop()
  },
)
