import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReady } from '#tests/support/live-socket.ts'
import { sendRaw } from '#tests/support/raw-request.ts'
import { sharedTestServer, startTestServer, type TestServer } from '#tests/support/server.ts'

/** Every kind of response has the headers that stop browsers from framing, caching or sniffing it. */

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const ALWAYS = { 'x-content-type-options': 'nosniff', 'referrer-policy': expect.any(String) }

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ BASE_URL: 'https://parley.test' })
})
afterAll(() => server.stop())

const headersOf = async (path: string, init?: RequestInit): Promise<Record<string, string>> =>
  Object.fromEntries((await fetch(server.url + path, { redirect: 'manual', ...init })).headers)

test('every operation returns the headers to unauthenticated clients', async () => {
  const { body: document } = await server.call('GET', '/openapi.json')
  const operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  )
  expect(operations.length).toBeGreaterThan(150)
  for (const [method, path] of operations) {
    const headers = await headersOf(path, { method })
    expect([method, path, headers]).toEqual([
      method,
      path,
      expect.objectContaining({
        ...ALWAYS,
        'strict-transport-security': 'max-age=31536000',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'cache-control': expect.stringContaining('no-store'),
      }),
    ])
  }
})

describe('a response', () => {
  test('with personal data', async () => {
    const person = await server.signUp()
    const headers = await headersOf('/api/users/me', { headers: { authorization: `Bearer ${person.token}` } })
    expect(headers).toMatchObject({
      ...ALWAYS,
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  test.each([
    '/nowhere',
    '/v1/nowhere',
    '/api/%E0%A4%A',
    '/healthz',
    '/openapi.json',
    '/.well-known/jwks.json',
  ])('at %s', async (path) => {
    expect(await headersOf(path, { headers: { accept: 'application/json' } })).toMatchObject({
      ...ALWAYS,
      'content-security-policy': POLICY,
    })
  })

  test.each(['/docs/', '/widget.js', '/', '/embed/0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60'])(
    'with content for browsers at %s',
    async (path) => {
      const headers = await headersOf(path, { headers: { accept: 'text/html' } })
      expect(headers).toMatchObject(ALWAYS)
      expect(headers['content-security-policy']).toMatch(/frame-ancestors/)
      expect(headers['content-security-policy']).toMatch(/default-src 'none'/)
    },
  )

  test.each([
    ['a request that is not HTTP', 'HELLO\r\n\r\n'],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
    [
      'both Content-Length and Transfer-Encoding (request smuggling)',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'two Content-Length headers',
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
  ])('to %s', async (_what, bytes) => {
    const { status, text } = await (await sendRaw(server.url, bytes)).answer()
    expect([400, 431]).toContain(status)
    expect(text.toLowerCase()).toContain('x-content-type-options: nosniff')
    expect(text).toContain(POLICY)
  })

  test('to TRACE repeats no header', async () => {
    const request = await sendRaw(
      server.url,
      'TRACE / HTTP/1.1\r\nHost: x\r\nX-Secret: canary\r\nConnection: close\r\n\r\n',
    )
    const { status, text } = await request.answer()
    expect([400, 404, 405, 501]).toContain(status)
    expect(text).not.toContain('canary')
  })
})

test('without https has no Strict-Transport-Security', async () => {
  const plain = await sharedTestServer()
  try {
    const { headers } = await fetch(`${plain.url}/healthz`)
    expect(headers.get('strict-transport-security')).toBeNull()
  } finally {
    await plain.stop()
  }
})

describe('a WebSocket', () => {
  test.each(['https://attacker.example', 'null', 'file://', 'https://parley.test.attacker.example'])(
    'from a page of %s is refused despite its token',
    async (origin) => {
      const { token } = await server.signUp()
      const answer = await openSocket(token, origin)
      expect(answer).toEqual({ status: 403, code: 'request.foreign_origin' })
    },
  )

  test.each(['https://parley.test', undefined])('from %s is accepted', async (origin) => {
    const { token } = await server.signUp()
    expect(await openSocket(token, origin)).toEqual({ status: 101, code: null })
  })
})

async function openSocket(token: string, origin?: string): Promise<{ status: number; code: string | null }> {
  try {
    const live = await openReady(server.url, token, origin === undefined ? {} : { origin })
    live.socket.terminate()
    return { status: 101, code: null }
  } catch (error) {
    const { status, body } = error as { status: number; body: { code?: string } }
    return { status, code: body.code ?? null }
  }
}
