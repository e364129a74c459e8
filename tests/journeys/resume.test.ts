import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerOf } from '#tests/support/chats.ts'
import type { Person, StreamEvent } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
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

const TOKENS = 14
const REASONING = 4
const MODEL = `emu-n${TOKENS}-r${REASONING}-gap20`

async function personWithModel(version: string) {
  const person = await server.signUp()
  const modelId = await server.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1` },
  })
  return { person, modelId }
}

/** Joins the events of a client: the text, the reasoning, and the end. */
const joined = (events: StreamEvent[]) => ({
  reasoning: events.map(({ data }) => (data['type'] === 'reasoning' ? data['message'] : '')).join(''),
  text: events.map(({ data }) => (data['type'] === undefined ? (data['message'] ?? '') : '')).join(''),
  errors: events.filter(({ data }) => 'error' in data).length,
})

const ledgerKinds = async (person: Person): Promise<string[]> =>
  (await ledgerOf(server, person)).map(({ kind, amount }) => `${kind} ${amount}`)

test('a client that disconnects at any event and resumes gets the identical reply, charged once', async () => {
  const { person: first, modelId } = await personWithModel(MODEL)
  const whole = await (await openMessage(server.url, first, { model_id: modelId }, { content: 'Hi' })).take()
  const expected = joined(whole)
  expect(whole).toHaveLength(TOKENS + REASONING + 1)
  const paid = await ledgerKinds(first)

  await Promise.all(
    whole.map(async (_event, leaveAfter) => {
      const { person, modelId: model } = await personWithModel(MODEL)
      const stream = await openMessage(server.url, person, { model_id: model }, { content: 'Hi' })
      const before = leaveAfter === 0 ? [] : await stream.take(leaveAfter)
      stream.leave()
      if (leaveAfter % 3 === 0) await sleep(60)
      const rest = await resumeMessage(server.url, person, idsOf(stream), before.at(-1)?.id)
      expect(rest.status).toBe(200)
      expect(joined([...before, ...(await rest.take())])).toEqual(expected)
      expect(await ledgerKinds(person)).toEqual(paid)
    }),
  )
})

test('a stored reply can be resumed after any event except the last', async () => {
  const { person, modelId } = await personWithModel(`emu-n${TOKENS}-r${REASONING}`)
  const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
  const events = await stream.take()
  for (const [index, event] of events.entries()) {
    const rest = await resumeMessage(server.url, person, idsOf(stream), event.id)
    if (index === events.length - 1) expect(rest.status).toBe(204)
    else expect(joined([...events.slice(0, index + 1), ...(await rest.take())])).toEqual(joined(events))
  }
})

test('a reply continues without readers', async () => {
  const { person, modelId } = await personWithModel(MODEL)
  const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
  await stream.take(2)
  stream.leave()
  await expect
    .poll(async () => (await messagesOf(person, idsOf(stream).chatId)).at(-1)?.status)
    .toBe('complete')
  expect(provider.stats.aborted).toBe(0)
})

test('several readers receive the same reply', async () => {
  const { person, modelId } = await personWithModel(MODEL)
  const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
  const others = await Promise.all([1, 2, 3].map(() => resumeMessage(server.url, person, idsOf(stream))))
  const all = await Promise.all([stream, ...others].map((reader) => reader.take()))
  for (const events of all) expect(joined(events)).toEqual(joined(all[0] ?? []))
})

test.each(['x', '1.2', '9.9.9', '0.99999.1', '-1.0.0', '0.0.0.end '])(
  '"%s" is not an event id',
  async (id) => {
    const { person, modelId } = await personWithModel('emu-n3')
    const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
    await stream.take()
    const rest = await resumeMessage(server.url, person, idsOf(stream), id)
    expect(rest.status).toBe(id === '0.0.0.end ' ? 204 : 400)
  },
)

describe('stopping a reply', () => {
  const stop = (person: Person, chatId: string) =>
    server.call('POST', `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
    })

  test("stores and charges the text so far, ends the stream with DONE, and aborts the provider's request", async () => {
    const { person, modelId } = await personWithModel('emu-n500-gap20')
    const aborted = provider.stats.aborted
    const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
    await stream.take(4)
    const { chatId } = idsOf(stream)
    expect((await stop(person, chatId)).status).toBe(200)
    const events = await stream.take()
    expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
    const reply = (await messagesOf(person, chatId)).at(-1)
    expect(reply).toMatchObject({ status: 'stopped', error: null })
    expect(`${reply?.content}DONE`).toBe(joined(events).text)
    expect(reply?.usage.output_tokens).toBeGreaterThan(0)
    expect(await ledgerKinds(person)).toHaveLength(2)
    await expect.poll(() => provider.stats.aborted).toBe(aborted + 1)
    const again = await stop(person, chatId)
    expect([again.status, again.body.detail]).toEqual([
      409,
      'No reply is being written in this chat. Send a message to start one.',
    ])
  })

  test('a chat has one reply at a time', async () => {
    const { person, modelId } = await personWithModel('emu-n100-gap20')
    const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
    const { chatId } = idsOf(stream)
    const send = () =>
      server.call(
        'POST',
        `/api/chat/send_message?org_id=${person.organizationId}&model_id=${modelId}&chat_id=${chatId}`,
        { token: person.token, body: { content: 'Me too' } },
      )
    expect((await send()).status).toBe(409)
    await stop(person, chatId)
    await stream.take()
    expect((await messagesOf(person, chatId)).map(({ content }) => content)).not.toContain('Me too')
  })

  test('deleting a chat stops and charges its reply, and leaves nothing', async () => {
    const { person, modelId } = await personWithModel('emu-n500-gap20')
    const stream = await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' })
    await stream.take(3)
    const { chatId } = idsOf(stream)
    const deleted = await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, {
      token: person.token,
    })
    expect(deleted.status).toBe(200)
    await stream.take()
    expect((await ledgerKinds(person)).map((entry) => entry.split(' ')[0])).toEqual(['HOLD', 'DEBIT'])
    const { sql } = server.server.services.database
    expect((await sql`select from chat_messages where chat_id = ${chatId}`).count).toBe(0)
  })
})

describe('an Idempotency-Key', () => {
  test('a repeat returns the same reply, during and after generation, without a charge', async () => {
    const { person, modelId } = await personWithModel(MODEL)
    const key = { 'idempotency-key': 'order-1' }
    const send = () => openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' }, key)
    const readers = await Promise.all(Array.from({ length: 8 }, send))
    const replies = await Promise.all(readers.map((reader) => reader.take()))
    const late = await send()
    for (const events of [...replies, await late.take()])
      expect(joined(events)).toEqual(joined(replies[0] ?? []))
    expect(new Set([...readers, late].map((reader) => idsOf(reader).messageId)).size).toBe(1)
    expect(await ledgerKinds(person)).toHaveLength(2)
  })

  test('is refused with another body', async () => {
    const { person, modelId } = await personWithModel('emu-n2')
    const key = { 'idempotency-key': 'order-2' }
    await (await openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' }, key)).take()
    const other = await openMessage(server.url, person, { model_id: modelId }, { content: 'Ho' }, key)
    expect(other.status).toBe(409)
  })

  test('belongs to one user', async () => {
    const key = { 'idempotency-key': 'order-3' }
    const one = await personWithModel('emu-n2')
    const two = await personWithModel('emu-n2')
    const send = ({ person, modelId }: typeof one) =>
      openMessage(server.url, person, { model_id: modelId }, { content: 'Hi' }, key)
    expect(idsOf(await send(one)).messageId).not.toBe(idsOf(await send(two)).messageId)
  })
})

async function messagesOf(person: Person, chatId: string) {
  const { body } = await server.call('GET', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
    token: person.token,
  })
  return body.messages as {
    content: string
    status: string
    usage: { output_tokens: number }
  }[]
}
