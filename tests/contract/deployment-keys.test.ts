import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, deploy, visit } from '#tests/support/deployments.ts'
import { openLiveSocket, RefusedUpgrade } from '#tests/support/live-socket.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Examples of parameters that aren't record ids. */
const EXAMPLES: Record<string, string> = {
  delivery_id: `msg_${crypto.randomUUID()}`,
  email: 'ada@example.com',
}

/** The key of a deployment and the token of its visitor give access to that deployment and to no other operation. */

interface Operation {
  operationId: string
  security: unknown[]
  parameters?: { name: string; in: string; required: boolean; schema: { format?: string; enum?: string[] } }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
const OPEN = ['chat', 'get_session', 'stream', 'stop'].map((name) => `/api/agent_deploy/${name}`)
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security }]) => security.length > 0 && !OPEN.includes(path))
    .map(
      ([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, method.toUpperCase(), path, operation] as const,
    ),
)

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let shown: Record<string, string>[]
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  const api: Deployment = await deploy(server, provider)
  const widget = await deploy(server, provider, { deployment_type: 'widget' })
  shown = [
    { 'x-api-key': api.key },
    { authorization: `Bearer ${widget.key}` },
    { authorization: `Bearer ${await visit(server, widget)}` },
  ]
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

describe('credentials of a deployment do not open', () => {
  test.each(operations)('%s', async (_name, method, path, { operationId, parameters = [], requestBody }) => {
    const query = new URLSearchParams(
      parameters
        .filter((parameter) => parameter.in === 'query' && parameter.required)
        .map(({ name, schema }): [string, string] => [
          name,
          schema.format === 'uuid' ? crypto.randomUUID() : (schema.enum?.[0] ?? EXAMPLES[name] ?? 'x'),
        ]),
    )
    const body = requestBody?.content['application/json']?.example
    for (const [place, headers] of shown.entries()) {
      // Clients of OpenAI and Anthropic may use the key of a deployment of type `api`.
      const isOfClients = /openai|anthropic/.test(operationId)
      if (isOfClients && place === 0) continue
      const answer = await server.call(method, `${path}?${query}`, {
        headers,
        ...(body !== undefined && { body }),
      })
      const { code, error } = answer.body
      // Errors in Anthropic's format have no code.
      const expected = path.startsWith('/anthropic/')
        ? 'permission_error'
        : isOfClients && place === 1
          ? 'deployment.not_api'
          : 'access.only_deployment'
      expect([answer.status, code ?? error.code ?? error.type]).toEqual([403, expected])
    }
  })
})

test('there are more than 100 operations to test', () => expect(operations.length).toBeGreaterThan(100))

test('a live socket accepts neither', async () => {
  for (const headers of shown) {
    const refusal = await openLiveSocket(server.url, { headers }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(RefusedUpgrade)
    expect((refusal as RefusedUpgrade).body.code).toBe('access.only_deployment')
  }
})
