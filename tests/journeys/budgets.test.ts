import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addKey, setBudget } from '#tests/support/admission.ts'
import { ledgerOf, titledChat } from '#tests/support/chats.ts'
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

describe('a caller whose budget is used up', () => {
  test('has exceeded it by at most the last reply, because a hold reserves one credit', async () => {
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
