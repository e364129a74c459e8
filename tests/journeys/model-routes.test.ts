import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Routes: models that try their members in order until one of them answers. */

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

const addModel = (version: string, config: object = {}, owner = person): Promise<string> =>
  server.addModel(owner, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })
const call = (method: string, path: string, body?: object, owner = person): Promise<Answer> =>
  server.call(method, path, { token: owner.token, ...(body && { body }) })
const addRoute = (members: (string | object)[], more: object = {}): Promise<Answer> =>
  call('POST', `/api/llm/add?org_id=${person.organizationId}`, {
    name: 'route',
    provider: 'route',
    version: '1',
    config: {
      route: {
        strategy: 'ordered',
        members: members.map((one) => (typeof one === 'string' ? { model_id: one } : one)),
        ...more,
      },
    },
  })
const routeOf = async (...members: (string | object)[]): Promise<string> => {
  const { status, body, text } = await addRoute(members)
  if (status !== 201) throw new Error(text)
  return body.id
}
const complete = (model: string, more: object = {}): Promise<Answer> =>
  call('POST', '/openai/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'say: Good day' }],
    ...more,
  })
const healthOf = async (id: string, owner = person) =>
  (
    await call('GET', `/api/llm/health?org_id=${owner.organizationId}&limit=100`, undefined, owner)
  ).body.data.find((one: { id: string }) => one.id === id)
const newestDebit = async () =>
  (await call('GET', `/api/billing/ledger?org_id=${person.organizationId}&kind=DEBIT`)).body.data[0]
/** Models that providers have received requests for since `before`. */
const calledSince = (before: number) =>
  provider.requests.slice(before).map(({ body }) => (body as { model: string }).model)

describe('a route', () => {
  test('has the capabilities of all members and the smallest window', async () => {
    const one = await addModel('emu-n1', { capabilities: ['text', 'vision', 'tools'], context_window: 9_000 })
    const two = await addModel('emu-n2', { capabilities: ['text', 'tools', 'embedding'] })
    const { status, body } = await addRoute([one, two])
    expect([status, body.config.capabilities]).toEqual([201, ['text', 'tools']])
    const { body: renamed } = await call('PUT', `/api/llm/update?model_id=${body.id}`, { name: 'renamed' })
    expect([renamed.name, renamed.config]).toEqual(['renamed', body.config])
    const { body: list } = await call('GET', `/api/llm/list?org_id=${person.organizationId}`)
    expect(list.data[0]).toEqual(renamed)
    const { body: refused } = await complete(body.id, {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: PNG } }] }],
    })
    expect(refused.error.message).toContain('cannot see images')
  })

  test('passes over a silent member after first_token_seconds, also in a chat, and gives the last one its time', async () => {
    const silent = await addModel('emu-hang')
    const slow = await addModel('emu-n2-ttft1500')
    const answering = await addModel('emu-n2')
    const { status, body } = await addRoute([silent, answering], { first_token_seconds: 1 })
    expect([status, body.config.route.first_token_seconds]).toEqual([201, 1])
    const answer = await complete(body.id)
    expect([answer.status, answer.body.model]).toEqual([200, 'emu-n2'])
    const { events } = await server.say(person, { model_id: body.id }, { content: 'Hi' })
    expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
    expect(await healthOf(silent)).toMatchObject({
      state: 'degraded',
      error: expect.stringContaining('did not start its reply'),
    })
    const last = await addRoute([silent, slow], { first_token_seconds: 1 })
    expect((await complete(last.body.id)).body.model).toBe('emu-n2-ttft1500')
    const { body: changed } = await call('PUT', `/api/llm/update?model_id=${body.id}`, {
      config: { route: { first_token_seconds: null } },
    })
    expect(changed.config.route).not.toHaveProperty('first_token_seconds')
    for (const seconds of [0, 121, 1.5])
      expect((await addRoute([silent, answering], { first_token_seconds: seconds })).status).toBe(400)
  })

  test('is checked within the organization', async () => {
    const stranger = await server.signUp()
    const [own, foreign] = [await addModel('emu-n3'), await addModel('emu-n3', {}, stranger)]
    const route = await routeOf(own)
    const image = await addModel('emu-image', { capabilities: ['image'] })
    const outcomes = await Promise.all([
      addRoute([own, foreign]),
      addRoute([route]),
      addRoute([own, image]),
      addRoute([]),
      addRoute(Array.from({ length: 21 }, () => own)),
      call('POST', `/api/llm/add?org_id=${person.organizationId}`, {
        name: 'r',
        provider: 'route',
        version: '1',
      }),
      call('PUT', `/api/llm/update?model_id=${route}`, { config: { base_url: 'https://example.com' } }),
      call('PUT', `/api/llm/update?model_id=${own}`, {
        config: { route: { strategy: 'ordered', members: [{ model_id: own }] } },
      }),
    ])
    expect(outcomes.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'llm.member_not_found'],
      [400, 'llm.member_is_route'],
      [400, 'llm.members_differ'],
      [400, 'request.invalid'],
      [400, 'request.invalid'],
      [400, 'llm.route_needed'],
      [400, 'llm.setting_unknown'],
      [400, 'llm.setting_unknown'],
    ])
    expect(outcomes[0]?.body.detail).toContain(foreign)
  })

  test('keeps its members from being deleted', async () => {
    const member = await addModel('emu-n4')
    const { body: route } = await addRoute([member], { strategy: 'weighted' })
    const remove = (id: string) => call('DELETE', `/api/llm/delete?model_id=${id}`)
    const { status, body } = await remove(member)
    expect([status, body.code, body.detail]).toEqual([
      409,
      'llm.in_use',
      'This language model is used by the route route. Choose another model there first.',
    ])
    expect((await remove(route.id)).status).toBe(200)
    expect((await remove(member)).status).toBe(200)
  })

  test('skips inactive members', async () => {
    const [first, second] = [await addModel('emu-n5'), await addModel('emu-n6')]
    const route = await routeOf(first, second)
    await call('PUT', `/api/llm/update?model_id=${first}`, { is_active: false })
    expect((await complete(route)).body.choices[0].message.content).toBe('Good day')
    expect((await newestDebit()).model_id).toBe(second)
    await call('PUT', `/api/llm/update?model_id=${second}`, { is_active: false })
    const { status, body } = await complete(route)
    expect([status, body.error.message]).toEqual([
      400,
      'No member of this route is active and configured. Activate a member, or add one to the route.',
    ])
  })

  test('draws the first member by weight', async () => {
    const [light, heavy] = [await addModel('emu-n7'), await addModel('emu-n9')]
    const members = [
      { model_id: light, weight: 1 },
      { model_id: heavy, weight: 1000 },
    ]
    const { body: route } = await addRoute(members, { strategy: 'weighted' })
    const before = provider.requests.length
    for (let count = 0; count < 4; count++) await complete(route.id)
    expect(calledSince(before)).toContain('emu-n9')
  })
})

describe('a call', () => {
  test('is answered, charged and named by the member that works', async () => {
    const broken = await addModel('emu-err500', { input_ratio: 500, output_ratio: 500 })
    const busy = await addModel('emu-err429-x')
    const working = await addModel('emu-n10', { input_ratio: 0, output_ratio: 2 })
    const route = await routeOf(broken, busy, working)
    const { events, chatId, messageId } = await server.say(
      person,
      { model_id: route },
      { content: 'say: Good day' },
    )
    const usage = events.find(({ event }) => event === 'usage')
    const debit = await newestDebit()
    expect([debit.model_id, debit.amount]).toEqual([working, -2 * debit.usage.output_tokens])
    if (usage) expect(usage.data['credits']).toBe(-debit.amount)
    const { body: chat } = await call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`)
    expect(chat.model_id).toBe(route)
    const reply = chat.messages.find(({ id }: { id: string }) => id === messageId)
    expect([reply.model_id, reply.content]).toEqual([working, 'Good day'])
    const { body: test } = await call('POST', `/api/llm/test?model_id=${route}`)
    expect(test.successful).toBe(true)
  })

  test.each(['/openai/v1/chat/completions', '/anthropic/v1/messages'])(
    'to %s names the member in its reply and in each stream',
    async (path) => {
      const model = await routeOf(await addModel(`emu-err500-${path.slice(1, 5)}`), await addModel('emu-n17'))
      const request = { model, max_tokens: 100, messages: [{ role: 'user', content: 'say: Good day' }] }
      const reply = await call('POST', path, request)
      expect([reply.status, reply.body.model]).toEqual([200, 'emu-n17'])
      const { text } = await call('POST', path, { ...request, stream: true })
      const names = [...text.matchAll(/"model":"([^"]*)"/g)].map(([, name]) => name)
      expect(new Set(names)).toEqual(new Set(['emu-n17']))
      expect(text.indexOf('"model"')).toBeLessThan(text.indexOf('Good'))
    },
  )

  test('of an agent falls back, too', async () => {
    const broken = await addModel('emu-err503')
    const working = await addModel('emu-n11')
    const route = await routeOf(broken, working)
    const { body: agent } = await call('POST', `/api/agents?org_id=${person.organizationId}`, {
      name: 'Routed',
      description: '',
      agent_type: 'chat',
      model_id: route,
      params: {},
    })
    const { text } = await server.say(person, { agent_id: agent.id }, { content: 'say: Hello' })
    expect([text, (await newestDebit()).model_id]).toEqual(['Hello', working])
  })

  test('that the provider refuses is not tried again', async () => {
    const [refusing, other] = [await addModel('emu-err400'), await addModel('emu-n13')]
    const before = provider.requests.length
    const { status } = await complete(await routeOf(refusing, other))
    expect([status, calledSince(before)]).toEqual([400, ['emu-err400']])
    expect(await healthOf(refusing)).toMatchObject({ state: 'healthy', error: null, since: null })
  })

  test('that breaks off after its first output is not tried again', async () => {
    const [cut, other] = [await addModel('emu-n5-cut'), await addModel('emu-n14')]
    const before = provider.requests.length
    await complete(await routeOf(cut, other))
    expect(calledSince(before)).toEqual(['emu-n5-cut'])
  })

  test('fails like its last member', async () => {
    const route = await routeOf(await addModel('emu-err500-y'), await addModel('emu-err429-y'))
    const { status, body } = await complete(route)
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(await newestDebit()).toMatchObject({ model_id: expect.not.stringMatching(route) })
  })

  test('with a parameter that a member refuses is refused', async () => {
    const strict = await server.addModel(person, {
      provider: 'anthropic',
      version: 'x',
      config: { api_key: 'k' },
    })
    const route = await routeOf(await addModel('emu-n15'), strict)
    const { status, body } = await complete(route, { seed: 7 })
    expect([status, body.error.param]).toEqual([400, 'seed'])
  })
})

test('health shows failing members, until they work again, to their organization only', async () => {
  const broken = await addModel('emu-err500-z')
  const working = await addModel('emu-n16')
  const route = await routeOf(broken, working)
  expect(await healthOf(route)).toMatchObject({ state: 'healthy', error: null, since: null })
  await complete(route)
  expect(await healthOf(route)).toMatchObject({
    state: 'degraded',
    members: [{ state: 'degraded' }, { state: 'healthy' }],
  })
  for (let count = 0; count < 5; count++) await complete(route)
  const error = 'emu-err500-z had an internal error (status 500): Emulated 500: your key ***'
  expect(await healthOf(route)).toMatchObject({
    state: 'degraded',
    error,
    since: expect.stringMatching(/Z$/),
    members: [
      { id: broken, name: 'emu-err500-z', state: 'down', error },
      { id: working, state: 'healthy', error: null },
    ],
  })
  // After three failures, the member is skipped.
  expect(
    provider.requests.filter(({ body }) => (body as { model: string }).model === 'emu-err500-z'),
  ).toHaveLength(3)
  const stranger = await server.signUp()
  const same = await addModel('emu-err500-z', {}, stranger)
  expect((await healthOf(same, stranger)).state).toBe('healthy')
})

const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`
