import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { said } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { openTestSandbox } from '#tests/support/sandbox.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { type Toolsmith, toolsmith } from '#tests/support/toolsmith.ts'

const API_KEY = 'sk-canary-0123456789abcdef'

let server: TestServer
let provider: EmulatedProvider
let person: Person
let smith: Toolsmith
const { sandbox, close } = openTestSandbox()
beforeAll(async () => {
  provider = await startProvider()
  // The operator's own base URLs lead to the emulated provider, so that a request to them would succeed.
  server = await startTestServer({
    OLLAMA_BASE_URL: provider.url,
    OPENAI_BASE_URL: `${provider.url}/v1`,
  })
  server.server.services.sandbox = sandbox
  person = await server.signUp()
  smith = toolsmith(server, person)
})
afterAll(async () => {
  await server.stop()
  await close()
  await provider.close()
})

const bodyOf = (input_prompt: string, more: object = {}) => ({
  input_prompt,
  config_items: [],
  provider: 'openai-compatible',
  model_name: 'emu',
  api_key: API_KEY,
  base_url: `${provider.url}/v1`,
  ...more,
})
const ask = (tool_id: string, prompt: string, more: object = {}, by = smith) =>
  by.call('POST', '/test_tool', { tool_id }, bodyOf(prompt, more))
describe('a test of a tool', () => {
  test('lets a model call it, and returns the outcome', async () => {
    const id = await smith.make()
    const { status, body } = await ask(
      id,
      'say: Let me see. TOOL:main={"text":"hello"} THEN say: It said hello.',
      {
        instructions: 'Be brief.',
      },
    )
    expect([status, body]).toEqual([
      200,
      {
        result: 'It said hello.',
        execution_time: expect.any(Number),
        token_usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
        tool_calls: [
          {
            name: 'main',
            input: { text: 'hello' },
            output: { text: 'hello' },
            successful: true,
            error: null,
            execution_time: expect.any(Number),
          },
        ],
      },
    ])
    expect(body.token_usage.input_tokens).toBeGreaterThan(0)
    const [first, second] = provider.requests.slice(-2)
    expect(first?.headers.authorization).toBe(`Bearer ${API_KEY}`)
    expect(first?.body).toMatchObject({ messages: [{ role: 'system', content: 'Be brief.' }, {}] })
    expect(JSON.stringify(second?.body)).toContain('hello')
  })

  test('can use the demo model without a key, at no cost', async () => {
    const id = await smith.make()
    const before = await server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
      token: person.token,
    })
    const { body } = await ask(id, 'TOOL:main={"text":"hello"}', {
      provider: 'demo',
      model_name: 'parley-demo',
      api_key: '',
      base_url: undefined,
    })
    expect(body.tool_calls).toMatchObject([{ name: 'main', successful: true }])
    expect(body.result).toContain('hello')
    const after = await server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
      token: person.token,
    })
    expect(after.body).toEqual(before.body)
  })

  test.each(['anthropic', 'google'] as const)('can use the format of %s', async (maker) => {
    const id = await smith.make()
    const base_url = `${provider.url}${maker === 'google' ? '/v1beta' : '/v1'}`
    const { body } = await ask(id, 'TOOL:main={"text":"hello"} THEN say: Fine.', {
      provider: maker,
      base_url,
    })
    expect(body).toMatchObject({ result: 'Fine.', tool_calls: [{ output: { text: 'hello' } }] })
  })

  test("returns the provider's error without the key", async () => {
    const id = await smith.make()
    for (const [model_name, status, code] of [
      ['emu-err401', 400, 'llm.refused'],
      ['emu-err429', 429, 'llm.rate_limited'],
      ['emu-err500', 503, 'llm.failed'],
      ['emu-errmid', 503, 'llm.failed'],
      ['emu-cut', 503, 'llm.failed'],
    ] as const) {
      const answer = await ask(id, 'TOOL:main={"text":"a"}', { model_name })
      expect([answer.status, answer.body.code]).toEqual([status, code])
      expect(answer.text).not.toContain('canary')
    }
    expect((await ask(id, 'Hi', { model_name: 'emu-err401' })).body.detail).toContain('rejected the API key')
  })

  test.each<[object, number, string]>([
    [{ input_prompt: ' ' }, 400, 'input_prompt'],
    [{ provider: 'skynet' }, 400, 'provider must be one of'],
    [{ config_items: undefined }, 400, 'config_items is required'],
    [{ config_items: [{ name: 'a' }] }, 400, 'config_items.0.value is required'],
    [
      { config_items: [{ name: 'a', value: 'b' }] },
      400,
      'config_items: the tool has no configuration value named a',
    ],
    [{ temperature: 1 }, 400, 'temperature is not a field'],
    [{ base_url: 'ftp://example.com' }, 400, 'base_url'],
    [{ base_url: 'http://10.0.0.1/v1' }, 400, 'base_url: 10.0.0.1 is not a public address'],
    [{ base_url: undefined }, 400, 'base_url is required because openai-compatible has no public address.'],
  ])('with %j is refused', async (more, status, sentence) => {
    const id = await smith.make()
    expect(said(await ask(id, 'Hi', more))).toEqual([status, expect.stringContaining(sentence)])
  })

  test("never goes to the operator's Ollama", async () => {
    const id = await smith.make()
    const before = provider.requests.length
    const more = { provider: 'ollama', api_key: '', base_url: undefined }
    expect(said(await ask(id, 'Hi', more))).toEqual([
      400,
      'base_url is required because ollama has no public address.',
    ])
    expect(provider.requests).toHaveLength(before)
    const own = await ask(id, 'say: Hi', { ...more, base_url: provider.url })
    expect(own.body.result).toBe('Hi')
  })

  test('returns 404 for a tool that the caller cannot see', async () => {
    const id = await smith.make()
    const other = toolsmith(server, await server.signUp())
    for (const foreign of [id, '00000000-0000-4000-8000-000000000000'])
      expect(said(await ask(foreign, 'Hi', {}, other))).toEqual([
        404,
        expect.stringContaining('Tool not found'),
      ])
  })
})

test('the key of a test is not stored', async () => {
  const id = await smith.make()
  for (const model_name of ['emu', 'emu-err401'])
    await ask(id, 'TOOL:main={"text":"a"}', { model_name, api_key: 'canary-of-this-test' })
  const { sql } = server.server.services.database
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  expect(tables.length).toBeGreaterThan(20)
  for (const { schema, name } of tables) {
    const found = await sql`
      select 1 from ${sql(schema)}.${sql(name)} record where record::text like '%canary-of-this-test%' limit 1`
    expect([name, found.length]).toEqual([name, 0])
  }
})
