import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportArchive, importArchive } from '#tests/support/archives.ts'
import { getChat } from '#tests/support/chats.ts'
import { type Person, parseEvents, type StreamEvent } from '#tests/support/client.ts'
import {
  create,
  makeAgent,
  openTalk,
  readSession,
  sessionIdOf,
  talk,
  visit,
} from '#tests/support/deployments.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** Why a reply ended, in its stored message and in the streams of every route that starts a reply. */

let server: TestServer
let provider: EmulatedProvider
let person: Person
beforeAll(async () => {
  ;[server, provider] = await Promise.all([sharedTestServer(), startProvider()])
  person = await server.signUp()
})
afterAll(() => Promise.all([server.stop(), provider.close()]))

const CASES: [kind: string, version: string, reason: string | null][] = [
  ['openai-compatible', 'emu-n2', 'stop'],
  ['openai-compatible', 'emu-n2-endslength', 'length'],
  ['openai-compatible', 'emu-n2-endsfilter', 'content_filter'],
  ['openai-compatible', 'emu-n2-endsunknown', null],
  ['anthropic', 'claude-sonnet-4-emu-n2', 'stop'],
  ['anthropic', 'claude-sonnet-4-emu-n2-endslength', 'length'],
  ['anthropic', 'claude-sonnet-4-emu-n2-endsrefusal', 'refusal'],
  ['google', 'gemini-emu-n2-endslength', 'length'],
  ['google', 'gemini-emu-n2-endsfilter', 'content_filter'],
]

const addModel = (kind: string, version: string): Promise<string> =>
  server.addModel(person, {
    provider: kind,
    version,
    config: {
      base_url: `${provider.url}/v1${kind === 'google' ? 'beta' : ''}`,
      api_key: 'k',
      capabilities: ['text', 'tools'],
    },
  })

/** Returns the reasons that the events named `finish` give. A reply that ends with `stop` has none. */
const finishes = (events: readonly StreamEvent[]): unknown[] =>
  events.filter(({ event }) => event === 'finish').map(({ data }) => data['finish_reason'])
const finishOf = (reason: string | null): unknown[] => (reason === 'stop' ? [] : [reason])

const call = (method: string, path: string, body?: object) =>
  server.call(method, `${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`, {
    token: person.token,
    ...(body && { body }),
  })

describe.each(CASES)('a reply of %s by %s', (kind, version, reason) => {
  let modelId: string
  beforeAll(async () => {
    modelId = await addModel(kind, version)
  })

  test('in a chat, and when it is resumed, repeated, regenerated and exported', async () => {
    const query = { model_id: modelId, events: 'all' }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { chatId, messageId, events } = await server.say(person, query, { content: 'Hi' }, headers)
    expect(finishes(events)).toEqual(finishOf(reason))
    expect(events.at(-1)?.data).toEqual({ message: 'DONE' })
    const { messages } = await getChat(server, person, chatId)
    expect(messages[0]).toMatchObject({ role: 'user', finish_reason: null })
    expect(messages[1]).toMatchObject({ status: 'complete', error: null, finish_reason: reason })

    const resumed = await (
      await resumeMessage(server.url, person, { chatId, messageId }, undefined, 'all')
    ).take()
    const named = (some: readonly StreamEvent[]) => some.flatMap(({ event }) => event ?? [])
    expect(named(resumed)).toEqual(named(events))
    expect(finishes(resumed)).toEqual(finishOf(reason))
    // Events that were delivered are not sent again.
    const usage = events.find(({ event }) => event === 'usage')
    const rest = await resumeMessage(server.url, person, { chatId, messageId }, usage?.id, 'all')
    expect((await rest.take()).map(({ data }) => data)).toEqual([{ message: 'DONE' }])
    const repeated = await server.say(person, query, { content: 'Hi' }, headers)
    expect([repeated.messageId, finishes(repeated.events)]).toEqual([messageId, finishOf(reason)])

    const again = await call(
      'POST',
      `/api/chat/regenerate?chat_id=${chatId}&message_id=${messageId}&events=all`,
      {},
    )
    expect(finishes(parseEvents(again.text))).toEqual(finishOf(reason))
    const branch = await getChat(server, person, chatId)
    expect(branch.messages[1]).toMatchObject({ id: again.headers.get('x-message-id'), finish_reason: reason })
    const exported = await call('GET', `/api/chat/export?chat_id=${chatId}&format=json`)
    expect(exported.body.messages[1].finish_reason).toBe(reason)
  })

  test('without named events, in a plain stream', async () => {
    const { chatId, events } = await server.say(person, { model_id: modelId }, { content: 'Hi' })
    expect(events.flatMap(({ event }) => event ?? [])).toEqual([])
    expect((await getChat(server, person, chatId)).messages[1].finish_reason).toBe(reason)
  })

  test('in a conversation', async () => {
    const { id } = (await call('POST', '/api/conversation/create', { title: 'Engines' })).body
    const session = await call('POST', '/api/conversation/create_session', {
      conversation_id: id,
      model_id: modelId,
    })
    const message = { chat_session_id: session.body.id, message: 'Hi' }
    const { text, headers } = await call('POST', '/api/conversation/stream_chat', message)
    expect(parseEvents(text).at(-1)).toMatchObject({
      event: 'end',
      data: {
        message_id: headers.get('x-message-id'),
        finish_reason: reason,
        usage: { output_tokens: expect.any(Number) },
      },
    })
    const { body } = await call('GET', `/api/conversation/messages?conversation_id=${id}`)
    expect(body.messages[0]).toMatchObject({ role: 'assistant', status: 'complete', finish_reason: reason })
  })

  test('in a deployment, for its key and for its visitors', async () => {
    const agentId = await makeAgent(server, person, provider, 'emu-n1', { model_id: modelId })
    const { body: widget } = await create(server, person, agentId, { deployment_type: 'widget' })
    const known = await talk(server, widget.api_key, { content: 'Hi' }, { query: '?events=all' })
    expect(finishes(known.events)).toEqual(finishOf(reason))
    const visitor = await visit(server, widget)
    const headers = { 'idempotency-key': 'one' }
    const { sessionId, events } = await talk(
      server,
      visitor,
      { content: 'Hi' },
      { query: '?events=all', headers },
    )
    expect(events.filter(({ event }) => event !== undefined)).toEqual(
      finishOf(reason).map((finish_reason) => ({
        event: 'finish',
        id: expect.any(String),
        data: { finish_reason },
      })),
    )
    const repeated = await talk(server, visitor, { content: 'Hi' }, { query: '?events=all', headers })
    expect(finishes(repeated.events)).toEqual(finishOf(reason))
    const path = `/api/agent_deploy/stream?session_id=${sessionId}`
    const resumed = await server.call('GET', `${path}&events=all`, { token: visitor })
    expect(finishes(parseEvents(resumed.text))).toEqual(finishOf(reason))
    expect((await server.call('GET', path, { token: visitor })).text).not.toContain('event:')
    const { body } = await readSession(server, visitor, sessionId)
    expect(body.messages.map(({ finish_reason }: { finish_reason: unknown }) => finish_reason)).toEqual([
      null,
      reason,
    ])
  })
})

describe('no reason', () => {
  test('has a reply that was stopped', async () => {
    const modelId = await addModel('openai-compatible', 'emu-n1000-gap20-endslength')
    const stream = await openMessage(
      server.url,
      person,
      { model_id: modelId, events: 'all' },
      { content: 'Hi' },
    )
    await stream.take(4)
    const { chatId } = idsOf(stream)
    await call('POST', `/api/chat/stop?chat_id=${chatId}`)
    expect(finishes(await stream.take())).toEqual([null])
    expect((await getChat(server, person, chatId)).messages[1]).toMatchObject({
      status: 'stopped',
      finish_reason: null,
    })
  })

  test('has a reply that a visitor stopped', async () => {
    const agentId = await makeAgent(server, person, provider, 'emu-n1000-gap20')
    const { body: widget } = await create(server, person, agentId, { deployment_type: 'widget' })
    const visitor = await visit(server, widget)
    const stream = await openTalk(server.url, visitor, { content: 'Hi' })
    await stream.take(2)
    const sessionId = sessionIdOf(stream)
    await server.call('POST', `/api/agent_deploy/stop?session_id=${sessionId}`, { token: visitor })
    await stream.take()
    const { body } = await readSession(server, visitor, sessionId)
    expect(body.messages[1]).toMatchObject({ status: 'stopped', finish_reason: null })
  })

  test('has a reply of a conversation that was stopped', async () => {
    const modelId = await addModel('openai-compatible', 'emu-n1000-gap20')
    const { id } = (await call('POST', '/api/conversation/create', { title: 'Engines' })).body
    const session = await call('POST', '/api/conversation/create_session', {
      conversation_id: id,
      model_id: modelId,
    })
    const message = { chat_session_id: session.body.id, message: 'Hi' }
    const streamed = call('POST', '/api/conversation/stream_chat', message)
    await expect
      .poll(async () => (await call('POST', `/api/conversation/stop?conversation_id=${id}`)).status)
      .toBe(200)
    expect(parseEvents((await streamed).text).at(-1)).toMatchObject({
      event: 'end',
      data: { finish_reason: null },
    })
  })

  test.each(['emu-err401', 'emu-n8-errmid', 'emu-n8-cut'])('has a reply that failed: %s', async (version) => {
    const modelId = await addModel('openai-compatible', version)
    const { chatId, events } = await server.say(
      person,
      { model_id: modelId, events: 'all' },
      { content: 'Hi' },
    )
    expect(finishes(events)).toEqual([])
    expect((await getChat(server, person, chatId)).messages[1]).toMatchObject({
      status: 'error',
      finish_reason: null,
    })
  })

  test('has a reply of an earlier version', async () => {
    const modelId = await addModel('openai-compatible', 'emu-n2')
    const { chatId, messageId } = await server.say(person, { model_id: modelId }, { content: 'Hi' })
    await server.server.services.database
      .sql`update chat_messages set finish_reason = null where id = ${messageId}`
    expect((await getChat(server, person, chatId)).messages[1]).toMatchObject({
      status: 'complete',
      finish_reason: null,
    })
  })
})

test('the reason of a reply with tools is that of its last step', async () => {
  const modelId = await addModel('openai-compatible', 'emu-n2-endslength')
  const tool = await toolsmith(server, person).make()
  const agentId = await makeAgent(server, person, provider, 'emu-n1', {
    model_id: modelId,
    tools: [{ tool_id: tool, config: [] }],
  })
  const content = 'TOOL:main={"text":"one"} THEN say: Done.'
  const { chatId } = await server.say(person, { agent_id: agentId }, { content })
  const { messages } = await getChat(server, person, chatId)
  expect(messages[1]).toMatchObject({ tool_calls: [{ successful: true }], finish_reason: 'length' })
})

test('an export and its import keep the reason', async () => {
  const owner = await server.signUp()
  const modelId = await server.addModel(owner, {
    provider: 'openai-compatible',
    version: 'emu-n2-endslength',
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })
  const { chatId } = await server.say(owner, { model_id: modelId }, { content: 'Hi' })
  const imported = await importArchive(server, owner, await exportArchive(server, owner))
  expect(imported.status).toBe(201)
  const there = { ...owner, organizationId: imported.body.organization.id }
  const { data } = (
    await server.call('GET', `/api/chat/list?org_id=${there.organizationId}`, { token: owner.token })
  ).body
  expect(data[0].id).not.toBe(chatId)
  expect((await getChat(server, there, data[0].id)).messages[1].finish_reason).toBe('length')
})
