import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Errors repeat at most 100 characters of a client's input. */

let server: TestServer
let person: Person
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(() => server.stop())

const create = (body: unknown): Promise<Answer> =>
  server.call('POST', `/api/instructions/create?org_id=${person.organizationId}`, {
    token: person.token,
    body,
  })

test('an unknown key of 3 MB', async () => {
  const { status, text, body } = await create({ name: 'a', content: 'b', ['k'.repeat(3_000_000)]: 1 })
  const shown = `${'k'.repeat(100)}…`
  expect([status, body.detail]).toEqual([400, `${shown} is not a field of this request.`])
  expect(body.errors).toEqual([{ path: shown, message: 'is not a field of this request' }])
  expect(text.length).toBeLessThan(600)
})

test('a text that cannot be stored, below a long key', async () => {
  const { status, body } = await create(`{"${'k'.repeat(3_000_000)}":"\\u0000"}`)
  expect([status, body.detail]).toEqual([400, `${'k'.repeat(100)}… must not contain the NUL character.`])
})

test('a key is not cut inside a character', async () => {
  const { body } = await create({ [`${'k'.repeat(99)}😀`]: 1 })
  expect(body.detail.isWellFormed()).toBe(true)
})

test('an unknown path', async () => {
  const { status, body } = await server.call('GET', `/api/${'k'.repeat(5_000)}`)
  expect([status, body.detail]).toEqual([404, `Endpoint not found: GET /api/${'k'.repeat(95)}…`])
})

interface Operation {
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, { type?: string }> } }> }
}

/** Longer than any text that an endpoint repeats, and short enough for every URL and body. */
const LONG = 'k'.repeat(10_000)

test('every operation: a long key in query or body, and long texts in all fields', async () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  expect(operations.length).toBeGreaterThan(100)
  const long: string[] = []
  for (const { path, method, operation } of operations) {
    const address = path.replaceAll(/\{\w+\}/g, LONG)
    const ask = async (more: string, body?: unknown): Promise<void> => {
      const query = `?org_id=${person.organizationId}${more}`
      const sent = method === 'GET' || body === undefined ? {} : { body }
      const { text } = await server.call(method, address + query, { token: person.token, ...sent })
      if (text.includes('k'.repeat(101))) long.push(`${method} ${path} ${text.slice(0, 300)}`)
    }
    await ask(`&${LONG}=1`, {})
    const schema = operation.requestBody?.content['application/json']?.schema
    if (!schema) continue
    await ask('', { [LONG]: 1 })
    const texts = Object.entries(schema.properties ?? {}).map(([name, { type }]) => [
      name,
      type === 'array' ? [LONG] : type === 'object' ? { [LONG]: LONG } : LONG,
    ])
    await ask('', Object.fromEntries(texts))
  }
  expect(long).toEqual([])
})

test('values equal those in the sentence, are truncated alike, and absent if it has none', async () => {
  const query = `?org_id=${person.organizationId}`
  const ask = async (method: string, path: string) => server.call(method, path, { token: person.token })
  const address = await ask('GET', `/api/${'k'.repeat(5_000)}`)
  expect(address.body.values).toEqual({ method: 'GET', path: `/api/${'k'.repeat(95)}…` })
  const unknown = await create({ name: 'a', content: 'b', key: 1 })
  expect(unknown.body.values).toEqual({ reason: unknown.body.detail })
  const nothing = await server.call('POST', `/api/chat/send_message${query}`, {
    token: person.token,
    body: { content: 'Hello' },
  })
  expect([nothing.status, 'values' in nothing.body]).toEqual([400, false])
})
