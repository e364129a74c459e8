import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Bodies that would block the event loop are refused before they are parsed. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

/** Returns a body with this many values, the last of them with an escape. */
const bodyOf = (values: number): string => `[${'0,'.repeat(values - 1)}"\\ud83d\\ude00"]`

const send = (path: string, body: string, token?: string): Promise<Answer> =>
  server.call('POST', path, { body, ...(token !== undefined && { token }) })

const outcome = ({ status, body }: Answer) => [status, body.code]

test('anonymous clients send at most 64 KiB', async () => {
  const login = JSON.stringify({ email: 'a@example.com', password: 'wrong password' })
  const fits = login.padEnd(64 * 1024)
  expect(outcome(await send('/api/auth/login', fits))).toEqual([401, 'auth.invalid_credentials'])
  expect(outcome(await send('/api/auth/login', `${fits} `))).toEqual([413, 'request.too_large'])
  expect(outcome(await send('/api/auth/login', bodyOf(1_000_000)))).toEqual([413, 'request.too_large'])
})

test.each<[name: string, bytes: number, isChunked: boolean, closes?: boolean]>([
  ['with a length', 5_000_000, false],
  ['with a length, far beyond the limit', 40_000_000, false],
  ['in chunks', 5_000_000, true],
  ['in chunks, far beyond the limit', 40_000_000, true],
  ['with a length, as large as a disk image', 400_000_000, false],
  ['in chunks, as large as a disk image', 400_000_000, true],
  ['with a length, on a connection to close', 40_000_000, false, true],
  ['in chunks, on a connection to close', 40_000_000, true, true],
])(
  'a client that sends all of a body %s before it reads gets the error',
  async (_, bytes, isChunked, closes) => {
    for (const path of ['/api/auth/login', `/api/instructions/create?org_id=${person.organizationId}`]) {
      const asked = request(`${server.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${person.token}`,
          connection: closes ? 'close' : 'keep-alive',
          ...(!isChunked && { 'content-length': bytes }),
        },
      })
      const response = once(asked, 'response')
      const ended = new Promise((resolve, reject) => asked.once('error', reject).once('finish', resolve))
      asked.end(Buffer.alloc(bytes, ' '))
      await ended
      const [answer] = await response
      const body = JSON.parse(Buffer.concat(await answer.toArray()).toString())
      expect([answer.statusCode, body.code]).toEqual([413, 'request.too_large'])
    }
  },
)

test('the same limit applies to unknown paths and methods', async () => {
  const large = ' '.repeat(64 * 1024 + 1)
  expect(outcome(await send('/api/nothing', large))).toEqual([413, 'request.too_large'])
  const patched = await server.call('PATCH', '/api/chat', { body: large, token: person.token })
  expect(outcome(patched)).toEqual([413, 'request.too_large'])
})

test('a body has at most 100,000 values', async () => {
  const path = `/api/instructions/create?org_id=${person.organizationId}`
  expect(outcome(await send(path, bodyOf(100_000), person.token))).toEqual([400, 'request.invalid'])
  const answer = await send(path, bodyOf(100_001), person.token)
  expect(outcome(answer)).toEqual([413, 'request.too_many_values'])
  expect(answer.body.detail).toBe(
    'The body has more than 100000 values, counting list items and object fields at every level. Send fewer.',
  )
})

test('a body for embeddings has at most 500,000 values', async () => {
  const path = '/openai/v1/embeddings'
  const fits = await send(path, bodyOf(500_000), person.token)
  expect([fits.status, fits.body.error.code]).toEqual([400, 'request.invalid'])
  const tooMany = await send(path, bodyOf(500_001), person.token)
  expect([tooMany.status, tooMany.body.error.code]).toEqual([413, 'request.too_many_values'])
})

test('a body without a credential is not read', async () => {
  const answer = await send('/api/instructions/create', bodyOf(1_000_000))
  expect(outcome(answer)).toEqual([401, 'auth.missing'])
})
