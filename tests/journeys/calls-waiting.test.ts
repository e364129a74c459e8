import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** More calls of a provider than the process may open connections for. */

const WAITING_MAX = 1_000
const CONNECTIONS = 2
const REPLY =
  'data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

let server: TestServer
const held: (() => void)[] = []
let isHolding = true
const provider = createServer((request, response) => {
  request.resume()
  const answer = () => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(REPLY)
  if (isHolding) held.push(answer)
  else answer()
})
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  server = await startTestServer({ CONNECTIONS_PER_SERVICE_MAX: String(CONNECTIONS) })
})
afterAll(async () => {
  await server.stop()
  provider.closeAllConnections()
  provider.close()
})

test('wait and are counted, up to a bound, beyond which they get 503 at once; all that wait are answered', async () => {
  const person = await server.signUp()
  const model = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'slow',
    config: { base_url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1` },
  })
  const { token, organizationId } = person
  const ask = () =>
    server.call('POST', '/openai/v1/chat/completions', {
      token,
      headers: { 'X-Organization-Id': organizationId },
      body: { model, messages: [{ role: 'user', content: 'Hi' }] },
    })
  const waiting = async () => {
    const { text } = await server.call('GET', '/metrics')
    return Number(/^parley_calls_waiting (\d+)$/m.exec(text)?.[1])
  }
  expect(await waiting()).toBe(0)
  const asked = Array.from({ length: CONNECTIONS + WAITING_MAX }, ask)
  await expect.poll(waiting, { timeout: 60_000 }).toBe(WAITING_MAX)
  expect(held).toHaveLength(CONNECTIONS)
  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(refused.body.error.message).toContain('Too many calls are waiting for a connection')
  const health = await server.call('GET', `/api/llm/health?org_id=${organizationId}`, { token })
  expect(health.body.data.find(({ id }: { id: string }) => id === model)).toMatchObject({ state: 'healthy' })
  isHolding = false
  for (const answer of held) answer()
  const answers = await Promise.all(asked)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(await waiting()).toBe(0)
  expect((await ask()).status).toBe(200)
}, 180_000)
