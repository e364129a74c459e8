import { afterAll, beforeAll, expect, test } from 'vitest'
import { getChat } from '#tests/support/chats.ts'
import { parseEvents } from '#tests/support/client.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { resumeMessage } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The reason for a failed reply: a sentence, and the code and the values from which clients translate it. */

let server: TestServer
let provider: EmulatedProvider
beforeAll(async () => {
  ;[server, provider] = await Promise.all([sharedTestServer(), startProvider()])
})
afterAll(() => Promise.all([server.stop(), provider.close()]))

const REASON = {
  error: 'Test model rejected the API key. Check the key of this model or connection.',
  error_code: 'model.key_refused',
  error_values: { provider: 'Test model' },
}

const ERROR = { error: REASON.error }
const FAILURE = { code: REASON.error_code, values: REASON.error_values }

test('the stream and a resumed stream have only the sentence, the stored message also its code and values', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-err401')
  const { chatId, messageId, events } = await server.say(person, { model_id: modelId }, { content: 'Hi' })
  expect(events.map(({ data }) => data)).toEqual([ERROR])
  const { messages } = await getChat(server, person, chatId)
  expect(messages[0]).toMatchObject({ error: null, error_code: null, error_values: null })
  expect(messages[1]).toMatchObject({ status: 'error', ...REASON })
  const resumed = await resumeMessage(server.url, person, { chatId, messageId })
  expect((await resumed.take()).map(({ data }) => data)).toEqual([ERROR])
})

test('with all events, a failure with the code and the values precedes the error once, live and resumed', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-err401')
  const { chatId, messageId, events } = await server.say(
    person,
    { model_id: modelId, events: 'all' },
    { content: 'Hi' },
  )
  const end = [
    ['failure', FAILURE],
    [undefined, ERROR],
  ]
  const named = (some: typeof events) => some.map(({ event, data }) => [event, data])
  expect(named(events).slice(-2)).toEqual(end)
  const resume = async (lastEventId: string | undefined) => {
    const query = new URLSearchParams({
      org_id: person.organizationId,
      chat_id: chatId,
      message_id: messageId,
      events: 'all',
    })
    const { text } = await server.call('GET', `/api/chat/stream?${query}`, {
      token: person.token,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    })
    return parseEvents(text)
  }
  for (const [at, { id }] of [{ id: undefined }, ...events].entries())
    expect(named(await resume(id))).toEqual(named(events.slice(at)).map(withoutHistory))
})

/** Live `meta` events count the messages that the model received. Stored ones don't. */
const withoutHistory = ([name, data]: unknown[]) => {
  if (name !== 'meta') return [name, data]
  const { history: _, ...rest } = data as Record<string, unknown>
  return [name, rest]
}

test('a complete reply has no reason', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-n2')
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'Hi' })
  const { messages } = await getChat(server, person, chatId)
  expect(messages[1]).toMatchObject({ status: 'complete', error: null, error_code: null, error_values: null })
})

test('a message that failed before failures had codes keeps its sentence', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-err401')
  const { chatId, messageId } = await server.say(person, { model_id: modelId }, { content: 'Hi' })
  await server.server.services.database.sql`update chat_messages set failure = null where id = ${messageId}`
  const { messages } = await getChat(server, person, chatId)
  expect(messages[1]).toMatchObject({ error: REASON.error, error_code: null, error_values: null })
  const resumed = await resumeMessage(server.url, person, { chatId, messageId })
  expect((await resumed.take()).map(({ data }) => data)).toEqual([{ error: REASON.error }])
})

test('conversations have the code and the values of the error, too', async () => {
  const { person, modelId } = await signUpWithModel(server, provider, 'emu-err401')
  const call = (method: string, path: string, body?: object) =>
    server.call(
      method,
      `/api/conversation/${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`,
      { token: person.token, ...(body && { body }) },
    )
  const { id: conversation_id } = (await call('POST', 'create', { title: 'Engines' })).body
  const session = await call('POST', 'create_session', { conversation_id, model_id: modelId })
  const question = { chat_session_id: session.body.id, message: 'Hi' }
  const plain = parseEvents((await call('POST', 'stream_chat', question)).text)
  expect(plain.map(({ event }) => event)).toEqual(['start', 'error'])
  expect(plain.at(-1)?.data).toEqual(ERROR)
  const all = parseEvents((await call('POST', 'stream_chat?events=all', question)).text)
  expect(all.map(({ event }) => event)).toEqual(['start', 'failure', 'error'])
  expect(all.slice(1).map(({ data }) => data)).toEqual([FAILURE, ERROR])
  const { body } = await call('GET', `messages?conversation_id=${conversation_id}`)
  const reply = body.messages.findLast(({ role }: { role: string }) => role === 'assistant')
  expect(reply).toMatchObject({ status: 'error', ...REASON })
})
