import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** While the first member of a route fails, the second one answers each request, and each request is charged once. */

const REQUESTS = 1_000
const CONCURRENT = 20
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider({ record: false })
  const modelTimeouts = { connectMs: 500, firstTokenMs: 1_000, betweenTokensMs: 2_000 }
  server = await startTestServer({}, { modelTimeouts })
  person = await server.signUp()
  await sql()`update credit_accounts set balance = 1000000 where organization_id = ${person.organizationId}`
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sql = () => server.server.services.database.sql
const add = (version: string, config: object = {}): Promise<string> =>
  server.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })

/** Returns a route whose first member has a fault, and the id of its second member. */
async function routeAround(fault: string): Promise<{ route: string; working: string }> {
  const broken = await add(`emu-${fault}`, { input_ratio: 1_000, output_ratio: 1_000 })
  const working = await add('emu-n3', { input_ratio: 0, output_ratio: 2 })
  const members = [{ model_id: broken }, { model_id: working }]
  const route = await server.addModel(person, {
    provider: 'route',
    version: fault,
    config: { route: { strategy: 'ordered', members } },
  })
  return { route, working }
}

const complete = (model: string, signal?: AbortSignal) =>
  server.call('POST', '/openai/v1/chat/completions', {
    token: person.token,
    body: { model, messages: [{ role: 'user', content: 'say: Good day' }] },
    ...(signal && { signal }),
  })

test('500, 429 and silence: all requests succeed, each charged once', async () => {
  const routes = await Promise.all(['err500', 'err429', 'hang'].map(routeAround))
  const counts = routes.map(() => 0)
  let next = 0
  let outputTokens = 0
  const send = async (): Promise<void> => {
    while (next < REQUESTS) {
      const number = next++ % routes.length
      const { status, body } = await complete(routes[number]?.route ?? '')
      expect([status, body.choices?.[0].message.content]).toEqual([200, 'Good day'])
      counts[number] = (counts[number] ?? 0) + 1
      outputTokens += body.usage.completion_tokens
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, send))
  const entries = await sql()`
    select kind, model_id, count(*)::int as entries, sum(amount)::float as amount from ledger_entries
    where organization_id = ${person.organizationId} and kind in ('DEBIT', 'RELEASE') group by 1, 2`
  expect(entries).toHaveLength(routes.length)
  for (const [number, { working }] of routes.entries())
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'DEBIT', model_id: working, entries: counts[number] }),
    )
  expect(entries.reduce((sum, { amount }) => sum + amount, 0)).toBe(-2 * outputTokens)
  await expectSoundLedger(sql(), person.organizationId)
})

test("a client's abort is no failure", async () => {
  const { route } = await routeAround('hang-abort')
  for (let count = 0; count < 3; count++) {
    const left = new AbortController()
    setTimeout(() => left.abort(), 50)
    await complete(route, left.signal).catch(() => {})
  }
  const { body } = await server.call('GET', `/api/llm/health?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(body.data[0]).toMatchObject({ id: route, state: 'healthy' })
})
