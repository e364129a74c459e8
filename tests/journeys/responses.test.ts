import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { colleaguesOf } from '#tests/support/colleagues.ts'
import { deploy } from '#tests/support/deployments.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Stored responses: continued, referred to, retrieved, listed, deleted and expired, each only by their owner. */

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
    ['thinker', 'emu-n3-r4'],
    ['breaker', 'emu-n8-errmid'],
  ])
    await server.addModel(owner, { name, provider: 'openai-compatible', version, config })
  const ofGoogle = { ...config, base_url: `${provider.url}/v1beta` }
  await server.addModel(owner, { name: 'gemini', provider: 'google', version: 'emu-n5', config: ofGoogle })
}
const call = (method: string, path: string, body?: object, token = person.token): Promise<Answer> =>
  server.call(method, `/openai/v1/responses${path}`, { token, ...(body && { body }) })
const create = (body: object, token = person.token): Promise<Answer> =>
  call('POST', '', { model: 'talker', input: 'say: Hello', ...body }, token)
const newKey = async (owner: Person): Promise<string> => {
  const { body } = await server.call('POST', `/api/api_keys/create?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { name: 'k', permissions: ['*:*'] },
  })
  return body.key
}
const keepFor = (days: number, owner: Person): Promise<Answer> =>
  server.call('PUT', `/api/org/update?org_id=${owner.organizationId}`, {
    token: owner.token,
    body: { response_retention_days: days },
  })
/** Returns the messages that the provider received last. */
const sent = () =>
  (provider.requests.at(-1) as { body: { messages: { role: string; content: unknown }[] } }).body.messages

const WEATHER = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

describe('a second turn', () => {
  const TURNS = [
    { role: 'user', content: 'say: One' },
    { role: 'assistant', content: 'One' },
    { role: 'user', content: 'say: Two' },
  ]

  test('continues by previous_response_id, without the instructions of the first', async () => {
    const first = await create({ input: 'say: One', instructions: 'Be brief.' })
    expect(sent()).toEqual([{ role: 'system', content: 'Be brief.' }, TURNS[0]])
    const previous_response_id = first.body.id
    const second = await create({ input: [TURNS[2]], previous_response_id })
    expect(sent()).toEqual(TURNS)
    expect(second.body).toMatchObject({ status: 'completed', store: true, previous_response_id })
    const third = await create({ input: 'say: Three', previous_response_id: second.body.id, stream: true })
    expect(third.text).toContain('event: response.completed')
    expect(sent()).toHaveLength(5)
  })

  test('refers to items of an earlier response', async () => {
    const { body } = await create({ input: 'say: One' })
    const [message] = body.output
    await create({ input: [TURNS[0], { type: 'item_reference', id: message.id }, TURNS[2]] })
    expect(sent()).toEqual(TURNS)
    const { status, body: refused } = await create({
      input: [{ type: 'item_reference', id: `msg_${crypto.randomUUID()}` }],
    })
    expect([status, refused.error.code]).toEqual([404, 'openai.item_not_found'])
  })

  test.each([
    ['talker', '"id":'],
    ['gemini', '"thoughtSignature":"c2ln"'],
  ])('returns the result of a tool to the %s, with what it needs of its call', async (model, needed) => {
    const first = await create({
      model,
      input: 'TOOL:weather={"city":"Oslo"} THEN say: It rains.',
      tools: [WEATHER],
    })
    const [called] = first.body.output
    expect(called).toMatchObject({ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' })
    const output = { type: 'function_call_output', call_id: called.call_id, output: 'rain' }
    const second = await create({
      model,
      previous_response_id: first.body.id,
      input: [output],
      tools: [WEATHER],
    })
    expect(second.body.output[0].content[0].text).toBe('It rains.')
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain(needed)
    const { status } = await create({
      previous_response_id: second.body.id,
      input: [{ ...output, call_id: 'x' }],
    })
    expect(status).toBe(400)
  })

  test('of a failed or unstored response is not found', async () => {
    const unstored = await create({ store: false })
    expect(unstored.body.store).toBe(false)
    const failed = await create({ model: 'breaker', input: 'hi', stream: true })
    const last = parseEvents(failed.text).at(-1)?.data as { type: string; response: { id: string } }
    expect(last.type).toBe('response.failed')
    for (const id of [unstored.body.id, last.response.id, `resp_${crypto.randomUUID()}`, 'resp_1']) {
      const { status, body } = await create({ previous_response_id: id })
      expect([status, body.error.code, body.error.message]).toEqual([
        404,
        'previous_response_not_found',
        expect.stringContaining(id),
      ])
    }
  })
})

describe('a stored response', () => {
  test('is returned as it was, and lists its input in pages', async () => {
    const input = [1, 2, 3].map((number) => ({ role: 'user', content: `say: ${number}` }))
    const made = await create({ input, metadata: { a: 'b' } })
    expect(await call('GET', `/${made.body.id}`)).toMatchObject({ status: 200, body: made.body })
    const list = async (query: string) => (await call('GET', `/${made.body.id}/input_items?${query}`)).body
    const all = await list('order=asc')
    expect(all.data.map(({ content }: { content: { text: string }[] }) => content[0]?.text)).toEqual([
      'say: 1',
      'say: 2',
      'say: 3',
    ])
    const page = await list('limit=2')
    expect([page.has_more, page.first_id, page.last_id]).toEqual([true, all.data[2].id, all.data[1].id])
    const rest = await list(`limit=2&after=${page.last_id}`)
    expect([rest.has_more, rest.data]).toEqual([false, [all.data[0]]])
    expect((await list('after=msg_1')).data).toEqual([])
    expect((await call('GET', `/${made.body.id}/input_items?limit=0`)).status).toBe(400)
  })

  test('can be deleted, but not cancelled', async () => {
    const { id } = (await create({})).body
    const cancelled = await call('POST', `/${id}/cancel`)
    expect([cancelled.status, cancelled.body.error.code]).toEqual([400, 'openai.not_in_background'])
    const next = (await create({ previous_response_id: id })).body
    expect((await call('DELETE', `/${id}`)).body).toEqual({ id, object: 'response', deleted: true })
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/cancel`],
      ['GET', `/${id}/input_items`],
    ] as const)
      expect((await call(method, path)).status).toBe(404)
    const broken = await create({ previous_response_id: next.id })
    expect([broken.status, broken.body.error.code]).toEqual([404, 'previous_response_not_found'])
  })

  test('is visible only to its user and key', async () => {
    const [key, otherKey] = [await newKey(person), await newKey(person)]
    const colleague = await colleaguesOf(server, person).join('member')
    const stranger = await server.signUp()
    await addModels(stranger)
    const shop = await deploy(server, provider)
    const otherShop = await deploy(server, provider)
    const org = `?org_id=${person.organizationId}`
    const owners = [person.token, key, otherKey, stranger.token, shop.key, otherShop.key]
      .map((token) => ({ token, query: '' }))
      .concat({ token: colleague.token, query: org })
    for (const owner of owners) {
      const { body } = await call('POST', owner.query, { model: 'talker', input: 'hi' }, owner.token)
      for (const { token, query } of owners) {
        const status = token === owner.token ? 200 : 404
        expect((await call('GET', `/${body.id}${query}`, undefined, token)).status).toBe(status)
        const continued = { model: 'talker', input: 'hi', previous_response_id: body.id }
        expect((await call('POST', query, continued, token)).status).toBe(status)
        const input = [{ type: 'item_reference', id: body.output[0].id }]
        expect((await call('POST', query, { model: 'talker', input }, token)).status).toBe(status)
        if (status === 404)
          expect((await call('DELETE', `/${body.id}${query}`, undefined, token)).status).toBe(404)
      }
    }
  })

  test('is deleted with its key, and when its retention ends', async () => {
    const owner = await server.signUp()
    await addModels(owner)
    const key = await newKey(owner)
    const { sql } = server.server.services.database
    const count = async () => {
      const [row] = await sql`
        select (select count(*)::int from responses where organization_id = ${owner.organizationId}) as responses,
          (select count(*)::int from response_items where organization_id = ${owner.organizationId}) as items`
      return [row?.['responses'], row?.['items']]
    }
    await create({}, key)
    const { body } = await create({}, owner.token)
    expect(await count()).toEqual([2, 4])
    await sql`delete from api_keys where organization_id = ${owner.organizationId}`
    expect(await count()).toEqual([1, 2])
    await sql`update responses set expires_at = now() where organization_id = ${owner.organizationId}`
    expect((await call('GET', `/${body.id}`, undefined, owner.token)).status).toBe(404)
    await server.server.retention.sweep()
    expect(await count()).toEqual([0, 0])
  })

  test('is not stored where the organization stores none', async () => {
    const owner = await server.signUp()
    await addModels(owner)
    const changed = await keepFor(0, owner)
    expect([changed.status, changed.body.response_retention_days]).toEqual([200, 0])
    const { body } = await create({ store: true }, owner.token)
    expect(body.store).toBe(false)
    expect((await call('GET', `/${body.id}`, undefined, owner.token)).status).toBe(404)
    expect((await keepFor(3_651, owner)).status).toBe(400)
  })
})

describe('the response', () => {
  test("has every field, with OpenAI's defaults", async () => {
    const { body } = await create({
      tools: [WEATHER],
      prompt_cache_key: 'p',
      safety_identifier: 's',
      max_tool_calls: 3,
      service_tier: 'auto',
    })
    expect(body).toMatchObject({
      completed_at: expect.any(Number),
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      top_logprobs: 0,
      max_tool_calls: 3,
      service_tier: 'default',
      safety_identifier: 's',
      prompt_cache_key: 'p',
      truncation: 'disabled',
      background: false,
      reasoning: { effort: null, summary: null },
      tools: [{ ...WEATHER, description: null, strict: false }],
      text: { format: { type: 'text' } },
    })
  })

  test('passes parameters on to the provider', async () => {
    const { status } = await create({
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      seed: 7,
      text: { verbosity: 'low' },
      user: 'u',
    })
    expect(status).toBe(200)
    expect(provider.requests.at(-1)?.body).toMatchObject({
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      seed: 7,
    })
  })

  test('shows reasoning as text, or as a summary if one is requested', async () => {
    const names = async (body: object) => {
      const { text } = await create({ model: 'thinker', stream: true, ...body })
      return new Set(parseEvents(text).map(({ event }) => event))
    }
    expect(await names({})).toContain('response.reasoning_text.delta')
    const summarized = await names({ reasoning: { summary: 'auto' } })
    for (const name of ['part.added', 'text.delta', 'text.done', 'part.done'])
      expect(summarized).toContain(`response.reasoning_summary_${name}`)
    const { body } = await create({ model: 'thinker', reasoning: { summary: 'auto' } })
    expect(body.output[0]).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text' }] })
  })

  test.each([
    [{ background: true }, /background is not supported/],
    [{ input: [] }, /input/],
    [{ input: [{ type: 'message', content: 'x' }] }, /input\.0 must have a role/],
    [{ input: [{ type: 'made_up_call' }] }, /input\.0: items of type made_up_call/],
    [{ reasoning: { summary: 'long' } }, /summary/],
    [{ store: 'yes' }, /store/],
  ])('%j is refused', async (change, message) => {
    const { status, body } = await create(change)
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)])
  })
})
