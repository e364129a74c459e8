import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver, verify } from '#tests/support/receiver.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'
import { ownWebhooks } from '#tests/support/webhooks.ts'

/** Webhooks: created and changed, delivered, and their delivery records. */

let server: TestServer
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  server = await startTestServer({}, { webhookTimes: { pollMs: 50 } })
})
afterAll(async () => {
  await server.stop()
  await receiver.close()
})

test('an event arrives in the format of Standard Webhooks, and its delivery is recorded', async () => {
  const owner = await ownWebhooks(server)
  const { id, secret } = await owner.add(`${receiver.url}/first`)
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const conversationId = await owner.converse()
  await expect.poll(() => receiver.at('/first').length).toBe(1)
  const [message] = receiver.at('/first')
  if (!message) throw new Error('nothing came')
  const [delivery] = await owner.deliveries(id)
  expect(verify(secret, message)).toEqual({
    type: 'conversation.updated',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { conversation_id: conversationId, change: 'created' },
    organization_id: owner.person.organizationId,
    sequence: 1,
    id: delivery.id,
  })
  expect(message.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks',
    'webhook-id': delivery.id,
  })
  await expect
    .poll(async () => (await owner.deliveries(id))[0])
    .toMatchObject({
      webhook_id: id,
      event_type: 'conversation.updated',
      sequence: 1,
      status: 'delivered',
      next_attempt_at: null,
      attempts: [{ response_status: 200, error: null }],
      data: { conversation_id: conversationId, change: 'created' },
    })
})

test('invalid URLs and too many webhooks are refused', async () => {
  const owner = await ownWebhooks(server)
  const query = { org_id: owner.person.organizationId }
  const make = (url: string, more: object = {}) =>
    owner.call('POST', 'create', query, { url, event_types: ['conversation.updated'], ...more })
  for (const url of [
    'ftp://example.com',
    'file:///etc/passwd',
    'https://ada:pw@example.com',
    'example.com',
    'http://10.0.0.1/',
    'http://[::ffff:169.254.169.254]/',
    `https://example.com/${'x'.repeat(2_000)}`,
  ])
    expect([url, (await make(url)).status]).toEqual([url, 400])
  for (const event_types of [[], ['webhook.test'], ['conversation.updated', 'conversation.updated']])
    expect((await make('https://example.com', { event_types })).status).toBe(400)
  const made = await Promise.all(Array.from({ length: 25 }, () => make('https://example.com')))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
  expect(made.find(({ status }) => status === 400)?.body.detail).toBe(
    'An organization can have at most 20 webhooks. Delete one first.',
  )
  const first = await owner.call('GET', 'list', { ...query, limit: '15' })
  const { next_cursor: cursor } = first.body.pagination
  const second = await owner.call('GET', 'list', { ...query, limit: '15', cursor })
  expect([first.body.data.length, second.body.data.length]).toEqual([15, 5])
  expect(first.text + second.text).not.toContain('whsec_')
})

test('members without the permission and other organizations cannot see a webhook', async () => {
  const owner = await ownWebhooks(server)
  const stranger = await ownWebhooks(server)
  const { id } = await owner.add(`${receiver.url}/private`)
  await owner.converse()
  const [delivery] = await owner.deliveries(id)
  const other = await stranger.add(`${receiver.url}/other`)
  const query = { webhook_id: id, delivery_id: delivery.id }
  for (const [method, path] of [
    ['PUT', 'update'],
    ['DELETE', 'delete'],
    ['POST', 'rotate_secret'],
    ['POST', 'test'],
    ['GET', 'deliveries'],
    ['POST', 'redeliver'],
  ] as const) {
    const wanted = path === 'redeliver' ? query : { webhook_id: id }
    const answer = await stranger.call(method, path, wanted, method === 'PUT' ? {} : undefined)
    expect([path, answer.status, answer.body.detail]).toEqual([
      path,
      404,
      expect.stringContaining('Webhook not found'),
    ])
  }
  // Requests a delivery of another tenant's endpoint through the caller's own endpoint.
  const answer = await stranger.call('POST', 'redeliver', { webhook_id: other.id, delivery_id: delivery.id })
  expect([answer.status, answer.body.detail]).toEqual([
    404,
    expect.stringContaining('Webhook delivery not found'),
  ])
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, owner.person.organizationId, stranger.person.userId, 'member')
  const asMember = await stranger.call('GET', 'deliveries', { webhook_id: id })
  expect([asMember.status, asMember.body.detail]).toEqual([403, 'Missing permission: organization:admin'])
})

test('a test returns its outcome immediately, is sent once, and includes the reason of a failure', async () => {
  const owner = await ownWebhooks(server)
  const { id, secret } = await owner.add(`${receiver.url}/tested`)
  const run = async () => (await owner.call('POST', 'test', { webhook_id: id })).body
  expect(await run()).toMatchObject({
    event_type: 'webhook.test',
    status: 'delivered',
    attempts: [{ response_status: 200 }],
  })
  const [message] = receiver.at('/tested')
  expect(message && verify(secret, message)).toMatchObject({
    type: 'webhook.test',
    data: { webhook_id: id },
    sequence: 1,
  })
  await owner.call('PUT', 'update', { webhook_id: id }, { url: 'http://127.0.0.1:1/' })
  expect(await run()).toMatchObject({
    status: 'failed',
    next_attempt_at: null,
    attempts: [{ response_status: null, error: expect.stringContaining('cannot be reached') }],
  })
  await owner.call('PUT', 'update', { webhook_id: id }, { is_enabled: false })
  const disabled = await owner.call('POST', 'test', { webhook_id: id })
  expect([disabled.status, disabled.body.detail]).toEqual([409, 'This webhook is disabled. Enable it first.'])
})

test('a redelivery has the same id and body, even after a successful delivery', async () => {
  const owner = await ownWebhooks(server)
  const { id, secret } = await owner.add(`${receiver.url}/again`)
  await owner.converse()
  await expect.poll(async () => (await owner.deliveries(id))[0].status).toBe('delivered')
  const [delivery] = await owner.deliveries(id)
  const again = await owner.call('POST', 'redeliver', { webhook_id: id, delivery_id: delivery.id })
  expect(again.body).toMatchObject({ id: delivery.id, status: 'pending' })
  await expect.poll(async () => (await owner.deliveries(id))[0].attempts.length).toBe(2)
  const messages = receiver.at('/again')
  for (const message of messages) verify(secret, message)
  expect(new Set(messages.map(({ headers, text }) => headers['webhook-id'] + text)).size).toBe(1)
  for (const [index, status] of [
    ['delivered', 200],
    ['nonsense', 400],
  ] as const)
    expect((await owner.call('GET', 'deliveries', { webhook_id: id, status: index })).status).toBe(status)
})

test('after a rotation the new and previous secrets verify, but not older ones', async () => {
  const owner = await ownWebhooks(server)
  const made = await owner.add(`${receiver.url}/rotated`)
  const rotate = async (): Promise<string> =>
    (await owner.call('POST', 'rotate_secret', { webhook_id: made.id })).body.secret
  const second = await rotate()
  const send = async () => {
    await owner.call('POST', 'test', { webhook_id: made.id })
    const message = receiver.at('/rotated').at(-1)
    if (!message) throw new Error('nothing came')
    return message
  }
  const during = await send()
  expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2)
  for (const secret of [made.secret, second]) expect(verify(secret, during)).toBeTruthy()
  const { sql } = server.server.services.database
  await sql`update webhook_endpoints set previous_secret_until = now() where id = ${made.id}`
  const after = await send()
  expect(verify(second, after)).toBeTruthy()
  expect(() => verify(made.secret, after)).toThrow('No matching signature')
  const third = await rotate()
  const last = await send()
  for (const secret of [second, third]) expect(verify(secret, last)).toBeTruthy()
  expect(() => verify(made.secret, last)).toThrow('No matching signature')
})

test('no secret is stored in plain text, listed, or in the audit log', async () => {
  const owner = await ownWebhooks(server)
  const { id, secret } = await owner.add(`${receiver.url}/secret`)
  const { body } = await owner.call('POST', 'rotate_secret', { webhook_id: id })
  const { sql } = server.server.services.database
  const rows = await sql`select * from webhook_endpoints where id = ${id}`
  const { token, organizationId } = owner.person
  const audit = await server.call('GET', `/api/audit/list?org_id=${organizationId}`, { token })
  const list = await owner.call('GET', 'list', { org_id: organizationId })
  const seen = JSON.stringify(rows) + audit.text + list.text
  for (const one of [secret, body.secret]) {
    expect(seen).not.toContain(one)
    expect(seen).not.toContain(one.slice('whsec_'.length))
  }
  expect(audit.text).not.toContain(rows[0]?.['secret'])
  const actions = audit.body.data.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(['webhook.updated', 'webhook.created'])
  expect(audit.body.data[0].after).toMatchObject({ secret: '(hidden)', previous_secret: '(hidden)' })
  await owner.call('DELETE', 'delete', { webhook_id: id })
  expect((await owner.call('GET', 'deliveries', { webhook_id: id })).status).toBe(404)
})

test('deliveries are listed in pages, by status and by type', async () => {
  const owner = await ownWebhooks(server)
  const { id } = await owner.add(`${receiver.url}/listed`)
  for (let count = 0; count < 5; count++) await owner.converse()
  await owner.call('POST', 'test', { webhook_id: id })
  await expect.poll(async () => (await owner.deliveries(id, { status: 'delivered' })).length).toBe(6)
  const sequences: number[] = []
  let cursor: string | null = null
  do {
    const query = { webhook_id: id, limit: '4', ...(cursor && { cursor }) }
    const { body } = await owner.call('GET', 'deliveries', query)
    sequences.push(...body.data.map(({ sequence }: { sequence: number }) => sequence))
    cursor = body.pagination.next_cursor
  } while (cursor)
  expect(sequences).toEqual([6, 5, 4, 3, 2, 1])
  expect(await owner.deliveries(id, { event_type: 'webhook.test' })).toHaveLength(1)
  expect(await owner.deliveries(id, { status: 'failed' })).toEqual([])
  const bad = await owner.call('GET', 'deliveries', { webhook_id: id, cursor: 'x' })
  expect(bad.status).toBe(400)
})
