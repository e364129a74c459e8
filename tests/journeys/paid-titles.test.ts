import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setBudget } from '#tests/support/admission.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { balanceOf, getChat, kindsOf, ledgerOf, titlesBilled } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSoundLedger } from '#tests/support/ledger-invariants.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The cost of a title, who pays, and what happens without credits. */

let server: TestServer
let provider: EmulatedProvider
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({ STARTING_CREDITS: '0' })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

async function personWith(credits: number): Promise<Person> {
  const person = await server.signUp()
  await server.server.services.ledger.grant(person.organizationId, credits, 'test')
  return person
}

const addModel = (person: Person, version: string, config: object = {}) =>
  server.addModel(person, {
    provider: /image/.test(version) ? 'openai' : 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k', ...config },
  })

const titled = (person: Person, chatId: string) =>
  expect.poll(async () => (await getChat(server, person, chatId)).title)

const settled = (person: Person) => expect.poll(async () => kindsOf(await titlesBilled(server, person)))

test('a title has a separate hold and debit with its chat, and does not count as a message', async () => {
  const person = await personWith(1_000)
  const modelId = await addModel(person, 'emu-n3')
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'say: Foxes' })
  await titled(person, chatId).toBe('Foxes')
  await settled(person).toEqual(['HOLD', 'DEBIT'])
  const [hold, debit] = await titlesBilled(server, person)
  const shared = { reason: 'title', chat_id: chatId, message_id: null, model_id: modelId }
  expect([hold, debit]).toEqual([
    expect.objectContaining({ ...shared, amount: 0 }),
    expect.objectContaining({ ...shared, hold_id: hold?.id, usage: expect.any(Object) }),
  ])
  expect(debit?.amount).toBeLessThan(0)
  expect(kindsOf(await ledgerOf(server, person))).toEqual(['HOLD', 'DEBIT'])
  await expectSoundLedger(server.server.services.database.sql, person.organizationId)
  const path = `/api/billing/usage?org_id=${person.organizationId}`
  const { body } = await server.call('GET', path, { token: person.token })
  const { balance } = await balanceOf(server, person)
  expect(body.totals).toMatchObject({ messages: 1, credits: 1_000 - balance })
})

test('without credits the title is the beginning of the message, and no model is called', async () => {
  const person = await personWith(1)
  const modelId = await addModel(person, 'emu-n3')
  const before = provider.titleRequests.length
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'say: Foxes' })
  await titled(person, chatId).toBe('say: Foxes')
  expect(provider.titleRequests).toHaveLength(before)
  expect(await titlesBilled(server, person)).toEqual([])
})

test("a title needs a credit in the member's budget, otherwise it is the beginning of the message", async () => {
  const person = await personWith(1_000)
  await setBudget(server, person, { user_id: person.userId, credits_per_month: 1 })
  const modelId = await addModel(person, 'emu-n3')
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'say: Foxes' })
  await titled(person, chatId).toBe('say: Foxes')
  expect(await titlesBilled(server, person)).toEqual([])
  await expectSoundLedger(server.server.services.database.sql, person.organizationId)
})

test('a title that fails before its first token costs nothing', async () => {
  const person = await personWith(10_000)
  const imageId = await addModel(person, 'gpt-image-emu')
  await addModel(person, 'emu-err500')
  const { chatId } = await server.say(person, { model_id: imageId }, { content: 'Red foxes' })
  await titled(person, chatId).toBe('Red foxes')
  await settled(person).toEqual(['HOLD', 'RELEASE'])
})

test("the title of a chat with another organization's agent costs one credit per token", async () => {
  const owner = await agentKeeper(server)
  const ratios = { input_ratio: 1_000_000, output_ratio: 1_000_000 }
  const model_id = await addModel(owner.person, 'emu-n3-claims90000000', ratios)
  const agentId = await owner.make({ is_public: true, model_id })
  const person = await personWith(10_000)
  const { chatId } = await server.say(person, { agent_id: agentId }, { content: 'say: Foxes' })
  await titled(person, chatId).toBe('Foxes')
  await settled(person).toEqual(['HOLD', 'DEBIT'])
  const [, debit] = await titlesBilled(server, person)
  expect(debit).toMatchObject({ agent_id: agentId, model_id: null })
  expect(debit?.amount).toBeGreaterThan(-2_000)
})

test.each([
  ['failed', 'emu-err500'],
  ['was cut off', 'emu-n4-cut'],
])('a chat whose reply %s gets no title until the next one', async (_, version) => {
  const person = await personWith(1_000)
  const { chatId } = await server.say(
    person,
    { model_id: await addModel(person, version) },
    { content: 'say: Foxes' },
  )
  const modelId = await addModel(person, 'emu-n3')
  const other = await server.say(person, { model_id: modelId }, { content: 'say: Sentinel' })
  await titled(person, other.chatId).toBe('Sentinel')
  expect((await getChat(server, person, chatId)).title).toBe('New Chat')
  await server.say(person, { model_id: modelId, chat_id: chatId }, { content: 'say: Bears' })
  await titled(person, chatId).toBe('Bears')
})

test('the hold of a title whose process has died is released', async () => {
  const person = await personWith(10_000)
  const imageId = await addModel(person, 'gpt-image-emu')
  await addModel(person, 'emu-n3-ttft60000')
  const { chatId } = await server.say(person, { model_id: imageId }, { content: 'Red foxes' })
  await settled(person).toEqual(['HOLD'])
  const { sql } = server.server.services.database
  await sql`update open_holds set instance_id = ${randomUUID()} where chat_id = ${chatId}`
  await expect.poll(async () => kindsOf(await titlesBilled(server, person))).toEqual(['HOLD', 'RELEASE'])
  expect((await balanceOf(server, person)).held).toBe(0)
  await expectSoundLedger(sql, person.organizationId)
})

test('stopping a chat does not stop its title', async () => {
  const person = await personWith(10_000)
  const imageId = await addModel(person, 'gpt-image-emu')
  await addModel(person, 'emu-n3-ttft60000')
  const { chatId } = await server.say(person, { model_id: imageId }, { content: 'Red foxes' })
  await settled(person).toEqual(['HOLD'])
  const path = `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`
  const answer = await server.call('POST', path, { token: person.token })
  const idle = await server.call('POST', path, { token: person.token })
  expect([answer.status, answer.body.detail]).toEqual([idle.status, idle.body.detail])
})
