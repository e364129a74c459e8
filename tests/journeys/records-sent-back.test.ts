import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Clients send back a record as they have read it, with a change, as they do with other APIs. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const org = () => `org_id=${person.organizationId}`
const call = (method: string, path: string, body?: object) =>
  server.call(method, path, { token: person.token, ...(body && { body }) })

test('a chat is sent back with its messages and files, which cannot be changed', async () => {
  const upload = await server.upload(person, { name: 'note.txt', bytes: 'Tides', type: 'text/plain' })
  const model_id = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n3',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  // A chat with a title gets none in the background, so nothing changes after the reply.
  const { body: chat } = await call('POST', `/api/chat?${org()}`, { title: 'Seas' })
  const { chatId } = await server.say(
    person,
    { model_id, chat_id: chat.id },
    { content: 'Hi', file_uploads: [upload.body.id] },
  )
  const path = `/api/chat?${org()}&chat_id=${chatId}`
  const { body: record } = await call('GET', path)
  expect([record.messages.length, record.file_uploads.length]).toEqual([2, 1])
  const { body: changed } = await call('PUT', path, { ...record, title: 'Tides' })
  expect(changed).toMatchObject({ id: chatId, title: 'Tides' })
  const [question, reply] = record.messages
  for (const messages of [[question], [question, { ...reply, content: 'Forged' }]]) {
    const { status, body } = await call('PUT', path, { messages })
    expect([status, body.code, body.values]).toEqual([400, 'request.read_only', { field: 'messages' }])
  }
})

describe('nested settings', () => {
  test('of a chat are merged by key', async () => {
    const { body } = await call('POST', `/api/chat?${org()}`, { settings: { temperature: 0.5, top_p: 0.9 } })
    const path = `/api/chat?${org()}&chat_id=${body.id}`
    const merged = await call('PUT', path, { settings: { max_tokens: 50, top_p: null } })
    expect(merged.body.settings).toEqual({ temperature: 0.5, max_tokens: 50 })
  })

  test('of a model are merged by key; a new address needs the key again', async () => {
    const { body } = await call('POST', `/api/llm/add?${org()}`, {
      name: 'Merged',
      provider: 'openai-compatible',
      version: 'emu',
      config: { base_url: `${provider.url}/v1`, api_key: 'k', input_ratio: 2, context_window: 4_096 },
    })
    const path = `/api/llm/update?model_id=${body.id}`
    const merged = await call('PUT', path, { config: { output_ratio: 3, context_window: null } })
    expect(merged.body.config).toMatchObject({
      base_url: `${provider.url}/v1`,
      input_ratio: 2,
      output_ratio: 3,
      has_api_key: true,
    })
    expect(merged.body.config).not.toHaveProperty('context_window')
    const moved = await call('PUT', path, { config: { base_url: null } })
    expect([moved.status, moved.body.code]).toEqual([400, 'llm.key_needed'])
    // Of two changes at the same time, neither may put back the old address: it would get the new key.
    for (let round = 0; round < 20; round += 1) {
      const base_url = `${provider.url}/v1/${round}`
      const both = await Promise.all([
        call('PUT', path, { config: { base_url, api_key: `key ${round}` } }),
        call('PUT', path, { config: { output_ratio: round + 1 } }),
      ])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      const { body: now } = await call('GET', `/api/llm/get?${org()}&model_id=${body.id}`)
      expect(now.config).toMatchObject({ base_url, output_ratio: round + 1 })
    }
    const bare = await call('PUT', path, { config: { api_key: null } })
    expect(bare.body.config).toMatchObject({ has_api_key: false, input_ratio: 2 })
  })
})
