import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'
import {
  type McpServerOptions,
  startMcpServer,
  type TestMcpServer,
  type TestTool,
  textResult,
} from '#tests/support/mcp/index.ts'
import { McpConnections, type McpEndpoint } from './connection.ts'

const KINDS = ['stateless', 'sessionful', 'sse'] as const
const FOREVER = new AbortController().signal

async function open(options: McpServerOptions, endpoint: Partial<McpEndpoint> = {}) {
  const server = await startMcpServer(options)
  const { connections, endpointOf, net } = client()
  onTestFinished(() => server.close())
  const where = { ...endpointOf(server), ...endpoint }
  return { server, connections, net, endpoint: where, connection: await connections.open(where, FOREVER) }
}

function client() {
  const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
  onTestFinished(async () => {
    await connections.close()
    await net.close()
  })
  return { connections, net, endpointOf }
}

const endpointOf = ({ url }: TestMcpServer): McpEndpoint => ({
  key: url,
  url,
  net: 'guarded',
  headers: async () => ({ authorization: 'Bearer a-token' }),
})

describe.each(KINDS)('a %s server', (kind) => {
  test('lists its tools page by page and runs them', async () => {
    const tools = Array.from(
      { length: 5 },
      (_, number): TestTool => ({
        name: `tool_${number}`,
        description: `Tool ${number}`,
        run: () => textResult(`ran ${number}`),
      }),
    )
    const { server, connection } = await open({ kind, tools, pageSize: 2 })
    const list = await connection.listTools(FOREVER)
    expect(list.isCut).toBe(false)
    expect(list.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    const result = await connection.callTool('tool_3', {}, { signal: FOREVER })
    expect(result).toMatchObject({ output: 'ran 3', isError: false, error: null })
    expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer a-token')).toBe(true)
  })

  test('reports progress', async () => {
    const slow: TestTool = {
      name: 'slow',
      async run(_input, { progress }) {
        await progress({ progress: 1, total: 2, message: 'half' })
        await setImmediate()
        return textResult('done')
      },
    }
    const { connection } = await open({ kind, tools: [slow] })
    const told: unknown[] = []
    await connection.callTool('slow', {}, { signal: FOREVER, onProgress: (one) => told.push(one) })
    expect(told).toEqual([{ progress: 1, total: 2, message: 'half' }])
  })

  test('sees a cancelled call', async () => {
    const heard = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const endless: TestTool = {
      name: 'endless',
      async run(_input, { signal }) {
        begun.resolve()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        heard.resolve()
        return textResult('')
      },
    }
    const { connection } = await open({ kind, tools: [endless] })
    const leaving = new AbortController()
    const call = connection.callTool('endless', {}, { signal: leaving.signal })
    await begun.promise
    leaving.abort(new Error('left'))
    await expect(call).rejects.toThrow('left')
    await heard.promise
  })

  test('that does not answer times out, and sees the call cancelled', async () => {
    const cancelled = Promise.withResolvers<void>()
    const run: TestTool['run'] = (_input, { signal }) => {
      signal.addEventListener('abort', () => cancelled.resolve())
      return new Promise(() => {})
    }
    const { connection } = await open({ kind, tools: [{ name: 'never', run }] })
    const options = { signal: FOREVER, timeoutMs: 200 }
    await expect(connection.callTool('never', {}, options)).rejects.toMatchObject({ kind: 'timeout' })
    await cancelled.promise
  })

  test('that cuts its sockets fails the call, and the next call reconnects', async () => {
    const begun = Promise.withResolvers<void>()
    const hanging: TestTool = {
      name: 'hanging',
      run() {
        begun.resolve()
        return new Promise(() => {})
      },
    }
    const { server, connection } = await open({ kind, tools: [hanging] })
    const call = connection.callTool('hanging', {}, { signal: FOREVER })
    await begun.promise
    server.cut()
    await expect(call).rejects.toMatchObject({ kind: 'unreachable' })
    server.tools = [{ name: 'hanging', run: () => textResult('back') }]
    expect((await connection.callTool('hanging', {}, { signal: FOREVER })).output).toBe('back')
  })

  test('is initialized once for concurrent openings', async () => {
    const server = await startMcpServer({ kind })
    onTestFinished(() => server.close())
    const { connections } = client()
    // The subscription to changed tools follows at any time after the handshake.
    const asked = () => server.seen.filter(({ message }) => message !== 'subscriptions/listen').length
    await connections.open(endpointOf(server), FOREVER)
    const alone = asked()
    await connections.forget(server.url)
    server.seen.length = 0
    await Promise.all(Array.from({ length: 8 }, () => connections.open(endpointOf(server), FOREVER)))
    expect(asked()).toBeLessThanOrEqual(alone)
  })

  test('has no open socket after close', async () => {
    const { server, connections, connection, net } = await open({ kind })
    await connection.callTool('echo', { text: 'a' }, { signal: FOREVER })
    await connections.close()
    await expect(connection.callTool('echo', { text: 'a' }, { signal: FOREVER })).rejects.toMatchObject({
      kind: 'unreachable',
    })
    await net.close()
    await expect.poll(() => server.countSockets()).toBe(0)
  })
})

test('a session lost by the server is renewed transparently', async () => {
  const { server, connection } = await open({ kind: 'sessionful' })
  server.loseSessions()
  expect((await connection.callTool('echo', { text: 'still here' }, { signal: FOREVER })).output).toBe(
    'still here',
  )
})

test('a session lost by an SSE server is renewed transparently', async () => {
  const { server, connection } = await open({ kind: 'sse' })
  server.loseSessions()
  expect((await connection.callTool('echo', { text: 'still here' }, { signal: FOREVER })).output).toBe(
    'still here',
  )
})

test.each([
  ['sessionful', 'server/discover'],
  ['sse', 'initialize'],
] as const)('the protocol of a %s server is remembered', async (kind, tried) => {
  const { server, connections, endpoint } = await open({ kind })
  const path = new URL(server.url).pathname
  const isTry = (): boolean => server.seen.some((one) => one.message === tried && one.path === path)
  expect(isTry()).toBe(true)
  await connections.forget(endpoint.key)
  server.seen.length = 0
  await connections.open(endpoint, FOREVER)
  expect(isTry()).toBe(false)
})

test('an abort during the handshake does not affect other callers', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const server = await startMcpServer({
    before(_request, _response, message) {
      if (message === 'server/discover') asked.resolve()
      return false
    },
  })
  onTestFinished(() => server.close())
  const { connections, endpointOf } = client()
  const endpoint = { ...endpointOf(server), headers: () => answer.promise.then(() => ({})) }
  const leaving = new AbortController()
  const left = connections.open(endpoint, leaving.signal)
  const stays = connections.open(endpoint, FOREVER)
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  answer.resolve()
  await asked.promise
  expect((await stays).protocolVersion).toBe('2026-07-28')
})

test('an idle connection is closed, and its session ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const { server, connection } = await open({ kind: 'sessionful' })
  vi.advanceTimersByTime(6 * 60_000)
  await expect.poll(() => server.seen.at(-1)?.method).toBe('DELETE')
  expect((await connection.callTool('echo', { text: 'again' }, { signal: FOREVER })).output).toBe('again')
})
