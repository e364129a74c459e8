import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'
import {
  beginEvents,
  type HostileRequest,
  sendJson,
  startHostileServer,
  type Tricks,
} from '#tests/support/mcp/hostile.ts'
import { listen, startMcpServer, textResult } from '#tests/support/mcp/index.ts'
import { type McpConnection, McpConnections } from './connection.ts'
import { McpError } from './mcp-error.ts'

const FOREVER = new AbortController().signal
const MEGABYTE = 1024 * 1024

/**
 * Returns a client for which host names ending in .example resolve to this machine. The client can reach no other
 * host.
 */
function client() {
  const net = createNet({
    allowPrivateNetwork: ['127.0.0.1/32'],
    resolveName: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
  onTestFinished(async () => {
    await connections.close()
    await net.close()
  })
  return {
    connections,
    open: (url: string): Promise<McpConnection> =>
      connections.open(
        { key: url, url, net: 'guarded', headers: async () => ({ 'x-secret': 'a' }) },
        FOREVER,
      ),
  }
}

async function open(tricks: Tricks) {
  const server = await startHostileServer(tricks)
  onTestFinished(() => server.close())
  const { connections, open } = client()
  return { server, connections, connection: await open(server.url) }
}

const call = (connection: McpConnection, timeoutMs = 10_000) =>
  connection.callTool('any', {}, { signal: FOREVER, timeoutMs })

async function failure(promise: Promise<unknown>): Promise<McpError> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(McpError)
  return error as McpError
}

describe('addresses', () => {
  test.each([
    ['http://169.254.169.254/latest/meta-data/'],
    ['http://127.0.0.2:9/'],
    ['http://[::ffff:7f00:2]:9/'],
    ['http://0x7f.2/'],
    ['file:///etc/passwd'],
  ])('like %s are refused', async (url) => {
    expect((await failure(client().open(url))).kind).toBe('refused')
  })

  test.each([301, 302, 303, 307, 308])(
    'behind a %i redirect to a private host are refused',
    async (status) => {
      let reached = 0
      const inside = await listen((_request, response) => {
        reached++
        response.end()
      })
      const server = await startHostileServer({
        '*': ({ response }) => response.writeHead(status, { location: `${inside.url}/mcp` }).end(),
      })
      onTestFinished(async () => {
        await server.close()
        await inside.close()
      })
      const url = server.url.replace('127.0.0.1', 'tools.example')
      expect((await failure(client().open(url))).kind).toBe('refused')
      expect(reached).toBe(0)
    },
  )

  test('of cloud metadata are refused, also as a redirect during a call', async () => {
    const { connection } = await open({
      'tools/call': ({ response }) =>
        response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    })
    expect((await failure(call(connection))).kind).toBe('refused')
  })

  test('that redirect within the origin are followed', async () => {
    const server = await startMcpServer({
      before(request, response) {
        if (request.url !== '/mcp') return false
        response.writeHead(307, { location: '/mcp/' }).end()
        return true
      },
    })
    onTestFinished(() => server.close())
    const connection = await client().open(server.url)
    expect((await connection.callTool('echo', { text: 'moved' }, { signal: FOREVER })).output).toBe('moved')
  })

  test('that redirect endlessly are refused', async () => {
    const { server, connection } = await open({
      'tools/call': ({ response }) => response.writeHead(307, { location: '/mcp' }).end(),
    })
    expect((await failure(call(connection))).kind).toBe('refused')
    expect(server.asked.length).toBeLessThan(20)
  })

  test('of another origin are refused as the message endpoint of an SSE server', async () => {
    let reached = 0
    const inside = await listen((_request, response) => {
      reached++
      response.end()
    })
    const server = await listen((request, response) => {
      if (request.method !== 'GET') return response.writeHead(405).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: endpoint\ndata: ${inside.url}/messages\n\n`)
      return response
    })
    onTestFinished(async () => {
      await server.close()
      await inside.close()
    })
    await failure(client().open(`${server.url}/sse`))
    expect(reached).toBe(0)
  })
})

describe('response sizes', () => {
  test('of 10 MB are truncated to 1 MB for the model, with a note', async () => {
    const { connection } = await open({
      'tools/call': ({ result }) => result(textResult('é'.repeat(5 * MEGABYTE))),
    })
    const { output, raw } = await call(connection)
    expect(Buffer.byteLength(String(output))).toBeLessThan(MEGABYTE + 200)
    expect(String(output)).toMatch(/^é{1000}[\s\S]*\[Truncated: the result has 10485760 bytes/)
    expect(JSON.stringify(raw).length).toBeLessThan(9 * MEGABYTE)
  })

  test('of structured results are truncated like text', async () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: 'a name of some length' }))
    const { connection } = await open({
      'tools/call': ({ result }) => result({ content: [], structuredContent: { rows } }),
    })
    expect((await call(connection)).output).toMatch(/^\{"rows":\[\{"id":0[\s\S]*\[Truncated/)
  })

  test.each(['application/json', 'text/event-stream'])('of 20 MB are refused as %s', async (type) => {
    const cut = Promise.withResolvers<void>()
    const { connection } = await open({
      'tools/call': ({ response }) => {
        response.once('close', () => cut.resolve())
        response.writeHead(200, { 'content-type': type })
        response.write('data: {"jsonrpc":"2.0","result":"')
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(MEGABYTE)));
        }
        response.on('drain', more)
        more()
      },
    })
    expect((await failure(call(connection))).kind).toBe('too_large')
    await cut.promise
  })

  test('do not grow by decompression', async () => {
    const { connection } = await open({
      'tools/call': ({ response }) =>
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(64 * MEGABYTE, ' '))),
    })
    expect((await failure(call(connection))).kind).toBe('protocol')
  })

  test('are limited for a flood of notifications', async () => {
    const { connection } = await open({
      'tools/call': ({ response }) => {
        const add = beginEvents(response)
        const params = { level: 'info', data: 'x'.repeat(10_000) }
        const more = (): void => {
          while (!response.destroyed && add({ jsonrpc: '2.0', method: 'notifications/message', params }));
        }
        response.on('drain', more)
        more()
      },
    })
    expect((await failure(call(connection))).kind).toBe('too_large')
  })

  test('are limited for a flood of requests', async () => {
    const { server, connection } = await open({
      'tools/call': ({ id, response }) => {
        const add = beginEvents(response)
        for (let ping = 0; ping < 5_000; ping++) add({ jsonrpc: '2.0', id: `ping ${ping}`, method: 'ping' })
        add({ jsonrpc: '2.0', id, result: textResult('done') })
        response.end()
      },
    })
    await call(connection).catch(() => {})
    expect(server.asked.length).toBeLessThan(150)
  })
})

describe('response times', () => {
  test.each(['application/json', 'text/event-stream'])('are limited for a slow %s response', async (type) => {
    const cut = Promise.withResolvers<void>()
    const { connection } = await open({
      'tools/call': ({ response }) => {
        response.once('close', () => cut.resolve())
        response.writeHead(200, { 'content-type': type })
        const drip = setInterval(() => response.write(type === 'application/json' ? ' ' : ':\n\n'), 5)
        response.once('close', () => clearInterval(drip))
      },
    })
    expect((await failure(call(connection, 200))).kind).toBe('timeout')
    await cut.promise
  })

  test('are limited for a stream that breaks again and again', async () => {
    const cut: Tricks[string] = ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('id: 1\nretry: 0\ndata: \n\n')
    }
    const { server, connection } = await open({ 'tools/call': cut, GET: cut })
    await failure(call(connection, 3_000))
    expect(server.asked.length).toBeLessThan(30)
  })
})

describe('invalid responses', () => {
  const ANSWERS: [string, Tricks[string]][] = [
    [
      'invalid JSON',
      ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc"'),
    ],
    [
      'another id',
      ({ response }) => sendJson(response, { jsonrpc: '2.0', id: 'other', result: textResult('a') }),
    ],
    ['a missing result', ({ response, id }) => sendJson(response, { jsonrpc: '2.0', id })],
    ['a web page', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['an empty body', ({ response }) => response.writeHead(202).end()],
    [
      'a stream without a response',
      ({ response }) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    ],
    ['an invalid result', ({ result }) => result('text')],
    [
      'deeply nested brackets',
      ({ response }) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('['.repeat(MEGABYTE)),
    ],
    [
      'an error response',
      ({ response, id }) =>
        sendJson(response, { jsonrpc: '2.0', id, error: { code: -32_602, message: 'Bad\u202E input' } }),
    ],
  ]

  test.each(ANSWERS)('%s is a protocol error', async (_name, answer) => {
    const { connection } = await open({ 'tools/call': answer as Tricks[string] })
    const { kind, message } = await failure(call(connection))
    expect(kind).toBe('protocol')
    expect(message).not.toMatch(/\p{Cf}/u)
  })

  test('content of an unknown type is passed on', async () => {
    const { connection } = await open({
      'tools/call': ({ result }) => result({ content: [{ type: 'hologram', data: 'aGVsbG8=', depth: 3 }] }),
    })
    expect((await call(connection)).output).toEqual({ content: [{ type: 'hologram', depth: 3, bytes: 5 }] })
  })

  test('a cut socket is reported as unreachable', async () => {
    const { connection } = await open({
      'tools/call': ({ response }) => {
        beginEvents(response)
        setImmediate(() => response.destroy())
      },
    })
    expect((await failure(call(connection))).kind).toBe('unreachable')
  })

  const beginSession =
    (nameSession: () => string) =>
    ({ response, id }: HostileRequest): void => {
      response.setHeader('mcp-session-id', nameSession())
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 'a', version: '1' },
      }
      sendJson(response, { jsonrpc: '2.0', id, result })
    }

  test('a session that is lost each time is renewed once', async () => {
    const { server, connection } = await open({
      initialize: beginSession(() => 'a-session'),
      'tools/call': ({ response }) => response.writeHead(404).end(),
    })
    expect((await failure(call(connection))).kind).toBe('protocol')
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(2)
  })

  const error = (message: string, id: unknown = 'ID', code = -32_000, data?: unknown) => ({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code, message, ...(data !== undefined && { data }) },
  })
  const LOST: [string, number, unknown, 'json' | 'events'][] = [
    ['404 without a body', 404, '', 'json'],
    ['400', 400, error('Bad Request: No valid session ID provided'), 'json'],
    ['404', 404, error('Session not found'), 'json'],
    ['400 in plain text', 400, 'Unknown session', 'json'],
    ['400 of a server that restarted', 400, error('Bad Request: Server not initialized', null), 'json'],
    ['409', 409, error('Session has expired'), 'json'],
    ['410', 410, error('session gone', null), 'json'],
    ['422', 422, { detail: 'Invalid session id' }, 'json'],
    ['500', 500, error('Session does not exist'), 'json'],
    ['200 and an error', 200, error('Session not found', 'ID', -32_001), 'json'],
    ['200 and an error in events', 200, error('Session not found', 'ID', -32_001), 'events'],
    ['200 and the null id', 200, error('Invalid or expired session', null), 'json'],
    ['200 and the null id in events', 200, error('Unknown Mcp-Session-Id: a-session', null), 'events'],
    ['200 and another id', 200, error('No session', 'server-error'), 'json'],
    ['200 without an id', 200, error('Session terminated', undefined), 'json'],
    ['200 and the cause in data', 200, error('Bad request', 'ID', -32_600, 'session unknown'), 'json'],
    ['200 before initialization', 200, error('Server not yet initialized', 'ID', -32_002), 'json'],
  ]

  test.each(LOST)('a session lost with %s is renewed', async (_name, status, body, form) => {
    let sessions = 0
    const { connection, server } = await open({
      initialize: beginSession(() => `session-${++sessions}`),
      'tools/call'({ request, response, result, id }) {
        if (request.headers['mcp-session-id'] === 'session-2') return result(textResult('again'))
        const text =
          typeof body === 'string' ? body : JSON.stringify(body).replace('"ID"', JSON.stringify(id))
        if (form === 'json') response.writeHead(status, { 'content-type': 'application/json' }).end(text)
        else
          response
            .writeHead(status, { 'content-type': 'text/event-stream' })
            .end(`: hello\n\nevent: message\ndata: ${text}\n\n`)
      },
    })
    expect((await call(connection)).output).toBe('again')
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(2)
  })

  test.each([
    ['a result that mentions a lost session', { content: [{ type: 'text', text: 'Session not found' }] }],
    [
      'structured content like an error',
      { content: [], structuredContent: { error: { message: 'Session not found' } } },
    ],
  ])('%s is no lost session', async (_name, said) => {
    const { connection, server } = await open({
      initialize: beginSession(() => 'a-session'),
      'tools/call': ({ result }) => result(said),
    })
    expect((await call(connection)).isError).toBe(false)
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1)
  })

  test('an error that stays after the retry is reported as it is', async () => {
    const { connection } = await open({
      initialize: beginSession(() => 'a-session'),
      'tools/call': ({ response, id }) => sendJson(response, error('The browser session\nis busy.', id)),
    })
    expect(await failure(call(connection))).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('The browser session is busy.'),
    })
  })
})
