import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '#tests/support/raw-request.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/* Responses under /v1 to unknown paths and unreadable requests. */

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

describe('before an operation is found', () => {
  const wordOf = async (method: string, path: string, options: object = {}) => {
    const { status, body, headers } = await server.call(method, path, options)
    expect(body.error.details.request_id).toBe(headers.get('x-request-id'))
    return [status, body.status, body.error.code]
  }
  const login = (body: unknown, headers = {}) => wordOf('POST', '/v1/auth/login', { body, headers })

  test('malformed JSON is a bad request; JSON that breaks a rule is invalid', async () => {
    expect(await login('{')).toEqual([400, 'error', 'invalid_request'])
    expect(await login(`{"email":${'['.repeat(99)}`)).toEqual([400, 'error', 'invalid_request'])
    expect(await login('{"email":"\\u0000"}')).toEqual([422, 'error', 'validation_error'])
    expect(await wordOf('POST', '/v1/auth/login')).toEqual([422, 'error', 'validation_error'])
  })

  test('a body that is too large, or not JSON', async () => {
    expect(await login(`"${'x'.repeat(5_000_000)}"`)).toEqual([413, 'error', 'payload_too_large'])
    expect(await login('a', { 'content-type': 'text/plain' })).toEqual([
      415,
      'error',
      'unsupported_media_type',
    ])
  })

  test('an unknown path or method', async () => {
    for (const path of ['/v1', '/v1/', '/v1?x', '/v1/nothing', '/v1/mcp', '/v1//auth/login', '/v1/healthz'])
      expect(await wordOf('POST', path)).toEqual([404, 'error', 'not_found'])
    expect(await wordOf('DELETE', '/v1/auth/login')).toEqual([405, 'error', 'method_not_allowed'])
    expect(await wordOf('GET', '/v1/%zz')).toEqual([400, 'error', 'invalid_request'])
    expect(await wordOf('GET', '/v1/ws')).toEqual([426, 'error', 'invalid_request'])
    const { body } = await server.call('GET', '/v1/nothing?x=1')
    expect(body.error.message).toBe('Endpoint not found: GET /v1/nothing')
  })

  test.each([
    '/V1/mcp/client.json',
    '/v1%2Fmcp/client.json',
    '/%761/mcp/client.json',
    '//v1/mcp/client.json',
    '/v1.json',
  ])('%s is outside of /v1', async (path) => {
    const { text } = await (await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).answer()
    expect(text).toContain(' 404 ')
    expect(text).toContain('{"detail":"Endpoint not found: GET ')
  })

  test.each([
    '/v1/..%2fhealthz',
    '/v1/../healthz',
    '/v1/%2e%2e/healthz',
    '/v1%2f..%2fhealthz',
    '/v1\\..\\healthz',
  ])('%s gets 404', async (path) => {
    const { status } = await (await sendRaw(server.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).answer()
    expect(status).toBe(404)
  })

  test('an absolute-form URL is the same request (RFC 9112, 3.2.2)', async () => {
    const request = 'GET http://x/v1/mcp/client.json HTTP/1.1\r\nHost: x\r\n\r\n'
    const { text } = await (await sendRaw(server.url, request)).answer()
    expect(text).toContain('{"status":"success","data":{"client_id":')
  })
})

describe('malformed requests', () => {
  const refusalOf = async (...lines: string[]) => {
    const raw = await sendRaw(server.url, `${lines.join('\r\n')}\r\n\r\n`)
    const { status, text } = await raw.answer()
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
    expect(text.toLowerCase()).toContain(`x-request-id: ${body.request_id ?? body.error.details.request_id}`)
    return { status, code: body.code ?? body.error.details.code, word: body.error?.code }
  }

  test.each([
    ['/api', undefined],
    ['/v1', 'invalid_request'],
  ])('under %s', async (prefix, word) => {
    const address = `${prefix}/chat/list`
    expect(await refusalOf(`GET ${address} HTTP/1.1`, `X-Long: ${'x'.repeat(20_000)}`)).toEqual({
      status: 431,
      code: 'request.headers_too_large',
      word,
    })
    expect(await refusalOf(`GET ${address}?${'x'.repeat(20_000)} HTTP/1.1`, 'Host: x')).toEqual({
      status: 414,
      code: 'request.uri_too_long',
      word,
    })
    expect(await refusalOf(`GET ${address} HTTP/1.1`, 'Host: x', 'no header')).toEqual({
      status: 400,
      code: 'request.malformed',
      word,
    })
  })
})
