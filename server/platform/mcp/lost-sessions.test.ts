import { expect, onTestFinished, test } from 'vitest'
import { createNet } from '#platform/net/index.ts'
import { createLog } from '#platform/telemetry/log.ts'
import { type HostileRequest, sendJson, startHostileServer } from '#tests/support/mcp/hostile.ts'
import { McpConnections } from './connection.ts'
import { isLostSession } from './session-errors.ts'

/** Tests servers that report a lost session as the result of a tool. */

const signal = new AbortController().signal
const resultOf = (text: string, more: object = {}) => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...more,
})

/** Opens a connection to a server that answers as long as its first session is used, and then says `again`. */
async function open(answer: unknown, { hasSession = true, isLostForEver = false } = {}) {
  let sessions = 0
  const begin = ({ response, id }: HostileRequest): void => {
    if (hasSession) response.setHeader('mcp-session-id', `session-${++sessions}`)
    const capabilities = { tools: {} }
    const serverInfo = { name: 'a', version: '1' }
    sendJson(response, {
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-11-25', capabilities, serverInfo },
    })
  }
  const server = await startHostileServer({
    initialize: begin,
    'tools/call'({ request, result, response, id, params }) {
      const isLost = isLostForEver || request.headers['mcp-session-id'] !== 'session-2'
      const token = (params['_meta'] as { progressToken?: unknown } | undefined)?.progressToken
      if (token === undefined) return result(isLost ? answer : { content: [{ type: 'text', text: 'again' }] })
      const progress = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1 },
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `data: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: answer })}\n\n`,
      )
    },
  })
  const net = createNet({ allowPrivateNetwork: ['127.0.0.1/32'] })
  const connections = new McpConnections(net, createLog({ logLevel: 'silent' }))
  onTestFinished(async () => {
    await connections.close()
    await net.close()
    await server.close()
  })
  const endpoint = { key: 'a', url: server.url, net: 'guarded', headers: async () => ({}) } as const
  const connection = await connections.open(endpoint, signal)
  return { connection, calls: () => server.asked.filter((method) => method === 'tools/call').length }
}

const LOST = [
  'Session not found',
  'session expired',
  'Session expired.',
  'No valid session ID',
  'No valid session ID provided',
  'Error: Session not found',
  'MCP error -32001: Session not found',
  'Error: MCP error -32600: Session not found',
  'Bad Request: No valid session ID provided',
  '404 Session not found',
  'HTTP 404: session not found',
  'Session has expired',
  'Session terminated',
  'Session was terminated',
  'Session does not exist',
  'Session no longer exists',
  'Session not found or expired',
  'Session not found: 6e0a1180-ef67-40fb-a8b4-168b21227152',
  'Session 6e0a1180-ef67-40fb-a8b4-168b21227152 not found',
  'Invalid session ID',
  'Invalid or expired session',
  'Invalid session id: 6e0a1180ef67',
  'Unknown session id',
  'Unknown Mcp-Session-Id',
  'Missing session ID',
  'Session ID is invalid',
  'Session ID not found',
  'MCP session is unknown or expired',
  'The session has expired. Please reconnect.',
  'Session not found. Please reinitialize with a new InitializeRequest.',
  'Server not initialized',
  'Session not initialized',
  'Session timed out',
  'Unrecognized session ID',
  'No session found for ID 6e0a1180',
  'No active session',
  'Session not found: please reconnect',
  '{"error":"Session not found"}',
  '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
  'Error POSTing to endpoint (HTTP 404): {"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}',
  'Streamable HTTP error: Error POSTing to endpoint: {"error":{"message":"Session not found"}}',
]

test.each(LOST)('a failed tool with the text "%s" reports a lost session', (text) => {
  expect(isLostSession(text)).toBe(true)
})

test.each([
  '',
  'Session',
  'The browser session is busy.',
  'Session expired, please log in again',
  'Your session has expired. Sign in at https://example.com.',
  'Booked. The session was not found in your calendar.',
  'Session not found in the database for user 7',
  'No sessions found',
  'No session today',
  'Valid session',
  'Session not found: Yoga for beginners',
  'User not found',
  'Training session not found',
  'Session of Monday not found',
  'Order placed, but session expired',
  'Session not found. The transfer was made.',
  `Session not found${' '.repeat(600)}`,
  '{"error":{"message":"Session expired, log in"}}',
  '{"sessions":[]}',
])('a failed tool with the text "%s" reports something else', (text) => {
  expect(isLostSession(text)).toBe(false)
})

test.each([
  resultOf('Session not found'),
  resultOf('MCP error -32001: session expired\n'),
  resultOf('No valid session ID', { structuredContent: null }),
  resultOf('{"error":"Session not found"}'),
])('a lost session in the result %j is renewed, and the tool is called once more', async (answer) => {
  const { connection, calls } = await open(answer)
  expect(await connection.callTool('any', { a: 1 }, { signal })).toMatchObject({
    output: 'again',
    isError: false,
  })
  expect(calls()).toBe(2)
  expect((await connection.callTool('any', {}, { signal })).output).toBe('again')
  expect(calls()).toBe(3)
})

test('a result that stays in the new session is returned as it is', async () => {
  const { connection, calls } = await open(resultOf('Session not found'), { isLostForEver: true })
  expect(await connection.callTool('any', {}, { signal })).toMatchObject({
    isError: true,
    error: 'Session not found',
  })
  expect(calls()).toBe(2)
})

const lost = resultOf('Session not found')
test.each<[string, unknown, string, object, object]>([
  ['is no failure', { ...lost, isError: false }, 'any', {}, {}],
  ['says more', resultOf('Session not found in the calendar'), 'any', {}, {}],
  ['is of a server without sessions', lost, 'any', {}, { hasSession: false }],
  ['is of a tool of sessions', lost, 'get_session', {}, {}],
  ['is about a session in the arguments', lost, 'any', { sessionId: 'a' }, {}],
])('a tool is called once if its result %s', async (_kind, answer, name, input, options) => {
  const { connection, calls } = await open(answer, options)
  await connection.callTool(name, input as Record<string, unknown>, { signal })
  expect(calls()).toBe(1)
})

test('a tool that has reported progress is called once, because it has run', async () => {
  const { connection, calls } = await open(lost)
  const progress: number[] = []
  const onProgress = (one: { progress: number }): void => void progress.push(one.progress)
  expect((await connection.callTool('any', {}, { signal, onProgress })).isError).toBe(true)
  expect([calls(), progress]).toEqual([1, [1]])
})
