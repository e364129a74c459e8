import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { type Call, type Fixture, MATRIX, PEOPLE, type Somebody } from './access-matrix.ts'
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
  /** The permission that it requires in an organization. */
  permission: string | undefined
  isScoped: boolean
  takesBody: boolean
  takesFile: boolean
  /** Whether it has a required parameter. */
  needsQuery: boolean
}

interface Described {
  operationId: string
  security: unknown[]
  'x-permission'?: string
  parameters?: { in: string; required: boolean }[]
  requestBody?: { content: Record<string, unknown> }
}

/** Returns the operations of openapi.json. */
export function readOperations(): Operation[] {
  const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  return Object.entries<Record<string, Described>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], ...operation }]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      isPublic: operation.security.length === 0,
      permission: operation['x-permission'],
      isScoped: operation['x-permission'] !== undefined,
      takesBody: operation.requestBody?.content['application/json'] !== undefined,
      takesFile: operation.requestBody?.content['multipart/form-data'] !== undefined,
      needsQuery: parameters.some(({ in: place, required }) => place === 'query' && required),
    })),
  )
}

/** The operations that need a token. */
export const OPERATIONS = readOperations().filter(({ isPublic }) => !isPublic)

/** Timeout for creating all fixtures. There are many, and the machine may be busy. */
export const FIXTURES_TIMEOUT_MS = 120_000

/** Operations that search all of the caller's organizations, so their responses don't depend on membership in one. */
export const IN_EVERY_ORGANIZATION = [
  'post_chat_bulk_delete_sessions',
  'get_tools_list_categories',
  'get_tools_list_all',
  'post_mcp_generate_url',
]

/** Returns whether an operation requires a permission in the organization of its records. */
export const isOfOne = ({ id, isScoped }: Operation): boolean =>
  isScoped && !IN_EVERY_ORGANIZATION.includes(id)

/** Operations that take organization ids, although their routes declare no permission in an organization. */
const NAMES_ITS_ORGANIZATIONS = ['post_org_leave', 'post_billing_transfer']

/** Returns a valid call of an operation that needs a token. */
export const callOf = (id: string): ((fixture: Fixture) => Call) => MATRIX[id]?.[1] ?? (() => ({}))

/** Operations that add or change records are tested in a separate file, because there are so many. */
export const isChange = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT'

/**
 * Calls each operation without a token, with forged tokens, and as each caller of access-matrix.ts. Callers who
 * are not members get exactly the response for an unknown id. If `callersOf` is given, calls it only without a token and
 * as these callers.
 */
export function coverOperations(
  operations: readonly Operation[],
  callersOf?: (operation: Operation) => readonly Somebody[],
): void {
  let society: Society
  const fixtures = new Map<string, Promise<Made>>()

  beforeAll(async () => {
    society = await gatherSociety()
    // Operations that only read share one fixture. Each of the others has a separate one.
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

    test('returns 401 without a token, and with a wrong one', async () => {
      const wrong = callersOf ? [] : wrongTokens(made.tokens.O)
      for (const token of [undefined, ...wrong])
        expect((await send(operation, call(made.fixture), token)).status).toBe(401)
    })

    if (isOfOne(operation))
      test('gives callers who are not members the response for an unknown id', async () => {
        const [answer, toNothing] = [
          await send(operation, call(made.fixture), made.tokens.N),
          await send(operation, call(unknownOf(made.fixture)), made.tokens.N),
        ]
        expect(answer.status).toBe(404)
        expect(withoutIds(answer)).toEqual(withoutIds(toNothing))
      })

    // The least privileged callers run first, because the owner's call may delete the organization.
    test.each((callersOf?.(operation) ?? PEOPLE).toReversed())(`%s (of ${allowed})`, async (somebody) => {
      const { status, body } = await send(operation, call(made.fixture), made.tokens[somebody])
      const isAllowed = allowed.includes(somebody)
      const isMember = !'NS'.includes(somebody)
      if (isAllowed) {
        expect([401, 403, 500]).not.toContain(status)
        expect(body?.code).not.toBe('org.not_found')
      } else
        expect(status).toBe(
          isMember || (!operation.isScoped && !NAMES_ITS_ORGANIZATIONS.includes(id)) ? 403 : 404,
        )
    })
  })
}

/** Returns tokens that no operation admits, one of them with a forged signature. */
function wrongTokens(token: string): string[] {
  const [head, payload, signature = ''] = token.split('.')
  const forged = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
  return ['not.a.token', forged, `sk_${'x'.repeat(43)}`]
}

/** A response repeats the id that was requested, and has one of its own. */
const withoutIds = ({ text }: Answer): unknown =>
  JSON.parse(text.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'id'))
