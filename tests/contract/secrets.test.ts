import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSecrets } from '#platform/secrets/secrets.ts'
import { startProcess } from '#tests/support/process.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createDatabase, sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

const API_KEY = 'sk-canary-0123456789abcdef'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

test("a provider's key reaches the provider, and is neither returned nor stored in plain text", async () => {
  const person = await server.signUp()
  const add = await server.call('POST', `/api/llm/add?org_id=${person.organizationId}`, {
    token: person.token,
    body: {
      name: 'm',
      provider: 'openai-compatible',
      version: 'emu-n2',
      config: { base_url: `${provider.url}/v1`, api_key: API_KEY },
    },
  })
  const list = await server.call('GET', `/api/llm/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  for (const { text } of [add, list]) expect(text).not.toContain('canary')
  expect(add.body.config.has_api_key).toBe(true)
  await server.say(person, { model_id: add.body.id }, { content: 'Hi' })
  expect(provider.requests.at(-1)?.headers.authorization).toBe(`Bearer ${API_KEY}`)
  const rows = await server.server.services.database.sql`select * from llm_models where id = ${add.body.id}`
  expect(JSON.stringify(rows)).not.toContain('canary')
})

test('a key does not follow a model to another URL', async () => {
  const person = await server.signUp()
  const id = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu',
    config: { base_url: `${provider.url}/v1`, api_key: API_KEY },
  })
  const move = (config: object) =>
    server.call('PUT', `/api/llm/update?model_id=${id}`, { token: person.token, body: { config } })
  const moved = await move({ base_url: 'https://attacker.example/v1' })
  expect([moved.status, moved.body.detail]).toEqual([
    400,
    'Send config.api_key again when you change config.base_url.',
  ])
  expect((await move({ base_url: `${provider.url}/v1`, input_ratio: 2 })).body.config).toMatchObject({
    input_ratio: 2,
    has_api_key: true,
  })
})

test('a sealed value opens only in its own context', () => {
  const secrets = createSecrets('x'.repeat(32))
  const sealed = secrets.encrypt('hello', 'row 1')
  expect(secrets.decrypt(sealed, 'row 1')).toBe('hello')
  expect(() => secrets.decrypt(sealed, 'row 2')).toThrow()
  expect(() => createSecrets('y'.repeat(32)).decrypt(sealed, 'row 1')).toThrow()
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')
  expect(() => secrets.decrypt(changed, 'row 1')).toThrow()
})

test('no secret is logged, regardless of the failure', async () => {
  const database = await createDatabase()
  const process = await startProcess({
    LOG_LEVEL: 'trace',
    BASE_URL: 'http://parley.test',
    ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    ADMIN_PASSWORD: 'canary-administrator',
    DATA_DIR: `/tmp/parley-log-${crypto.randomUUID()}`,
    ...(database && { DATABASE_URL: database.url, SECRET: 'canary'.repeat(8) }),
  })
  const person = await process.signUp()
  for (const version of ['emu-err401', 'emu-cut', 'emu-html', 'emu-n2']) {
    const modelId = await process.addModel(person, {
      provider: 'openai-compatible',
      version,
      config: { base_url: `${provider.url}/v1`, api_key: API_KEY },
    })
    await process.say(person, { model_id: modelId }, { content: 'Hi' })
  }
  const smith = toolsmith(process, person)
  const tool_id = await smith.make({ configuration: [{ name: 'api_key', type: 'str', required: true }] })
  for (const model_name of ['emu', 'emu-err401', 'emu-cut', 5])
    await smith.call(
      'POST',
      '/test_tool',
      { tool_id },
      {
        input_prompt: 'TOOL:main={"text":"a"}',
        config_items: [{ name: 'api_key', value: 'canary-of-a-tool' }],
        provider: 'openai-compatible',
        model_name,
        api_key: API_KEY,
        base_url: `${provider.url}/v1`,
      },
    )
  await process.call('POST', '/api/auth/login', { body: { email: person.email, password: 'canary-wrong' } })
  await process.stop()
  await database?.drop()
  const output = process.output()
  expect(output).toContain('"msg":"request"')
  for (const secret of ['canary', person.token, person.refreshToken, person.password])
    expect(output).not.toContain(secret)
})
