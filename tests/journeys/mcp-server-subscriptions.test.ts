import { Client, type McpSubscription, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { buildApp } from '#app'
import { createAudiences } from '#platform/access/audience.ts'
import { createEvents } from '#platform/events/events.ts'
import { createMetrics } from '#platform/telemetry/metrics.ts'
import type { Person } from '#tests/support/client.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

/** `subscriptions/listen` of protocol 2026-07-28 at /mcp: what is honored, delivered, limited and ended. */

const SUBSCRIPTIONS_MAX = 20
const CHECK_MS = 200
const WAIT_MS_MAX = 60_000

let server: TestServer
let owner: Person
let shelf: Librarian
let clients: Client[] = []
beforeAll(async () => {
  server = await startTestServer()
  owner = await server.signUp()
  shelf = librarian(server, owner)
})
afterAll(() => server.stop())
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  clients = []
})

interface Opened {
  client: Client
  changes: string[]
}

/** Connects a client that records the list changes that it receives. */
async function connect(token: string, { url = server.url, query = '' } = {}): Promise<Opened> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const changes: string[] = []
  client.setNotificationHandler('notifications/resources/list_changed', () => void changes.push('resources'))
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes.push('tools'))
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit }))
  clients.push(client)
  return { client, changes }
}

const RESOURCES = { resourcesListChanged: true }
const listen = ({ client }: Opened): Promise<McpSubscription> => client.listen(RESOURCES)

async function makeKey(): Promise<{ id: string; key: string }> {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'mcp', permissions: ['kb:read'] },
  })
  return body
}

/** Starts another app on the same services, which checks its listeners often. */
async function startApp() {
  const { services } = server.server
  const events = await createEvents(
    { ...services, findAudiences: createAudiences(services.database) },
    { heartbeatMs: CHECK_MS },
  )
  const { http } = await buildApp({ ...services, events, metrics: createMetrics() })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  return { url, events, stop: () => Promise.all([events.stop(), http.close()]) }
}

test('only the list of resources is honored, and a filter without it ends immediately', async () => {
  const opened = await connect(owner.token)
  const all = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourceSubscriptions: ['parley://documents/x'],
  }
  const subscription = await opened.client.listen({ ...all, ...RESOURCES })
  expect(subscription.honoredFilter).toEqual(RESOURCES)
  await subscription.close()
  const nothing = await opened.client.listen(all)
  expect([nothing.honoredFilter, await nothing.closed]).toEqual([{}, 'graceful'])
})

test('a caller without kb:read subscribes to nothing', async () => {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'mcp', permissions: ['agent:execute'] },
  })
  const subscription = await listen(await connect(body.key))
  expect([subscription.honoredFilter, await subscription.closed]).toEqual([{}, 'graceful'])
})

test('new and deleted documents and knowledge bases are announced, in this organization only', async () => {
  const other = await server.signUp()
  const [mine, foreign] = [await connect(owner.token), await connect(other.token)]
  await listen(mine)
  await listen(foreign)
  const changesAfter = async (count: number) => {
    await expect.poll(() => mine.changes.length, { timeout: WAIT_MS_MAX }).toBeGreaterThan(count)
    return mine.changes.length
  }
  const kb_id = await shelf.create({ name: 'Announced', sources: [textSource('One')] })
  await shelf.settle(kb_id)
  const indexed = await changesAfter(0)
  const { body } = await shelf.call('GET', 'get', { kb_id })
  await shelf.call('DELETE', 'delete_source', { kb_id, source_id: body.sources[0].id })
  const emptied = await changesAfter(indexed)
  await shelf.call('DELETE', 'delete', { kb_id })
  await changesAfter(emptied)
  expect(new Set(mine.changes)).toEqual(new Set(['resources']))
  expect(foreign.changes).toEqual([])
})

test(`a user has at most ${SUBSCRIPTIONS_MAX} subscriptions`, async () => {
  const opened = await connect(owner.token)
  const subscriptions: McpSubscription[] = []
  for (let count = 0; count < SUBSCRIPTIONS_MAX; count++) subscriptions.push(await listen(opened))
  await expect(listen(opened)).rejects.toThrow(`You already have ${SUBSCRIPTIONS_MAX} live connections.`)
  await subscriptions[0]?.close()
  await expect.poll(() => listen(opened).then(() => 'open', String)).toBe('open')
})

test('a deleted key and a lost role end the subscription, without an event', async () => {
  const app = await startApp()
  const { id, key } = await makeKey()
  const guest = await server.signUp()
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, owner.organizationId, guest.userId, 'guest')
  const query = `?org_id=${owner.organizationId}`
  const byKey = await listen(await connect(key, app))
  const byGuest = await listen(await connect(guest.token, { ...app, query }))
  const byOwner = await listen(await connect(owner.token, app))
  await server.call('DELETE', `/api/api_keys/delete?api_key_id=${id}`, { token: owner.token })
  expect(await byKey.closed).toBe('graceful')
  await sql`delete from memberships where user_id = ${guest.userId} and organization_id = ${owner.organizationId}`
  expect(await byGuest.closed).toBe('graceful')
  await app.stop()
  expect(await byOwner.closed).toBe('graceful')
})
