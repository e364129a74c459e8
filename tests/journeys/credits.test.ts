import { afterAll, beforeAll, expect, test } from 'vitest'
import { titledChat } from '#tests/support/chats.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({ STARTING_CREDITS: '0' })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

async function personWith(credits: number) {
  const person = await server.signUp()
  const modelId = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n3-ttft300',
    config: { base_url: `${provider.url}/v1` },
  })
  const administrator = await administratorToken(server)
  if (credits > 0) {
    const granted = await server.call('POST', '/api/billing/credits', {
      token: administrator,
      body: { organization_id: person.organizationId, amount: credits, reason: 'test' },
    })
    expect(granted.status).toBe(201)
  }
  const send = (more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ org_id: person.organizationId, model_id: modelId, ...more })
    const options = { token: person.token, body: { content: 'Hi' } }
    return server.call('POST', `/api/chat/send_message?${query}`, options)
  }
  return { person, send }
}

test('with 1 credit and 50 concurrent messages, admits one and refuses 49', async () => {
  const { person, send } = await personWith(1)
  const answers = await Promise.all(Array.from({ length: 50 }, () => send()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = answers.filter(({ status }) => status === 402)
  expect(refused).toHaveLength(49)
  for (const { body } of refused) expect(body.detail).toBe('Insufficient credits to use this model.')

  const balance = await server.call('GET', `/api/billing/balance?org_id=${person.organizationId}`, {
    token: person.token,
  })
  const ledger = await server.call('GET', `/api/billing/ledger?org_id=${person.organizationId}`, {
    token: person.token,
  })
  const kinds = ledger.body.data.map((entry: { kind: string }) => entry.kind)
  expect(kinds).toEqual(['DEBIT', 'HOLD', 'CREDIT'])
  const sum = ledger.body.data.reduce((total: number, entry: { amount: number }) => total + entry.amount, 0)
  expect(balance.body).toMatchObject({ balance: sum, held: 0, available: sum })
})

test('without credits nothing is stored and no provider is called', async () => {
  const { person, send } = await personWith(0)
  const before = provider.requests.length
  expect((await send()).status).toBe(402)
  expect(provider.requests.length).toBe(before)
  const chats = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  expect(chats.body.data).toEqual([])
})

test('concurrent replies of one organization leave a ledger in which every entry adds up', async () => {
  const { person, send } = await personWith(1_000)
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => send({ chat_id: await titledChat(server, person) })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  const ledger = await server.call('GET', `/api/billing/ledger?org_id=${person.organizationId}&limit=100`, {
    token: person.token,
  })
  const oldestFirst = ledger.body.data.reverse() as { kind: string; amount: number; balance_after: number }[]
  expect(oldestFirst).toHaveLength(61)
  let balance = 0
  for (const entry of oldestFirst) {
    balance += entry.amount
    expect(entry.balance_after).toBe(balance)
  }
})
