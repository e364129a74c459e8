import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startProcess } from '#tests/support/process.ts'
import { type Receiver, startReceiver, verify } from '#tests/support/receiver.ts'
import { createDatabase } from '#tests/support/server.ts'
import { ownWebhooks } from '#tests/support/webhooks.ts'

/** A process is killed (kill -9) while it delivers webhooks. */

const SCRIPT = join(import.meta.dirname, '../support/webhook-process.ts')
const dataDir = mkdtempSync(join(tmpdir(), 'parley-webhook-kill-'))
const database = await createDatabase()
let receiver: Receiver
let heir: ServerProcess | undefined
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(async () => {
  await heir?.stop()
  await receiver.close()
  await database?.drop()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = () =>
  startProcess(
    {
      BASE_URL: 'http://parley.test',
      ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
      LOG_LEVEL: 'error',
      ADMIN_PASSWORD: 'administrator',
      DATA_DIR: dataDir,
      ...(database && { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }),
    },
    [SCRIPT],
  )

test('every event arrives, including those that a killed process was sending', async () => {
  const doomed = await start()
  const made = await ownWebhooks(doomed)
  const { id, secret } = await made.add(`${receiver.url}/kill`)
  // Some deliveries never get a response: they are in progress when the process is killed.
  receiver.answers.set('/kill', (response, count) => {
    if (count % 3 === 0) return
    if (count % 3 === 1) response.writeHead(500).end()
    else response.end()
  })
  const acknowledged: string[] = []
  const working = Promise.all(
    Array.from({ length: 20 }, () =>
      made.converse().then(
        (conversationId) => acknowledged.push(conversationId),
        () => {},
      ),
    ),
  )
  await expect.poll(() => receiver.messages.length).toBeGreaterThan(0)
  await doomed.kill()
  await working
  heir = await start()
  receiver.answers.delete('/kill')
  const owner = await ownWebhooks(heir, made.person)
  const pending = async () => (await owner.deliveries(id, { status: 'pending' })).length
  await expect.poll(pending, { timeout: 60_000 }).toBe(0)
  const deliveries = await owner.deliveries(id)
  expect(deliveries.filter(({ status }) => status !== 'delivered')).toEqual([])
  const sequences = deliveries.map(({ sequence }) => sequence).reverse()
  expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1))
  const arrived = receiver.at('/kill').map((message) => {
    const body = verify(secret, message) as { id: string; data: { conversation_id: string } }
    expect(message.headers['webhook-id']).toBe(body.id)
    return body.data.conversation_id
  })
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(acknowledged.filter((conversationId) => !arrived.includes(conversationId))).toEqual([])
}, 120_000)
