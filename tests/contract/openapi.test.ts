import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

const COMMITTED = join(import.meta.dirname, '../../openapi.json')

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

test('the committed openapi.json is what the routes say (npm run openapi)', async () => {
  const { body } = await server.call('GET', '/openapi.json')
  expect(body).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')))
})

test("Redocly's strict rules find nothing in it", async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const source = readFileSync(COMMITTED, 'utf8')
  const problems = await lintFromString({ source, absoluteRef: COMMITTED, config })
  const found = problems.map(
    ({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer ?? ''] as const,
  )
  // An address that a browser passes through answers 302 and nothing else, which the rules do not know of.
  const redirects = found.filter(
    ([rule, , pointer]) =>
      rule === 'operation-2xx-response' && /(oidc~1\w+|mcp~1callback)\/get/.test(pointer),
  )
  expect(found.filter((problem) => !redirects.includes(problem))).toEqual([])
  expect(redirects).toHaveLength(3)
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

test('/docs is served from here and loads nothing from elsewhere', async () => {
  const page = await fetch(`${server.url}/docs/`)
  expect(page.status).toBe(200)
  const html = await page.text()
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source)
  expect(sources.filter((source) => /^(https?:)?\/\//.test(source ?? ''))).toEqual([])
})
