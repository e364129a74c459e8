import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Conversations of /openai/v1/conversations, and responses that continue them. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  await addModel(person)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const addModel = (owner: Person) =>
  server.addModel(owner, {
    name: 'talker',
    provider: 'openai-compatible',
    version: 'emu-n5',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
const call = (method: string, path: string, body?: object, token = person.token): Promise<Answer> =>
  server.call(method, `/openai/v1${path}`, { token, ...(body && { body }) })
const respond = (body: object, token = person.token) =>
  call('POST', '/responses', { model: 'talker', input: 'say: Hello', ...body }, token)
const sent = (): unknown[] => {
  const { body } = provider.requests.at(-1) as { body: { messages: { content: unknown }[] } }
  return body.messages.map(({ content }) => content)
}
const textsOf = ({ body }: Answer) =>
  body.data.map(({ content }: { content: { text: string }[] }) => content[0]?.text)

describe('a conversation', () => {
  test('is read and extended by its responses, stored or not', async () => {
    const made = await call('POST', '/conversations', {
      items: [{ role: 'user', content: 'My name is Ada.' }],
      metadata: { topic: 'names' },
    })
    expect([made.status, made.body]).toMatchObject([
      200,
      { object: 'conversation', metadata: { topic: 'names' } },
    ])
    const conversation = made.body.id
    const first = await respond({ conversation, input: 'say: One' })
    expect(first.body).toMatchObject({ conversation: { id: conversation }, previous_response_id: null })
    const second = await respond({ conversation: { id: conversation }, input: 'say: Two', store: false })
    expect(second.body.store).toBe(false)
    expect(sent()).toEqual(['My name is Ada.', 'say: One', 'One', 'say: Two'])
    const items = await call('GET', `/conversations/${conversation}/items?order=asc`)
    expect(textsOf(items)).toEqual(['My name is Ada.', 'say: One', 'One', 'say: Two', 'Two'])
    const newest = await call('GET', `/conversations/${conversation}/items?limit=2`)
    expect([textsOf(newest), newest.body.has_more]).toEqual([['Two', 'say: Two'], true])
    const both = await respond({ conversation, previous_response_id: first.body.id })
    expect([both.status, both.body.error.message]).toEqual([400, expect.stringMatching(/not both/)])
  })

  test('is changed, loses items, and is deleted', async () => {
    const { id } = (await call('POST', '/conversations', {})).body
    const path = `/conversations/${id}`
    const added = await call('POST', `${path}/items`, {
      items: [
        { role: 'user', content: 'say: One' },
        { role: 'assistant', content: 'One' },
      ],
    })
    expect(textsOf(added)).toEqual(['say: One', 'One'])
    const [item] = added.body.data
    expect((await call('GET', `${path}/items/${item.id}`)).body).toEqual(item)
    const referred = await respond({ input: [{ type: 'item_reference', id: item.id }] })
    expect(referred.body.output[0].content[0].text).toBe('One')
    expect((await call('DELETE', `${path}/items/${item.id}`)).body.id).toBe(id)
    expect((await call('GET', `${path}/items/${item.id}`)).body.error.code).toBe('openai.item_missing')
    expect(textsOf(await call('GET', `${path}/items`))).toEqual(['One'])
    for (const item of [{ type: 'constructor' }, { type: 'message', content: 'x' }])
      expect((await call('POST', `${path}/items`, { items: [item] })).status).toBe(400)
    const changed = await call('POST', path, { metadata: { a: 'b' } })
    expect(changed.body.metadata).toEqual({ a: 'b' })
    expect((await call('GET', path)).body).toEqual(changed.body)
    expect((await call('DELETE', path)).body).toEqual({ id, object: 'conversation.deleted', deleted: true })
    for (const answer of [await call('GET', path), await respond({ conversation: id })])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'openai.conversation_not_found'])
  })

  test('is invisible to others, and refused where nothing is stored', async () => {
    const { id } = (await call('POST', '/conversations', {})).body
    const stranger = await server.signUp()
    await addModel(stranger)
    const item = `/conversations/${id}/items/msg_${crypto.randomUUID()}`
    for (const [method, path, body] of [
      ['GET', `/conversations/${id}`],
      ['POST', `/conversations/${id}`, { metadata: {} }],
      ['DELETE', `/conversations/${id}`],
      ['GET', `/conversations/${id}/items`],
      ['POST', `/conversations/${id}/items`, { items: [{ role: 'user', content: 'x' }] }],
      ['GET', item],
      ['DELETE', item],
      ['POST', '/responses', { model: 'talker', input: 'x', conversation: id }],
    ] as const)
      expect((await call(method, path, body, stranger.token)).status).toBe(404)
    await server.call('PUT', `/api/org/update?org_id=${stranger.organizationId}`, {
      token: stranger.token,
      body: { response_retention_days: 0 },
    })
    const refused = await call('POST', '/conversations', {}, stranger.token)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'openai.stores_nothing'])
  })
})
