import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addKey } from '#tests/support/admission.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Limits of requests and tokens per minute: by API key, member and model. */

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
/** A test that crosses the end of a minute would see fresh limits. */
beforeEach(async () => {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 5_000) await new Promise((resolve) => setTimeout(resolve, left))
})

const sql = () => server.server.services.database.sql
const setLimit = (person: Person, body: object): Promise<Answer> =>
  server.call('PUT', `/api/billing/limits/set?org_id=${person.organizationId}`, { token: person.token, body })
const complete = (token: string, model: string): Promise<Answer> =>
  server.call('POST', '/openai/v1/chat/completions', {
    token,
    body: { model, messages: [{ role: 'user', content: 'say: Good day' }] },
  })
const statuses = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('of 40 concurrent requests, a member, a key and a model each get as many as their limit', async () => {
  for (const subject of ['user_id', 'api_key_id', 'model_id'] as const) {
    const { person, modelId } = await signUpWithModel(server, provider, 'emu-n2')
    const key = await addKey(server, person)
    const ids = { user_id: person.userId, api_key_id: key.id, model_id: modelId }
    const { status, body: limit } = await setLimit(person, {
      [subject]: ids[subject],
      requests_per_minute: 7,
    })
    expect([status, limit]).toEqual([
      200,
      expect.objectContaining({ [subject]: ids[subject], requests_per_minute: 7, tokens_per_minute: null }),
    ])
    const answers = await Promise.all(Array.from({ length: 40 }, () => complete(key.sender.token, modelId)))
    expect(statuses(answers)).toEqual({ 200: 7, 429: 33 })
    const refused = answers.find((answer) => answer.status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    const name = { user_id: 'This member', api_key_id: 'This API key', model_id: 'This model' }[subject]
    expect(refused?.body.error.message).toMatch(new RegExp(`^${name} has reached .* of requests per minute`))
    await expectSoundLedger(sql(), person.organizationId)
    // The next minute has fresh counts.
    await sql()`update minute_limits set minute = minute - interval '1 minute' where id = ${limit.id}`
    expect((await complete(key.sender.token, modelId)).status).toBe(200)
    await server.call(
      'DELETE',
      `/api/billing/limits/delete?org_id=${person.organizationId}&limit_id=${limit.id}`,
      {
        token: person.token,
      },
    )
    const free = await Promise.all(Array.from({ length: 10 }, () => complete(key.sender.token, modelId)))
    expect(statuses(free)).toEqual({ 200: 10 })
  }
})

test('tokens count when a call ends', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-n2')
  await setLimit(person, { model_id: modelId, tokens_per_minute: 5 })
  const chat = () => server.say(person, { model_id: modelId }, { content: 'say: Good day' })
  await chat()
  await expect(chat()).rejects.toThrow('429')
  await setLimit(person, { model_id: modelId, tokens_per_minute: 1_000_000 })
  await chat()
  const [row] = await sql()`
    select tokens::int, requests from minute_limits where organization_id = ${person.organizationId}`
  const [sum] = await sql()`
    select sum((usage ->> 'input_tokens')::int + (usage ->> 'output_tokens')::int)::int as tokens from ledger_entries
    where organization_id = ${person.organizationId} and kind = 'DEBIT' and reason is distinct from 'title'`
  expect(row?.['requests']).toBe(2)
  expect(row?.['tokens']).toBeGreaterThanOrEqual(sum?.['tokens'])
})

test('a limit names one subject of the organization', async () => {
  const [person, stranger] = await Promise.all([server.signUp(), signUpWithModel(server, provider, 'emu-n2')])
  const limit = { requests_per_minute: 1 }
  for (const [body, status] of [
    [limit, 400],
    [{ ...limit, user_id: person.userId, model_id: stranger.modelId }, 400],
    [{ user_id: person.userId }, 400],
    [{ ...limit, user_id: stranger.person.userId }, 404],
    [{ ...limit, model_id: stranger.modelId }, 404],
    [{ ...limit, api_key_id: crypto.randomUUID() }, 404],
    [{ ...limit, requests_per_minute: -1, user_id: person.userId }, 400],
  ] as const)
    expect((await setLimit(person, body)).status).toBe(status)
})
