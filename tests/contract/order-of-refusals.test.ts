import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withValueAt } from '#tests/attacks/contract.ts'
import type { Answer } from '#tests/support/client.ts'
import { type Bound, boundsOf, type Document, lengthOf } from '../../scripts/limits.ts'
import { type Call, MATRIX, type Somebody } from './access-matrix.ts'
import { PUBLIC } from './compare-envelope.ts'
import {
  callOf,
  FIXTURES_TIMEOUT_MS,
  IN_EVERY_ORGANIZATION,
  type Operation,
  readOperations,
} from './cover-operations.ts'
import { EVERYTHING, gatherSociety, type Made, makeFixture, type Society } from './fixture.ts'

/*
 * Unknown parameters and fields and values beyond their bounds are refused by name, after authentication and permission
 * checks.
 */

const OPERATIONS = readOperations()
const DOCUMENT: Document = JSON.parse(readFileSync('openapi.json', 'utf8'))
/** Callbacks from providers, and third-party clients whose requests Parley cannot change. */
const TAKES_ANY_QUERY = /^\/(openai|anthropic)\/|\/callback$/
/** Ordered from the least privileged. */
const MEMBERS = ['K', 'G', 'C', 'M', 'A'] as const

let society: Society
let made: Made
let deploymentKey: string
beforeAll(async () => {
  society = await gatherSociety()
  made = await makeFixture(society, EVERYTHING)
  const path = `/api/agent_deploy/regenerate_key?deployment_id=${made.fixture.deploymentId}`
  deploymentKey = (await society.server.call('POST', path, { token: made.tokens.O })).body.api_key
}, FIXTURES_TIMEOUT_MS)
afterAll(() => society.stop())

const send = ({ method, path }: Operation, { query, body }: Call, token?: string): Promise<Answer> =>
  society.server.call(method, `${path}?${new URLSearchParams(query)}`, {
    ...(token !== undefined && { token }),
    ...(body !== undefined && { body }),
  })

const withUnknown = (call: Call): Call => ({ ...call, query: { ...call.query, unknown_key: '1' } })

const validCallOf = ({ id, isPublic }: Operation): Call =>
  isPublic
    ? (PUBLIC[id]?.({ email: 'ada@example.com', password: 'x'.repeat(8), refreshToken: 'x' }) ?? {})
    : callOf(id)(made.fixture)

function allowedToken({ id, isPublic }: Operation): string | undefined {
  const [somebody] = MATRIX[id]?.[0] ?? ''
  if (isPublic) return undefined
  return somebody === undefined ? deploymentKey : made.tokens[somebody as Somebody]
}

describe('an unknown query parameter is refused by name', () => {
  const closed = OPERATIONS.filter((operation) => !TAKES_ANY_QUERY.test(operation.path))
  test.each(closed.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const answer = await send(operation, withUnknown(validCallOf(operation)), allowedToken(operation))
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ path: 'unknown_key', message: 'is not a query parameter of this request' }],
    ])
  })
})

test.each(OPERATIONS.filter(({ path }) => TAKES_ANY_QUERY.test(path)).map(({ id }) => id))(
  '%s accepts unknown parameters',
  async (id) => {
    const operation = OPERATIONS.find((one) => one.id === id) as Operation
    const answer = await send(operation, withUnknown(validCallOf(operation)), allowedToken(operation))
    expect(answer.text).not.toContain('unknown_key')
  },
)

const bodiless = OPERATIONS.filter(
  ({ method, takesBody, takesFile }) => method !== 'GET' && !takesBody && !takesFile,
)
test.each(bodiless.map((operation) => [operation.id, operation] as const))(
  '%s accepts no body',
  async (_id, operation) => {
    const call = { ...validCallOf(operation), body: { unknown_field: 1 } }
    const answer = await send(operation, call, allowedToken(operation))
    expect([answer.status, answer.body.detail ?? answer.body.error.message]).toEqual([
      400,
      'unknown_field is not a field of this request.',
    ])
  },
)

describe('a value beyond its bound is refused', () => {
  // Headers and forms have tests of their own.
  const bounded = Map.groupBy(
    boundsOf(DOCUMENT).filter(({ place, bound }) => bound !== null && place !== 'header' && place !== 'form'),
    ({ operation }) => operation,
  )
  const bounds = OPERATIONS.flatMap((operation) => {
    const some = bounded.get(`${operation.method} ${operation.path}`)
    return some ? [[operation.id, operation, some] as const] : []
  })
  test.each(bounds)('%s', async (_id, operation, some) => {
    const accepted: string[] = []
    for (const { place, path, ...bound } of some)
      for (const value of beyond(bound)) {
        const call = validCallOf(operation)
        const text = String(value)
        const changed: Call =
          place === 'query'
            ? { ...call, query: { ...call.query, [path]: text } }
            : { ...call, ...(place === 'body' && { body: bodyWith(call.body, path, value) }) }
        const named = { ...operation, path: operation.path.replace(`{${path}}`, text) }
        const answer = await send(named, changed, allowedToken(operation))
        const isNamed = JSON.stringify(value).length > LISTED_CHARACTERS || OUT_OF_BOUNDS.test(answer.text)
        if (answer.status !== 400 || !isNamed)
          accepted.push(`${path} (${bound.bound}): ${answer.status} ${answer.text.slice(0, 300)}`)
      }
    expect(accepted).toEqual([])
  })
})

/** Returns the body with another value, and the type without which the error is about the type. */
function bodyWith(body: unknown, path: string, value: unknown): unknown {
  const [, format] = /^(response_format|text\.format)\./.exec(path) ?? []
  return withValueAt(format ? withValueAt(body, `${format}.type`, 'json_schema') : body, path, value)
}

/** For a longer value, the error has only one of the broken rules. */
const LISTED_CHARACTERS = 50_000
const OUT_OF_BOUNDS = /must (?:have|be) (?:at most|at least|greater than|\d+)/
/** Longer strings exceed the limits of bodies, which body-limits.test.ts tests. */
const SENT_CHARACTERS_MAX = 1_000_000

/** Returns values just beyond a bound. */
function* beyond({ kind, schema }: Pick<Bound, 'kind' | 'schema'>): Generator<unknown> {
  const { maxItems = 0, maxProperties = 0, maximum, minimum, exclusiveMinimum } = schema
  const length = lengthOf(schema) ?? 0
  if (kind === 'string' && length <= SENT_CHARACTERS_MAX) yield 'x'.repeat(length + 1)
  if (kind === 'array') yield Array.from({ length: maxItems + 1 }, () => 'x')
  if (kind === 'object')
    yield Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`key_${index}`, 'x']))
  if (kind !== 'number') return
  const step = Math.abs(maximum ?? 0) < Number.MAX_SAFE_INTEGER ? 1 : Number.MAX_SAFE_INTEGER
  if (maximum !== undefined) yield maximum + step
  if (minimum !== undefined) yield minimum - step
  if (exclusiveMinimum !== undefined) yield exclusiveMinimum
}

describe('a member without the permission gets 403 for any request', () => {
  const refusable = OPERATIONS.flatMap((operation) => {
    const allowed = MATRIX[operation.id]?.[0] ?? ''
    const somebody = MEMBERS.find((member) => !allowed.includes(member))
    const isInOne = operation.isScoped && !IN_EVERY_ORGANIZATION.includes(operation.id)
    return isInOne && somebody ? [[operation.id, somebody, operation] as const] : []
  })
  test.each(refusable)('%s by %s', async (id, somebody, operation) => {
    const valid = callOf(id)(made.fixture)
    const body = operation.takesBody ? { ...(valid.body as object), unknown_field: 1 } : undefined
    const answer = await send(operation, withUnknown({ ...valid, body }), made.tokens[somebody])
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Missing permission')])
  })
})

describe('org_id is accepted wherever a request concerns one organization, and must match it', () => {
  const elsewhere = { org_id: randomUUID() }
  const scoped = OPERATIONS.filter(
    (operation) => operation.isScoped && !TAKES_ANY_QUERY.test(operation.path) && MATRIX[operation.id],
  )
  test.each(scoped.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    const call = validCallOf(operation)
    const token = allowedToken(operation)
    const wrong = await send(operation, { ...call, query: { ...call.query, ...elsewhere } }, token)
    expect([400, 404]).toContain(wrong.status)
    if (operation.method !== 'GET') return
    const right = { org_id: made.fixture.organizationId }
    const answer = await send(operation, { ...call, query: { ...call.query, ...right } }, token)
    expect(answer.status).toBe((await send(operation, call, token)).status)
  })

  test("may name the caller's organization for a public agent of another one", async () => {
    const { agentId, organizationId } = (await makeFixture(society, ['agentId'])).fixture
    const owner = made.tokens.O
    const publish = `/api/agents/update?agent_id=${agentId}`
    await society.server.call('PUT', publish, { token: owner, body: { is_public: true } })
    const stranger = await society.server.signUp()
    const get = (org_id: string) =>
      society.server.call('GET', `/api/agents/get?agent_id=${agentId}&org_id=${org_id}`, {
        token: stranger.token,
      })
    expect((await get(stranger.organizationId)).body.id).toBe(agentId)
    expect((await get(organizationId)).status).toBe(404)
  })
})
