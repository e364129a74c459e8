import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createConfig, lintFromString } from '#tests/clients/redocly.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

const COMMITTED = join(import.meta.dirname, '../../openapi.json')

let server: TestServer
beforeAll(async () => {
  server = await sharedTestServer()
})

test.each(['/openapi.json', '/v1/openapi.json'])(
  "Redocly's strict rules find nothing in %s",
  async (address) => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const { text: source } = await server.call('GET', address)
    const problems = await lintFromString({ source, absoluteRef: COMMITTED, config })
    const found = problems.map(
      ({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer ?? ''] as const,
    )
    // Routes that only redirect browsers declare no 2xx response, which this rule requires.
    const redirects = found.filter(
      ([rule, , pointer]) =>
        rule === 'operation-2xx-response' && /(oidc~1\w+|mcp~1callback)\/get/.test(pointer),
    )
    expect(found.filter((problem) => !redirects.includes(problem))).toEqual([])
    expect(redirects).toHaveLength(3)
  },
)
