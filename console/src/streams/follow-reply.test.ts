import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentKeeper } from '#tests/support/agents.ts'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type CutProxy, startCutProxy } from '#tests/support/cut-proxy.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { createRandom } from '#tests/support/random.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'
import { randomKey } from '../api/random-key.ts'
import {
  type FollowedEvent,
  ReplyRefused,
  type ReplyRequest,
  resumeReply,
  type Send,
  sendAndFollow,
} from './follow-reply.ts'

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

const never = new AbortController().signal

async function personWithModel(version: string): Promise<{ person: Person; modelId: string }> {
  const person = await server.signUp()
  return { person, modelId: await server.addModel(person, modelOf(version)) }
}

const modelOf = (version: string) => ({
  provider: 'openai-compatible',
  version,
  config: { base_url: `${provider.url}/v1` },
})

const requestOf = (person: Person, modelId: string, content = 'Hello'): ReplyRequest => ({
  operation: 'send_message',
  query: { org_id: person.organizationId, model_id: modelId },
  body: { content },
  idempotencyKey: randomKey(),
})

/** How the console's client sends, over a way that can be cut. */
const sendAs =
  (person: Person, url = line.url): Send =>
  (path, init) =>
    fetch(url + path, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${person.token}` },
    })

/** Breaks the first answers after so many bytes of their bodies. */
function breaking(send: Send, breaks: number[]): Send {
  const left = [...breaks]
  return async (path, init) => {
    const response = await send(path, init)
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

async function collect(followed: AsyncIterable<FollowedEvent>): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = []
  for await (const event of followed) events.push(event)
  return events
}

const joined = (events: FollowedEvent[], kind: 'text' | 'reasoning'): string =>
  events.map((event) => (event.kind === kind ? event.text : '')).join('')

const kindsOf = (events: FollowedEvent[]): string[] =>
  events.map(({ kind }) => kind).filter((kind, index, all) => kind !== all[index - 1])

const acceptedOf = (events: FollowedEvent[]) =>
  events.find((event) => event.kind === 'accepted') as Extract<FollowedEvent, { kind: 'accepted' }>

async function storedReply(person: Person, chatId: string) {
  const { messages } = await getChat(server, person, chatId)
  return { reply: messages.at(-1), count: messages.length }
}

describe('a reply', () => {
  test('is followed to its end', async () => {
    const { person, modelId } = await personWithModel('emu-n12-r3')
    const events = await collect(sendAndFollow(sendAs(person), requestOf(person, modelId), never))
    expect(kindsOf(events)).toEqual(['accepted', 'meta', 'reasoning', 'text', 'usage', 'end'])
    const { reply } = await storedReply(person, acceptedOf(events).chatId)
    expect(joined(events, 'text')).toBe(reply.content)
    expect(joined(events, 'reasoning')).toBe(reply.reasoning)
    expect(events.at(-1)).toEqual({ kind: 'end', error: null })
  })

  test('is what is stored, wherever its connections break', async () => {
    const random = createRandom(7)
    await Promise.all(
      Array.from({ length: CUTS }, async () => {
        const { person, modelId } = await personWithModel('emu-n60-r6-gap10')
        const breaks = Array.from({ length: CUTS_OF_ONE }, () => 1 + Math.floor(random() * CUT_BYTES_MAX))
        const send = breaking(sendAs(person), breaks)
        const events = await collect(sendAndFollow(send, requestOf(person, modelId), never))
        const { reply, count } = await storedReply(person, acceptedOf(events).chatId)
        expect(count).toBe(2)
        expect(joined(events, 'text')).toBe(reply.content)
        expect(joined(events, 'reasoning')).toBe(reply.reasoning)
        const once = events.filter(({ kind }) => ['meta', 'usage', 'end'].includes(kind))
        expect(once.map(({ kind }) => kind)).toEqual(['meta', 'usage', 'end'])
        expect(events.some(({ kind }) => kind === 'connection')).toBe(true)
      }),
    )
  })

  test('is asked for once, also where the answer was lost', async () => {
    const { person, modelId } = await personWithModel('emu-n20-gap5')
    const send = sendAs(person)
    let posts = 0
    const losing: Send = async (path, init) => {
      const response = await send(path, init)
      if (init.method !== 'POST' || ++posts > 2) return response
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    }
    const events = await collect(sendAndFollow(losing, requestOf(person, modelId), never))
    expect(posts).toBe(3)
    expect(kindsOf(events)).toEqual(['connection', 'accepted', 'meta', 'text', 'usage', 'end'])
    const { reply, count } = await storedReply(person, acceptedOf(events).chatId)
    expect(count).toBe(2)
    expect(joined(events, 'text')).toBe(reply.content)
  })

  test('is followed again after a reload, from its beginning and from the middle', async () => {
    const { person, modelId } = await personWithModel('emu-n40-r3-gap15')
    const reader = sendAndFollow(sendAs(person), requestOf(person, modelId), never)
    let accepted: ReturnType<typeof acceptedOf> | undefined
    for await (const event of reader) {
      if (event.kind === 'accepted') accepted = event
      if (event.kind === 'text') break
    }
    const reply = { ...accepted!, organizationId: person.organizationId }
    const events = await collect(resumeReply(sendAs(person), reply, never))
    const stored = (await storedReply(person, reply.chatId)).reply
    expect(joined(events, 'text')).toBe(stored.content)
    expect(joined(events, 'reasoning')).toBe(stored.reasoning)

    const place = { ...reply, lastEventId: `${stored.reasoning.length}.9.1` }
    const rest = await collect(resumeReply(sendAs(person), place, never))
    expect(joined(rest, 'text')).toBe(stored.content.slice(9))
    expect(kindsOf(rest)).toEqual(['text', 'usage', 'end'])
  })

  test('that is stored only up to an earlier place, or was delivered, is to be read again', async () => {
    const { person, modelId } = await personWithModel('emu-n4')
    const events = await collect(sendAndFollow(sendAs(person), requestOf(person, modelId), never))
    const reply = { ...acceptedOf(events), organizationId: person.organizationId }
    const { content } = (await storedReply(person, reply.chatId)).reply
    for (const lastEventId of ['0.99999.1', `0.${content.length}.2.end`])
      expect(await collect(resumeReply(sendAs(person), { ...reply, lastEventId }, never))).toEqual([
        { kind: 'read again' },
      ])
  })

  test('tells of the tools that it calls', async () => {
    const keeper = await agentKeeper(server)
    const { person } = keeper
    const modelId = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu',
      config: { base_url: `${provider.url}/v1`, capabilities: ['text', 'tools'] },
    })
    const toolId = await toolsmith(server, person).make()
    const agentId = await keeper.make({ model_id: modelId, tools: [{ tool_id: toolId }] })
    const request: ReplyRequest = {
      operation: 'send_message',
      query: { org_id: person.organizationId, agent_id: agentId },
      body: { content: 'TOOL:main={"text":"one"} THEN say: Done.' },
      idempotencyKey: randomKey(),
    }
    const events = await collect(sendAndFollow(sendAs(person), request, never))
    expect(kindsOf(events)).toEqual(['accepted', 'meta', 'tool begun', 'tool ended', 'text', 'usage', 'end'])
    const [begun, ended] = events.flatMap((event) => ('call' in event ? event.call : []))
    expect(begun).toMatchObject({ name: 'main', input: { text: 'one' }, output: null })
    expect(ended).toMatchObject({ id: begun?.id, output: { text: 'one' }, successful: true })
  })

  test('of which an error is the end says so', async () => {
    const { person, modelId } = await personWithModel('emu-n8-errmid')
    const events = await collect(sendAndFollow(sendAs(person), requestOf(person, modelId), never))
    expect(events.at(-1)).toEqual({ kind: 'end', error: expect.any(String) })
    expect((events.at(-1) as { error: string }).error).not.toBe('')
  })

  test('that is refused is refused with the sentence and its code', async () => {
    const { person } = await personWithModel('emu-n4')
    const request = requestOf(person, crypto.randomUUID())
    const refused = collect(sendAndFollow(sendAs(person), request, never))
    await expect(refused).rejects.toBeInstanceOf(ReplyRefused)
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'llm.not_found' })
  })

  test('too many requests are told at once, but waited for where an answer was lost', async () => {
    const { person, modelId } = await personWithModel('emu-n4')
    const send = sendAs(person)
    const limited = () =>
      Response.json({ detail: 'Too many requests.', code: 'rate.limited' }, { status: 429 })
    const refused = collect(sendAndFollow(async () => limited(), requestOf(person, modelId), never))
    await expect(refused).rejects.toMatchObject({ status: 429, code: 'rate.limited' })

    let posts = 0
    const losing: Send = async (path, init) => {
      posts += 1
      if (posts === 2) return limited()
      const response = await send(path, init)
      if (posts > 2) return response
      await response.body?.cancel()
      throw new TypeError('fetch failed')
    }
    const events = await collect(sendAndFollow(losing, requestOf(person, modelId), never))
    expect(posts).toBe(3)
    expect((await storedReply(person, acceptedOf(events).chatId)).count).toBe(2)
  })

  test('is left without a word, and goes on', async () => {
    const { person, modelId } = await personWithModel('emu-n30-gap10')
    const leaving = new AbortController()
    const events: FollowedEvent[] = []
    for await (const event of sendAndFollow(sendAs(person), requestOf(person, modelId), leaving.signal)) {
      events.push(event)
      if (event.kind === 'text') leaving.abort()
    }
    expect(events.at(-1)?.kind).toBe('text')
    const { chatId } = acceptedOf(events)
    await expect.poll(async () => (await storedReply(person, chatId)).reply.status).toBe('complete')
  })

  test('goes on when the line is cut and mended, and from storage when the server was started anew', async () => {
    const database = await createDatabase()
    const first = await startTestServer(
      database === null ? {} : { DATABASE_URL: database.url, SECRET: 's'.repeat(32) },
    )
    line.cut()
    line.leadTo(first.url)
    line.mend()
    const person = await first.signUp()
    const modelId = await first.addModel(person, modelOf('emu-n100-gap20'))
    const events: FollowedEvent[] = []
    let second: Promise<TestServer> | undefined
    for await (const event of sendAndFollow(sendAs(person), requestOf(person, modelId), never)) {
      events.push(event)
      const texts = events.filter(({ kind }) => kind === 'text').length
      if (texts === 10 && event.kind === 'text') line.cut()
      if (event.kind === 'connection' && event.isLost && second === undefined) line.mend()
      if (texts > 20) second ??= restart(first)
    }
    const server = (await second) as TestServer
    const { messages } = await getChat(server, person, acceptedOf(events).chatId)
    expect(messages).toHaveLength(2)
    expect(joined(events, 'text')).toBe(messages.at(-1).content)
    expect(events.at(-1)).toEqual({ kind: 'end', error: null })
    await server.stop()
    await database?.drop()
  })
})

/** Cuts everybody off, has the server end, and starts another one on its database. */
async function restart(first: TestServer): Promise<TestServer> {
  line.cut()
  await first.server.stop()
  const second = await startTestServer(first.environment)
  line.leadTo(second.url)
  line.mend()
  return second
}
