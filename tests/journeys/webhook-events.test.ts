import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploy, update } from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { type Receiver, startReceiver } from '#tests/support/receiver.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { ownWebhooks, type WebhookOwner } from '#tests/support/webhooks.ts'

/** Webhook events: each is sent once, and failed operations send none. */

const KB_EVENTS = ['knowledge_base.ingestion_completed', 'knowledge_base.ingestion_failed']

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let receiver: Receiver
beforeAll(async () => {
  provider = await startProvider()
  receiver = await startReceiver()
  server = await startTestServer({}, { webhookTimes: { pollMs: 50 } })
})
afterAll(async () => {
  await server.stop()
  await Promise.all([provider.close(), receiver.close()])
})

/** Returns the type and data of all events queued for an endpoint, oldest first. */
const heard = async (owner: WebhookOwner, id: string) =>
  (await owner.deliveries(id)).toReversed().map(({ event_type: type, data }) => ({ type, data }))

test('a deployment sends an event for each change of its status', async () => {
  const { id: deployment_id, ...made } = await deploy(server, provider)
  const owner = await ownWebhooks(server, made.owner)
  const { id } = await owner.add(receiver.url, ['agent_deployment.status_changed'])
  for (const status of ['paused', 'paused', 'active'])
    await update(server, { ...made, id: deployment_id }, { status })
  const type = 'agent_deployment.status_changed'
  const data = { deployment_id, name: 'Shop' }
  expect(await heard(owner, id)).toEqual([
    { type, data: { ...data, status: 'paused', previous_status: 'active' } },
    { type, data: { ...data, status: 'active', previous_status: 'paused' } },
  ])
})

test('a conversation sends events from creation to deletion, and a chat sends none', async () => {
  const owner = await ownWebhooks(server)
  const { token, organizationId } = owner.person
  const { id } = await owner.add(receiver.url)
  const call = async (method: string, path: string, query: Record<string, string>, body?: unknown) => {
    const parameters = new URLSearchParams({ org_id: organizationId, ...query })
    const answer = await server.call(method, `/api/conversation/${path}?${parameters}`, { token, body })
    expect(answer.status).toBeLessThan(300)
    return answer
  }
  const model_id = await server.addModel(owner.person, {
    provider: 'openai-compatible',
    version: 'emu-n3',
    config: { base_url: `${provider.url}/v1` },
  })
  await server.say(owner.person, { model_id }, { content: 'This is a chat' })
  const conversation_id = await owner.converse()
  const session = await call('POST', 'create_session', {}, { conversation_id, model_id })
  await call('POST', 'stream_chat', {}, { chat_session_id: session.body.id, message: 'Hello' })
  await call('PUT', 'update', { conversation_id }, { title: 'Boats', is_archived: true })
  await call('PUT', 'update', { conversation_id }, { title: 'Boats', is_archived: false })
  const list = await call('GET', 'messages', { conversation_id })
  await call('DELETE', 'delete', { conversation_id })
  const changes = (await heard(owner, id)).map(({ data }) => data)
  const { id: message_id } = list.body.messages[0]
  expect(changes).toEqual([
    { conversation_id, change: 'created' },
    { conversation_id, change: 'message', message_id, status: 'complete' },
    { conversation_id, change: 'renamed' },
    { conversation_id, change: 'archived' },
    { conversation_id, change: 'restored' },
    { conversation_id, change: 'deleted' },
  ])
})

test('concurrent messages in many conversations send one event each, numbered without gaps', async () => {
  const owner = await ownWebhooks(server)
  const { token, organizationId } = owner.person
  const { id } = await owner.add(receiver.url)
  const model_id = await server.addModel(owner.person, {
    provider: 'openai-compatible',
    version: 'emu-n2',
    config: { base_url: `${provider.url}/v1` },
  })
  const post = async (path: string, body: unknown) =>
    (await server.call('POST', `/api/conversation/${path}?org_id=${organizationId}`, { token, body })).body
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const conversation_id = await owner.converse()
      const session = await post('create_session', { conversation_id, model_id })
      await post('stream_chat', { chat_session_id: session.id, message: 'Hello' })
    }),
  )
  const deliveries = (await owner.deliveries(id)).toReversed()
  expect(deliveries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  const messages = deliveries.filter(({ data }) => data.change === 'message')
  expect(new Set(messages.map(({ data }) => data.conversation_id)).size).toBe(20)
})

test('a knowledge base sends one event per finished ingestion, regardless of its number of sources', async () => {
  const owner = await ownWebhooks(server)
  const books = librarian(server, owner.person)
  const { id } = await owner.add(receiver.url, KB_EVENTS)
  const kbId = await books.create({
    name: 'Library',
    sources: Array.from({ length: 8 }, (_, index) => textSource(`text ${index}`)),
  })
  await books.settle(kbId)
  const [first, ...none] = await heard(owner, id)
  expect(none).toEqual([])
  expect(first).toEqual({
    type: 'knowledge_base.ingestion_completed',
    data: {
      knowledge_base_id: kbId,
      name: 'Library',
      status: 'ready',
      documents: { total: 8, ready: 8, failed: 0 },
      sources: expect.arrayContaining([
        { id: expect.any(String), type: 'text', status: 'ready', error: null },
      ]),
    },
  })
  await books.call('POST', 'reindex', { kb_id: kbId }, {})
  await books.settle(kbId)
  await books.add(kbId, 'text', textSource('another').config)
  await books.settle(kbId)
  const totals = (await heard(owner, id)).map(({ data }) => data.documents.total)
  expect(totals).toEqual([8, 8, 9])
  await books.call('DELETE', 'delete', { kb_id: kbId })
  expect(await heard(owner, id)).toHaveLength(3)
})

test('a knowledge base whose sources cannot be read sends a failure event, immediately or later', async () => {
  const owner = await ownWebhooks(server)
  const books = librarian(server, owner.person)
  const { id } = await owner.add(receiver.url, KB_EVENTS)
  const nobody = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve))
  const { port } = nobody.address() as AddressInfo
  const kbId = await books.create({
    sources: [{ type: 'web', config: { url: `http://127.0.0.1:${port}/` } }],
  })
  await expect.poll(async () => (await heard(owner, id)).length).toBe(1)
  const status = await books.settle(kbId)
  expect(await heard(owner, id)).toMatchObject([
    {
      type: 'knowledge_base.ingestion_failed',
      data: {
        knowledge_base_id: kbId,
        status: 'failed',
        sources: [{ type: 'web', status: 'failed', error: status.sources[0].error }],
      },
    },
  ])
  const empty = await books.upload(kbId, 'empty.txt', ' ')
  await books.add(kbId, 'file', { upload_ids: [empty] })
  await books.settle(kbId)
  await expect.poll(async () => (await heard(owner, id)).length).toBe(2)
  nobody.close()
})
