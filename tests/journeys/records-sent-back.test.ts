import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { create, makeAgent } from '#tests/support/deployments.ts'
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

/** Makes one record of each kind. Returns the address of its update, the record, and a change. */
const KINDS: [string, () => Promise<{ path: string; record: object; change: object }>][] = [
  [
    'a chat',
    async () => {
      const { body } = await call('POST', `/api/chat?${org()}`, { settings: { temperature: 0.5 } })
      return { path: `/api/chat?${org()}&chat_id=${body.id}`, record: body, change: { title: 'Tides' } }
    },
  ],
  [
    'a model',
    async () => {
      const { body } = await call('POST', `/api/llm/add?${org()}`, {
        name: 'Own',
        provider: 'openai-compatible',
        version: 'emu',
        config: { base_url: `${provider.url}/v1`, api_key: 'k', input_ratio: 2 },
      })
      return { path: `/api/llm/update?model_id=${body.id}`, record: body, change: { name: 'Mine' } }
    },
  ],
  [
    'an agent',
    async () => {
      const id = await makeAgent(server, person, provider)
      const { body } = await call('GET', `/api/agents/get?agent_id=${id}`)
      return { path: `/api/agents/update?agent_id=${id}`, record: body, change: { description: 'Kind' } }
    },
  ],
  [
    'a deployment',
    async () => {
      const agentId = await makeAgent(server, person, provider)
      const config = { theme: { primary_color: '#0b5fff' } }
      const { api_key: _, ...body } = (
        await create(server, person, agentId, { deployment_type: 'widget', config })
      ).body
      return {
        path: `/api/agent_deploy/update?deployment_id=${body.id}`,
        record: body,
        change: { name: 'Help' },
      }
    },
  ],
  [
    'a conversation',
    async () => {
      const { body } = await call('POST', `/api/conversation/create?${org()}`, { title: 'Engines' })
      const path = `/api/conversation/update?${org()}&conversation_id=${body.id}`
      return { path, record: body, change: { title: 'Sails' } }
    },
  ],
  [
    'a tool category',
    async () => {
      const { body } = await call('POST', `/api/tools/create_category?${org()}`, {
        name: 'Shop',
        description: 'd',
      })
      const path = `/api/tools/update_category?${org()}&category_id=${body.id}`
      return { path, record: body, change: { name: 'Store' } }
    },
  ],
  [
    'an instruction',
    async () => {
      const { body } = await call('POST', `/api/instructions/create?${org()}`, {
        name: 'Brief',
        content: 'c',
      })
      const path = `/api/instructions/update?instruction_id=${body.id}`
      return { path, record: body, change: { name: 'Short' } }
    },
  ],
]

describe.each(KINDS)('%s', (_kind, make) => {
  test('can be sent back with a change, but not with another id', async () => {
    const { path, record, change } = await make()
    const changed = await call('PUT', path, { ...record, ...change })
    expect(changed.body).toMatchObject({ ...change, id: (record as { id: string }).id })
    expect(changed.status).toBe(200)
    const smuggled = await call('PUT', path, { ...change, id: randomUUID() })
    expect([smuggled.status, smuggled.body.code]).toEqual([400, 'request.read_only'])
    expect(smuggled.body.detail).toMatch(/^id cannot be changed/)
    const mistyped = await call('PUT', path, { ...change, colour: 'red' })
    expect([mistyped.status, mistyped.body.code]).toEqual([400, 'request.invalid'])
  })
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
    const bare = await call('PUT', path, { config: { api_key: null } })
    expect(bare.body.config).toMatchObject({ has_api_key: false, input_ratio: 2 })
  })
})
