import { afterAll, beforeAll, expect, test } from 'vitest'
import { titledChat } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { askForToken, create, makeAgent, talk, visit } from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { mailTo } from '#tests/support/mail.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer } from '#tests/support/mcp/index.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { StreamReader } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import {
  liftSuspension,
  SUSPENSION_REASON as REASON,
  suspend as suspendAt,
} from '#tests/support/suspension.ts'
import { administratorToken, createOrganization } from '#tests/support/tenants.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** The system administrator suspends an organization: its members read and export, and nothing else runs. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const suspend = ({ organizationId }: Person) => suspendAt(server, organizationId)
const lift = ({ organizationId }: Person) => liftSuspension(server, organizationId)

const codeOf = ({ status, body }: Answer) => [status, body.code]
const SUSPENDED = [403, 'access.organization_suspended']

/** A request of an MCP client. */
const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const ACCEPT = { accept: 'application/json, text/event-stream' }

const modelOf = (person: Person, version: string) =>
  server.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1` },
  })

/** Returns a caller of the person's personal organization, with a key of it. */
async function prepare() {
  const person = await server.signUp()
  const inOrg = (path: string) => `${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`
  const call = (method: string, path: string, body?: unknown, token = person.token) =>
    server.call(method, inOrg(path), { token, body })
  const key = await call('POST', '/api/api_keys/create', { name: 'Key', permissions: ['*:*'] })
  return { person, call, key: key.body.key as string }
}

test('members read and export, see the reason, and send nothing until it is lifted', async () => {
  const { person, call, key } = await prepare()
  const chat_id = await titledChat(server, person)
  const model_id = await modelOf(person, 'emu-n3')
  const say = (content: string) =>
    call('POST', `/api/chat/send_message?chat_id=${chat_id}&model_id=${model_id}`, { content })
  expect((await say('Hello')).status).toBe(200)
  await suspend(person)

  const organization = (await server.call('GET', '/api/org/list', { token: person.token })).body.data[0]
  expect(organization.suspension).toEqual({ reason: REASON, suspended_at: expect.any(String) })
  const chat = await call('GET', `/api/chat?chat_id=${chat_id}`)
  expect(chat.body.messages.length).toBe(2)
  for (const path of [
    '/api/agents/list',
    '/api/org/export',
    `/api/chat/export?chat_id=${chat_id}`,
    '/api/audit/list',
  ])
    expect([path, (await call('GET', path)).status]).toEqual([path, 200])

  const refused = await say('Are you there?')
  expect(codeOf(refused)).toEqual(SUSPENDED)
  expect(refused.body.detail).toContain(REASON)
  const messages = [{ role: 'user', content: 'Hello' }]
  const asked = { model: 'emu-n3', messages, max_tokens: 10 }
  const openai = await server.call('POST', '/openai/v1/chat/completions', { token: key, body: asked })
  expect([openai.status, openai.body.error.code]).toEqual(SUSPENDED)
  expect((await server.call('GET', '/openai/v1/models', { token: key })).status).toBe(200)
  const anthropic = await server.call('POST', '/anthropic/v1/messages', { token: key, body: asked })
  expect([anthropic.status, anthropic.body.error.message]).toEqual([403, expect.stringContaining(REASON)])
  const mcp = await server.call('POST', '/mcp', { token: key, body: LIST_TOOLS, headers: ACCEPT })
  expect(mcp.status).toBe(403)

  await lift(person)
  expect((await say('Are you there?')).status).toBe(200)
  expect(
    (await server.call('GET', '/api/org/list', { token: person.token })).body.data[0].suspension,
  ).toBeNull()
  const { data: entries } = (await call('GET', '/api/audit/list?record_type=organization')).body
  const isAboutSuspension = ({ action }: { action: string }) => action.includes('suspen')
  expect(entries.filter(isAboutSuspension)).toMatchObject([
    { action: 'organization.suspension_lifted', before: { reason: REASON }, after: null },
    { action: 'organization.suspended', before: null, after: { reason: REASON } },
  ])
})

test("the person's other organizations work, but get no credits from the suspended one", async () => {
  const { person } = await prepare()
  const { organizationId: otherId } = await createOrganization(server, person, { credits: 100 })
  const chat = (id: string) =>
    server.call('POST', `/api/chat?org_id=${id}`, { token: person.token, body: { title: 'Chat' } })
  const { id: mine } = (await chat(person.organizationId)).body
  const { id: theirs } = (await chat(otherId)).body
  await suspend(person)
  expect((await chat(otherId)).status).toBe(201)
  const transfer = { from_org: person.organizationId, to_org: otherId, amount: 5 }
  expect(
    codeOf(await server.call('POST', '/api/billing/transfer', { token: person.token, body: transfer })),
  ).toEqual(SUSPENDED)
  const again = `/api/org/create_org?name=${crypto.randomUUID()}&credits=1`
  expect(codeOf(await server.call('POST', again, { token: person.token }))).toEqual(SUSPENDED)
  const remove = (id: string, query = '') =>
    server.call('POST', `/api/chat/bulk_delete_sessions${query}`, {
      token: person.token,
      body: { chat_ids: [id] },
    })
  expect(codeOf(await remove(mine, `?org_id=${person.organizationId}`))).toEqual(SUSPENDED)
  await Promise.all([remove(mine), remove(theirs)])
  const readChat = (id: string, org_id: string) =>
    server.call('GET', `/api/chat?chat_id=${id}&org_id=${org_id}`, { token: person.token })
  expect((await readChat(mine, person.organizationId)).status).toBe(200)
  expect((await readChat(theirs, otherId)).status).toBe(404)
})

test('visitors and the keys of deployments are refused without the reason', async () => {
  const { person } = await prepare()
  const agentId = await makeAgent(server, person, provider)
  const { body: widget } = await create(server, person, agentId, { deployment_type: 'widget' })
  const { body: api } = await create(server, person, agentId)
  const visitor = await visit(server, widget)
  await suspend(person)
  const closed = [403, 'deployment.suspended']
  const chat = await talk(server, visitor, { content: 'Hello' })
  expect(codeOf(chat)).toEqual(closed)
  expect(chat.body.detail).not.toContain(REASON)
  expect(codeOf(await askForToken(server, widget.id))).toEqual(closed)
  expect(codeOf(await talk(server, api.api_key, { content: 'Hello' }))).toEqual(closed)
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = { model: agentId, messages }
  const openai = await server.call('POST', '/openai/v1/chat/completions', { token: api.api_key, body })
  expect([openai.status, openai.body.error.code]).toEqual(closed)
  expect((await server.call('GET', `/embed/${widget.id}`)).status).toBe(403)
  await lift(person)
  expect((await talk(server, visitor, { content: 'Hello' })).status).toBe(200)
})

test('other organizations find neither its public agents nor its public tools', async () => {
  const { person } = await prepare()
  const agent_id = await makeAgent(server, person, provider, 'emu-n3', { is_public: true })
  const name = crypto.randomUUID()
  const tool_id = await toolsmith(server, person).make({ fields: { name, is_public: true } })
  const { person: other, call } = await prepare()
  const found = async () => [
    (await call('GET', `/api/agents/get?agent_id=${agent_id}`)).status,
    (await call('GET', `/api/tools?tool_id=${tool_id}`)).status,
    (await server.call('GET', `/api/tools/list_all?q=${name}`, { token: other.token })).body.data.length,
  ]
  const ask = () => server.say(other, { agent_id }, { content: 'Hello' })
  await ask()
  expect(await found()).toEqual([200, 200, 1])
  await suspend(person)
  await expect(ask()).rejects.toThrow(/Agent not found/)
  expect(await found()).toEqual([404, 404, 0])
})

test('the gateway URLs of its MCP connections are refused', async () => {
  const { person } = await prepare()
  const connector = await mcpConnector(server, person)
  const mcpServer = await startMcpServer()
  const server_id = await connector.addServer(mcpServer.url, { type: 'none' })
  const { body } = await server.call('POST', '/api/mcp/generate_url', {
    token: person.token,
    body: { server_id, session_id: await connector.connect(server_id) },
  })
  const { pathname, search } = new URL(body.mcp_url)
  const listTools = () => server.call('POST', pathname + search, { body: LIST_TOOLS, headers: ACCEPT })
  await suspend(person)
  const refused = await listTools()
  expect(codeOf(refused)).toEqual(SUSPENDED)
  expect(refused.body.detail).toContain(REASON)
  await lift(person)
  expect((await listTools()).status).toBe(200)
  await mcpServer.close()
})

test.each([
  ['finishes', 'complete'],
  ['can be stopped', 'stopped'],
])('a reply in progress %s, and is charged', async (_, status) => {
  const { person, call } = await prepare()
  const chat_id = await titledChat(server, person)
  const model_id = await modelOf(person, status === 'complete' ? 'emu-n10-gap50' : 'emu-n2000-gap20')
  const query = new URLSearchParams({ org_id: person.organizationId, chat_id, model_id })
  const reply = await StreamReader.open(`${server.url}/api/chat/send_message?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Hello' }),
  })
  await reply.next()
  await suspend(person)
  if (status === 'stopped') expect((await call('POST', `/api/chat/stop?chat_id=${chat_id}`)).status).toBe(200)
  await expect
    .poll(async () => (await call('GET', `/api/chat?chat_id=${chat_id}`)).body.messages.at(-1).status)
    .toBe(status)
  const { data: entries } = (await call('GET', '/api/billing/ledger')).body
  expect(entries[0].kind).toBe('DEBIT')
})

test('its knowledge bases index nothing until it is lifted', async () => {
  const [{ person }, { person: other }] = [await prepare(), await prepare()]
  const [library, otherLibrary] = [librarian(server, person), librarian(server, other)]
  const kbId = await library.create({ sources: [textSource('Whales')] })
  const otherId = await otherLibrary.create({ sources: [textSource('Otters')] })
  await Promise.all([library.settle(kbId), otherLibrary.settle(otherId)])
  await suspend(person)
  const { sql } = server.server.services.database
  await sql`
    update kb_documents set status = 'pending' where kb_id in (${kbId}, ${otherId})`
  const statusOf = async (id: string) => {
    const [row] = await sql<{ status: string }[]>`select status from kb_documents where kb_id = ${id}`
    return row?.status
  }
  await expect.poll(() => statusOf(otherId), { timeout: 60_000 }).toBe('ready')
  expect(await statusOf(kbId)).toBe('pending')
  await lift(person)
  // A new source is indexed immediately, with the documents that wait.
  await library.add(kbId, 'text', textSource('Seals').config)
  expect(await library.settle(kbId)).toMatchObject({ documents: { ready: 2, pending: 0 } })
})

test('owners get an email with the reason, and another when it is lifted; unknown organizations are not found', async () => {
  const { person } = await prepare()
  await suspend(person)
  expect((await mailTo(server, person.email, 'was suspended')).text).toContain(REASON)
  await lift(person)
  await mailTo(server, person.email, 'is no longer suspended')
  const token = await administratorToken(server)
  const nowhere = `/api/org/suspend?org_id=${crypto.randomUUID()}`
  expect((await server.call('POST', nowhere, { token, body: { reason: REASON } })).status).toBe(404)
  expect((await server.call('POST', nowhere, { token, body: { reason: ' ' } })).status).toBe(400)
})
