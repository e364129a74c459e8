import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Responses that clients don't read don't accumulate in memory, and their connections are closed. */

const STALL_MS = 400
/** More requests than the operating system can buffer. */
const REQUESTS = 40
const CONNECTIONS = 10

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({}, { stallMs: STALL_MS })
})
afterAll(() => server.stop())

async function askUnread() {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(REQUESTS))
  await once(socket, 'data')
  return socket.pause()
}

test('the API description is kept once for all clients, and clients that do not read it are disconnected', async () => {
  const { byteLength } = await (await fetch(`${server.url}/openapi.json`)).arrayBuffer()
  const before = process.memoryUsage()
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, askUnread))
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  const grown = arrayBuffers + heapUsed - before.arrayBuffers - before.heapUsed
  expect(grown).toBeLessThan((CONNECTIONS * REQUESTS * byteLength) / 4)
  // A client that doesn't read notices a closed connection only when it writes.
  const writing = setInterval(() => sockets.map((socket) => socket.write('\r\n')), STALL_MS / 4)
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  clearInterval(writing)
})
