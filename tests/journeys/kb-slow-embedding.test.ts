import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

test('an embedding that never arrives times out, and search uses keywords alone', async () => {
  const person = await server.signUp()
  const library = librarian(server, person)
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  const models = { provider: 'openai-compatible', config }
  const writer = await server.addModel(person, { ...models, version: 'emu-n3' })
  const embedder = await server.addModel(person, {
    ...models,
    version: 'emu-vectors',
    config: { ...config, capabilities: ['embedding'] },
  })
  const kb = await library.create({
    embedding_model: embedder,
    sources: [{ type: 'text', config: { name: 'Hours', content: 'The shop opens at nine.' } }],
  })
  await library.settle(kb)
  const changed = await server.call('PUT', `/api/llm/update?model_id=${embedder}`, {
    token: person.token,
    body: { version: 'emu-hang' },
  })
  expect(changed.status).toBe(200)
  const before = (await ledgerOf(server, person)).length

  const query = 'When does the shop open?'
  const [search, answer, chat] = await Promise.all([
    library.call('POST', 'search', { kb_id: kb }, { query, explain: true }),
    library.call('POST', 'query', { kb_id: kb }, { query, model: writer }),
    server.say(person, { model_id: writer, events: 'all' }, { content: query, knowledge_base_ids: [kb] }),
  ])
  expect([search.status, search.body.results.length]).toEqual([200, 1])
  expect(search.body.receipt.dense_failure).toBe(
    'The embedding model did not respond within 10 seconds. Try again later.',
  )
  expect([answer.status, answer.body.sources?.length]).toEqual([200, 1])
  expect(chat.events.map(({ event }) => event)).toContain('citations')
  const kinds = kindsOf((await ledgerOf(server, person)).slice(before))
  expect(kinds.filter((kind) => kind === 'RELEASE')).toHaveLength(3)
  expect(kinds.filter((kind) => kind === 'DEBIT')).toHaveLength(2)
})
