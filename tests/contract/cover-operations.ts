import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { type Call, type Fixture, MATRIX, PEOPLE } from './access-matrix.ts'
import {
  EVERYTHING,
  gatherSociety,
  type Made,
  makeFixture,
  namesIn,
  type Society,
  unknownOf,
} from './fixture.ts'

export interface Operation {
  id: string
  method: string
  path: string
  isPublic: boolean
  isScoped: boolean
  takesBody: boolean
  takesFile: boolean
  /** It has a parameter that can not be left out. */
  needsQuery: boolean
}

interface Described {
  operationId: string
  security: unknown[]
  'x-permission'?: string
  parameters?: { in: string; required: boolean }[]
  requestBody?: { content: Record<string, unknown> }
}

/** The operations of openapi.json. */
export function readOperations(): Operation[] {
  const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  return Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], ...operation }]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      isPublic: operation.security.length === 0,
      isScoped: operation['x-permission'] !== undefined,
      takesBody: operation.requestBody?.content['application/json'] !== undefined,
      takesFile: operation.requestBody?.content['multipart/form-data'] !== undefined,
      needsQuery: parameters.some(({ in: place, required }) => place === 'query' && required),
    })),
  )
}

/** Those that need a token. */
export const OPERATIONS = readOperations().filter(({ isPublic }) => !isPublic)

/** They are many, and a machine may be busy. */
export const FIXTURES_TIMEOUT_MS = 120_000

/** They look through all organizations of the caller, so nobody is a stranger to them. */
export const IN_EVERY_ORGANIZATION = [
  'post_chat_bulk_delete_sessions',
  'get_tools_list_categories',
  'get_tools_list_all',
  'post_mcp_generate_url',
]

/** Take the ids of organizations, though their routes declare no permission in one. */
const NAMES_ITS_ORGANIZATIONS = ['post_org_leave', 'post_billing_transfer']

/** A valid call of an operation that needs a token. */
export const callOf = (id: string): ((fixture: Fixture) => Call) => MATRIX[id]?.[1] ?? (() => ({}))

/** There are many of them, so they are covered in two files: those that add or change, and the others. */
export const isChange = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT'

/**
 * Tries each operation without a token, with forged ones, and by everybody of access-matrix.ts. Who is no member gets
 * exactly the answer that an id gets that does not exist.
 */
export function coverOperations(operations: readonly Operation[]): void {
  let society: Society
  const fixtures = new Map<string, Promise<Made>>()

  beforeAll(async () => {
    society = await gatherSociety()
    // What only reads leaves everything as it was, so those share one; each of the others has its own.
    const readers = operations.filter(({ method }) => method === 'GET')
    const forReading = makeFixture(
      society,
      readers.flatMap(({ id }) => namesIn(callOf(id))),
    )
    for (const { id, method } of operations) {
      const names = id === 'delete_org_delete' ? EVERYTHING : namesIn(callOf(id))
      fixtures.set(id, method === 'GET' ? forReading : makeFixture(society, names))
    }
    await Promise.all(fixtures.values())
  }, FIXTURES_TIMEOUT_MS)
  afterAll(() => society.stop())

  const send = ({ method, path }: Operation, call: Call, token?: string): Promise<Answer> =>
    society.server.call(method, `${path}?${new URLSearchParams(call.query)}`, {
      ...(token !== undefined && { token }),
      ...(call.body !== undefined && { body: call.body }),
    })

  describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
    const [allowed = ''] = MATRIX[id] ?? []
    const call = callOf(id)
    let made: Made
    beforeAll(async () => {
      made = (await fixtures.get(id)) as Made
    })

    test('401 without a token, and with a wrong one', async () => {
      const [head, payload, signature = ''] = made.tokens.O.split('.')
      const forged = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
      for (const token of [undefined, 'not.a.token', forged, `sk_${'x'.repeat(43)}`])
        expect((await send(operation, call(made.fixture), token)).status).toBe(401)
    })

    const isOfOne = operation.isScoped && !IN_EVERY_ORGANIZATION.includes(id)
    if (isOfOne)
      test('who is no member is answered as if there were nothing', async () => {
        const [answer, toNothing] = [
          await send(operation, call(made.fixture), made.tokens.N),
          await send(operation, call(unknownOf(made.fixture)), made.tokens.N),
        ]
        expect(answer.status).toBe(404)
        expect({ ...answer.body, request_id: null }).toEqual({ ...toNothing.body, request_id: null })
      })

    // The least first: what an owner does may end the organization.
    test.each([...PEOPLE].reverse())(`%s (of ${allowed})`, async (somebody) => {
      const { status, body } = await send(operation, call(made.fixture), made.tokens[somebody])
      const isAllowed = allowed.includes(somebody)
      const isMember = !'NS'.includes(somebody)
      if (isAllowed) {
        expect([401, 403, 500]).not.toContain(status)
        expect(body?.detail).not.toBe('Organization not found')
      } else
        expect(status).toBe(
          isMember || (!operation.isScoped && !NAMES_ITS_ORGANIZATIONS.includes(id)) ? 403 : 404,
        )
    })
  })
}
