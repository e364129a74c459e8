import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

/**
 * Providers that the operator configures: every organization can use their models, and no response contains their
 * keys.
 */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({
    OPENAI_API_KEY: 'key-of-the-operator',
    OPENAI_BASE_URL: `${provider.url}/v1/`,
    OLLAMA_BASE_URL: provider.url,
    ALLOW_PRIVATE_NETWORK: 'false',
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

interface Listed {
  id: string
  provider: string
  version: string
  organization_id: string | null
}

test("the operator's models are listed for every organization and use the operator's key", async () => {
  const person = await server.signUp()
  const list = async (): Promise<Listed[]> =>
    (await server.call('GET', `/api/llm/list?org_id=${person.organizationId}`, { token: person.token })).body
      .data
  await expect.poll(async () => (await list()).length).toBe(6)
  for (const name of ['openai', 'ollama']) {
    const model = (await list()).find((one) => one.provider === name && one.version === 'emu-n5')
    expect(model?.organization_id).toBeNull()
    const { text } = await server.say(person, { model_id: model?.id ?? '' }, { content: 'say: hello' })
    expect(text).toBe('hello')
    const { headers, path } = provider.requests.at(-1) ?? { headers: {}, path: '' }
    expect(path).toBe('/v1/chat/completions')
    expect(headers.authorization).toBe(name === 'openai' ? 'Bearer key-of-the-operator' : undefined)
  }
})

test('demo models of an earlier start without providers are neither listed nor called', async () => {
  const person = await server.signUp()
  const { sql } = server.server.services.database
  await sql`
    insert into llm_models (id, name, provider, version, config)
    values (gen_random_uuid(), 'Demo of an earlier start', 'demo', 'parley-demo-image', '{}')
    on conflict do nothing`
  for (const path of [`/api/llm/list?org_id=${person.organizationId}`, '/openai/v1/models']) {
    const answer = await server.call('GET', path, { token: person.token })
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('Demo of an earlier start')
  }
})

test("the organization's own models are listed first, in pages", async () => {
  const person = await server.signUp()
  const own = await server.addModel(person, {
    provider: 'openai',
    version: 'emu-n5',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  const { token, organizationId: org_id } = person
  const page = async (query: Record<string, string>) =>
    (await server.call('GET', `/api/llm/list?${new URLSearchParams({ org_id, ...query })}`, { token })).body
  const all: Listed[] = (await page({})).data
  expect(all[0]?.id).toBe(own)
  const first = await page({ limit: '3' })
  const second = await page({ limit: '100', cursor: first.pagination.next_cursor })
  expect([...first.data, ...second.data]).toEqual(all)
  expect(second.pagination).toEqual({ next_cursor: null, has_more: false })
})

test("a tenant's model can use neither the operator's key nor the operator's network", async () => {
  const person = await server.signUp()
  const say = (config: object) =>
    server
      .addModel(person, { provider: 'openai', version: 'emu-n5', config })
      .then((id) => server.say(person, { model_id: id }, { content: 'Hi' }))
  await expect(say({})).rejects.toThrow('LLM provider openai is not configured correctly')
  const { events } = await say({ base_url: `${provider.url}/v1`, api_key: 'k' })
  expect(events.at(-1)?.data['error']).toContain('not a public address')
})

test("only the system administrator sets the prices of the operator's models", async () => {
  const person = await server.signUp()
  const { body } = await server.call('GET', `/api/llm/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  const path = `/api/llm/update_environment_model?model_id=${body.data[0].id}`
  const change = { body: { input_ratio: 7 } }
  expect((await server.call('PUT', path, { token: person.token, ...change })).status).toBe(403)
  const administrator = await administratorToken(server)
  const changed = await server.call('PUT', path, { token: administrator, ...change })
  expect(changed.body.config.input_ratio).toBe(7)
})

test("without the operator's models, the demo models are listed, the one for text first", async () => {
  const alone = await startTestServer()
  const person = await alone.signUp()
  const list = async (): Promise<Listed[]> =>
    (await alone.call('GET', `/api/llm/list?org_id=${person.organizationId}`, { token: person.token })).body
      .data
  await expect
    .poll(async () => (await list()).map(({ version }) => version))
    .toEqual(['parley-demo', 'parley-demo-transcription', 'parley-demo-video', 'parley-demo-image'])
  await alone.stop()
})
