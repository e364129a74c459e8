import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

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

const addModel = (contextWindow: number) =>
  server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-n2',
    config: { base_url: `${provider.url}/v1`, context_window: contextWindow },
  })

/** Returns the texts in the latest request to the provider. */
const sentTexts = (): string[] =>
  (provider.requests.at(-1)!.body as { messages: { content: string }[] }).messages.map(
    ({ content }) => content,
  )

test('the oldest messages are omitted beyond the context window, and meta reports how many', async () => {
  const modelId = await addModel(2_000)
  const long = (name: string) => `${name} ${'word '.repeat(300)}`
  const { chatId } = await server.say(person, { model_id: modelId }, { content: long('first') })
  for (const name of ['second', 'third', 'fourth'])
    await server.say(person, { model_id: modelId, chat_id: chatId }, { content: long(name) })
  const { events } = await server.say(
    person,
    { model_id: modelId, chat_id: chatId, events: 'all', max_tokens: '500' },
    { content: long('last') },
  )
  const texts = sentTexts()
  expect(texts.at(-1)).toBe(long('last'))
  expect(texts).not.toContain(long('first'))
  expect(texts).toContain(long('fourth'))
  const { history } = events[0]!.data as { history: { sent: number; left_out: number } }
  expect(history.sent).toBe(texts.length - 1)
  expect(history.sent + history.left_out).toBe(8)
})

test('a message larger than the window is sent alone', async () => {
  const modelId = await addModel(300)
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'small' })
  await server.say(person, { model_id: modelId, chat_id: chatId }, { content: 'word '.repeat(1_000) })
  expect(sentTexts()).toHaveLength(1)
})

test('the cost of a long chat is bounded: at most 400 messages are read', async () => {
  const modelId = await addModel(1_000_000)
  const { chatId } = await server.say(person, { model_id: modelId }, { content: 'first' })
  const { sql } = server.server.services.database
  const [chat] = await sql`select leaf_message_id from chats where id = ${chatId}`
  await sql`
    insert into chat_messages (id, organization_id, user_id, chat_id, parent_message_id, role, content, status)
    select ('01ffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${person.organizationId}, ${person.userId},
      ${chatId}, case n when 1 then ${chat?.['leaf_message_id']}::uuid
        else ('01ffffff-0000-7000-8000-' || lpad((n - 1)::text, 12, '0'))::uuid end,
      case n % 2 when 1 then 'user' else 'assistant' end, 'message ' || n, 'complete'
    from generate_series(1, 1000) n`
  await sql`update chats set leaf_message_id = '01ffffff-0000-7000-8000-000000001000' where id = ${chatId}`
  await server.say(person, { model_id: modelId, chat_id: chatId }, { content: 'last' })
  expect(sentTexts()).toHaveLength(401)
  expect(sentTexts().slice(-2)).toEqual(['message 1000', 'last'])

  const pages: string[] = []
  let cursor = ''
  do {
    const query = `org_id=${person.organizationId}&chat_id=${chatId}${cursor && `&cursor=${cursor}`}`
    const { body } = await server.call('GET', `/api/chat?${query}`, { token: person.token })
    pages.unshift(...body.messages.map(({ content }: { content: string }) => content))
    cursor = body.pagination.next_cursor ?? ''
  } while (cursor !== '')
  expect(pages).toHaveLength(1004)
  expect(pages.slice(0, 3)).toEqual(['first', 'the quick', 'message 1'])
})

test('a chat list has each chat on exactly one page, newest first', async () => {
  const other = await server.signUp()
  const made: string[] = []
  for (let index = 0; index < 7; index++) {
    const chat = await server.call('POST', `/api/chat?org_id=${other.organizationId}`, {
      token: other.token,
      body: {},
    })
    made.unshift(chat.body.id)
  }
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = `org_id=${other.organizationId}&limit=3${cursor && `&cursor=${cursor}`}`
    const { body } = await server.call('GET', `/api/chat/list?${query}`, { token: other.token })
    seen.push(...body.data.map(({ id }: { id: string }) => id))
    expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null)
    cursor = body.pagination.next_cursor
  }
  expect(seen).toEqual(made)
})
