import { Type } from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineRoute } from '#platform/http/define-route.ts'
import type { Person } from '#tests/support/client.ts'
import { openLiveSocket } from '#tests/support/live-socket.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** An organization whose work stalls the process repeatedly has one request at a time. Others are not slowed. */

const URL = '/api/tests/slow'
const STALL = { ms: 900, cpuMs: 900, work: 'test', isLeftBehind: false, isOneCall: true, frames: [] }

let server: TestServer
let running = 0
let together = 0
let open = Promise.withResolvers<void>()

const route = defineRoute({
  method: 'POST',
  url: URL,
  summary: 'Waits for the test',
  access: { permission: 'agent:read', orgOf: 'query' },
  effects: 'outside',
  body: Type.Object({}),
  reply: [200, Type.Object({})],
  errors: [],
  async handler() {
    running += 1
    together = Math.max(together, running)
    await open.promise
    running -= 1
    return {}
  },
})

beforeAll(async () => {
  server = await startTestServer({}, { routes: [route] })
})
afterAll(() => server.stop())

const send = ({ organizationId, token }: Person) =>
  server.call('POST', `${URL}?org_id=${organizationId}`, { token, body: {} })

/** Reports stalls as the watch does. */
const stall = ({ organizationId }: Person, times: number, changes: object = {}): void => {
  for (let time = 0; time < times; time++)
    server.server.services.stalls.report({ ...STALL, organizationId, ...changes })
}

/** Sends three requests to a route that ends none of them until all that can run do. Returns how many ran together. */
async function countTogether(person: Person, expected: number): Promise<number> {
  running = together = 0
  open = Promise.withResolvers()
  const sent = [send(person), send(person), send(person)]
  await expect.poll(() => running).toBe(expected)
  open.resolve()
  for (const { status } of await Promise.all(sent)) expect(status).toBe(200)
  return together
}

test('three long stalls slow the organization and no other', async () => {
  const [slowed, other] = [await server.signUp(), await server.signUp()]
  stall(slowed, 2)
  expect(await countTogether(slowed, 3)).toBe(3)
  stall(slowed, 1)
  expect(await countTogether(slowed, 1)).toBe(1)
  expect(await countTogether(other, 3)).toBe(3)
})

test.each([
  ['of a busy machine', { cpuMs: 1 }],
  ['of code that a request left behind', { isLeftBehind: true }],
  ['of many short calls in a row', { isOneCall: false }],
])('stalls %s slow nobody', async (_name, changes) => {
  const person = await server.signUp()
  stall(person, 10, changes)
  expect(await countTogether(person, 3)).toBe(3)
})

test('requests beyond the queue, and those that wait for too long, are refused', async () => {
  const person = await server.signUp()
  stall(person, 3)
  running = 0
  open = Promise.withResolvers()
  const first = send(person)
  await expect.poll(() => running).toBe(1)
  const further = await Promise.all(Array.from({ length: 21 }, () => send(person)))
  for (const { status, body, headers } of further) {
    expect([status, (body as { code: string }).code]).toEqual([429, 'rate.limited'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  open.resolve()
  expect((await first).status).toBe(200)
  expect((await send(person)).status).toBe(200)
})

test('messages of a WebSocket and requests to /mcp wait for their turn, too', async () => {
  const [person, provider] = [await server.signUp(), await startProvider()]
  const { token, organizationId } = person
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  await server.addModel(person, {
    name: 'slow',
    provider: 'openai-compatible',
    version: 'emu-ttft600',
    config,
  })
  const path = '/openai/v1/responses'
  const sockets = await Promise.all([1, 2].map(() => openLiveSocket(server.url, { token, path })))
  stall(person, 3)
  for (const live of sockets) live.send({ type: 'response.create', model: 'slow', input: 'say: Hi' })
  await expect.poll(() => provider.requests.length).toBe(1)
  const begunAt = performance.now()
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const headers = { accept: 'application/json, text/event-stream' }
  const listed = await server.call('POST', `/mcp?org_id=${organizationId}`, { token, body, headers })
  expect([listed.status, provider.requests.length]).toEqual([200, 2])
  expect(performance.now() - begunAt).toBeGreaterThan(400)
  for (const live of sockets) expect((await live.next()).type).toBe('response.created')
  for (const live of sockets) live.socket.close()
  await provider.close()
})
