import { createClient, type TransportOptions } from '@parley/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** Tests how the client retries requests and reports errors. */

type Send = NonNullable<TransportOptions['fetch']>

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

const clientOver = (fetch?: Send) => createClient({ baseUrl: server.url, auth: person.token, fetch })

/**
 * Returns a `fetch` that loses its first responses, although the server has handled the requests, and a list of the
 * requests' idempotency keys.
 */
function losing(answers: number): { send: Send; keys: (string | null)[] } {
  const keys: (string | null)[] = []
  return {
    keys,
    async send(url, init) {
      const response = await fetch(url, init)
      keys.push(new Headers(init.headers).get('idempotency-key'))
      if (keys.length > answers) return response
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    },
  }
}

const instruction = (name: string) => ({
  query: { org_id: person.organizationId },
  body: { name, content: 'Be brief.' },
})

const create = (name: string) => clientOver().request('POST /api/instructions/create', instruction(name))

test('runs a POST once if its response is lost', async () => {
  const line = losing(1)
  const made = await clientOver(line.send).request('POST /api/instructions/create', instruction('Once'))
  expect(line.keys).toEqual([expect.any(String), line.keys[0]])
  const { data } = await clientOver().request('GET /api/instructions/list', {
    query: { org_id: person.organizationId },
  })
  expect(data.filter(({ name }) => name === 'Once').map(({ id }) => id)).toEqual([made.id])
})

test('reports success for a DELETE whose response was lost, and 404 for an unknown id', async () => {
  const { id } = await create('Deleted')
  const query = { org_id: person.organizationId, instruction_id: id }
  const line = losing(1)
  const answer = await clientOver(line.send).request('DELETE /api/instructions/delete', { query })
  expect(line.keys).toHaveLength(2)
  expect(answer).toEqual({ message: expect.any(String) })
  const again = clientOver().request('DELETE /api/instructions/delete', { query })
  await expect(again).rejects.toMatchObject({ status: 404, isRetryable: false })
})

test('sends a PUT, and a POST without a key, once', async () => {
  const { id } = await create('Kept')
  const put = losing(1)
  const change = clientOver(put.send).request('PUT /api/instructions/update', {
    query: { org_id: person.organizationId, instruction_id: id },
    body: { name: 'Changed' },
  })
  await expect(change).rejects.toMatchObject({ status: 0, code: 'network', isRetryable: true })
  expect(put.keys).toHaveLength(1)
  const post = losing(1)
  const input = { ...instruction('Twice'), idempotencyKey: null }
  const keyless = clientOver(post.send).request('POST /api/instructions/create', input)
  await expect(keyless).rejects.toMatchObject({ code: 'network' })
  expect(post.keys).toEqual([null])
})

test('reports the field of an error, and how to report it', async () => {
  const refused = clientOver().request('POST /api/instructions/create', {
    query: { org_id: person.organizationId },
    body: { name: 'x'.repeat(10_000), content: 'Be brief.' },
  })
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 'request.invalid',
    values: { reason: expect.stringMatching(/^name must have at most/) },
    fieldErrors: [{ path: 'name', message: expect.any(String) }],
    requestId: expect.any(String),
    isRetryable: false,
  })
})

test('replaces a token that the server refuses', async () => {
  const refused: string[] = []
  const auth = {
    token: async () => 'expired',
    async renew(token: string) {
      refused.push(token)
      return person.token
    },
  }
  const { id } = await createClient({ baseUrl: server.url, auth }).request('GET /api/users/me', {})
  expect([id, refused]).toEqual([person.userId, ['expired']])
})
