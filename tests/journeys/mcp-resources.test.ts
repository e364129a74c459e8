import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type AgentKeeper, agentKeeper } from '#tests/support/agents.ts'
import { getChat } from '#tests/support/chats.ts'
import { type Connector, mcpConnector } from '#tests/support/mcp/connector.ts'
import {
  type McpServerOptions,
  startMcpServer,
  type TestMcpServer,
  type TestResource,
  type TestTool,
} from '#tests/support/mcp/index.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Resources and files of MCP servers, and stopped replies. */

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const NOTES: TestResource = {
  uri: 'file:///notes.md',
  name: 'notes',
  mimeType: 'text/markdown',
  text: 'Roast on Tuesday.',
}
const PRICES: TestResource = {
  uri: 'file:///lists/prices.csv',
  name: 'prices.csv',
  mimeType: 'text/csv',
  blob: Buffer.from('coffee,4.20\ntea,3.10').toString('base64'),
}

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let owner: Connector
let keeper: AgentKeeper
let modelId: string
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  owner = await mcpConnector(server)
  keeper = await agentKeeper(server, owner.person)
  modelId = await server.addModel(owner.person, {
    provider: 'openai-compatible',
    version: 'emu',
    config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools', 'vision'] },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

/** Creates an agent with the tools of a separate server. */
async function agentWith(tool: TestTool['run'], options: McpServerOptions = {}) {
  const remote = await startMcpServer({ tools: [{ name: 'find', run: tool }], ...options })
  onTestFinished(() => remote.close())
  const id = await owner.connect(await owner.addServer(remote.url, { type: 'none' }))
  return { remote, id, agentId: await keeper.make({ model_id: modelId, mcp_instance_ids: [id] }) }
}

async function replyOf(agentId: string) {
  const query = { agent_id: agentId }
  const { chatId } = await server.say(owner.person, query, { content: 'TOOL:find={} THEN say: Found.' })
  return (await getChat(server, owner.person, chatId)).messages[1]
}

const readsOf = ({ seen }: TestMcpServer) => seen.filter(({ message }) => message === 'resources/read').length

const link = ({ uri, name }: Pick<TestResource, 'uri' | 'name'>) => ({
  type: 'resource_link' as const,
  uri,
  name,
})

test.each(['stateless', 'sessionful'] as const)(
  'linked resources of a %s server become text and files, and other links stay links',
  async (kind) => {
    const elsewhere = link({ uri: 'http://127.0.0.1:1/secret', name: 'elsewhere' })
    const content = [{ type: 'text', text: 'Two:' }, link(NOTES), link(PRICES), elsewhere]
    const { remote, agentId } = await agentWith(() => ({ content }), { kind, resources: [NOTES, PRICES] })
    const { tool_calls: calls, file_uploads: files } = await replyOf(agentId)
    const { uri, mimeType, text } = NOTES
    expect(calls[0].output).toEqual({
      result: {
        content: [
          { type: 'text', text: 'Two:' },
          { type: 'resource', name: 'notes', resource: { uri, mimeType, text } },
          {
            type: 'resource',
            name: 'prices.csv',
            resource: { uri: PRICES.uri, mimeType: 'text/csv', bytes: 20 },
          },
          elsewhere,
        ],
      },
      attachments: [
        { filename: 'prices.csv', bytes: 20, content_type: 'text/csv', text: 'coffee,4.20\ntea,3.10' },
      ],
    })
    expect(files).toMatchObject([{ filename: 'prices.csv', content_type: 'text/csv', text_extracted: true }])
    const { pathname, search } = new URL(files[0].url)
    expect((await server.call('GET', pathname + search)).text).toBe('coffee,4.20\ntea,3.10')
    expect(readsOf(remote)).toBe(3)
  },
)

test('embedded files are attached to the reply, and a model with vision sees the images', async () => {
  const { agentId } = await agentWith(() => ({
    content: [
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'x://a/tool.exe', blob: Buffer.from('MZ\0\0').toString('base64') },
      },
    ],
  }))
  const { tool_calls: calls, file_uploads: files } = await replyOf(agentId)
  expect(files).toMatchObject([{ filename: 'image.png', content_type: 'image/png' }])
  expect(calls[0].output.attachments).toEqual([
    { filename: 'image.png', bytes: 70, content_type: 'image/png' },
    { filename: 'tool.exe', bytes: 4, error: expect.stringContaining('type') },
  ])
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(PIXEL.slice(0, 40))
})

test('at most five links are read, and none from a server without resources', async () => {
  const content = Array.from({ length: 8 }, () => link(NOTES))
  const many = await agentWith(() => ({ content }), { resources: [NOTES] })
  const { tool_calls: calls } = await replyOf(many.agentId)
  const types = calls[0].output.content.map(({ type }: { type: string }) => type)
  expect(types).toEqual([...Array(5).fill('resource'), ...Array(3).fill('resource_link')])
  const none = await agentWith(() => ({ content }))
  await replyOf(none.agentId)
  expect([readsOf(many.remote), readsOf(none.remote)]).toEqual([5, 0])
})

test.each(['stateless', 'sessionful', 'sse'] as const)(
  'stopping a reply cancels the running call of a %s server',
  async (kind) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<void>()
    const run: TestTool['run'] = async (_input, { signal }) => {
      signal.addEventListener('abort', () => cancel())
      begin()
      await cancelled
      return { content: [] }
    }
    const { remote, agentId } = await agentWith(run, { kind })
    const { person } = owner
    const query = { agent_id: agentId, events: 'all' }
    const stream = await openMessage(server.url, person, query, { content: 'TOOL:find={}' })
    await begun
    const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${idsOf(stream).chatId}`
    expect((await server.call('POST', path, { token: person.token })).status).toBe(200)
    await cancelled
    // In protocol 2026-07-28, closing the response cancels the request.
    const notices = remote.seen.filter(({ message }) => message === 'notifications/cancelled').length
    expect(notices).toBe(kind === 'stateless' ? 0 : 1)
    await stream.take()
  },
)

describe('the resources of a connection', () => {
  const call = (method: string, path: string, id: string, body?: unknown, token = owner.person.token) =>
    server.call(method, `/api/mcp/${path}?mcp_instance_id=${id}`, { token, body })

  test('are listed, and become files for messages', async () => {
    const DATA = { uri: 'x://a/data.json', name: 'data', mimeType: 'application/json', text: '{"a":1}' }
    const { id } = await agentWith(() => ({ content: [] }), { resources: [NOTES, PRICES, DATA] })
    const list = await call('GET', 'resources', id)
    expect(list.body.resources[0]).toEqual({
      uri: NOTES.uri,
      name: 'notes',
      description: '',
      content_type: 'text/markdown',
      size: null,
    })
    const names = []
    for (const { uri } of list.body.resources) {
      const { status, body } = await call('POST', 'attach_resource', id, { uri })
      expect(status).toBe(201)
      names.push([body.filename, body.content_type, body.text_extracted])
      if (uri !== NOTES.uri) continue
      const message = { content: 'When?', file_uploads: [body.id] }
      await server.say(owner.person, { model_id: modelId }, message)
      expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(NOTES.text)
    }
    expect(names).toEqual([
      ['notes.md', 'text/markdown', true],
      ['prices.csv', 'text/csv', true],
      ['data.json.txt', 'text/plain', true],
    ])
  })

  test('that cannot be read get an error, and belong to the user of the connection', async () => {
    const { id, remote } = await agentWith(() => ({ content: [] }), { resources: [NOTES] })
    expect((await call('POST', 'attach_resource', id, { uri: 'file:///none' })).status).toBe(400)
    const stranger = await server.signUp()
    expect((await call('GET', 'resources', id, undefined, stranger.token)).status).toBe(404)
    await remote.close()
    const { status, body } = await call('GET', 'resources', id)
    expect([status, body.code]).toEqual([502, 'mcp.server_failed'])
    await owner.remove(id)
    expect((await call('GET', 'resources', id)).status).toBe(404)
  })
})
