import { EventEmitter, once } from 'node:events'
import { request } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { buildApp } from '#app'
import { createAudiences } from '#platform/access/audience.ts'
import { createEvents } from '#platform/events/events.ts'
import type { LiveSocketsOptions } from '#platform/events/live-sockets.ts'
import { createMetrics } from '#platform/telemetry/metrics.ts'
import type { Person } from '#tests/support/client.ts'
import { openLiveSocket, openReady, type RefusedUpgrade } from '#tests/support/live-socket.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Limits of the sockets of /api/ws: number, slow readers, idle time, message rate. */

const SOCKETS_OF_USER_MAX = 100

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

/** Starts another app on the same services, with separate sockets. */
async function startApp(options: Partial<LiveSocketsOptions> = {}) {
  const { services } = server.server
  const events = await createEvents(
    { ...services, findAudiences: createAudiences(services.database) },
    options,
  )
  const { http } = await buildApp({ ...services, events, metrics: createMetrics() })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  return { url, events, stop: () => Promise.all([http.close(), events.stop()]) }
}

const refusal = (url: string, token?: string): Promise<RefusedUpgrade> =>
  openLiveSocket(url, { ...(token !== undefined && { token }) }).then(
    () => Promise.reject(new Error('it was let in')),
    (error: RefusedUpgrade) => error,
  )

const socketsOpen = async (): Promise<number> =>
  (await server.server.services.metrics.liveSockets.get()).values[0]?.value ?? 0

describe('a heartbeat', () => {
  test('closes only sockets that do not respond', async () => {
    const app = await startApp({ heartbeatMs: 1_000 })
    const alive = await openReady(app.url, person.token)
    const dead = await openReady(app.url, person.token, { autoPong: false })
    expect((await dead.closed).code).toBe(1006)
    await once(alive.socket, 'ping')
    expect(alive.socket.readyState).toBe(alive.socket.OPEN)
    await app.stop()
  })

  test('an unauthenticated socket is closed after a timeout', async () => {
    const app = await startApp({ authenticationMs: 50 })
    const silent = await openLiveSocket(app.url)
    expect(await silent.next()).toMatchObject({ type: 'error', code: 'events.no_token' })
    expect((await silent.closed).code).toBe(4408)
    await app.stop()
  })
})

describe('a client', () => {
  test('that does not read is disconnected, and the others miss no event', async () => {
    const [fast, slow] = [
      await openReady(server.url, person.token),
      await openReady(server.url, person.token),
    ]
    const open = await socketsOpen()
    slow.socket.pause()
    let published = 0
    while ((await socketsOpen()) === open && published < 10_000) {
      for (let count = 0; count < 20; count++)
        server.server.services.events.publish({
          type: 'large',
          organizationId: person.organizationId,
          data: { number: published++, filling: 'x'.repeat(15_000) },
          to: { permission: 'chats:read', userId: person.userId },
        })
      while (fast.received.length <= published) await fast.next()
    }
    slow.socket.resume()
    expect((await slow.closed).code).toBe(1006)
    expect(slow.received.length).toBeLessThan(published)
    expect(fast.received.slice(1).map(({ data }) => data.number)).toEqual([...Array(published).keys()])
    fast.socket.close()
  })

  test('is not sent an event larger than its queue, and gets the next one', async () => {
    const live = await openReady(server.url, person.token)
    const event = { organizationId: person.organizationId, to: { permission: 'chats:read' } } as const
    const { events } = server.server.services
    events.publish({ ...event, type: 'huge', data: { filling: 'x'.repeat(20_000) } })
    events.publish({ ...event, type: 'not JSON', data: { count: 1n } })
    events.publish({ ...event, type: 'small', data: {} })
    expect(await live.until('small')).toHaveLength(1)
    live.socket.close()
  })

  test.each([
    ['too large a message', (socket: WebSocket) => socket.send('x'.repeat(8 * 1024 + 1)), 1009],
    ['a binary message', (socket: WebSocket) => socket.send(Buffer.from('{}')), 1003],
    ['invalid UTF-8', (socket: WebSocket) => socket.send(Buffer.from([0xff]), { binary: false }), 1007],
    ['a broken frame', (socket: WebSocket) => tcpOf(socket).write(Buffer.from([0xff, 0xff, 0xff])), 1002],
  ])('that sends %s is closed, before and after authentication', async (_name, send, code) => {
    for (const options of [{}, { token: person.token }]) {
      const live = await openLiveSocket(server.url, options)
      send(live.socket)
      expect((await live.closed).code).toBe(code)
    }
  })

  test('may send a few messages, which are ignored, but not many', async () => {
    const live = await openReady(server.url, person.token)
    for (let count = 0; count < 30; count++) live.send('anything')
    for (let count = 0; count < 30; count++) live.socket.ping()
    await once(live.socket, 'pong')
    expect(live.socket.readyState).toBe(live.socket.OPEN)
    for (let count = 0; count < 31; count++) live.send('more')
    expect((await live.closed).code).toBe(1008)
  })

  test('may disconnect during the upgrade', async () => {
    const head = `GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`
    const proof = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n`
    for (let count = 0; count < 20; count++) {
      const tcp = connectTcp(Number(new URL(server.url).port), '127.0.0.1')
      await once(tcp, 'connect')
      tcp.write(`${head}${proof}Authorization: Bearer ${person.token}\r\n\r\n`, () => tcp.resetAndDestroy())
      await once(tcp, 'close')
    }
    expect((await server.call('GET', '/healthz')).status).toBe(200)
  })
})

describe('the number of sockets is limited', () => {
  test('per user, for both ways to authenticate, until one closes', async () => {
    const crowd = await server.signUp()
    const all = await Promise.all(
      Array.from({ length: SOCKETS_OF_USER_MAX }, () => openReady(server.url, crowd.token)),
    )
    const { status, body } = await refusal(server.url, crowd.token)
    expect([status, body.detail]).toEqual([429, 'You already have 100 live connections. Close one first.'])
    const late = await openLiveSocket(server.url)
    late.send({ type: 'auth', token: crowd.token })
    expect((await late.next()).code).toBe('events.too_many')
    expect((await late.closed).code).toBe(4429)
    ;(await openReady(server.url, person.token)).socket.close()
    const open = await socketsOpen()
    all.pop()?.socket.close()
    while ((await socketsOpen()) >= open) await sleep(10)
    all.push(await openReady(server.url, crowd.token))
    for (const { socket } of all) socket.terminate()
  })

  test('for unauthenticated sockets, and in total', async () => {
    const app = await startApp()
    const { sockets } = app.events
    const never = () => new Promise<never>(() => {})
    for (let count = 0; count < 1_000; count++) sockets.accept(idleSocket(), never)
    expect((await refusal(app.url)).status).toBe(503)
    const known = await openReady(app.url, person.token)
    known.socket.terminate()
    for (let count = 1_000; count < 20_000; count++) sockets.accept(idleSocket(), never)
    expect((await refusal(app.url, person.token)).status).toBe(503)
    await app.stop()
  })
})

test('a client that offers HTTP/2 gets an ordinary response', async () => {
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'not a password' })
  const asked = request(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'content-type': 'application/json' },
  }).end(body)
  const [response] = await once(asked, 'response')
  expect([response.statusCode, JSON.parse(await text(response)).detail]).toEqual([
    401,
    'Invalid email or password',
  ])
})

test('a stopping server closes all sockets, does not wait for slow ones, and accepts none', async () => {
  const stopping = await startTestServer()
  const somebody = await stopping.signUp()
  const known = await openReady(stopping.url, somebody.token)
  const unknown = await openLiveSocket(stopping.url)
  const deaf = await openReady(stopping.url, somebody.token)
  deaf.socket.pause()
  const stopped = stopping.stop()
  expect(await known.closed).toEqual({ code: 1001, reason: '' })
  expect((await unknown.closed).code).toBe(1001)
  await stopped
  await expect(openLiveSocket(stopping.url)).rejects.toThrow()
  deaf.socket.terminate()
})

/** A socket without behavior, for counting. */
function idleSocket(): WebSocket {
  const socket = new EventEmitter()
  const close = () => socket.emit('close')
  return Object.assign(socket, { readyState: 1, OPEN: 1, send() {}, close }) as unknown as WebSocket
}

/** Returns the underlying TCP connection. */
const tcpOf = (socket: WebSocket) =>
  (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
