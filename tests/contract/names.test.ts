import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Every field that names something refuses characters that nobody sees: two names that look alike could otherwise
 * differ, and a name could rearrange the text around it.
 */

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  'x-pattern-rule'?: string
  'x-plain-name'?: boolean
  'x-one-script'?: boolean
}
interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}

const NAMING = /(?:^|_)(?:name|title|label|folder|nickname)$/

/** Fields that name nothing in Parley, by address and path. */
const EXCEPTIONS: readonly { at: RegExp; why: string }[] = [
  { at: /^GET /, why: 'Filters records by names that they have, also by those of older versions.' },
  { at: /^\w+ \/(?:openai|anthropic)\//, why: "A conversation of the client, which is the client's own." },
]

const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolve(
        schema.$ref
          .slice(2)
          .split('/')
          .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document) as Schema,
      )

const alternativesOf = (schema: Schema): Schema[] => {
  const own = resolve(schema)
  const inner = [...(own.anyOf ?? []), ...(own.oneOf ?? []), ...(own.allOf ?? [])]
  return inner.length === 0 ? [own] : inner.flatMap(alternativesOf)
}

/** Returns the paths of the strings that are named like names. */
function namesIn(schema: Schema, path = '', depth = 0): { path: string; schema: Schema }[] {
  if (depth > 10) return []
  return alternativesOf(schema).flatMap((own) => [
    ...Object.entries(own.properties ?? {}).flatMap(([name, child]) => [
      ...(NAMING.test(name)
        ? alternativesOf(child)
            .filter(({ type }) => [type].flat().includes('string'))
            .map((text) => ({ path: `${path}.${name}`, schema: text }))
        : []),
      ...namesIn(child, `${path}.${name}`, depth + 1),
    ]),
    ...(own.items ? namesIn(own.items, `${path}[]`, depth + 1) : []),
    ...(typeof own.additionalProperties === 'object'
      ? namesIn(own.additionalProperties, `${path}{}`, depth + 1)
      : []),
  ])
}

const fields = Object.entries(document.paths).flatMap(([address, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
    const operation = `${method.toUpperCase()} ${address}`
    const inQuery = parameters
      .filter(({ name }) => NAMING.test(name))
      .map(({ name, schema }) => ({ path: `?${name}`, schema: resolve(schema) }))
    const inBody = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => namesIn(schema))
    return [...inQuery, ...inBody].map((field) => ({ ...field, at: `${operation} ${field.path}` }))
  }),
)

/** A pattern that allows only listed characters, and no others than visible ones. */
const isNarrow = ({ pattern, enum: values, const: value }: Schema): boolean =>
  values !== undefined ||
  value !== undefined ||
  (pattern !== undefined && HIDDEN.every((hidden) => !new RegExp(pattern, 'u').test(`a${hidden}b`)))

const HIDDEN = ['\u202e', '\u2066', '\u200b', '\ufeff', '\u200d']

test('every name in a request refuses invisible characters', () => {
  expect(fields.length).toBeGreaterThan(50)
  const open = fields.filter(
    ({ at, schema }) =>
      schema['x-plain-name'] !== true && !isNarrow(schema) && !EXCEPTIONS.some((one) => one.at.test(at)),
  )
  expect(open.map(({ at }) => at)).toEqual([])
})

test.each([
  'POST /api/org/create_org ?name',
  'PUT /api/org/update .name',
  'POST /api/agents .name',
  'PUT /api/agents/update .name',
  'POST /api/tools .name',
  'PUT /api/tools .name',
])('a name that other organizations see refuses look-alike letters: %s', (field) => {
  expect(fields.find(({ at }) => at === field)?.schema).toMatchObject({ 'x-one-script': true })
})

describe('a name with invisible characters', () => {
  let server: TestServer
  let person: Person
  beforeAll(async () => {
    server = await sharedTestServer()
    person = await server.signUp()
  })
  afterAll(() => server.stop())

  const chat = async (): Promise<string> => {
    const created = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
      token: person.token,
      body: {},
    })
    return `/api/chat?chat_id=${created.body.id}&org_id=${person.organizationId}`
  }
  const inOrganization = (path: string) => async () => `${path}?org_id=${person.organizationId}`

  test.each<[what: string, method: string, path: () => Promise<string>, field: string, rest: object]>([
    ['instruction', 'POST', inOrganization('/api/instructions/create'), 'name', { content: 'a' }],
    ['chat', 'POST', inOrganization('/api/chat'), 'title', {}],
    ['folder', 'PUT', chat, 'folder', {}],
    ['conversation', 'POST', inOrganization('/api/conversation/create'), 'title', {}],
    ['category', 'POST', inOrganization('/api/tools/create_category'), 'name', { description: 'a' }],
    ['knowledge base', 'POST', inOrganization('/api/kb/create'), 'name', {}],
    ['role', 'POST', inOrganization('/api/roles/create'), 'name', {}],
  ])('is refused for a new %s', async (_, method, path, field, rest) => {
    for (const hidden of HIDDEN) {
      const { status, body } = await server.call(method, await path(), {
        token: person.token,
        body: { ...rest, [field]: `Sha${hidden}red` },
      })
      const rule = body.errors?.find((error: { path: string }) => error.path === field)
      expect([status, rule?.message]).toEqual([400, expect.stringContaining('invisible')])
    }
  })

  test('is refused for a new organization whose word mixes scripts', async () => {
    const created = await server.call('POST', '/api/org/create_org?name=P%D0%B0yPal', { token: person.token })
    expect([created.status, created.body.detail]).toEqual([
      400,
      expect.stringContaining('must not mix Latin with Cyrillic or Greek letters in one word'),
    ])
  })
})
