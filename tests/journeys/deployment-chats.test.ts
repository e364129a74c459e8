import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balanceOf, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { textOf } from '#tests/support/client.ts'
import {
  create,
  deploy,
  makeAgent,
  openTalk,
  readSession,
  resumeTalk,
  sessionIdOf,
  talk,
  update,
  visit,
} from '#tests/support/deployments.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({ CORS_ORIGINS: 'https://console.example.com' })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const WIDGET = { deployment_type: 'widget' }
const NOT_FOUND = [404, 'Chat session not found']

/** Creates a widget with two visitors. The first one has sent a message. */
async function openWidget(version?: string) {
  const widget = await deploy(server, provider, WIDGET, version)
  const [ann, bob] = [await visit(server, widget), await visit(server, widget)]
  return { widget, ann, bob }
}

const post = (path: string, token: string) => server.call('POST', `/api/agent_deploy/${path}`, { token })

describe('a client with the key', () => {
  test('chats with the agent in a session, streamed like send_message', async () => {
    const { key, agentId } = await deploy(server, provider)
    const first = await talk(server, key, { content: 'Hello' })
    expect(first.status).toBe(200)
    expect(first.headers.get('content-type')).toContain('text/event-stream')
    expect(first.headers.get('x-chat-id')).toBe(first.sessionId)
    expect(first.events.map(({ data }) => data)).toEqual([
      { message: 'the' },
      { message: ' quick' },
      { message: ' brown' },
      { message: 'DONE' },
    ])
    expect(first.events.every(({ id, event }) => id !== undefined && event === undefined)).toBe(true)
    const second = await talk(server, key, { content: 'And then?', session_id: first.sessionId })
    expect(second.sessionId).toBe(first.sessionId)
    const asked = provider.requests.at(-1)?.body as
      | { messages: { role: string; content: string }[] }
      | undefined
    expect(asked?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be brief.'],
      ['user', 'Hello'],
      ['assistant', 'the quick brown'],
      ['user', 'And then?'],
    ])
    const { body } = await readSession(server, key, first.sessionId)
    expect(body).toEqual({
      id: first.sessionId,
      messages: ['Hello', 'the quick brown', 'And then?', 'the quick brown'].map((content, index) => ({
        id: expect.any(String),
        role: index % 2 === 0 ? 'user' : 'assistant',
        content,
        status: 'complete',
        error: null,
        error_code: null,
        error_values: null,
        finish_reason: index % 2 === 0 ? null : 'stop',
        created_at: expect.any(String),
      })),
    })
    expect([body.messages[1].id, body.messages[3].id]).toEqual([first.messageId, second.messageId])
    const { sql } = server.server.services.database
    const [chat] = await sql`select * from chats where id = ${first.sessionId}`
    expect(chat).toMatchObject({ agent_id: agentId, visitor_id: null, message_count: 2 })
  })

  test('gets named events if requested', async () => {
    const { key } = await deploy(server, provider)
    const { events } = await talk(server, key, { content: 'Hello' }, { query: '?events=all' })
    expect(events.flatMap(({ event }) => event ?? [])).toEqual(['meta', 'usage'])
  })

  test('sends a message once, even if it is repeated with an Idempotency-Key', async () => {
    const { key, owner } = await deploy(server, provider, { config: { daily_message_limit: 1 } })
    const headers = { 'idempotency-key': 'one' }
    const first = await talk(server, key, { content: 'Hello' }, { headers })
    const second = await talk(server, key, { content: 'Hello' }, { headers })
    expect([second.status, second.messageId, second.said]).toEqual([200, first.messageId, first.said])
    const other = await talk(server, key, { content: 'Bye' }, { headers })
    expect([other.status, other.body.code]).toEqual([409, 'request.idempotency_reused'])
    expect(kindsOf(await ledgerOf(server, owner))).toEqual(['HOLD', 'DEBIT'])
    const bad = await talk(server, key, { content: 'Hello' }, { headers: { 'idempotency-key': 'a b' } })
    expect(bad.status).toBe(400)
  })

  test.each([
    [{}, 'content is required.'],
    [{ content: '' }, 'content must not be empty.'],
    [{ content: 'x'.repeat(1_000_001) }, 'content must have at most 1000000 characters.'],
    [{ content: 'x', session_id: 'x' }, 'session_id must be a UUID.'],
    [{ content: 'x', model_id: crypto.randomUUID() }, 'model_id is not a field of this request.'],
    [{ content: 'x', knowledge_base_ids: [] }, 'knowledge_base_ids is not a field of this request.'],
  ])('gets the reason of a refusal, case %#', async (body, detail) => {
    const { key } = await deploy(server, provider)
    const answer = await talk(server, key, body)
    expect([answer.status, answer.body.detail]).toEqual([400, detail])
  })

  test("can read the session's header on another origin", async () => {
    const { key } = await deploy(server, provider)
    const headers = { origin: 'https://console.example.com' }
    const answer = await talk(server, key, { content: 'Hello' }, { headers })
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Session-Id')
  })
})

describe('visitors', () => {
  test('can access only their own sessions, and the key can access all', async () => {
    const { widget, ann, bob } = await openWidget()
    const { sessionId, said } = await talk(server, ann, { content: 'A secret' })
    expect(said).toBe('the quick brown')
    expect((await readSession(server, ann, sessionId)).body.messages).toHaveLength(2)
    expect((await talk(server, ann, { content: 'More', session_id: sessionId })).status).toBe(200)
    for (const id of [sessionId, crypto.randomUUID()]) {
      const answers = [
        await readSession(server, bob, id),
        await talk(server, bob, { content: 'Hi', session_id: id }),
        await server.call('GET', `/api/agent_deploy/stream?session_id=${id}`, { token: bob }),
        await post(`stop?session_id=${id}`, bob),
      ]
      for (const { status, body } of answers) expect([status, body.detail]).toEqual(NOT_FOUND)
    }
    expect((await readSession(server, widget.key, sessionId)).body.messages).toHaveLength(4)
    const own = await talk(server, widget.key, { content: 'Of the key' })
    expect((await readSession(server, ann, own.sessionId)).status).toBe(404)
    const elsewhere = await deploy(server, provider, WIDGET)
    for (const token of [elsewhere.key, await visit(server, elsewhere)])
      expect((await readSession(server, token, sessionId)).status).toBe(404)
  })

  test("cannot replay each other's replies with an Idempotency-Key", async () => {
    const { widget, ann, bob } = await openWidget()
    const headers = { 'idempotency-key': 'one' }
    const ids = new Set<string>()
    for (const token of [ann, bob, widget.key]) {
      const answer = await talk(server, token, { content: 'Hello' }, { headers })
      expect(answer.status).toBe(200)
      ids.add(answer.messageId)
    }
    expect(ids.size).toBe(3)
    const again = await talk(server, ann, { content: 'Hello' }, { headers })
    expect(ids).toContain(again.messageId)
  })

  test('get no named events, even if requested', async () => {
    const { ann } = await openWidget()
    const { events, sessionId } = await talk(server, ann, { content: 'Hello' }, { query: '?events=all' })
    expect(events.length).toBe(4)
    const resumed = await server.call('GET', `/api/agent_deploy/stream?session_id=${sessionId}&events=all`, {
      token: ann,
    })
    expect(resumed.text).not.toContain('event:')
    expect(resumed.text).toContain('DONE')
  })

  test("do not see the agent's citations", async () => {
    const owner = await server.signUp()
    const shelf = librarian(server, owner)
    const kbId = await shelf.create({ sources: [textSource('Hours', 'The shop opens at nine.')] })
    await shelf.settle(kbId)
    const agentId = await makeAgent(server, owner, provider, undefined, { knowledge_base_ids: [kbId] })
    const { body: widget } = await create(server, owner, agentId, WIDGET)
    const ask = (token: string) =>
      talk(server, token, { content: 'When does the shop open?' }, { query: '?events=all' })
    const known = await ask(widget.api_key)
    expect(known.events.flatMap(({ event }) => event ?? [])).toEqual(['meta', 'citations', 'usage'])
    const token = await visit(server, { id: widget.id })
    const { text, sessionId } = await ask(token)
    expect(text).not.toMatch(/event:|citations|opens at nine/)
    expect((await readSession(server, token, sessionId)).text).not.toMatch(/citation|tool_call|opens at nine/)
    const asked = JSON.stringify(provider.requests.at(-1)?.body)
    expect(asked).toContain('The shop opens at nine.')
  })

  test("do not see why the agent's model failed, but the key does", async () => {
    const { widget, ann } = await openWidget('emu-err401')
    const known = await talk(server, widget.key, { content: 'Hello' })
    expect(known.text).toMatch(/API key/i)
    const { text, sessionId } = await talk(server, ann, { content: 'Hello' })
    const session = await readSession(server, ann, sessionId)
    const resumed = await (await resumeTalk(server.url, ann, sessionId)).take()
    for (const told of [text, session.text, JSON.stringify(resumed)]) {
      expect(told).not.toMatch(/API key|openai/i)
      expect(told).toContain('This agent could not reply')
    }
  })

  test('see an inactive agent if its model is inactive, but the key gets the error of the model', async () => {
    const { widget, ann } = await openWidget('emu-n2')
    const { token } = widget.owner
    const agent = await server.call('GET', `/api/agents/get?agent_id=${widget.agentId}`, { token })
    const path = `/api/llm/update?model_id=${agent.body.model_id}`
    await server.call('PUT', path, { token, body: { is_active: false } })
    const toVisitor = await talk(server, ann, { content: 'Hello' })
    expect([toVisitor.status, toVisitor.body.code]).toEqual([400, 'agent.inactive'])
    const toKey = await talk(server, widget.key, { content: 'Hello' })
    expect([toKey.status, toKey.body.code]).toEqual([400, 'llm.inactive'])
  })

  test('keep their sessions with a new token for the same visitor key', async () => {
    const widget = await deploy(server, provider, WIDGET)
    const body = { visitor_key: 'A'.repeat(43) }
    const ask = () =>
      server.call('POST', `/api/agent_deploy/create_visitor?deployment_id=${widget.id}`, { body })
    const { sessionId } = await talk(server, (await ask()).body.token, { content: 'Hello' })
    expect((await readSession(server, (await ask()).body.token, sessionId)).status).toBe(200)
  })
})

describe('a session', () => {
  test('is absent from lists, search and exports, and gets no title', async () => {
    const { widget, ann } = await openWidget()
    const before = provider.requests.length
    const { sessionId } = await talk(server, ann, { content: 'Pumpernickel' })
    const { sql } = server.server.services.database
    await expect.poll(() => sql`select from chat_words where chat_id = ${sessionId}`).toHaveLength(3)
    const { token, organizationId } = widget.owner
    const org = `org_id=${organizationId}`
    for (const path of [`list?${org}`, `search?${org}&q=Pumpernickel`])
      expect((await server.call('GET', `/api/chat/${path}`, { token })).body.data).toEqual([])
    for (const path of ['', '/export', '/stream']) {
      const answer = await server.call('GET', `/api/chat${path}?${org}&chat_id=${sessionId}`, { token })
      expect([answer.status, answer.body.detail]).toEqual(NOT_FOUND)
    }
    const removed = await server.call('DELETE', `/api/chat/delete_session?session_id=${sessionId}`, { token })
    expect(removed.status).toBe(404)
    expect(provider.requests).toHaveLength(before + 1)
    expect(await sql`select from chat_words where chat_id = ${sessionId} and words <> ''`).toHaveLength(0)
  })

  test('can be resumed by its visitor after any event, live and later', async () => {
    const { ann } = await openWidget('emu-n12-gap30-r3')
    const stream = await openTalk(server.url, ann, { content: 'Hello' })
    const sessionId = sessionIdOf(stream)
    const [first] = await stream.take(1)
    const live = await resumeTalk(server.url, ann, sessionId, first?.id)
    const whole = await stream.take()
    expect([first, ...(await live.take())]).toEqual(whole)
    expect(sessionIdOf(live)).toBe(sessionId)
    for (const [place, { id }] of whole.slice(0, -1).entries()) {
      const rest = await (await resumeTalk(server.url, ann, sessionId, id)).take()
      expect(textOf(rest)).toBe(textOf(whole.slice(place + 1)))
      expect(rest.at(-1)?.data).toEqual({ message: 'DONE' })
    }
    expect((await resumeTalk(server.url, ann, sessionId, whole.at(-1)?.id)).status).toBe(204)
  })

  test('accepts one message at a time, and its reply can be stopped', async () => {
    const { widget, ann } = await openWidget('emu-n500-gap20')
    const stream = await openTalk(server.url, ann, { content: 'Hello' })
    const sessionId = sessionIdOf(stream)
    await stream.take(2)
    const busy = await talk(server, ann, { content: 'And', session_id: sessionId })
    expect([busy.status, busy.body.code]).toEqual([409, 'chat.busy'])
    expect((await post(`stop?session_id=${sessionId}`, ann)).body).toEqual({
      message: 'The reply was stopped',
    })
    expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
    const { body } = await readSession(server, ann, sessionId)
    expect(body.messages[1].status).toBe('stopped')
    expect((await post(`stop?session_id=${sessionId}`, ann)).body.code).toBe('chat.not_streaming')
    expect(kindsOf(await ledgerOf(server, widget.owner))).toEqual(['HOLD', 'DEBIT'])
  })

  test('pauses with the deployment, after the current reply has completed', async () => {
    const { widget, ann } = await openWidget('emu-n30-gap20')
    const stream = await openTalk(server.url, ann, { content: 'Hello' })
    const sessionId = sessionIdOf(stream)
    await stream.take(2)
    expect((await update(server, widget, { status: 'paused' })).status).toBe(200)
    for (const token of [ann, widget.key]) {
      const answers = [
        await talk(server, token, { content: 'Hi', session_id: sessionId }),
        await readSession(server, token, sessionId),
        await server.call('GET', `/api/agent_deploy/stream?session_id=${sessionId}`, { token }),
        await post(`stop?session_id=${sessionId}`, token),
      ]
      for (const { status, body } of answers) expect([status, body.code]).toEqual([403, 'deployment.paused'])
    }
    const whole = await stream.take()
    expect([whole.length, whole.at(-1)?.data]).toEqual([31, { message: 'DONE' }])
    await update(server, widget, { status: 'active' })
    expect((await readSession(server, ann, sessionId)).body.messages[1].status).toBe('complete')
    expect((await talk(server, ann, { content: 'Hi', session_id: sessionId })).status).toBe(200)
  })

  test('ends with the deployment: the reply is stopped and charged once', async () => {
    const { widget, ann } = await openWidget('emu-n2000-gap20')
    const stream = await openTalk(server.url, ann, { content: 'Hello' })
    await stream.take(3)
    const { id, owner } = widget
    const path = `/api/agent_deploy/delete?deployment_id=${id}`
    expect((await server.call('DELETE', path, { token: owner.token })).status).toBe(200)
    const events = await stream.take()
    expect(events.length).toBeLessThan(500)
    await expect.poll(async () => (await balanceOf(server, owner)).held).toBe(0)
    expect(kindsOf(await ledgerOf(server, owner))).toEqual(['HOLD', 'DEBIT'])
    const { sql } = server.server.services.database
    expect(await sql`select from chats where deployment_id = ${id}`).toHaveLength(0)
    for (const token of [ann, widget.key])
      expect((await talk(server, token, { content: 'Hi' })).status).toBe(401)
  })

  test('returns an error if the agent is not active', async () => {
    const { widget, ann } = await openWidget()
    await server.call('PUT', `/api/agents/update?agent_id=${widget.agentId}`, {
      token: widget.owner.token,
      body: { is_active: false },
    })
    for (const token of [ann, widget.key]) {
      const { status, body } = await talk(server, token, { content: 'Hi' })
      expect([status, body.code]).toEqual([400, 'agent.inactive'])
    }
  })
})
