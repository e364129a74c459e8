import { expect, test } from 'vitest'
import { McpHttpServer } from './serve.ts'
import type { McpServerDefinition } from './server-definition.ts'

const definition: McpServerDefinition = {
  key: 'one',
  name: 'Test',
  tools: async () => [],
  async callTool(_name, _input, { onProgress }) {
    for (let progress = 1; progress <= 3; progress += 1) onProgress({ progress })
    return { content: [{ type: 'text', text: 'line one\nline two' }] }
  },
}
const handler = new McpHttpServer({ error: () => {}, debug: () => {} }).handler(definition)

const PING = { jsonrpc: '2.0', id: 'seven', method: 'ping' }
const CALL = {
  ...PING,
  method: 'tools/call',
  params: { name: 'steps', arguments: {}, _meta: { progressToken: 1 } },
}

async function ask(accept: string | null, message: unknown = PING) {
  const headers = { 'content-type': 'application/json', ...(accept !== null && { accept }) }
  const response = await handler(new Request('http://parley.test/mcp', { method: 'POST', headers }), message)
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: await response.text(),
  }
}

const messagesOf = (body: string) =>
  [...body.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''))

test.each([
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['application/*', 'json'],
  ['*/*', 'json'],
  ['*/*;q=0.1', 'json'],
  ['', 'json'],
  [null, 'json'],
  ['text/html, */*;q=0.1', 'json'],
  ['application/json, text/event-stream;q=0', 'json'],
  ['application/json;q=0.001, text/plain', 'json'],
  ['text/event-stream', 'events'],
  ['text/*', 'events'],
  ['TEXT/EVENT-STREAM;q=0.4', 'events'],
  ['application/json;q=0, text/event-stream', 'events'],
  ['application/json;q=0, */*', 'events'],
  ['application/*;q=0, text/*', 'events'],
  ['application/json, text/event-stream', 'either'],
  ['text/event-stream;q=0.9,application/json;q=0.1', 'either'],
  ['text/event-stream, */*', 'either'],
])('Accept %j gets the result as %s', async (accept, form) => {
  for (const message of [PING, CALL]) {
    const { status, type, body } = await ask(accept, message)
    expect(status).toBe(200)
    const isEvents = type.startsWith('text/event-stream')
    if (form !== 'either') expect(isEvents).toBe(form === 'events')
    if (!isEvents) expect(type).toMatch(/^application\/json/)
    const answers = isEvents ? messagesOf(body) : [JSON.parse(body)]
    expect(answers.at(-1)).toMatchObject({ jsonrpc: '2.0', id: 'seven', result: {} })
    if (isEvents && message === CALL) expect(answers).toHaveLength(4)
  }
})

test.each([
  'text/html',
  'image/*',
  'application/json;q=0',
  'text/event-stream;q=0',
  '*/*;q=0',
  'text/html, a/b',
])('Accept %j gets 406', async (accept) => {
  const { status, body } = await ask(accept)
  expect(status).toBe(406)
  expect(JSON.parse(body)).toMatchObject({ id: 'seven', error: { code: -32600 } })
})

test('a batch is a JSON list', async () => {
  const { body } = await ask('application/json', [
    { ...PING, id: 1 },
    { ...CALL, id: 2 },
  ])
  expect(
    JSON.parse(body)
      .map(({ id }: { id: number }) => id)
      .sort(),
  ).toEqual([1, 2])
  expect(JSON.parse((await ask('*/*', [PING])).body)).toMatchObject([{ id: 'seven' }])
})

test.each(['application/json', 'text/event-stream', '*/*'])(
  'with Accept %j, errors have the accepted form',
  async (accept) => {
    const { type, body } = await ask(accept, { ...PING, method: 'tools/destroy' })
    const isEvents = accept.startsWith('text')
    expect(type.startsWith('text/event-stream')).toBe(isEvents)
    expect(isEvents ? messagesOf(body)[0] : JSON.parse(body)).toMatchObject({ error: { code: -32601 } })
    const notified = await ask(accept, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([notified.status, notified.body]).toEqual([202, ''])
  },
)

test('a request of 2026-07-28 gets the accepted form too', async () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = { ...PING, method: 'tools/list', params: { _meta: meta } }
  for (const accept of ['application/json', 'text/event-stream', '*/*']) {
    const headers = {
      'content-type': 'application/json',
      accept,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    }
    const request = new Request('http://parley.test/mcp', { method: 'POST', headers })
    const response = await handler(request, message)
    const body = await response.text()
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([
      200,
      accept === 'text/event-stream' ? accept : 'application/json',
    ])
    expect(body).toContain('"tools":[]')
  }
})
