import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { parseEvents, textOf } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
let modelId: string

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  modelId = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n3',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

interface Message {
  id: string
  parent_message_id: string | null
  role: string
  content: string
}

const say = (content: string, chat?: { chatId: string }, more: object = {}) =>
  server.say(person, { model_id: modelId, ...(chat && { chat_id: chat.chatId }) }, { content, ...more })
const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.call(method, `${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`, {
    token: person.token,
    headers,
    ...(body !== undefined && { body }),
  })
const read = async (chatId: string, query = ''): Promise<Message[]> =>
  (await call('GET', `/api/chat?chat_id=${chatId}${query}`)).body.messages
const questions = (messages: Message[]) =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content)
const regenerate = (chatId: string, messageId: string, query = '', headers = {}) =>
  call('POST', `/api/chat/regenerate?chat_id=${chatId}&message_id=${messageId}${query}`, {}, headers)
/** Returns the texts in the latest request to the model. */
const sent = (): string[] => {
  const { body } = provider.requests.at(-1) as { body: { messages: { content: string }[] } }
  return body.messages.map(({ content }) => content)
}

describe('branches of a chat', () => {
  test('an edited message stands beside what was there, and the model sees its own branch only', async () => {
    const first = await say('one')
    await say('two', first)
    const [, reply] = await read(first.chatId)
    await say('two, edited', first, { parent_message_id: reply?.id })
    expect(sent().filter((content) => content.startsWith('two'))).toEqual(['two, edited'])
    expect(questions(await read(first.chatId))).toEqual(['one', 'two, edited'])
    const all = await read(first.chatId, '&branches=all')
    expect(questions(all)).toEqual(['one', 'two', 'two, edited'])
    expect(all.filter(({ parent_message_id }) => parent_message_id === reply?.id)).toHaveLength(2)
    await say('three', first)
    expect(questions(await read(first.chatId))).toEqual(['one', 'two, edited', 'three'])
  })

  test('a new beginning has no history', async () => {
    const first = await say('one')
    await say('another start', first, { parent_message_id: null })
    expect(sent()).toEqual(['another start'])
    expect(questions(await read(first.chatId))).toEqual(['another start'])
    const fresh = await say('a chat that begins so', undefined, { parent_message_id: null })
    expect(questions(await read(fresh.chatId))).toEqual(['a chat that begins so'])
  })

  test('a message is answered anew, by the id of it or of its reply, and is stored once', async () => {
    const first = await say('one')
    const [question, reply] = await read(first.chatId)
    for (const id of [question?.id ?? '', reply?.id ?? '']) {
      const answer = await regenerate(first.chatId, id)
      expect(answer.status).toBe(200)
      expect(parseEvents(answer.text).at(-1)?.data).toEqual({ message: 'DONE' })
      expect(textOf(parseEvents(answer.text))).not.toBe('')
    }
    const all = await read(first.chatId, '&branches=all')
    expect([all.length, questions(all)]).toEqual([4, ['one']])
    expect(new Set(all.slice(1).map(({ parent_message_id }) => parent_message_id))).toEqual(
      new Set([question?.id]),
    )
    const shown = await read(first.chatId)
    expect(shown.map(({ id }) => id)).toEqual([question?.id, all.at(-1)?.id])
    const { body } = await call('GET', `/api/chat?chat_id=${first.chatId}`)
    expect(body.usage.messages).toBe(1)
    const ledger = await call('GET', `/api/billing/ledger?limit=100`)
    const debits = ledger.body.data.filter(
      ({ kind, chat_id, reason }: { kind: string; chat_id: string; reason: string | null }) =>
        kind === 'DEBIT' && chat_id === first.chatId && reason !== 'title',
    )
    expect(debits).toHaveLength(3)
  })

  test('a repeat of the same key regenerates once', async () => {
    const first = await say('one')
    const [question] = await read(first.chatId)
    const key = { 'idempotency-key': crypto.randomUUID() }
    const answers = [
      await regenerate(first.chatId, question?.id ?? '', '', key),
      await regenerate(first.chatId, question?.id ?? '', '', key),
    ]
    const texts = answers.map(({ text }) => textOf(parseEvents(text)))
    expect(texts[0]).toBe(texts[1])
    expect(await read(first.chatId, '&branches=all')).toHaveLength(3)
    expect((await regenerate(first.chatId, question?.id ?? '', '&temperature=0.5', key)).status).toBe(409)
  })

  test('the active branch is the user’s to choose', async () => {
    const first = await say('one')
    const [, before] = await read(first.chatId)
    await regenerate(first.chatId, before?.id ?? '')
    const choose = (id: string | null) =>
      call('PUT', `/api/chat?chat_id=${first.chatId}`, { active_message_id: id })
    expect((await choose(before?.id ?? '')).body.active_message_id).toBe(before?.id)
    expect((await read(first.chatId)).at(-1)?.id).toBe(before?.id)
    await say('two', first)
    expect((await read(first.chatId)).map(({ parent_message_id }) => parent_message_id)[2]).toBe(before?.id)
    expect((await choose(null)).status).toBe(200)
    expect(await read(first.chatId)).toEqual([])
  })

  test('what is not a reply of this chat is no place to go on from', async () => {
    const [first, other] = [await say('one'), await say('elsewhere')]
    const [question] = await read(first.chatId)
    const [, foreign] = await read(other.chatId)
    const under = (parent: string) =>
      call('POST', `/api/chat/send_message?model_id=${modelId}&chat_id=${first.chatId}`, {
        content: 'x',
        parent_message_id: parent,
      })
    const refused = await under(question?.id ?? '')
    expect([refused.status, refused.body.code]).toEqual([400, 'chat.parent_not_reply'])
    expect((await under(foreign?.id ?? '')).body.detail).toBe('Message not found')
    expect((await under('x')).status).toBe(400)
    const inNoChat = await call('POST', `/api/chat/send_message?model_id=${modelId}`, {
      content: 'x',
      parent_message_id: foreign?.id,
    })
    expect(inNoChat.status).toBe(404)
    expect((await regenerate(first.chatId, foreign?.id ?? '')).status).toBe(404)
    expect((await regenerate(crypto.randomUUID(), question?.id ?? '')).status).toBe(404)
    const choose = await call('PUT', `/api/chat?chat_id=${first.chatId}`, { active_message_id: foreign?.id })
    expect(choose.status).toBe(404)
  })

  test('two regenerations at the same moment are one', async () => {
    const first = await say('one')
    const [question] = await read(first.chatId)
    const slow = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu-n5-gap50',
      config: { base_url: `${provider.url}/v1`, api_key: 'k' },
    })
    const again = () => regenerate(first.chatId, question?.id ?? '', `&model_id=${slow}`)
    const both = await Promise.all([again(), again()])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

test('chats can be pinned and put into folders, and listed so', async () => {
  const [one, two] = [await say('one'), await say('two')]
  const change = (chatId: string, body: object) => call('PUT', `/api/chat?chat_id=${chatId}`, body)
  const list = async (query: string) =>
    (await call('GET', `/api/chat/list?${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect((await change(one.chatId, { pinned: true, folder: 'Work' })).body).toMatchObject({
    pinned: true,
    folder: 'Work',
  })
  await change(two.chatId, { folder: 'Work' })
  expect(await list('folder=Work')).toEqual([two.chatId, one.chatId])
  expect(await list('pinned=true')).toEqual([one.chatId])
  expect(await list('folder=Work&pinned=false')).toEqual([two.chatId])
  await change(one.chatId, { folder: null })
  expect(await list('folder=Work')).toEqual([two.chatId])
  expect((await change(one.chatId, { folder: '' })).status).toBe(400)
})

test('a chat is exported as it is shown, in Markdown and in JSON', async () => {
  const first = await say('one\n\n**bold**')
  const [, reply] = await read(first.chatId)
  await say('two', first)
  await say('two, edited', first, { parent_message_id: reply?.id })
  await call('PUT', `/api/chat?chat_id=${first.chatId}`, { title: 'Bienen/\u{1F41D} "und" Ölbäume\r\n../x' })
  const markdown = await call('GET', `/api/chat/export?chat_id=${first.chatId}`)
  expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(markdown.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''Bienen-und-%C3%96lb%C3%A4ume-x.md",
  )
  expect(markdown.text).toContain('one\n\n**bold**')
  expect(markdown.text.indexOf('two, edited')).toBeGreaterThan(markdown.text.indexOf('one'))
  expect(markdown.text).not.toContain('two\n')
  const json = await call('GET', `/api/chat/export?chat_id=${first.chatId}&format=json`)
  expect(json.body.messages).toEqual(await read(first.chatId))
  expect((await call('GET', `/api/chat/export?chat_id=${first.chatId}&format=pdf`)).status).toBe(400)
  const enveloped = await server.call(
    'GET',
    `/v1/chat/export?chat_id=${first.chatId}&org_id=${person.organizationId}`,
    {
      token: person.token,
    },
  )
  expect(enveloped.text).toBe(markdown.text)
})
