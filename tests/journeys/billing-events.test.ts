import { afterAll, beforeAll, expect, test } from 'vitest'
import { ledgerOf, titledChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The webhook events of an organization's payments. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({ STARTING_CREDITS: '1000' })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sql = () => server.server.services.database.sql

async function personWithModel(subscribed: string[]) {
  const person = await server.signUp()
  const config = { base_url: `${provider.url}/v1` }
  const modelId = await server.addModel(person, { provider: 'openai-compatible', version: 'emu-n3', config })
  if (subscribed.length > 0)
    await sql()`
      insert into webhook_endpoints (id, organization_id, url, event_types, secret, created_by)
      values (${crypto.randomUUID()}, ${person.organizationId}, 'https://example.com', ${subscribed}, 'x', ${person.userId})`
  const say = async () => {
    const chat_id = await titledChat(server, person)
    return server.say(person, { chat_id, model_id: modelId }, { content: 'Hi' })
  }
  return { person, modelId, say }
}

const queued = ({ organizationId }: Person) =>
  sql()<{ sequence: string; event_type: string; data: Record<string, unknown> }[]>`
    select sequence, event_type, data from webhook_deliveries
    where organization_id = ${organizationId} order by sequence`

const setThreshold = async ({ token, organizationId }: Person, threshold: number) => {
  const { status, body } = await server.call('PUT', `/api/billing/update_settings?org_id=${organizationId}`, {
    token,
    body: { credits_low_threshold: threshold },
  })
  expect([status, body.credits_low_threshold]).toEqual([200, threshold])
}

test('each debit sends one event with its entry, and a grant sends none', async () => {
  const { person, modelId, say } = await personWithModel(['billing.debited'])
  const told = await say()
  await server.server.services.ledger.grant(person.organizationId, 5, 'test')
  await say()
  const ledger = await server.call('GET', `/api/billing/ledger?org_id=${person.organizationId}&kind=DEBIT`, {
    token: person.token,
  })
  const debits = ledger.body.data.reverse()
  const events = await queued(person)
  expect(events.map(({ sequence }) => Number(sequence))).toEqual([1, 2])
  expect(events[0]).toMatchObject({
    event_type: 'billing.debited',
    data: {
      ledger_entry_id: debits[0].id,
      organization_id: person.organizationId,
      model_id: modelId,
      user_id: person.userId,
      api_key_id: null,
      agent_id: null,
      deployment_id: null,
      chat_id: told.chatId,
      message_id: told.messageId,
      usage: debits[0].usage,
      credits: -debits[0].amount,
      balance: debits[0].balance_after,
    },
  })
  expect(events[1]?.data).toMatchObject({ balance: debits[1].balance_after })
})

test('low credits are reported once, when they fall below the threshold', async () => {
  const { person, say } = await personWithModel(['billing.credits_low', 'billing.debited'])
  await setThreshold(person, 1_000)
  await say()
  await say()
  const spent = -(await ledgerOf(server, person)).reduce((sum, { amount }) => sum + amount, 0)
  const events = await queued(person)
  expect(events.map(({ event_type }) => event_type)).toEqual([
    'billing.debited',
    'billing.credits_low',
    'billing.debited',
  ])
  const balance = 1_000 - spent / 2
  expect(events[1]?.data).toEqual({
    organization_id: person.organizationId,
    balance,
    available: balance,
    threshold: 1_000,
  })
  await setThreshold(person, 0)
  await say()
  expect((await queued(person)).map(({ event_type }) => event_type).slice(3)).toEqual(['billing.debited'])
  const audit = await server.call('GET', `/api/audit/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(audit.body.data[0]).toMatchObject({
    action: 'organization.billing_changed',
    before: { credits_low_threshold: 1_000 },
    after: { credits_low_threshold: 0 },
  })
})

test('concurrent debits send one event each, and low credits are reported once', async () => {
  const { person, say } = await personWithModel(['billing.credits_low', 'billing.debited'])
  await setThreshold(person, 950)
  await Promise.all(Array.from({ length: 25 }, say))
  const events = await queued(person)
  expect(events.map(({ sequence }) => Number(sequence))).toEqual(events.map((_, at) => at + 1))
  const debited = events.filter(({ event_type }) => event_type === 'billing.debited')
  const entries = await ledgerOf(server, person)
  expect(debited).toHaveLength(25)
  expect(debited.reduce((sum, { data }) => sum + Number(data['credits']), 0)).toBe(
    -entries.reduce((sum, { amount }) => sum + amount, 0),
  )
  expect(events.filter(({ event_type }) => event_type === 'billing.credits_low')).toHaveLength(1)
})

test('an organization without a subscription gets no events', async () => {
  const { person, say } = await personWithModel(['conversation.updated'])
  await say()
  expect(await queued(person)).toEqual([])
})
