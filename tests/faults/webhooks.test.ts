import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countLocked } from '#tests/support/locks.ts'
import { mailTo } from '#tests/support/mail.ts'
import { needs } from '#tests/support/programs.ts'
import { type Receiver, startReceiver, verify } from '#tests/support/receiver.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { ownWebhooks, type WebhookOwner } from '#tests/support/webhooks.ts'

/** Endpoints that fail in every way: no event is lost, and other endpoints are not delayed. */

const TIMES = {
  timeoutMs: 60_000,
  retryDelaysMs: [30, 60, 120],
  claimMarginMs: 10_000,
  pollMs: 30,
  sweepMs: 200,
}

let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  server = await startTestServer({}, { webhookTimes: TIMES })
})
afterAll(async () => {
  await server.stop()
  await receiver.close()
})

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
const attemptsOf = async (owner: WebhookOwner, id: string) => (await owner.deliveries(id))[0]?.attempts ?? []
const statusOf = async (owner: WebhookOwner, id: string) => (await owner.deliveries(id))[0]?.status

test('retries a failed delivery with the same bytes and a new signature until it arrives', async () => {
  const owner = await ownWebhooks(server)
  receiver.answers.set('/flaky', (response, count) => {
    if (count === 0) response.writeHead(500).end('no')
    else if (count === 1) response.destroy()
    else if (count === 2) response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
    else response.end()
  })
  const { id, secret } = await owner.add(`${receiver.url}/flaky`)
  await owner.converse()
  await expect.poll(() => statusOf(owner, id)).toBe('delivered')
  const attempts = await attemptsOf(owner, id)
  expect(attempts).toMatchObject([
    {
      response_status: 500,
      error: 'The endpoint responded with 500. It must respond with a status from 200 to 299.',
    },
    { response_status: null, error: expect.stringContaining('closed the connection') },
    { response_status: 302, error: expect.stringContaining('Redirects are not followed') },
    { response_status: 200, error: null },
  ])
  const messages = receiver.at('/flaky')
  expect(new Set(messages.map(({ text, headers }) => text + headers['webhook-id'])).size).toBe(1)
  for (const message of messages) verify(secret, message)
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('fails a delivery after its last try, and can deliver it again', async () => {
  const owner = await ownWebhooks(server)
  let isUp = false
  receiver.answers.set('/down', (response) => response.writeHead(isUp ? 204 : 503).end())
  const { id } = await owner.add(`${receiver.url}/down`)
  await owner.converse()
  await expect.poll(() => statusOf(owner, id)).toBe('failed')
  expect(await attemptsOf(owner, id)).toHaveLength(4)
  const list = () => owner.call('GET', 'list', { org_id: owner.person.organizationId })
  expect((await list()).body.data[0].failing_since).not.toBeNull()
  isUp = true
  const [delivery] = await owner.deliveries(id)
  await owner.call('POST', 'redeliver', { webhook_id: id, delivery_id: delivery.id })
  await expect.poll(() => statusOf(owner, id)).toBe('delivered')
  expect((await list()).body.data[0]).toMatchObject({ failing_since: null, is_enabled: true })
})

test('a success that comes late keeps the attempts that were recorded before it', async () => {
  const owner = await ownWebhooks(server)
  const held: ServerResponse[] = []
  receiver.answers.set('/slow', (response) => held.push(response))
  const { id } = await owner.add(`${receiver.url}/slow`)
  await owner.converse()
  await expect.poll(() => held.length).toBe(1)
  await owner.call('PUT', 'update', { webhook_id: id }, { is_enabled: false })
  expect(await attemptsOf(owner, id)).toHaveLength(1)
  held[0]?.end()
  await expect.poll(() => statusOf(owner, id)).toBe('delivered')
  expect(await attemptsOf(owner, id)).toMatchObject([
    { response_status: null, error: expect.stringContaining('disabled') },
    { response_status: 200, error: null },
  ])
})

test('respects Retry-After', async () => {
  const owner = await ownWebhooks(server)
  receiver.answers.set('/later', (response, count) => {
    if (count === 0) response.writeHead(429, { 'retry-after': '2' }).end()
    else response.end()
  })
  const { id } = await owner.add(`${receiver.url}/later`)
  await owner.converse()
  await expect.poll(async () => (await attemptsOf(owner, id)).length).toBe(1)
  const [{ next_attempt_at: next, attempts }] = await owner.deliveries(id)
  expect(Date.parse(next) - Date.parse(attempts[0].at)).toBeGreaterThanOrEqual(2_000)
  await expect.poll(() => statusOf(owner, id)).toBe('delivered')
})

test('times out an endpoint that hangs, without delaying others', async () => {
  const hasty = await startTestServer({}, { webhookTimes: { ...TIMES, timeoutMs: 1_500 } })
  const owner = await ownWebhooks(hasty)
  const hanging = await ownWebhooks(hasty)
  receiver.answers.set('/hang', () => {})
  const { id } = await hanging.add(`${receiver.url}/hang`)
  for (let count = 0; count < 12; count++) await hanging.converse()
  await expect.poll(() => receiver.at('/hang').length).toBeGreaterThan(0)
  const { id: good } = await owner.add(`${receiver.url}/good`)
  await owner.converse()
  await expect.poll(() => statusOf(owner, good)).toBe('delivered')
  await expect
    .poll(async () => (await hanging.deliveries(id)).at(-1)?.attempts[0]?.error)
    .toBe(
      '127.0.0.1:'.concat(
        new URL(receiver.url).port,
        ' did not respond within 1.5 seconds. Try again later.',
      ),
    )
  expect(await hanging.deliveries(id, { status: 'delivered' })).toEqual([])
  await hasty.stop()
})

test('gives the next free slot to an endpoint with no delivery in progress when all others hang', async () => {
  const patient = await startTestServer({}, { webhookTimes: TIMES })
  const held: ServerResponse[] = []
  try {
    receiver.answers.set('/held', (response) => held.push(response))
    for (const hanging of await Promise.all(times(4, () => ownWebhooks(patient)))) {
      for (let count = 0; count < 4; count++) await hanging.add(`${receiver.url}/held`)
      for (let count = 0; count < 6; count++) await hanging.converse()
    }
    await expect.poll(() => held.length).toBe(64)
    const owner = await ownWebhooks(patient)
    await owner.add(`${receiver.url}/next`)
    await owner.converse()
    held[0]?.end()
    await expect.poll(() => receiver.at('/next').length).toBe(1)
  } finally {
    receiver.answers.delete('/held')
    for (const response of held) response.end()
    await patient.stop()
  }
})

test('judges an endless garbage response by its status', async () => {
  const owner = await ownWebhooks(server)
  receiver.answers.set('/drip', (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  })
  receiver.answers.set('/flood', (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    }
    response.writeHead(200).on('drain', write)
    write()
  })
  const drip = await owner.add(`${receiver.url}/drip`)
  const flood = await owner.add(`${receiver.url}/flood`)
  await owner.converse()
  for (const { id } of [drip, flood]) {
    await expect.poll(() => statusOf(owner, id)).toBe('delivered')
    expect(await attemptsOf(owner, id)).toHaveLength(1)
  }
})

test('disables an endpoint immediately on 410, fails its deliveries, and notifies the owner', async () => {
  const owner = await ownWebhooks(server)
  receiver.answers.set('/gone', (response) => response.writeHead(410).end())
  const { id } = await owner.add(`${receiver.url}/gone`)
  await owner.converse()
  const { organizationId } = owner.person
  const view = async () => (await owner.call('GET', 'list', { org_id: organizationId })).body.data[0]
  await expect.poll(async () => (await view()).is_enabled).toBe(false)
  expect((await view()).disabled_reason).toBe(
    'The endpoint responded with 410 Gone. Check the URL, then enable the webhook.',
  )
  expect(await statusOf(owner, id)).toBe('failed')
  const mail = await mailTo(server, owner.person.email, 'was disabled')
  expect(mail.text).toContain('410 Gone')
  await owner.converse()
  expect(await owner.deliveries(id)).toHaveLength(1)
  const { body } = await owner.call('PUT', 'update', { webhook_id: id }, { is_enabled: true })
  expect(body).toMatchObject({ is_enabled: true, disabled_reason: null, failing_since: null })
})

test('stops sending after five days without a success', async () => {
  const owner = await ownWebhooks(server)
  receiver.answers.set('/dead', (response) => response.writeHead(500).end())
  const { id } = await owner.add(`${receiver.url}/dead`)
  const { sql } = server.server.services.database
  const failFor = (days: number) =>
    sql`update webhook_endpoints set failing_since = now() - ${days} * interval '1 day' where id = ${id}`
  const view = async () =>
    (await owner.call('GET', 'list', { org_id: owner.person.organizationId })).body.data[0]
  await failFor(4.9)
  await owner.converse()
  await expect.poll(() => statusOf(owner, id)).toBe('failed')
  expect((await view()).is_enabled).toBe(true)
  await failFor(5.1)
  await owner.converse()
  await expect.poll(async () => (await view()).is_enabled).toBe(false)
  expect((await view()).disabled_reason).toBe(
    'No delivery has succeeded for 5 days. Fix the endpoint, then enable the webhook.',
  )
  await expect.poll(() => statusOf(owner, id)).toBe('failed')
  expect((await attemptsOf(owner, id)).at(-1).error).toContain('disabled before this event was delivered')
  expect((await mailTo(server, owner.person.email, 'was disabled')).text).toContain('for 5 days')
})

test('refuses private addresses on delivery, and records the reason', async () => {
  const strict = await startTestServer({ ALLOW_PRIVATE_NETWORK: 'false' }, { webhookTimes: TIMES })
  try {
    const owner = await ownWebhooks(strict)
    const { port } = new URL(receiver.url)
    const { id } = await owner.add(`http://localhost:${port}/private`)
    const { body } = await owner.call('POST', 'test', { webhook_id: id })
    expect(body).toMatchObject({
      status: 'failed',
      attempts: [
        { response_status: null, error: expect.stringContaining('localhost is not a public address') },
      ],
    })
    expect(receiver.at('/private')).toEqual([])
  } finally {
    await strict.stop()
  }
})

test('creates one event per change for 200 concurrent changes, numbered without gaps per endpoint', async () => {
  const owner = await ownWebhooks(server)
  const [first, second] = [await owner.add(`${receiver.url}/all`), await owner.add(`${receiver.url}/all-too`)]
  const ids = await Promise.all(Array.from({ length: 200 }, () => owner.converse()))
  for (const [path, { secret }] of [
    ['/all', first],
    ['/all-too', second],
  ] as const) {
    await expect.poll(() => receiver.at(path).length).toBeGreaterThanOrEqual(200)
    const bodies = receiver.at(path).map((message) => verify(secret, message) as ReceivedBody)
    const numbers = new Map(bodies.map((body) => [body.sequence, body.data.conversation_id]))
    expect([...numbers.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
    expect([...numbers.values()].sort()).toEqual([...ids].sort())
    // An endpoint has at most four concurrent deliveries, so none arrives long before an earlier event.
    const early = bodies.filter(({ sequence }, place) => sequence - 1 - place > 8)
    expect(early).toEqual([])
  }
})

interface ReceivedBody {
  sequence: number
  data: { conversation_id: string }
}

test('does not touch deliveries that are not due, regardless of their number', async () => {
  const owner = await ownWebhooks(server)
  const { id } = await owner.add(`${receiver.url}/patient`)
  const { sql } = server.server.services.database
  await sql`
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, next_attempt_at)
    select gen_random_uuid(), ${owner.person.organizationId}, ${id}, 10000 + n, 'conversation.updated', '{}',
      now() + interval '1 hour' from generate_series(1, 5000) as n`
  await owner.converse()
  await expect.poll(() => receiver.at('/patient').length).toBe(1)
  await sleep(200)
  const [row] = await sql`
    select count(*)::int as touched from webhook_deliveries
    where endpoint_id = ${id} and (status <> 'pending' or attempts <> '[]')`
  expect([row?.['touched'], receiver.at('/patient').length]).toEqual([1, 1])
})

test('deletes records older than 30 days, and fails deliveries of a disabled webhook', async () => {
  const owner = await ownWebhooks(server)
  const { id } = await owner.add(`${receiver.url}/old`)
  await owner.call('PUT', 'update', { webhook_id: id }, { is_enabled: false })
  const { sql } = server.server.services.database
  await sql`
    insert into webhook_deliveries (id, organization_id, endpoint_id, sequence, event_type, data, created_at)
    select gen_random_uuid(), ${owner.person.organizationId}, ${id}, days, 'conversation.updated', '{}',
      now() - days * interval '1 day' from unnest(array[29, 31]) as days`
  await server.server.retention.sweep()
  await expect
    .poll(async () => (await owner.deliveries(id)).map(({ sequence, status }) => [sequence, status]))
    .toEqual([[29, 'failed']])
  expect(receiver.at('/old')).toEqual([])
})

// The embedded database runs one transaction at a time, so none waits for another.
test(
  'on PostgreSQL, settling a delivery waits for the deletion of its webhook without a deadlock',
  needs('PostgreSQL'),
  async () => {
    const owner = await ownWebhooks(server)
    let answer = (): void => {}
    receiver.answers.set('/deleted', (response) => {
      answer = () => response.end()
    })
    const { id } = await owner.add(`${receiver.url}/deleted`)
    const { sql } = server.server.services.database
    await owner.converse()
    await expect.poll(() => receiver.at('/deleted').length).toBe(1)
    await sql.begin(async (tx) => {
      await tx`select from webhook_endpoints where id = ${id} for update`
      answer()
      await expect.poll(() => countLocked(sql)).toBeGreaterThan(0)
      await tx`select from webhook_deliveries where endpoint_id = ${id} for update nowait`
      await tx`delete from webhook_endpoints where id = ${id}`
    })
  },
)
