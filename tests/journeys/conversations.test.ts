import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, parseEvents } from '#tests/support/client.ts'
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

const call = (method: string, path: string, body?: unknown, by = person) =>
  server.call(
    method,
    `/api/conversation/${path}${path.includes('?') ? '&' : '?'}org_id=${by.organizationId}`,
    {
      token: by.token,
      ...(body !== undefined && { body }),
    },
  )
const addModel = (version: string) =>
  server.addModel(person, {
    provider: 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
const begin = async (...versions: string[]) => {
  const conversation = (await call('POST', 'create', { title: 'Engines' })).body
  const sessions: string[] = []
  for (const version of versions) {
    const model_id = await addModel(version)
    const session = await call('POST', 'create_session', { conversation_id: conversation.id, model_id })
    expect(session.status).toBe(201)
    sessions.push(session.body.id)
  }
  return { id: conversation.id as string, sessions }
}
const say = async (session: string | undefined, message: string) => {
  const answer = await call('POST', 'stream_chat', { chat_session_id: session, message })
  return { answer, events: parseEvents(answer.text) }
}
const messages = async (id: string, query = '') =>
  (await call('GET', `messages?conversation_id=${id}${query}`)).body

describe('a conversation', () => {
  test('is created, listed, changed, read with its sessions and deleted', async () => {
    const made = await call('POST', 'create', { title: 'Engines' })
    expect([made.status, made.body.title, made.body.is_archived]).toEqual([201, 'Engines', false])
    const { id } = made.body
    expect((await call('GET', 'list')).body.data[0]).toEqual(made.body)
    const changed = await call('PUT', `update?conversation_id=${id}`, {
      is_archived: true,
      title: 'Old engines',
    })
    expect(changed.body).toMatchObject({ is_archived: true, title: 'Old engines' })
    const model_id = await addModel('emu-n1')
    const session = await call('POST', 'create_session', { conversation_id: id, model_id })
    expect(session.body).toMatchObject({ conversation_id: id, model_id, status: 'active' })
    const read = await call('GET', `get_with_sessions?conversation_id=${id}`)
    expect(read.body).toMatchObject({ id, title: 'Old engines', sessions: [session.body] })
    expect((await call('DELETE', `delete?conversation_id=${id}`)).status).toBe(200)
    expect((await call('GET', `get_with_sessions?conversation_id=${id}`)).body.detail).toContain(
      'Conversation not found',
    )
    expect((await say(session.body.id, 'x')).answer.body.detail).toContain(
      'Conversation chat session not found',
    )
  })

  test('streams start, content and end, and stores and charges the reply', async () => {
    const { id, sessions } = await begin('emu-n3')
    const { answer, events } = await say(sessions[0], 'Hello')
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    expect(events.map(({ event }) => event)).toEqual(['start', 'content', 'content', 'content', 'end'])
    const messageId = answer.headers.get('x-message-id')
    expect(events[0]?.data).toEqual({ message_id: messageId, chat_session_id: sessions[0] })
    const said = events.slice(1, -1).map(({ data }) => data['content'])
    expect(events.at(-1)?.data).toMatchObject({
      message_id: messageId,
      finish_reason: 'stop',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    })
    const stored = await messages(id)
    expect(stored).toMatchObject({ total: 2, limit: 20, offset: 0 })
    expect(stored.messages.map((one: { role: string; content: string }) => [one.role, one.content])).toEqual([
      ['assistant', said.join('')],
      ['user', 'Hello'],
    ])
    const ledger = await server.call('GET', `/api/billing/ledger?org_id=${person.organizationId}`, {
      token: person.token,
    })
    expect(ledger.body.data[0]).toMatchObject({ kind: 'DEBIT', message_id: messageId })
  })

  test('has several models, each of which sees the replies of the others', async () => {
    const { id, sessions } = await begin('emu-n2', 'emu-n3')
    const first = (await say(sessions[0], 'To the first')).events
    await say(sessions[1], 'To the second')
    const { body } = provider.requests.at(-1) as { body: { model: string; messages: { content: string }[] } }
    expect(body.model).toBe('emu-n3')
    const reply = first.filter(({ event }) => event === 'content').map(({ data }) => data['content'])
    expect(body.messages.map(({ content }) => content)).toEqual([
      'To the first',
      reply.join(''),
      'To the second',
    ])
    expect(new Set((await messages(id)).messages.map((one: { model_id: string }) => one.model_id)).size).toBe(
      2,
    )
  })

  test('runs several models concurrently, each with only the messages completed before its request', async () => {
    const { id, sessions } = await begin('emu-n3-gap150', 'emu-n2000-gap20', 'emu-n4-gap150')
    const [quick, endless, other] = sessions
    await say(quick, 'Before')
    const answered = (await messages(id)).messages[0]
    const slow = say(endless, 'Now all')
    await expect.poll(async () => (await messages(id)).messages[0].status).toBe('streaming')
    const seen = provider.requests.length
    const both = await Promise.all([say(quick, 'Now all'), say(other, 'Now all')])
    for (const { answer, events } of both) expect([answer.status, events.at(-1)?.event]).toEqual([200, 'end'])
    for (const { body } of provider.requests.slice(seen)) {
      const told = (body as { messages: { content: string }[] }).messages.map(({ content }) => content)
      expect([told.slice(0, 2), told.at(-1)]).toEqual([['Before', answered.content], 'Now all'])
      expect(told.join()).not.toContain('Now all,Now all')
    }
    const again = await say(endless, 'Another')
    expect([again.answer.status, again.answer.body.code]).toEqual([409, 'conversation.session_busy'])

    expect((await call('POST', `stop?conversation_id=${id}`)).status).toBe(200)
    expect((await slow).events.at(-1)?.event).toBe('end')
    const { messages: all, total } = await messages(id)
    expect(total).toBe(8)
    const questions = all.filter(({ content }: { content: string }) => content === 'Now all')
    expect(questions.map((one: { parent_message_id: string }) => one.parent_message_id)).toEqual(
      Array(3).fill(answered.id),
    )
    await say(quick, 'And after that?')
    const { body } = provider.requests.at(-1) as { body: { messages: { role: string }[] } }
    expect(body.messages.map(({ role }) => role)).toEqual([
      ...Array(4).fill(['user', 'assistant']).flat(),
      'user',
    ])
    const { sql } = server.server.services.database
    const holds = await sql`select kind from ledger_entries where chat_id = ${id}`
    const countOf = (wanted: string) => holds.filter(({ kind }) => kind === wanted).length
    expect([countOf('HOLD'), countOf('DEBIT')]).toEqual([5, 5])
    const [sums] = await sql`
      select c.output_tokens::int as counted, sum(m.output_tokens)::int as said
      from chats c join chat_messages m on m.chat_id = c.id where c.id = ${id} group by c.id`
    expect(sums?.['counted']).toBe(sums?.['said'])
  })

  test('accepts concurrent messages in all its sessions', async () => {
    const { id, sessions } = await begin(...Array(6).fill('emu-n3'))
    const all = await Promise.all(sessions.map((session) => say(session, 'All at once')))
    expect(all.map(({ answer, events }) => [answer.status, events.at(-1)?.event])).toEqual(
      Array(6).fill([200, 'end']),
    )
    expect((await messages(id)).total).toBe(12)
    const rows = await server.server.services.database.sql`
      select from conversation_sessions where conversation_id = ${id} and active_reply_id is not null`
    expect(rows).toHaveLength(0)
  })

  test('stops its reply and keeps the text so far', async () => {
    const { id, sessions } = await begin('emu-n2000-gap20')
    const stop = () => call('POST', `stop?conversation_id=${id}`)
    expect((await stop()).body.code).toBe('chat.not_streaming')
    const unknown = await call('POST', `stop?conversation_id=${crypto.randomUUID()}`)
    expect([unknown.status, unknown.body.code]).toEqual([404, 'conversation.not_found'])
    const said = say(sessions[0], 'Tell me all')
    await expect.poll(async () => (await stop()).status).toBe(200)
    expect((await said).events.at(-1)?.event).toBe('end')
    expect((await messages(id)).messages[0]).toMatchObject({ role: 'assistant', status: 'stopped' })
  })

  test('is read in pages, newest first', async () => {
    const { id, sessions } = await begin('emu-n1')
    for (const text of ['one', 'two', 'three']) await say(sessions[0], text)
    const texts = async (query: string) =>
      (await messages(id, query)).messages
        .filter((one: { role: string }) => one.role === 'user')
        .map((one: { content: string }) => one.content)
    expect(await texts('')).toEqual(['three', 'two', 'one'])
    expect(await texts('&limit=2&offset=2')).toEqual(['two'])
    expect((await messages(id, '&limit=2&offset=2')).total).toBe(6)
    expect((await call('GET', `messages?conversation_id=${id}&limit=101`)).status).toBe(400)
    expect((await call('GET', `messages?conversation_id=${id}&offset=-1`)).status).toBe(400)
  })

  test('continues when its reader disconnects', async () => {
    const { id, sessions } = await begin('emu-n20-gap20')
    const abort = new AbortController()
    const path = `/api/conversation/stream_chat?org_id=${person.organizationId}`
    const left = server.call('POST', path, {
      token: person.token,
      body: { chat_session_id: sessions[0], message: 'Hello' },
      signal: abort.signal,
    })
    await expect.poll(async () => (await messages(id)).messages.length).toBeGreaterThan(0)
    abort.abort()
    await left.catch(() => {})
    await expect.poll(async () => (await messages(id)).messages[0]?.status).toBe('complete')
    const again = await say(sessions[0], 'And now?')
    expect(again.events.at(-1)?.event).toBe('end')
  })

  test('reports a failure as an event, and refuses invalid requests before it streams', async () => {
    const { sessions } = await begin('emu-err500', 'emu-n5-gap50')
    const failed = await say(sessions[0], 'Hello')
    expect(failed.events.map(({ event }) => event)).toEqual(['start', 'error'])
    expect(failed.events.at(-1)?.data['error']).toEqual(expect.any(String))
    const both = await Promise.all([say(sessions[1], 'one'), say(sessions[1], 'two')])
    expect(both.map(({ answer }) => answer.status).sort()).toEqual([200, 409])
    await server.server.services.database.sql`
      update credit_accounts set balance = 0 where organization_id = ${person.organizationId}`
    expect((await say(sessions[0], 'x')).answer.status).toBe(402)
    await server.server.services.database.sql`
      update credit_accounts set balance = 1000000 where organization_id = ${person.organizationId}`
  })

  test('is invisible to other users, and is not listed or opened as a chat', async () => {
    const { id, sessions } = await begin('emu-n1')
    await say(sessions[0], 'Hello')
    const chats = await server.call('GET', `/api/chat/list?org_id=${person.organizationId}&limit=100`, {
      token: person.token,
    })
    expect(chats.body.data.map((chat: { id: string }) => chat.id)).not.toContain(id)
    const chat = (method: string, path: string, body?: unknown) =>
      server.call(method, `/api/chat${path}`, { token: person.token, ...(body !== undefined && { body }) })
    const query = `org_id=${person.organizationId}&chat_id=${id}`
    expect((await chat('GET', `?${query}`)).status).toBe(404)
    expect((await chat('PUT', `?${query}`, { title: 'x' })).status).toBe(404)
    expect((await chat('DELETE', `/delete_session?session_id=${id}`)).status).toBe(404)
    expect((await chat('POST', '/bulk_delete_sessions', { chat_ids: [id] })).body.not_found).toEqual([id])
    const stranger = await server.signUp()
    const theirs = { ...stranger, organizationId: stranger.organizationId }
    expect((await call('GET', `messages?conversation_id=${id}`, undefined, theirs)).status).toBe(404)
    const into = await call('POST', 'stream_chat', { chat_session_id: sessions[0], message: 'x' }, theirs)
    expect(into.status).toBe(404)
  })

  test.each([
    ['create', {}],
    ['create', { title: '' }],
    ['create', { title: 'x', is_archived: 'no' }],
    ['create', { title: 'x', owner: 'me' }],
    ['create_session', { conversation_id: 'x', model_id: 'y' }],
    ['stream_chat', { chat_session_id: '0195f3c4-8a5e-7cc3-9e0f-3a7d1c2b4e60', message: '' }],
  ])('%s with %o is refused', async (path, body) => {
    expect((await call('POST', path, body)).status).toBe(400)
  })

  test('a session requires an existing conversation and model', async () => {
    const { id } = await begin()
    const model_id = await addModel('emu-n1')
    const nothing = crypto.randomUUID()
    const refused = await call('POST', 'create_session', { conversation_id: id, model_id: nothing })
    expect([refused.status, refused.body.detail]).toEqual([
      404,
      expect.stringContaining('Language model not found'),
    ])
    expect((await call('POST', 'create_session', { conversation_id: nothing, model_id })).status).toBe(404)
  })
})
