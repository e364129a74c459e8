import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { deploy } from '#tests/support/deployments.ts'
import { type LiveSocket, openLiveSocket, RefusedUpgrade } from '#tests/support/live-socket.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { suspend } from '#tests/support/suspension.ts'

/** The WebSocket at /openai/v1/responses, and compactions. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  await addModels(person)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const addModels = async (owner: Person): Promise<void> => {
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  for (const [name, version] of [
    ['talker', 'emu-n5'],
    ['slow', 'emu-n2000-gap20'],
  ])
    await server.addModel(owner, { name, provider: 'openai-compatible', version, config })
}
const path = '/openai/v1/responses'
const connect = (token: string): Promise<LiveSocket> => openLiveSocket(server.url, { token, path })
/** Sends a request for a response. Returns its last event. */
const ask = async (live: LiveSocket, body: object) => {
  live.send({ type: 'response.create', model: 'talker', ...body })
  for (;;) {
    const event = await live.next()
    if (/^(error|response\.(completed|failed|incomplete))$/.test(event.type)) return event
  }
}
const newKey = async (owner: Person): Promise<{ id: string; key: string }> => {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'k', permissions: ['*:*'] },
  })
  return body
}
const post = (route: string, body: object, token = person.token) =>
  server.call('POST', `${path}${route}`, { token, body })
const sent = () =>
  (provider.requests.at(-1) as { body: { messages: { role: string; content: unknown }[] } }).body.messages

describe('a WebSocket', () => {
  test('answers one request after the other, with the events of a stream', async () => {
    const live = await connect(person.token)
    const first = await ask(live, { input: 'say: One' })
    expect(live.received.map(({ type }) => type)).toContain('response.output_text.delta')
    expect(live.received.map(({ sequence_number: number }) => number)).toEqual(live.received.map((_, i) => i))
    expect(first.response).toMatchObject({ store: true, status: 'completed' })
    const second = await ask(live, { input: 'say: Two', previous_response_id: first.response.id })
    expect(second.type).toBe('response.completed')
    expect(sent()).toHaveLength(3)
    live.socket.close()
  })

  test('remembers its latest unstored response, until a continuation fails', async () => {
    const live = await connect(person.token)
    const first = await ask(live, { input: 'say: One', store: false })
    const second = await ask(live, {
      input: 'say: Two',
      store: false,
      previous_response_id: first.response.id,
    })
    expect(sent()).toHaveLength(3)
    const other = await connect(person.token)
    const unknown = { input: 'say: Three', store: false, previous_response_id: second.response.id }
    const missing = { type: 'error', status: 404, error: { code: 'previous_response_not_found' } }
    expect(await ask(other, unknown)).toMatchObject(missing)
    const output = { type: 'function_call_output', call_id: 'x', output: 'y' }
    expect(await ask(live, { ...unknown, input: [output] })).toMatchObject({ type: 'error', status: 400 })
    expect(await ask(live, unknown)).toMatchObject(missing)
    for (const { socket } of [live, other]) socket.close()
  })

  test('stores what it remembered, if the client stores the continuation', async () => {
    const live = await connect(person.token)
    const first = await ask(live, { input: 'say: One', store: false })
    const second = await ask(live, { input: 'say: Two', previous_response_id: first.response.id })
    live.socket.close()
    await post('', { model: 'talker', input: 'say: Three', previous_response_id: second.response.id })
    expect(sent().map(({ content }) => content)).toEqual(['say: One', 'One', 'say: Two', 'Two', 'say: Three'])
  })

  test('checks the key, the credits, the suspension and each message again', async () => {
    const owner = await server.signUp()
    await addModels(owner)
    const { id, key } = await newKey(owner)
    const live = await connect(key)
    expect((await ask(live, { input: 'say: One' })).type).toBe('response.completed')
    expect(await ask(live, { input: 3 })).toMatchObject({ type: 'error', status: 400 })
    expect(await ask(live, { model: 'nobody', input: 'x' })).toMatchObject({
      status: 404,
      error: { code: 'model_not_found' },
    })
    live.socket.send('{')
    expect(await live.next()).toMatchObject({ type: 'error', status: 400 })
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${owner.organizationId}`
    expect(await ask(live, { input: 'x' })).toMatchObject({ status: 402 })
    await suspend(server, owner.organizationId)
    const suspended = { status: 403, error: { code: 'access.organization_suspended' } }
    expect(await ask(live, { input: 'x' })).toMatchObject(suspended)
    await expect(connect(owner.token)).rejects.toMatchObject({ status: 403 })
    await server.call('DELETE', `/api/api_keys/delete?api_key_id=${id}`, { token: owner.token })
    expect(await ask(live, { input: 'x' })).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } })
    live.socket.close()
  })

  test('handles one message at a time, and aborts the call when the client leaves', async () => {
    const live = await connect(person.token)
    const aborted = provider.stats.aborted
    live.send({ type: 'response.create', model: 'slow', input: 'hi' })
    await live.until('response.output_text.delta')
    live.send({ type: 'response.create', model: 'talker', input: 'hi' })
    const [refused] = (await live.until('error')).slice(-1)
    expect(refused).toMatchObject({ status: 409, error: { code: 'events.message_in_progress' } })
    live.socket.close()
    await expect.poll(() => provider.stats.aborted).toBe(aborted + 1)
  })

  test('is for the key of a deployment, and refuses strangers and binary messages', async () => {
    const shop = await deploy(server, provider)
    const live = await connect(shop.key)
    expect((await ask(live, { input: 'hi' })).type).toBe('response.completed')
    live.socket.send(Buffer.from('{}'))
    expect((await live.closed).code).toBe(1003)
    for (const headers of [{}, { cookie: 'parley_session=x' }, { authorization: 'Bearer sk_x' }])
      await expect(openLiveSocket(server.url, { path, headers })).rejects.toBeInstanceOf(RefusedUpgrade)
    expect((await server.call('GET', path, { token: person.token })).status).toBe(426)
  })
})

describe('a compaction', () => {
  const input = [
    { role: 'user', content: 'say: One' },
    { role: 'assistant', content: 'One' },
    { role: 'user', content: 'say: The summary' },
  ]

  test('keeps the user messages, and a summary that only the organization can use', async () => {
    const { status, body } = await post('/compact', { model: 'talker', input })
    expect([status, body.object]).toEqual([200, 'response.compaction'])
    expect(body.output.map(({ type, role }: { type: string; role?: string }) => role ?? type)).toEqual([
      'user',
      'user',
      'compaction',
    ])
    expect(body.usage.output_tokens).toBeGreaterThan(0)
    const next = [...body.output, { role: 'user', content: 'say: Two' }]
    const continued = await post('', { model: 'talker', input: next })
    expect(continued.status).toBe(200)
    expect(String(sent()[2]?.content)).toMatch(/^Summary of the conversation so far:\n\n./)
    expect(JSON.stringify(body)).not.toContain('Summary of the conversation')
    const stored = await server.call('GET', `${path}/${continued.body.id}/input_items?order=asc`, {
      token: person.token,
    })
    expect(stored.body.data[2].encrypted_content).toBe(body.output[2].encrypted_content)

    const stranger = await server.signUp()
    await addModels(stranger)
    const forged = [{ type: 'compaction', encrypted_content: 'v1.AAAA' }]
    for (const [items, token] of [
      [next, stranger.token],
      [forged, person.token],
    ] as const) {
      const refused = await post('', { model: 'talker', input: items }, token)
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/compaction/)])
    }
  })

  test('begins at a stored response, and is refused without a conversation or a model', async () => {
    const { body } = await post('', { model: 'talker', input: 'say: One' })
    const compacted = await post('/compact', { model: 'talker', previous_response_id: body.id })
    expect(compacted.body.output).toHaveLength(2)
    expect((await post('/compact', { model: 'talker' })).status).toBe(400)
    expect((await post('/compact', { input })).status).toBe(400)
  })
})
