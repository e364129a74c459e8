import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Any bad input gets a 4xx with an error sentence: never a 5xx, and never SQL or a stack. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

const create = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  server.call('POST', `/api/instructions/create?org_id=${person.organizationId}`, {
    token: person.token,
    body,
    headers,
  })

function expectRefusal(answer: Answer, status = 400): void {
  expect(answer.status).toBe(status)
  expect(answer.body.detail.length).toBeGreaterThan(5)
  expect(answer.text).not.toMatch(/select |insert |at \w+ \(|node_modules|\.ts:\d/i)
  expect(answer.headers.get('x-request-id')).toBe(answer.body.request_id)
}

describe('text that cannot be stored', () => {
  test.each([
    ['NUL', '{"name":"a\\u0000b","content":"c"}', 'name must not contain the NUL character.'],
    ['a lone high surrogate', '{"name":"a","content":"x\\ud83d"}', 'unpaired surrogate'],
    ['a lone low surrogate', '{"name":"\\udc00","content":"c"}', 'unpaired surrogate'],
    ['NUL in a key', '{"name":"a","content":"c","x\\u0000":1}', 'NUL'],
  ])('%s', async (_what, body, detail) => {
    const answer = await create(body)
    expectRefusal(answer)
    expect(answer.body.detail).toContain(detail)
  })

  test('accepts a whole surrogate pair', async () => {
    const answer = await create('{"name":"\\ud83d\\ude00","content":"c"}')
    expect([answer.status, answer.body.name]).toEqual([201, '😀'])
  })

  test.each(['%00', '%ED%A0%80', '%FF', '%'])('%s in a query', async (text) => {
    const answer = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}&cursor=${text}`, {
      token: person.token,
    })
    expectRefusal(answer)
  })

  test('invalid UTF-8 in a body', async () => {
    const response = await fetch(`${server.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
    })
    const { detail } = (await response.json()) as { detail: string }
    expect([response.status, detail]).toEqual([400, 'The body is not valid UTF-8.'])
  })
})

describe('bodies', () => {
  test.each([
    [
      'an unknown key',
      { name: 'a', content: 'b', is_system_role: true },
      'is_system_role is not a field of this request.',
    ],
    ['a missing field', { name: 'a' }, 'content is required.'],
    ['a number for text', { name: 1, content: 'b' }, 'name must be a string.'],
    ['null', { name: null, content: 'b' }, 'name must be a string.'],
    ['an empty text', { name: '', content: 'b' }, 'name must not be empty.'],
    ['a list', [], 'the body must be an object.'],
    ['text', '"hello"', 'the body must be an object.'],
    ['text that is not JSON', '{"name":', 'The body is not valid JSON.'],
    ['only null', 'null', 'the body must be an object.'],
  ])('%s', async (_what, body, detail) => {
    const answer = await create(body)
    expectRefusal(answer)
    expect(answer.body.detail).toBe(detail)
  })

  test("text that doesn't match its pattern", async () => {
    const answer = await server.call('POST', '/api/api_keys/create', {
      token: person.token,
      body: { name: ' ', permissions: ['KB'] },
    })
    expectRefusal(answer)
    expect(answer.body.detail).toBe(
      'name must not be blank; permissions.0 must be resource:action in lower case, such as kb:read; * matches any word.',
    )
    const named = await server.call('POST', '/api/api_keys/create', {
      token: person.token,
      body: { name: 'a', permissions: ['KB'] },
    })
    expect(named.body.detail).toBe(
      'permissions.0 must be resource:action in lower case, such as kb:read; * matches any word.',
    )
  })

  test('a missing body', async () => {
    const answer = await create(undefined)
    expectRefusal(answer)
    expect(answer.body.detail).toBe('The request requires a JSON body.')
  })

  test('very deep nesting', async () => {
    for (const depth of [50_000, 400_000]) {
      const answer = await create(`{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      expectRefusal(answer)
      expect(answer.body.detail).toContain('nested deeper')
    }
  })

  test('numbers beyond range', async () => {
    for (const number of ['1e999', '-1e999', '9'.repeat(400), '1e308', '9007199254740993']) {
      const answer = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
        token: person.token,
        body: `{"settings":{"max_tokens":${number}}}`,
      })
      expectRefusal(answer)
    }
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('with content type %s', async (type) => {
    expectRefusal(await create('{"name":"a","content":"b"}', { 'content-type': type }), 415)
  })

  test('of 100 MB with a content length: refused before it is sent', async () => {
    const status = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
        socket.write(
          'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{',
        )
      })
      socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''))
      socket.once('error', reject)
    })
    expect(status).toBe('HTTP/1.1 413 Payload Too Large')
  })

  test('of 100 MB without a content length: refused while it is sent', async () => {
    const chunk = Buffer.alloc(1_000_000, ' ')
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ === 100) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const outcome = await fetch(`${server.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    }).then(
      (response) => response.status,
      () => 'connection closed',
    )
    expect([413, 'connection closed']).toContain(outcome)
    expect(sent).toBeLessThan(90)
    expect((await server.call('GET', '/healthz')).status).toBe(200)
  })
})

describe('paths', () => {
  test("that don't exist", async () => {
    const answer = await server.call('GET', '/api/nothing')
    expectRefusal(answer, 404)
    expect(answer.body.detail).toBe('Endpoint not found: GET /api/nothing')
  })

  test("with a method that they don't have", async () => {
    const answer = await server.call('PATCH', '/api/chat', { token: person.token })
    expectRefusal(answer, 405)
    expect(answer.headers.get('allow')).toBe('POST, GET, PUT')
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'cursor=nonsense',
    'cursor=',
  ])('of a list with %s', async (query) => {
    const answer = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}&${query}`, {
      token: person.token,
    })
    expectRefusal(answer)
  })

  test('with an invalid id', async () => {
    const answer = await server.call('GET', '/api/chat/list?org_id=1;drop table users', {
      token: person.token,
    })
    expectRefusal(answer)
    expect(answer.body.detail).toBe('org_id must be a UUID.')
  })
})

describe('under /v1', () => {
  test('validation errors are 422 in the envelope, with the path of the field', async () => {
    const answer = await server.call('POST', '/v1/auth/login', { body: { email: 'a' } })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      status: 'error',
      error: {
        code: 'validation_error',
        message: 'password is required.',
        details: { errors: [{ path: 'password', message: 'is required' }] },
      },
    })
  })

  test('success is in the envelope, with the same status', async () => {
    const answer = await server.call('POST', `/v1/chat?org_id=${person.organizationId}`, {
      token: person.token,
      body: {},
    })
    expect([answer.status, answer.body.status, answer.body.data.title]).toEqual([201, 'success', 'New Chat'])
  })

  test('unknown records and missing permissions', async () => {
    expect((await server.call('GET', '/v1/nothing')).body.error.code).toBe('not_found')
    expect((await server.call('GET', '/v1/chat/list')).body.error.code).toBe('unauthorized')
  })
})

test('any JSON gets a response below 500', async () => {
  const paths = [
    '/api/auth/signup',
    '/api/auth/login',
    '/api/auth/refresh',
    `/api/chat?org_id=${person.organizationId}`,
  ]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), fc.json({ maxDepth: 4 }), async (path, body) => {
      const answer = await server.call('POST', path, { token: person.token, body })
      expect(answer.status).toBeLessThan(500)
    }),
    { numRuns: 150 },
  )
})
