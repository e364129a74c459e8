import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

const COMMITTED = join(import.meta.dirname, '../../openapi.json')

const idsOf = ({ paths }: { paths: Record<string, Record<string, { operationId: string }>> }): string[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))

type Json = Record<string, unknown>

/** Returns the pointers of the operations, parameters and schema fields without a description. */
function undescribedOf(document: Json): string[] {
  const found: string[] = []
  const check = (value: unknown, pointer: string): void => {
    if (!(value as Json)['description']) found.push(pointer)
  }
  const walk = (value: unknown, pointer: string, key = ''): void => {
    if (value === null || typeof value !== 'object' || EXAMPLES.has(key)) return
    const { operationId, in: place, properties } = value as Json
    if (operationId !== undefined || place !== undefined) check(value, pointer)
    if (key !== 'properties' && properties !== undefined)
      for (const [name, field] of Object.entries(properties as Json))
        check(field, `${pointer}/properties/${name}`)
    for (const [name, inner] of Object.entries(value))
      walk(inner, `${pointer}/${name}`, key === 'properties' ? '' : name)
  }
  walk({ ...document, components: { schemas: (document['components'] as Json)['schemas'] } }, '')
  return found
}
const EXAMPLES = new Set(['example', 'examples', 'default', 'enum', 'const'])

/** Returns the pointers of the array schemas without `items`, which generators of clients reject. */
function arraysWithoutItems(value: unknown, pointer = '', key = ''): string[] {
  if (value === null || typeof value !== 'object' || EXAMPLES.has(key)) return []
  const { type, items } = value as Json
  const isArray = key !== 'properties' && [type].flat().includes('array')
  return [
    ...(isArray && items === undefined ? [pointer] : []),
    ...Object.entries(value).flatMap(([name, inner]) =>
      arraysWithoutItems(inner, `${pointer}/${name}`, key === 'properties' ? '' : name),
    ),
  ]
}

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

test('the committed openapi.json matches the routes (npm run openapi)', async () => {
  const { body } = await server.call('GET', '/openapi.json')
  expect(body).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')))
})

describe.each(['/openapi.json', '/v1/openapi.json', '/api/openapi.json'])('the response of %s', (address) => {
  const get = (headers: Record<string, string>) => server.call('GET', address, { headers })

  test('is compressed for clients that accept it', async () => {
    const zipped = await get({ 'accept-encoding': 'gzip' })
    const plain = await get({ 'accept-encoding': 'identity' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(zipped.body).toEqual(plain.body)
    for (const { headers } of [zipped, plain]) expect(headers.get('vary')).toContain('Accept-Encoding')
    expect(zipped.headers.get('etag')).not.toBe(plain.headers.get('etag'))
  })

  test.each([
    ['the tag', (tag: string) => tag],
    ['the weak tag', (tag: string) => `W/${tag}`],
    ['a list with the tag', (tag: string) => `"other", ${tag}`],
    ['any tag', () => '*'],
  ])('is 304 without a body for %s', async (_name, write) => {
    const tag = (await get({})).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]+"$/)
    const again = await get({ 'if-none-match': write(tag) })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})

describe.each(['/openapi.json', '/v1/openapi.json'])('%s', (address) => {
  test('every operation, parameter and field has a description', async () => {
    const undescribed = undescribedOf((await server.call('GET', address)).body)
    expect(undescribed, `${undescribed.length} without a description`).toEqual([])
  })

  test('every array describes its items, and every status is a number', async () => {
    const { body } = await server.call('GET', address)
    expect(arraysWithoutItems(body)).toEqual([])
    const operations = Object.values<Record<string, { responses: object }>>(body.paths).flatMap(Object.values)
    const statuses = operations.flatMap(({ responses }) => Object.keys(responses))
    expect(statuses.filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([])
  })

  test('every operation has a unique id', async () => {
    const ids = idsOf((await server.call('GET', address)).body)
    expect(ids).toEqual([...new Set(ids)])
  })
})

test('exactly the operations under /api are under /v1', async () => {
  const { body } = await server.call('GET', '/v1/openapi.json')
  const { paths } = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const ofApi = Object.keys(paths).filter((path) => path.startsWith('/api/'))
  expect(Object.keys(body.paths)).toEqual(ofApi.map((path) => path.replace('/api/', '/v1/')))
  expect(idsOf(body)).toEqual(idsOf({ paths: Object.fromEntries(ofApi.map((path) => [path, paths[path]])) }))
})

test('addresses are in snake_case, and those that change something end with a verb', () => {
  const { paths } = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const addresses = Object.keys(paths).filter((path) => path.startsWith('/api/'))
  expect(addresses.filter((path) => !/^(\/[a-z0-9_]+)+$/.test(path))).toEqual(['/api/mcp/client.json'])
  const nouns = addresses.filter((path) => {
    const [verb = ''] = path.slice(path.lastIndexOf('/') + 1).split('_')
    return Object.keys(paths[path]).some((method) => method !== 'get') && !VERBS.has(verb)
  })
  expect(nouns).toEqual(NOUNS)
})

const VERBS = new Set(
  (
    'accept add attach begin bulk challenge chat confirm connect create delete exchange forgot generate import invite leave lift ' +
    'login logout prompt query redeliver refresh regenerate register reindex remove renew resend reset revoke rotate ' +
    'run search send set sign signup stop stream suspend test transcribe transfer update upload verify'
  ).split(' '),
)
/** Addresses of the specification and the contract that end with a noun, and one of MCP. */
const NOUNS = [
  '/api/auth/sessions',
  '/api/org/features',
  '/api/users/me',
  '/api/roles/permission',
  '/api/tools',
  '/api/mcp/servers',
  '/api/mcp/pending_connection',
  '/api/mcp/instance',
  '/api/agents',
  '/api/billing/credits',
  '/api/mcp_playground/memory',
]

test('every nested object of a PUT says whether it is merged or replaced', () => {
  const { paths, components } = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const resolved = (schema: Json): Json =>
    '$ref' in schema ? components.schemas[String(schema['$ref']).split('/').at(-1) as string] : schema
  const said: string[] = []
  const silent: string[] = []
  const walk = (schema: Json, operation: string, path: string): void => {
    for (const [name, field] of Object.entries(
      (resolved(schema)['properties'] ?? {}) as Record<string, Json>,
    )) {
      const forms = [field, ...((field['anyOf'] ?? []) as Json[])].map(resolved)
      const object = forms.find((form) => form['properties'])
      if (!object) continue
      const text = `${field['description']} ${operation}`
      const merges = /Merged by key/.test(text)
      const isSaid = merges || new RegExp(`Replaces the previous value|\`${name}\` replaces`).test(text)
      ;(isSaid ? said : silent).push(`${path}.${name}`)
      if (merges) walk(object, operation, `${path}.${name}`)
    }
  }
  for (const [path, { put }] of Object.entries<Record<string, Json>>(paths)) {
    const { content } = (put?.['requestBody'] ?? {}) as { content?: Record<string, { schema: Json }> }
    const schema = content?.['application/json']?.schema
    if (schema) walk(schema, String(put?.['description']), path)
  }
  expect(silent).toEqual([])
  expect(said.length).toBeGreaterThan(8)
})

test('every example of a body is valid', () => {
  const document = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  let examples = 0
  for (const [path, operations] of Object.entries<Record<string, never>>(document.paths))
    for (const method of Object.keys(operations)) {
      const content = document.paths[path][method].requestBody?.content['application/json']
      if (content?.example === undefined) continue
      examples += 1
      const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
      const reference = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
      const validate = ajv.getSchema(`openapi#/${reference}`)
      expect(validate?.(content.example), `${method} ${path}: ${JSON.stringify(validate?.errors)}`).toBe(true)
    }
  expect(examples).toBeGreaterThan(5)
})

test('every example agrees with itself', () => {
  const document = JSON.parse(readFileSync(COMMITTED, 'utf8'))
  const wrong: string[] = []
  const check = (record: Json, pointer: string): void => {
    for (const rule of RULES) if (!rule(record)) wrong.push(`${pointer}: ${rule.name}`)
    for (const [key, inner] of Object.entries(record))
      if (inner !== null && typeof inner === 'object') check(inner as Json, `${pointer}/${key}`)
  }
  const walk = (value: unknown, pointer: string): void => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value))
      if (key === 'example' || key === 'examples') check({ inner }, `${pointer}/${key}`)
      else walk(inner, `${pointer}/${key}`)
  }
  walk(document, '')
  expect([...new Set(wrong)]).toEqual([])
})

/** Rules for example records. A record without the fields of a rule satisfies the rule. */
const RULES: readonly ((record: Json) => boolean)[] = [
  function pageWithoutCursorEnds({ next_cursor: cursor, has_more: hasMore }) {
    return cursor === undefined || hasMore === undefined || (cursor === null) === (hasMore === false)
  },
  function timesAreInOrder({ created_at: created, updated_at, last_used_at, finished_at, expires_at }) {
    const later = [updated_at, last_used_at, finished_at, expires_at].filter(
      (time) => typeof time === 'string',
    )
    return typeof created !== 'string' || later.every((time) => time >= created)
  },
  function documentsAddUp({ total, ready, failed, pending = 0 }) {
    return ready === undefined || total === Number(ready) + Number(failed) + Number(pending)
  },
  function availableIsBalanceMinusHolds({ balance, held, available }) {
    return held === undefined || balance === undefined || available === Number(balance) - Number(held)
  },
  function creditsFollowUsage({ credits, input_tokens: input, output_tokens: output }) {
    return credits === undefined || input === undefined || credits === Number(input) + 4 * Number(output)
  },
  function permissionsMatchTheirIds({ permissions, permission_ids: ids }) {
    const listed = Array.isArray(permissions) ? permissions.map(({ id }) => id) : []
    return ids === undefined || permissions === undefined || JSON.stringify(listed) === JSON.stringify(ids)
  },
  function aFirstPageHasAllItems(record) {
    const items = [record['users'], record['documents'], record['messages'], record['results']].find(
      Array.isArray,
    )
    return items === undefined || record['total'] === undefined || record['total'] === items.length
  },
]

test('every pattern has a rule in words, because errors show no pattern', () => {
  const patterns: { pointer: string; rule: unknown }[] = []
  const walk = (value: unknown, pointer: string): void => {
    if (value === null || typeof value !== 'object') return
    const { pattern, 'x-pattern-rule': rule } = value as Record<string, unknown>
    if (typeof pattern === 'string') patterns.push({ pointer, rule })
    for (const [key, inner] of Object.entries(value)) walk(inner, `${pointer}/${key}`)
  }
  walk(JSON.parse(readFileSync(COMMITTED, 'utf8')), '')
  expect(patterns.length).toBeGreaterThan(40)
  expect(patterns.filter(({ rule }) => typeof rule !== 'string' || !/^(?:must|has) /.test(rule))).toEqual([])
})

test('/docs is served locally and loads nothing from other servers', async () => {
  const page = await fetch(`${server.url}/docs/`)
  expect(page.status).toBe(200)
  const html = await page.text()
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source)
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source ?? ''))).toEqual([])
  expect(html).toContain('/v1/openapi.json')
})
