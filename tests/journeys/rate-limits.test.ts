import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { deploy, talk, visit } from '#tests/support/deployments.ts'
import { openLiveSocket, RefusedUpgrade } from '#tests/support/live-socket.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Rate limits and their headers (docs/limits.md). */

const IP_LIMIT = 12
const USER_LIMIT = 5
const ORIGIN = 'https://console.example'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({
    RATE_LIMIT_IP_PER_MINUTE: String(IP_LIMIT),
    RATE_LIMIT_USER_PER_HOUR: String(USER_LIMIT),
    TRUST_PROXY: '1',
    CORS_ORIGINS: ORIGIN,
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

let lastAddress = 0
/** Returns headers of a new client. */
const newcomer = () => ({ 'x-forwarded-for': `203.0.113.${++lastAddress}` })
const standing = ({ headers }: Pick<Answer, 'headers'>) => [
  Number(headers.get('x-ratelimit-limit')),
  Number(headers.get('x-ratelimit-remaining')),
]
const secondsTo = ({ headers }: Pick<Answer, 'headers'>): number =>
  Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
const get = (path: string, headers: Record<string, string>, token?: string): Promise<Answer> =>
  server.call('GET', path, { headers, ...(token !== undefined && { token }) })
const KEYS = '/.well-known/jwks.json'
const ME = '/api/users/me'

/** Uses up the limit of the address. */
async function exhaust(address: Record<string, string>): Promise<void> {
  for (let count = 0; count < IP_LIMIT; count++) await get(KEYS, address)
}

describe('every response reports the remaining requests', () => {
  test.each([
    [200, 'GET', KEYS],
    [200, 'GET', '/openapi.json'],
    [200, 'GET', '/docs/'],
    [404, 'GET', '/api/nothing'],
    [404, 'GET', '/v1/nothing'],
    [404, 'GET', '/nothing'],
    [404, 'HEAD', KEYS],
    [405, 'DELETE', '/api/auth/login'],
    [400, 'GET', '/%zz'],
    [400, 'POST', '/api/auth/login'],
    [422, 'POST', '/v1/auth/login'],
    [401, 'GET', ME],
    [401, 'GET', '/openai/v1/models'],
    [401, 'POST', '/mcp'],
    [400, 'GET', '/mcp/oauth/authorize'],
    [400, 'POST', '/mcp/oauth/token'],
    [400, 'POST', '/mcp/oauth/register'],
    [426, 'GET', '/api/ws'],
    [403, 'GET', '/files/x'],
    [404, 'GET', '/widget.js?deployment=x'],
    [404, 'GET', '/embed/x'],
    [404, 'GET', '/embed/assets/x'],
  ])('%i to %s %s', async (status, method, path) => {
    const headers = newcomer()
    const first = await server.call(method, path, {
      headers,
      ...(method === 'POST' && { body: { client_id: 1 } }),
    })
    expect(first.status, first.text).toBe(status)
    expect(standing(first)).toEqual([IP_LIMIT, IP_LIMIT - 1])
    expect(secondsTo(first)).toBeGreaterThan(0)
    expect(secondsTo(first)).toBeLessThan(61)
    expect(standing(await get(KEYS, headers))).toEqual([IP_LIMIT, IP_LIMIT - 2])
  })

  test('a stream, and a file', async () => {
    const person = await signUp()
    const modelId = await server.addModel(person, { provider: 'demo', version: 'parley-demo' })
    const query = `org_id=${person.organizationId}&model_id=${modelId}`
    const stream = await server.call('POST', `/api/chat/send_message?${query}`, {
      token: person.token,
      headers: newcomer(),
      body: { content: 'Hi' },
    })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    expect(standing(stream)).toEqual([USER_LIMIT, USER_LIMIT - 2])
    expect(secondsTo(stream)).toBeGreaterThan(60)
    const uploaded = await server.upload(person, { name: 'a.txt', bytes: 'a' })
    const { pathname, search } = new URL(uploaded.body.url)
    const file = await get(pathname + search, newcomer())
    expect([file.status, file.text]).toEqual([200, 'a'])
    expect(standing(file)).toEqual([IP_LIMIT, IP_LIMIT - 1])
  })

  test('a WebSocket upgrade', async () => {
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const asked = request(`${server.url}/api/ws`, {
      headers: { ...headers, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...newcomer() },
    }).end()
    const [response, socket] = await once(asked, 'upgrade')
    socket.destroy()
    expect(response.statusCode).toBe(101)
    expect(response.headers['x-ratelimit-remaining']).toBe(String(IP_LIMIT - 1))
  })

  test('probes are not counted, but show the window', async () => {
    const headers = newcomer()
    for (const path of ['/healthz', '/metrics'])
      expect(standing(await get(path, headers))).toEqual([IP_LIMIT, IP_LIMIT])
    await get(KEYS, headers)
    const seen = await get('/healthz', headers)
    expect(standing(seen)).toEqual([IP_LIMIT, IP_LIMIT - 1])
    expect(secondsTo(seen)).toBeGreaterThan(0)
    expect(secondsTo(seen)).toBeLessThan(61)
    await exhaust(headers)
    for (const [path, status] of [
      ['/healthz', 200],
      // A request through a proxy needs the token.
      ['/metrics', 404],
    ] as const) {
      const answer = await get(path, headers)
      expect([answer.status, ...standing(answer)]).toEqual([status, IP_LIMIT, 0])
    }
  })
})

test('/readyz has a separate limit per network, and /healthz has none', async () => {
  const network = `2001:db8:${++lastAddress}:1`
  const from = (host: number) => ({ 'x-forwarded-for': `${network}::${host.toString(16)}` })
  await exhaust(from(0xffff))
  const statuses = new Set<number>()
  for (let host = 1; host <= 600; host++) statuses.add((await get('/readyz', from(host))).status)
  expect([...statuses]).toEqual([200])
  const refused = await get('/readyz', from(601))
  expect([refused.status, refused.body.code, ...standing(refused)]).toEqual([429, 'rate.limited', 600, 0])
  expect((await get('/healthz', from(602))).status).toBe(200)
  expect((await get('/readyz', newcomer())).status).toBe(200)
})

test('concurrent probes share one check of the dependencies', async () => {
  const check = vi.spyOn(server.server.services.storage, 'check')
  const headers = newcomer()
  const probes = Array.from({ length: 200 }, () => get('/readyz', headers))
  expect(new Set((await Promise.all(probes)).map(({ status }) => status))).toEqual(new Set([200]))
  // A result is shared for one second, so slow probes cause more than one check.
  expect(check.mock.calls.length).toBeLessThan(20)
  check.mockRestore()
})

test('refused requests are counted in the metrics', async () => {
  const refused = async () =>
    Number(/parley_rate_limited_total\{window="ip"\} (\d+)/.exec((await get('/metrics', {})).text)?.[1] ?? 0)
  const address = newcomer()
  await exhaust(address)
  const before = await refused()
  await get(KEYS, address)
  await get(ME, address)
  expect(await refused()).toBe(before + 2)
})

describe('a request over the limit of an address', () => {
  test('is refused with Retry-After on every path', async () => {
    const address = newcomer()
    await exhaust(address)
    for (const path of [KEYS, ME, '/nothing', '/%zz', '/embed/x', '/docs/', '/files/x']) {
      const refused = await get(path, address)
      expect(refused.status).toBe(429)
      expect(standing(refused)).toEqual([IP_LIMIT, 0])
      const seconds = Number(refused.headers.get('retry-after'))
      expect(Math.abs(seconds - secondsTo(refused))).toBeLessThan(3)
      expect(refused.body).toMatchObject({
        code: 'rate.limited',
        request_id: refused.headers.get('x-request-id'),
      })
      expect(refused.body.detail).toBe(
        `Too many requests: the limit is ${IP_LIMIT} per minute for each IP address. Try again in ${seconds} seconds.`,
      )
    }
    expect((await get(KEYS, newcomer())).status).toBe(200)
  })

  test("is refused in the envelope under /v1, and in OpenAI's format under /openai", async () => {
    const address = newcomer()
    await exhaust(address)
    expect((await get('/v1/users/me', address)).body).toMatchObject({
      status: 'error',
      error: { code: 'rate_limited', details: { code: 'rate.limited' } },
    })
    expect((await get('/openai/v1/models', address)).body.error).toMatchObject({
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
    })
  })

  test('is readable by scripts of other origins, and preflights pass', async () => {
    const address = { ...newcomer(), origin: ORIGIN }
    const ask = { ...address, 'access-control-request-method': 'GET' }
    const preflight = await server.call('OPTIONS', ME, { headers: ask })
    expect([preflight.status, ...standing(preflight)]).toEqual([204, IP_LIMIT, IP_LIMIT - 1])
    await exhaust(address)
    const refused = await get(ME, address)
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([429, ORIGIN])
    const exposed = refused.headers.get('access-control-expose-headers')
    for (const name of ['Limit', 'Remaining', 'Reset']) expect(exposed).toContain(`X-RateLimit-${name}`)
    expect(exposed).toContain('Retry-After')
    expect((await server.call('OPTIONS', ME, { headers: ask })).status).toBe(204)
  })
})

const signUp = async (): Promise<Person> => {
  const names = { first_name: 'Ada', last_name: 'Lovelace' }
  const email = `${crypto.randomUUID()}@example.com`
  const { body } = await server.call('POST', '/api/auth/signup', {
    headers: newcomer(),
    body: { email, password: 'correct horse battery', ...names },
  })
  const { user, access_token: token, refresh_token: refreshToken } = body
  const organizationId = user.organizations[0].id
  return { userId: user.id, email, password: 'correct horse battery', token, refreshToken, organizationId }
}

describe('one user', () => {
  test('has one window for all keys and addresses, including refused requests', async () => {
    const person = await signUp()
    const made = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      headers: newcomer(),
      body: { name: 'k', permissions: ['chats:*', 'agent:execute'] },
    })
    expect(standing(made)).toEqual([USER_LIMIT, 4])
    expect(standing(await get(ME, newcomer(), made.body.key))).toEqual([USER_LIMIT, 3])
    const foreign = await get(`/api/chat/list?org_id=${crypto.randomUUID()}`, newcomer(), person.token)
    expect([foreign.status, ...standing(foreign)]).toEqual([404, USER_LIMIT, 2])
    const mcp = await server.call('POST', '/mcp', {
      token: made.body.key,
      headers: { ...newcomer(), accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    expect(standing(mcp)).toEqual([USER_LIMIT, 1])
    expect(standing(await get('/openai/v1/models', newcomer(), made.body.key))).toEqual([USER_LIMIT, 0])
    for (const token of [person.token, made.body.key]) {
      const refused = await get(ME, newcomer(), token)
      expect([refused.status, ...standing(refused)]).toEqual([429, USER_LIMIT, 0])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60)
      expect(refused.body.detail).toContain(`${USER_LIMIT} per hour for each user`)
    }
    expect((await get(KEYS, newcomer(), person.token)).status).toBe(200)
    expect((await get(ME, newcomer(), (await signUp()).token)).status).toBe(200)
    await expect(openLiveSocket(server.url, { token: person.token, headers: newcomer() })).rejects.toThrow(
      RefusedUpgrade,
    )
    const late = await openLiveSocket(server.url, { headers: newcomer() })
    late.send({ type: 'auth', token: person.token })
    expect((await late.closed).code).toBe(4429)
  })

  test('is counted for each message of a WebSocket', async () => {
    const { token } = await signUp()
    const path = '/openai/v1/responses'
    const live = await openLiveSocket(server.url, { token, path, headers: newcomer() })
    const statuses: number[] = []
    for (let count = 0; count < USER_LIMIT; count++) {
      live.send({ type: 'response.create', model: 'nobody', input: 'hi' })
      statuses.push((await live.next()).status)
    }
    expect(statuses).toEqual([404, 404, 404, 404, 429])
    live.socket.close()
  })

  test('sees the window with the fewest requests left', async () => {
    const person = await signUp()
    const address = newcomer()
    expect(standing(await get(ME, address, person.token))).toEqual([USER_LIMIT, USER_LIMIT - 1])
    for (let count = 0; count < IP_LIMIT - 3; count++) await get(KEYS, address)
    expect(standing(await get(ME, address, person.token))).toEqual([IP_LIMIT, 1])
    expect(standing(await get(ME, newcomer(), person.token))).toEqual([USER_LIMIT, USER_LIMIT - 3])
  })
})

test('a deployment has one window for its key, and one per visitor', async () => {
  const deployment = await deploy(server, provider, { deployment_type: 'widget' })
  const visitors = [await visit(server, deployment), await visit(server, deployment)]
  for (const token of [deployment.key, ...visitors])
    for (let left = USER_LIMIT - 1; left >= -1; left--) {
      const answer = await talk(server, token, { content: 'Hi' }, { headers: newcomer() })
      expect([answer.status, ...standing(answer)]).toEqual([
        left < 0 ? 429 : 200,
        USER_LIMIT,
        Math.max(0, left),
      ])
    }
  expect(standing(await get(ME, newcomer(), deployment.owner.token))).toEqual([USER_LIMIT, 1])
})
