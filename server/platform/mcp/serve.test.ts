import type { AddressInfo } from 'node:net'
import type { Client as ClientNow } from '@modelcontextprotocol/client'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fail } from '#errors'
import type { Client } from '#tests/clients/mcp-client.ts'
import { CLIENT_KINDS, type ClientKind, connectClient } from '#tests/support/mcp/clients.ts'
import { answerByFetch } from '../http/answer-by-fetch.ts'
import { McpHttpServer } from './serve.ts'
import { type McpServerDefinition, type ServedCall, unknownTool } from './server-definition.ts'

/** Tests the served protocol with third-party clients. */

const SCHEMA = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] }

let http: FastifyInstance
let url: URL
let reports: unknown[]
let hanging: AbortSignal[]
beforeEach(() => {
  reports = []
  hanging = []
})

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

async function call(name: string, input: Record<string, unknown>, { signal, onProgress }: ServedCall) {
  switch (name) {
    case 'echo':
      return { ...text(JSON.stringify(input)), structuredContent: input }
    case 'steps':
      for (let step = 1; step <= 3; step += 1)
        onProgress({ progress: step, total: 3, message: `Step ${step}` })
      return text('done')
    case 'flood':
      for (let step = 1; step <= 5_000; step += 1) onProgress({ progress: step, message: 'x'.repeat(5_000) })
      return text('done')
    case 'hang':
      hanging.push(signal)
      return new Promise<never>(() => {})
    case 'refuse':
      throw fail('mcp.instance_inactive')
    case 'break':
      throw new Error('the password is 1234')
    case 'nonsense':
      return { content: [{ type: 'text' }, 5] } as never
    case 'long':
      return text('x'.repeat(10_000_000))
    default:
      throw unknownTool(name)
  }
}

const NAMES = ['echo', 'steps', 'flood', 'hang', 'refuse', 'break', 'nonsense', 'long']
const definition: McpServerDefinition = {
  key: 'one',
  name: 'Test',
  instructions: 'Ask away.',
  capabilities: async () => ({ resources: { subscribe: true, listChanged: true } }),
  tools: async () => NAMES.map((name) => ({ name, description: `To ${name}`, inputSchema: SCHEMA })),
  callTool: call,
  async request(method, params) {
    if (method === 'resources/read') throw new Error('a secret')
    return { resources: [{ uri: 'test://a', name: JSON.stringify(params) }] }
  },
}

beforeAll(async () => {
  http = Fastify()
  const serving = new McpHttpServer({ error: (about: object) => reports.push(about), debug: () => {} })
  const addresses: Record<string, McpServerDefinition> = {
    '/mcp': definition,
    '/other': { ...definition, key: 'other' },
    '/down': { ...definition, capabilities: () => Promise.reject(fail('mcp.instance_inactive')) },
    '/tools': { key: 'tools', name: 'Tools', tools: definition.tools, callTool: call },
  }
  for (const [address, served] of Object.entries(addresses))
    http.route({
      method: ['GET', 'POST', 'DELETE'],
      url: address,
      handler: (request, reply) =>
        answerByFetch(request, reply, 'http://parley.test', serving.handler(served)),
    })
  await http.listen({ host: '127.0.0.1', port: 0 })
  url = new URL(`http://127.0.0.1:${(http.server.address() as AddressInfo).port}/mcp`)
})
afterAll(() => http.close())

const connect = (kind: ClientKind, path = '/mcp') => connectClient(kind, new URL(path, url))

const post = (message: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  })

describe.each(CLIENT_KINDS)('a client of the %s', (kind) => {
  let client: Client
  beforeAll(async () => {
    client = await connect(kind)
  })
  afterAll(() => client.close())

  test('sees name, instructions, capabilities and tools', async () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'Test', version: '1.0.0' })
    expect(client.getInstructions()).toBe('Ask away.')
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {} })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(NAMES)
    expect(tools[0]?.inputSchema).toEqual(SCHEMA)
  })

  test('calls a tool', async () => {
    const result = await client.callTool({ name: 'echo', arguments: { n: 1 } })
    expect(result).toMatchObject({ content: [{ text: '{"n":1}' }], structuredContent: { n: 1 } })
  })

  test('receives progress', async () => {
    const steps: unknown[] = []
    const call = { name: 'steps', arguments: {} }
    const onprogress = (step: unknown) => steps.push(step)
    expect(await client.callTool(call, undefined, { onprogress })).toMatchObject(text('done'))
    expect(steps).toEqual([1, 2, 3].map((n) => ({ progress: n, total: 3, message: `Step ${n}` })))
  })

  test('receives at most 1,000 progress notifications', async () => {
    let count = 0
    const onprogress = () => (count += 1)
    await client.callTool({ name: 'flood', arguments: {} }, undefined, { onprogress })
    expect(count).toBe(1_000)
  })

  test('can cancel a call and continue', async () => {
    const abort = new AbortController()
    const ended = client
      .callTool({ name: 'hang', arguments: {} }, undefined, { signal: abort.signal })
      .catch((error: Error) => error)
    await expect.poll(() => hanging.length).toBe(1)
    expect(hanging[0]?.aborted).toBe(false)
    abort.abort('enough')
    expect(await ended).toBeInstanceOf(Error)
    await expect.poll(() => hanging[0]?.aborted).toBe(true)
    expect((await client.listTools()).tools).toHaveLength(NAMES.length)
    expect(reports).toEqual([])
  })

  test.each([
    ['refuse', 'This connection is not active. Connect your account again.', 0],
    ['break', 'The server could not complete this request. Try again.', 1],
    ['nonsense', 'The tool returned an invalid result.', 0],
    ['long', 'The answer is longer than 8388608 characters.', 0],
  ])('sees a sentence if a tool fails: %s', async (name, words, reported) => {
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({ ...text(words), isError: true })
    expect(reports).toHaveLength(reported)
  })

  test('gets an error for an unknown tool', async () => {
    await expect(client.callTool({ name: 'x'.repeat(500), arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`Unknown tool: ${'x'.repeat(100)}`),
    })
  })

  test('has other requests passed on, without connection metadata', async () => {
    const { resources } = await client.listResources({ cursor: 'next' })
    expect(resources).toMatchObject([{ uri: 'test://a', name: '{"cursor":"next"}' }])
  })

  test('sees no details of an internal error', async () => {
    await expect(client.readResource({ uri: 'test://a' })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/The server could not complete this request\. Try again\.$/),
    })
    expect(reports).toHaveLength(1)
  })

  test('receives an error message if the connection cannot start', async () => {
    await expect(connect(kind, '/down')).rejects.toThrow(
      'This connection is not active. Connect your account again.',
    )
  })

  test('that disconnects cancels its calls', async () => {
    const leaving = await connect(kind)
    const ended = leaving.callTool({ name: 'hang', arguments: {} }).catch(() => {})
    await expect.poll(() => hanging.length).toBe(1)
    await leaving.close()
    await ended
    await expect.poll(() => hanging[0]?.aborted).toBe(true)
  })

  test('sees only tools if only tools are offered', async () => {
    const other = await connect(kind, '/tools')
    expect(other.getServerCapabilities()).toEqual({ tools: {} })
    await other.close()
  })
})

describe('the protocol', () => {
  const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'hang', arguments: {} } }
  const CANCEL = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }

  test.each<[string, Record<string, string>, string]>([
    ['another session', { 'mcp-session-id': 'b' }, '/mcp'],
    ['another user', { 'mcp-session-id': 'a' }, '/other'],
  ])('does not let %s cancel a call', async (_who, headers, path) => {
    const answer = post(CALL, { 'mcp-session-id': 'a' })
    await expect.poll(() => hanging.length).toBe(1)
    expect((await post(CANCEL, headers, path)).status).toBe(202)
    expect(hanging[0]?.aborted).toBe(false)
    expect((await post(CANCEL, { 'mcp-session-id': 'a' })).status).toBe(202)
    expect(await (await answer).text()).not.toContain('"id":7')
    expect(hanging[0]?.aborted).toBe(true)
  })

  test('does not start work for a client that left before authentication', async () => {
    const late = Fastify()
    const [begun, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    late.post('/mcp', async (request, reply) => {
      reply.raw.once('close', () => gone.resolve())
      begun.resolve()
      await gone.promise
      await answerByFetch(request, reply, 'http://parley.test', async ({ signal }) => {
        hanging.push(signal)
        return new Response('{}')
      })
    })
    const address = await late.listen({ host: '127.0.0.1', port: 0 })
    const leaving = new AbortController()
    const answered = fetch(`${address}/mcp`, { method: 'POST', signal: leaving.signal }).catch(() => 'left')
    await begun.promise
    leaving.abort()
    expect(await answered).toBe('left')
    await expect.poll(() => hanging[0]?.aborted).toBe(true)
    await late.close()
  })

  test.each(['GET', 'DELETE'])('does not support %s', async (method) => {
    const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  test('limits a batch to 20 messages', async () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
    const some = await post(Array.from({ length: 20 }, (_, id) => ping(id)))
    expect((await some.text()).match(/"result":\{\}/g)).toHaveLength(20)
    const many = await post(Array.from({ length: 21 }, (_, id) => ping(id)))
    expect(many.status).toBe(400)
    expect(await many.json()).toMatchObject({ error: { code: -32600 } })
  })

  test.each<[string, unknown, number]>([
    ['a message that is not JSON-RPC', { hello: 1 }, 400],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'tools/destroy' }, 200],
    ['a call without parameters', { jsonrpc: '2.0', id: 1, method: 'tools/call' }, 200],
    [
      'a call with invalid parameters',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 5 } },
      200,
    ],
  ])('refuses %s without internal details', async (_what, message, status) => {
    const response = await post(message)
    expect(response.status).toBe(status)
    const answer = await response.text()
    expect(answer).toMatch(/"error":\{"code":-32[67]\d\d/)
    expect(answer).not.toMatch(/\.ts|\.mjs|node_modules|"stack"/)
  })

  test('acknowledges nothing and ends a subscription if the definition has nothing to watch', async () => {
    const client = (await connect('SDK 2, any')) as unknown as ClientNow
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    const subscription = await client.listen({ toolsListChanged: true, resourcesListChanged: true })
    expect([subscription.honoredFilter, await subscription.closed]).toEqual([{}, 'graceful'])
    await client.close()
  })
})
