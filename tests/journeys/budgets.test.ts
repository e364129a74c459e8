import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { addKey, setBudget } from '#tests/support/admission.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { ledgerOf, sendFile, titledChat } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

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

const sql = () => server.server.services.database.sql

async function personWithModel() {
  const person = await server.signUp()
  const config = { base_url: `${provider.url}/v1` }
  const modelId = await server.addModel(person, { provider: 'openai-compatible', version: 'emu-n3', config })
  const chat_id = await titledChat(server, person)
  const say = (who: Person = person) => server.say(who, { chat_id, model_id: modelId }, { content: 'Hi' })
  return { person, modelId, say }
}

const METHODS = { list: 'GET', set: 'PUT', delete: 'DELETE' }
const budgets = (
  action: keyof typeof METHODS,
  { token, organizationId }: Person,
  { query = '', body }: { query?: string; body?: unknown } = {},
): Promise<Answer> =>
  server.call(METHODS[action], `/api/billing/budgets/${action}?org_id=${organizationId}${query}`, {
    token,
    ...(body !== undefined && { body }),
  })

const spentBy = async (person: Person): Promise<number> =>
  -(await ledgerOf(server, person)).reduce((sum, { amount }) => sum + amount, 0)

describe('a budget', () => {
  test('is set, replaced, listed and removed, with audit entries', async () => {
    const { person } = await personWithModel()
    const key = await addKey(server, person)
    const ofMember = await setBudget(server, person, { user_id: person.userId, credits_per_month: 50 })
    const now = new Date()
    expect(ofMember).toEqual({
      id: expect.any(String),
      user_id: person.userId,
      api_key_id: null,
      credits_per_month: 50,
      spent: 0,
      held: 0,
      available: 50,
      resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const ofKey = await setBudget(server, person, { api_key_id: key.id, credits_per_month: 0.5 })
    const replaced = await setBudget(server, person, { user_id: person.userId, credits_per_month: 60 })
    expect(replaced).toMatchObject({ id: ofMember.id, credits_per_month: 60 })
    const { body } = await budgets('list', person)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ofKey.id, ofMember.id])
    const own = await budgets('list', person, { query: `&user_id=${person.userId}` })
    expect(own.body.data).toEqual([body.data[1]])
    const removed = await budgets('delete', person, { query: `&budget_id=${ofKey.id}` })
    expect([removed.status, removed.body]).toEqual([200, { message: 'Budget removed' }])
    expect((await budgets('delete', person, { query: `&budget_id=${ofKey.id}` })).status).toBe(404)

    const audit = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, {
      token: person.token,
    })
    const told = audit.body.data.filter(({ action }: { action: string }) => action.startsWith('budget.'))
    expect(told.map(({ action }: { action: string }) => action)).toEqual([
      'budget.deleted',
      'budget.updated',
      'budget.created',
      'budget.created',
    ])
    expect(told[1]).toMatchObject({ before: { credits_per_month: 50 }, after: { credits_per_month: 60 } })
  })

  test('applies to one member or one key of the organization', async () => {
    const { person } = await personWithModel()
    const stranger = await server.signUp()
    const foreign = await addKey(server, stranger)
    for (const [subject, status] of [
      [{}, 400],
      [{ user_id: person.userId, api_key_id: foreign.id }, 400],
      [{ user_id: stranger.userId }, 404],
      [{ user_id: crypto.randomUUID() }, 404],
      [{ api_key_id: foreign.id }, 404],
      [{ user_id: person.userId, credits_per_month: -1 }, 400],
    ] as const) {
      const answer = await budgets('set', person, { body: { credits_per_month: 1, ...subject } })
      expect([subject, answer.status]).toEqual([subject, status])
    }
    const made = await setBudget(server, person, { user_id: person.userId, credits_per_month: 1 })
    expect((await budgets('delete', stranger, { query: `&budget_id=${made.id}` })).status).toBe(404)
  })

  test("counts this month's spending from before its creation, and is deleted with its key", async () => {
    const { person, say } = await personWithModel()
    const key = await addKey(server, person)
    await say()
    await say(key.sender)
    const [first = 0] = (await ledgerOf(server, person)).flatMap(({ kind, amount }) =>
      kind === 'DEBIT' ? [-amount] : [],
    )
    const ofMember = await setBudget(server, person, { user_id: person.userId, credits_per_month: 1e6 })
    const ofKey = await setBudget(server, person, { api_key_id: key.id, credits_per_month: 1e6 })
    expect(ofMember.spent).toBe(await spentBy(person))
    expect(ofKey.spent).toBe(ofMember.spent - first)
    await say(key.sender)
    const { body } = await budgets('list', person)
    expect(body.data[1].spent).toBe(await spentBy(person))
    expect(body.data[0].spent).toBe(body.data[1].spent - first)
    await expectSoundLedger(sql(), person.organizationId)
    await server.call('DELETE', `/api/api_keys/delete?api_key_id=${key.id}`, { token: person.token })
    expect((await budgets('list', person)).body.data).toHaveLength(1)
  })

  test('restarts every month', async () => {
    const { person, say } = await personWithModel()
    await say()
    const spent = await spentBy(person)
    await setBudget(server, person, { user_id: person.userId, credits_per_month: spent })
    await expect(say()).rejects.toThrow('402')
    await sql()`
      update budgets set month = month - interval '1 month' where organization_id = ${person.organizationId}`
    expect((await budgets('list', person)).body.data[0]).toMatchObject({ spent: 0, available: spent })
    await say()
    const [budget] = (await budgets('list', person)).body.data
    expect(budget.spent).toBe((await spentBy(person)) - spent)
  })
})

/** Prices at which a reply of emu-n60 costs about 100 credits. */
const PRICES = { input_ratio: 0, output_ratio: 100 / 60 }

describe('calls at the same time pass a budget by at most one call', () => {
  const CALLS = 20
  const BUDGET = 250
  const complete = (sender: Person, more: object = {}) =>
    server.call('POST', '/openai/v1/chat/completions', {
      token: sender.token,
      body: { model: 'metered', messages: [{ role: 'user', content: 'Hi' }], ...more },
    })

  async function withBudget(prices = PRICES) {
    const person = await server.signUp()
    const config = { base_url: `${provider.url}/v1`, ...prices }
    const model = { name: 'metered', provider: 'openai-compatible', version: 'emu-n60-ttft200', config }
    const modelId = await server.addModel(person, model)
    const key = await addKey(server, person)
    const set = (subject: object) => setBudget(server, person, { ...subject, credits_per_month: BUDGET })
    return { person, key, modelId, set }
  }

  async function expectAtMostOneBeyond(person: Person, statuses: number[]) {
    expect(new Set(statuses)).toEqual(new Set([200, 402]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3)
    const spent = await spentBy(person)
    expect(spent).toBeLessThanOrEqual(BUDGET + 100)
    await expectSoundLedger(sql(), person.organizationId)
    const { body } = await budgets('list', person)
    expect(body.data[0]).toMatchObject({ held: 0, spent })
  }

  test.each(['key', 'member'])('with max_tokens, by the budget of a %s', async (owner) => {
    const { person, key, set } = await withBudget()
    await set(owner === 'key' ? { api_key_id: key.id } : { user_id: person.userId })
    const calls = Array.from({ length: CALLS }, () => complete(key.sender, { max_tokens: 60 }))
    const answers = await Promise.all(calls)
    await expectAtMostOneBeyond(
      person,
      answers.map(({ status }) => status),
    )
  })

  test.each([
    ['a model', false],
    ['a route', true],
  ])('without max_tokens, by calls of %s that are expected to be like recent calls', async (_, isRoute) => {
    const { person, key, modelId, set } = await withBudget()
    const route = { strategy: 'weighted', members: [{ model_id: modelId }] }
    const model = isRoute
      ? await server.addModel(person, { name: 'r', provider: 'route', version: '1', config: { route } })
      : modelId
    expect((await complete(key.sender, { model })).status).toBe(200)
    await set({ api_key_id: key.id })
    const answers = await Promise.all(Array.from({ length: CALLS }, () => complete(key.sender, { model })))
    const statuses = answers.map(({ status }) => status)
    // The call before the budget counts, too.
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    await expectAtMostOneBeyond(person, statuses)
  })

  test('in chats, where replies in progress count what they are expected to cost', async () => {
    const { person, modelId, set } = await withBudget()
    const chats = await Promise.all(Array.from({ length: CALLS }, () => titledChat(server, person)))
    const first = await titledChat(server, person)
    await server.say(person, { chat_id: first, model_id: modelId }, { content: 'Hi' })
    await set({ user_id: person.userId })
    const asked = chats.map((chat_id) =>
      server.say(person, { chat_id, model_id: modelId }, { content: 'Hi' }).then(
        () => 200,
        () => 402,
      ),
    )
    await expectAtMostOneBeyond(person, await Promise.all(asked))
  })

  test('by an agent that was not called before, whose messages are counted', async () => {
    const { person, modelId, set } = await withBudget({ input_ratio: 1, output_ratio: 0 })
    const { make } = await agentKeeper(server, person)
    const model = await make({ model_id: modelId })
    await set({ user_id: person.userId })
    const messages = [{ role: 'user', content: 'a b c '.repeat(33) }]
    const calls = Array.from({ length: CALLS }, () => complete(person, { model, messages }))
    const answers = await Promise.all(calls)
    await expectAtMostOneBeyond(
      person,
      answers.map(({ status }) => status),
    )
  })

  test('by recordings of a low bit rate', async () => {
    const { person, set } = await withBudget()
    const config = { base_url: `${provider.url}/v1`, api_key: 'k', seconds_ratio: 30 }
    await server.addModel(person, { provider: 'openai', version: 'whisper-ttft200', config })
    await set({ user_id: person.userId })
    // The provider hears 2.5 seconds, which cost 90 credits.
    const file = Buffer.concat([readFileSync('tests/fixtures/sound.mp3'), Buffer.alloc(1_000)])
    const sent = { token: person.token, file, name: 'sound.mp3', type: 'audio/mpeg' }
    const calls = Array.from({ length: CALLS }, () => sendFile(server, '/api/chat/transcribe', sent))
    const answers = await Promise.all(calls)
    await expectAtMostOneBeyond(
      person,
      answers.map(({ status }) => status),
    )
  })

  test.each([1, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'and a maximum of %i tokens is accepted',
    async (max_tokens) => {
      const { key, set } = await withBudget()
      await set({ api_key_id: key.id })
      expect((await complete(key.sender, { max_tokens })).status).toBe(200)
    },
  )

  test('and a small call is not refused beside one of a price that is not yet known', async () => {
    const { key, set } = await withBudget()
    await set({ api_key_id: key.id })
    const first = complete(key.sender)
    expect((await first).status).toBe(200)
    expect((await complete(key.sender, { max_tokens: 1 })).status).toBe(200)
  })
})

describe('a call without max_tokens is expected to cost', () => {
  const [MODEL, ROUTE, AGENT] = [newId(), newId(), newId()]
  const ofAgent = { agentId: AGENT }
  const ofHidden = { agentId: AGENT, hidesModel: true }
  const route = { id: ROUTE, members: [{ id: newId() }, { id: MODEL }] }

  /** Usage of two calls of 40 output tokens and 90 credits each, and the credits expected of another call. */
  test.each<[string, object, object, object, number]>([
    ['the mean output', { model_id: MODEL }, {}, {}, 40],
    ["a route's mean output", { model_id: MODEL }, {}, route, 40],
    ["an agent's mean cost", { model_id: MODEL, agent_id: AGENT }, ofAgent, {}, 90],
    ["a route's mean cost by an agent", { model_id: MODEL, agent_id: AGENT }, ofAgent, route, 90],
    ["a foreign agent's mean cost", { model_id: null, agent_id: AGENT }, ofHidden, route, 90],
    ['500 tokens without usage of the model', { model_id: ROUTE }, {}, {}, 500],
    ['500 tokens without usage of the agent', { model_id: MODEL }, ofAgent, {}, 500],
    ['500 tokens without usage outside agents', { model_id: MODEL, agent_id: AGENT }, {}, {}, 500],
    ['500 tokens after a week', { model_id: MODEL, ago: 7 }, {}, {}, 500],
  ])('%s', async (_, usage, payer, model, expected) => {
    const person = await server.signUp()
    const { organizationId, userId } = person
    const days = [{ agent_id: null, ago: 6, ...usage }]
    await sql()`
      insert into usage_days (organization_id, day, model_id, agent_id, messages, input_tokens, output_tokens, credits)
      select ${organizationId}, (now() at time zone 'utc')::date - ago, model_id, agent_id, 2, 1, 80, 180
      from json_to_recordset(${JSON.stringify(days)}::text::json) as r (model_id uuid, agent_id uuid, ago int)`
    await setBudget(server, person, { user_id: userId, credits_per_month: 1_000 })
    const holdId = await server.server.services.ledger.hold(
      { organizationId, userId, apiKeyId: null, ...payer },
      { id: MODEL, inputRatio: 1, outputRatio: 1, ...model },
      async () => ({ inputTokens: 0, outputTokens: null }),
    )
    expect(await sql()`select expected::float8 from open_holds where id = ${holdId}`).toEqual([{ expected }])
  })
})

describe('a caller whose budget is used up', () => {
  test('has exceeded it by at most the last reply', async () => {
    const { person, say } = await personWithModel()
    await setBudget(server, person, { user_id: person.userId, credits_per_month: 1 })
    await say()
    const [budget] = (await budgets('list', person)).body.data
    expect(budget.spent).toBeGreaterThan(1)
    expect(budget.available).toBeLessThan(1)
    await expect(say()).rejects.toThrow('402')
    expect((await budgets('list', person)).body.data[0].spent).toBe(budget.spent)
  })

  test('gets an error with the owner and reset time of the budget, from every kind of call', async () => {
    const { person, modelId, say } = await personWithModel()
    const key = await addKey(server, person)
    await setBudget(server, person, { user_id: person.userId, credits_per_month: 0 })
    const day = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1))
    const sentence = (whose: string) =>
      `The monthly budget of ${whose} is used up. It resets on ${day.toISOString().slice(0, 10)} (UTC). An administrator can raise it.`
    await expect(say()).rejects.toThrow(sentence('this member'))
    await setBudget(server, person, { api_key_id: key.id, credits_per_month: 0 })
    await expect(say(key.sender)).rejects.toThrow(sentence('this API key'))
    const prompt = await server.call('POST', `/api/chat/prompt?org_id=${person.organizationId}`, {
      token: person.token,
      body: { text: 'bees', num_prompts: 1, prompt_type: 'creative' },
    })
    expect([prompt.status, prompt.body.code]).toEqual([402, 'billing.member_budget_exceeded'])
    const completion = await server.call('POST', '/openai/v1/chat/completions', {
      token: key.sender.token,
      body: { model: modelId, messages: [{ role: 'user', content: 'Hi' }] },
    })
    expect([completion.status, completion.body.error]).toEqual([
      402,
      {
        message: sentence('this API key'),
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      },
    ])
    expect(await ledgerOf(server, person)).toEqual([])
  })
})
