import {
  type AcceptedEvent,
  createClient,
  type FollowedEvent,
  type Input,
  ParleyError,
  type TransportOptions,
} from '@parley/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type CutProxy, startCutProxy } from '#tests/support/cut-proxy.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

const CUTS = 20
const CUTS_OF_ONE = 3
const CUT_BYTES_MAX = 900

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let line: CutProxy
beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  line = await startCutProxy()
  line.leadTo(server.url)
})
afterAll(async () => {
  await line.close()
  await server.stop()
  await provider.close()
})

async function personWithModel(version: string): Promise<{ person: Person; modelId: string }> {
  const person = await server.signUp()
  return { person, modelId: await server.addModel(person, modelOf(version)) }
}

const modelOf = (version: string) => ({
  provider: 'openai-compatible',
  version,
  config: { base_url: `${provider.url}/v1` },
})

type Send = NonNullable<TransportOptions['fetch']>
type Event = AcceptedEvent | FollowedEvent

const clientOf = (person: Person, send?: Send) =>
  createClient({ baseUrl: line.url, auth: person.token, fetch: send })

const requestOf = (person: Person, modelId: string): Input<'POST /api/chat/send_message'> => ({
  query: { org_id: person.organizationId, model_id: modelId },
  body: { content: 'Hello' },
})

/** Sends a message through a proxy that can cut the connection. */
const follow = (person: Person, modelId: string, send?: Send) =>
  clientOf(person, send).follow('POST /api/chat/send_message', requestOf(person, modelId))

/** Breaks the first responses after these numbers of body bytes. */
function breaking(breaks: number[]): Send {
  const left = [...breaks]
  return async (url, init) => {
    const response = await fetch(url, init)
    const after = left.shift()
    return after === undefined ? response : new Response(brokenAfter(response, after), response)
  }
}

const brokenAfter = (response: Response, bytes: number) =>
  response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const part = chunk.subarray(0, bytes)
        bytes -= part.length
        controller.enqueue(part)
        if (bytes === 0) controller.error(new TypeError('terminated'))
      },
    }),
  ) ?? null

async function collect(followed: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of followed) events.push(event)
  return events
}

const joined = (events: Event[], type: 'text' | 'reasoning'): string =>
  events.map((event) => (event.type === type ? event.text : '')).join('')

const typesOf = (events: Event[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])

const acceptedOf = (events: Event[]) => events.find((event) => event.type === 'accepted') as AcceptedEvent

async function storedReply(person: Person, chatId: string) {
  const { messages } = await getChat(server, person, chatId)
  return { reply: messages.at(-1), count: messages.length }
}

describe('a reply', () => {
  test('is followed to its end', async () => {
    const { person, modelId } = await personWithModel('emu-n12-r3')
    const events = await collect(follow(person, modelId))
    expect(typesOf(events)).toEqual(['accepted', 'meta', 'reasoning', 'text', 'usage', 'end'])
    // Each event has the id from which the rest can be read.
    const [first] = events.filter((event) => event.type === 'text')
    const { chatId, messageId } = acceptedOf(events)
    const place = {
      organizationId: person.organizationId,
      chatId,
      messageId,
      lastEventId: first?.eventId ?? '',
    }
    const rest = await collect(clientOf(person).resume(place))
    expect(first?.text + joined(rest, 'text')).toBe(joined(events, 'text'))
    expect(rest.at(-1)).toMatchObject({ type: 'end', eventId: expect.stringMatching(/\.end$/) })
    const { reply } = await storedReply(person, acceptedOf(events).chatId)
    expect(joined(events, 'text')).toBe(reply.content)
    expect(joined(events, 'reasoning')).toBe(reply.reasoning)
    expect(events.at(-1)).toMatchObject({ type: 'end', error: null })
  })

  test('equals the stored reply, wherever its connections break', async () => {
    const random = createRandom(7)
    await Promise.all(
      Array.from({ length: CUTS }, async () => {
        const { person, modelId } = await personWithModel('emu-n60-r6-gap10')
        const breaks = Array.from({ length: CUTS_OF_ONE }, () => 1 + Math.floor(random() * CUT_BYTES_MAX))
        const events = await collect(follow(person, modelId, breaking(breaks)))
        const { reply, count } = await storedReply(person, acceptedOf(events).chatId)
        expect(count).toBe(2)
        expect(joined(events, 'text')).toBe(reply.content)
        expect(joined(events, 'reasoning')).toBe(reply.reasoning)
        const once = events.filter(({ type }) => ['meta', 'usage', 'end'].includes(type))
        expect(once.map(({ type }) => type)).toEqual(['meta', 'usage', 'end'])
        expect(events.some(({ type }) => type === 'connection')).toBe(true)
      }),
    )
  })

  test('is requested once, even if the response is lost', async () => {
    const { person, modelId } = await personWithModel('emu-n20-gap5')
    let posts = 0
    const losing: Send = async (url, init) => {
      const response = await fetch(url, init)
      if (init.method !== 'POST' || ++posts > 2) return response
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    }
    const events = await collect(follow(person, modelId, losing))
    expect(posts).toBe(3)
    expect(typesOf(events)).toEqual(['connection', 'accepted', 'meta', 'text', 'usage', 'end'])
    const { reply, count } = await storedReply(person, acceptedOf(events).chatId)
    expect(count).toBe(2)
    expect(joined(events, 'text')).toBe(reply.content)
  })

  test('can be followed again after a reload, from the beginning and from the middle', async () => {
    const { person, modelId } = await personWithModel('emu-n40-r3-gap15')
    const reader = follow(person, modelId)
    let accepted: ReturnType<typeof acceptedOf> | undefined
    for await (const event of reader) {
      if (event.type === 'accepted') accepted = event
      if (event.type === 'text') break
    }
    const reply = { ...accepted!, organizationId: person.organizationId }
    const events = await collect(clientOf(person).resume(reply))
    const stored = (await storedReply(person, reply.chatId)).reply
    expect(joined(events, 'text')).toBe(stored.content)
    expect(joined(events, 'reasoning')).toBe(stored.reasoning)

    const place = { ...reply, lastEventId: `${stored.reasoning.length}.9.1` }
    const rest = await collect(clientOf(person).resume(place))
    expect(joined(rest, 'text')).toBe(stored.content.slice(9))
    expect(typesOf(rest)).toEqual(['text', 'usage', 'end'])
  })

  test('must be read again if it was delivered, or is stored only up to an earlier position', async () => {
    const { person, modelId } = await personWithModel('emu-n4')
    const events = await collect(follow(person, modelId))
    const reply = { ...acceptedOf(events), organizationId: person.organizationId }
    const { content } = (await storedReply(person, reply.chatId)).reply
    for (const lastEventId of ['0.99999.1', `0.${content.length}.2.end`])
      expect(await collect(clientOf(person).resume({ ...reply, lastEventId }))).toEqual([{ type: 'reload' }])
  })

  test('reports its tool calls', async () => {
    const keeper = await agentKeeper(server)
    const { person } = keeper
    const modelId = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu',
      config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools'] },
    })
    const toolId = await toolsmith(server, person).make()
    const agentId = await keeper.make({ model_id: modelId, tools: [{ tool_id: toolId }] })
    const request = {
      query: { org_id: person.organizationId, agent_id: agentId },
      body: { content: 'TOOL:main={"text":"one"} THEN say: Done.' },
    }
    const events = await collect(clientOf(person).follow('POST /api/chat/send_message', request))
    expect(typesOf(events)).toEqual([
      'accepted',
      'meta',
      'tool_started',
      'tool_finished',
      'text',
      'usage',
      'end',
    ])
    const [begun, ended] = events.flatMap((event) => ('call' in event ? event.call : []))
    expect(begun).toMatchObject({ name: 'main', input: { text: 'one' }, output: null })
    expect(ended).toMatchObject({ id: begun?.id, output: { text: 'one' }, successful: true })
  })

  test('reports an error at its end', async () => {
    const { person, modelId } = await personWithModel('emu-n8-errmid')
    const events = await collect(follow(person, modelId))
    expect(events.at(-1)).toMatchObject({
      type: 'end',
      error: expect.any(String),
      errorCode: expect.any(String),
    })
    expect((events.at(-1) as { error: string }).error).not.toBe('')
  })

  test('reports the error sentence and code of a refusal', async () => {
    const { person } = await personWithModel('emu-n4')
    const refused = collect(follow(person, crypto.randomUUID()))
    await expect(refused).rejects.toBeInstanceOf(ParleyError)
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'llm.not_found' })
  })

  test('reports a rate limit immediately, but waits for it after a lost response', async () => {
    const { person, modelId } = await personWithModel('emu-n4')
    const limited = () =>
      Response.json({ detail: 'Too many requests.', code: 'rate.limited' }, { status: 429 })
    const refused = collect(follow(person, modelId, async () => limited()))
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'rate.limited' })

    let posts = 0
    const losing: Send = async (url, init) => {
      posts += 1
      if (posts === 2) return limited()
      const response = await fetch(url, init)
      if (posts > 2) return response
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    }
    const events = await collect(follow(person, modelId, losing))
    expect(posts).toBe(3)
    expect((await storedReply(person, acceptedOf(events).chatId)).count).toBe(2)
  })

  test('continues after the client disconnects', async () => {
    const { person, modelId } = await personWithModel('emu-n30-gap10')
    const leaving = new AbortController()
    const events: Event[] = []
    const input = { ...requestOf(person, modelId), signal: leaving.signal }
    for await (const event of clientOf(person).follow('POST /api/chat/send_message', input)) {
      events.push(event)
      if (event.type === 'text') leaving.abort()
    }
    expect(events.at(-1)?.type).toBe('text')
    const { chatId } = acceptedOf(events)
    await expect.poll(async () => (await storedReply(person, chatId)).reply.status).toBe('complete')
  })

  test('continues after a cut connection, and from storage after a restart of the server', async () => {
    const database = await createDatabase()
    const first = await startTestServer(
      database === null ? {} : { DATABASE_URL: database.url, SECRET: 's'.repeat(32) },
    )
    line.cut()
    line.leadTo(first.url)
    line.mend()
    const person = await first.signUp()
    const modelId = await first.addModel(person, modelOf('emu-n100-gap20'))
    const events: Event[] = []
    let second: Promise<TestServer> | undefined
    for await (const event of follow(person, modelId)) {
      events.push(event)
      const texts = events.filter(({ type }) => type === 'text').length
      if (texts === 10 && event.type === 'text') line.cut()
      if (event.type === 'connection' && event.isLost && second === undefined) line.mend()
      if (texts > 20) second ??= restart(first)
    }
    const server = (await second) as TestServer
    const { messages } = await getChat(server, person, acceptedOf(events).chatId)
    expect(messages).toHaveLength(2)
    expect(joined(events, 'text')).toBe(messages.at(-1).content)
    expect(events.at(-1)).toMatchObject({ type: 'end', error: null })
    await server.stop()
    await database?.drop()
  })
})

/** Cuts all connections, stops the server, and starts another one on its database. */
async function restart(first: TestServer): Promise<TestServer> {
  line.cut()
  await first.server.stop()
  const second = await startTestServer(first.environment)
  line.leadTo(second.url)
  line.mend()
  return second
}
