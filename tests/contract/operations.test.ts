import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ METRICS_TOKEN: 'scrape', CORS_ORIGINS: 'https://app.example' })
})
afterAll(() => server.stop())

test('/healthz and /readyz', async () => {
  expect((await server.call('GET', '/healthz')).body).toEqual({ status: 'alive' })
  expect((await server.call('GET', '/readyz')).body).toEqual({ status: 'ready' })
})

test('/metrics requires the token if one is set', async () => {
  for (const headers of [{}, { authorization: 'Bearer another' }])
    expect(await server.call('GET', '/metrics', { headers })).toMatchObject({
      status: 401,
      body: { code: 'health.metrics_token' },
    })
  const { status, text } = await server.call('GET', '/metrics', {
    headers: { authorization: 'Bearer scrape' },
  })
  expect(status).toBe(200)
  expect(text).toContain('parley_http_request_seconds_bucket')
  expect(text).toContain('parley_replies_open 0')
})

test('CORS allows only the listed origins, without credentials, and exposes our headers', async () => {
  const from = (origin: string) => server.call('GET', '/healthz', { headers: { origin } })
  const listed = await from('https://app.example')
  expect(listed.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(listed.headers.get('access-control-allow-credentials')).toBeNull()
  expect(listed.headers.get('access-control-expose-headers')).toContain('X-Chat-Id')
  expect((await from('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull()
})
