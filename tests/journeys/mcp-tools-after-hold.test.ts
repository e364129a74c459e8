import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { Client, StreamableHTTPClientTransport } from '#tests/clients/mcp-client.ts'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { makeAgent } from '#tests/support/deployments.ts'
import { startAddressedServer } from '#tests/support/mcp/connecting.ts'
import { mcpConnector } from '#tests/support/mcp/connector.ts'
import { startMcpServer, type TestMcpServer } from '#tests/support/mcp/index.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import type { TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

/** Servers of an agent's shared connections are called only for messages that have a hold. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let remote: TestMcpServer
let hangs: { asked: () => void; left: () => void } | null = null
beforeAll(async () => {
  provider = await startProvider()
  server = await startAddressedServer({ STARTING_CREDITS: '0' })
  remote = await startMcpServer({
    before(_request, response, message) {
      if (hangs === null || message !== 'tools/list') return false
      response.on('close', hangs.left)
      hangs.asked()
      return true
    },
  })
})
afterAll(async () => {
  await server.stop()
  await remote.close()
  await provider.close()
})
afterEach(() => {
  hangs = null
})

/** Creates a person with an agent that has a shared connection. */
async function makeOwner(credits: number, version = 'emu') {
  const { person, addServer, connect } = await mcpConnector(server)
  const instanceId = await connect(await addServer(remote.url, { type: 'none' }))
  const agentId = await makeAgent(server, person, provider, version, { mcp_instance_ids: [instanceId] })
  if (credits > 0)
    await server.call('POST', '/api/billing/credits', {
      token: await administratorToken(server),
      body: { organization_id: person.organizationId, amount: credits, reason: 'test' },
    })
  return { person, agentId }
}

const send = (
  { organizationId, token }: Person,
  query: Record<string, string>,
  body: object = { content: 'Hi' },
) =>
  server.call('POST', `/api/chat/send_message?${new URLSearchParams({ org_id: organizationId, ...query })}`, {
    token,
    body,
  })

const complete = (token: string, body: object) =>
  server.call('POST', '/openai/v1/chat/completions', { token, body })

async function makeKey({ organizationId, token }: Person): Promise<string> {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
    token,
    body: { name: 'key', permissions: ['agent:execute', 'chats:write'] },
  })
  return body.key
}

async function callByMcp(key: string, message: string): Promise<string> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }) as never,
  )
  try {
    const name = (await client.listTools()).tools.find(({ inputSchema }) =>
      inputSchema.required?.includes('message'),
    )?.name
    return JSON.stringify(await client.callTool({ name: name ?? '', arguments: { message } }))
  } finally {
    await client.close()
  }
}

/** Makes the server hang on tools/list from now on. */
function hang() {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  hangs = { asked: asked.resolve, left: left.resolve }
  return { asked: asked.promise, left: left.promise }
}

test('a refused message requests no server: without credits, with invalid input, in a busy chat', async () => {
  const { person, agentId } = await makeOwner(0)
  const key = await makeKey(person)
  const before = remote.seen.length
  expect((await send(person, { agent_id: agentId })).status).toBe(402)
  expect((await send(person, { agent_id: agentId }, {})).status).toBe(400)
  expect((await send(person, { agent_id: agentId, chat_id: crypto.randomUUID() })).status).toBe(404)
  const messages = [{ role: 'user', content: 'Hi' }]
  expect((await complete(key, { model: agentId, messages })).status).toBe(402)
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  expect((await complete(key, { model: agentId, messages, tools })).status).toBe(400)
  expect(await callByMcp(key, 'Hi')).toContain('nsufficient credits')
  expect(remote.seen).toHaveLength(before)

  const rich = await makeOwner(1_000, 'emu-n3-hang')
  const query = { agent_id: rich.agentId, events: 'all' }
  const stream = await openMessage(server.url, rich.person, query, { content: 'Hi' })
  await stream.take(1)
  const { chatId } = idsOf(stream)
  await expect.poll(() => provider.stats.open).toBeGreaterThan(0)
  const asked = remote.seen.length
  expect((await send(rich.person, { agent_id: rich.agentId, chat_id: chatId })).status).toBe(409)
  expect(remote.seen).toHaveLength(asked)
  await server.call('POST', `/api/chat/stop?org_id=${rich.person.organizationId}&chat_id=${chatId}`, {
    token: rich.person.token,
  })
})

test('a paying caller has the tools in a chat, the OpenAI API and MCP', async () => {
  const { person, agentId } = await makeOwner(1_000)
  const content = 'TOOL:echo={"text":"over there"} THEN say: Done.'
  const { chatId, text } = await server.say(person, { agent_id: agentId }, { content })
  expect(text).toBe('Done.')
  const [, reply] = (await getChat(server, person, chatId)).messages
  expect(reply.tool_calls).toMatchObject([
    { name: 'echo', output: { result: 'over there' }, successful: true },
  ])
  const key = await makeKey(person)
  const messages = [{ role: 'user', content }]
  const { body } = await complete(key, { model: agentId, messages })
  expect(body.choices[0].message.content).toBe('Done.')
  expect(await callByMcp(key, content)).toContain('Done.')
  expect(remote.seen.filter(({ message }) => message === 'tools/call')).toHaveLength(3)
})

test('a reply that waits for a server is streaming, and stopping it ends the wait', async () => {
  const { person, agentId } = await makeOwner(1_000)
  const { asked, left } = hang()
  const requests = provider.requests.length
  const query = { agent_id: agentId, events: 'all' }
  const stream = await openMessage(server.url, person, query, { content: 'Hi' })
  expect((await stream.next())?.event).toBe('meta')
  await asked
  const { chatId } = idsOf(stream)
  const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`
  expect((await server.call('POST', path, { token: person.token })).status).toBe(200)
  expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
  await left
  const [, reply] = (await getChat(server, person, chatId)).messages
  expect(reply).toMatchObject({ status: 'stopped', content: '' })
  expect(kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'RELEASE'])
  expect(provider.requests).toHaveLength(requests)
})

test('the history is cut to fit beside the known tools', async () => {
  const { person, agentId } = await makeOwner(1_000_000)
  const { sql } = server.server.services.database
  const config = JSON.stringify({ base_url: `${provider.url}/v1`, context_window: 16_000 })
  await sql`
    update llm_models set config = ${config}::text::jsonb
    where id = (select model_id from agents where id = ${agentId})`
  const { chatId } = await server.say(person, { agent_id: agentId }, { content: 'word '.repeat(8_000) })
  const historyOf = async () => {
    const query = { agent_id: agentId, chat_id: chatId, events: 'all' }
    const { events } = await server.say(person, query, { content: 'And now?' })
    return events.find(({ event }) => event === 'meta')?.data['history']
  }
  expect(await historyOf()).toEqual({ sent: 2, left_out: 0 })
  const long = JSON.stringify([{ name: 'echo', description: 'x'.repeat(40_000), input_schema: {} }])
  await sql`update mcp_instances set tools = ${long}::text::json where user_id = ${person.userId}`
  // The reply goes with its question, because a history begins with a question.
  expect(await historyOf()).toMatchObject({ left_out: 2 })
})

test('an OpenAI client that disconnects ends the wait, and is not charged', async () => {
  const { person, agentId } = await makeOwner(1_000)
  const { asked, left } = hang()
  const leaving = new AbortController()
  const answer = fetch(`${server.url}/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await makeKey(person)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: agentId, messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    signal: leaving.signal,
  })
  const reading = answer.then((response) => response.text())
  await asked
  leaving.abort()
  await expect(reading).rejects.toThrow()
  await left
  await expect.poll(async () => kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'RELEASE'])
})
