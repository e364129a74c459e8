import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import { balanceOf, getChat, kindsOf, ledgerOf, sendFile } from '#tests/support/chats.ts'
import type { Person, StreamEvent } from '#tests/support/client.ts'
import { createExampleNet } from '#tests/support/provider/example-net.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { MP4, PNG } from '#tests/support/provider/media.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { administratorToken } from '#tests/support/tenants.ts'

/** Replies that are an image or a video: their events, their files, what they cost, and each way in which they fail. */

let server: TestServer
let provider: EmulatedProvider
const net = createExampleNet()
const TIMEOUTS = { imageMs: 10_000, videoMs: 10_000, transcriptionMs: 10_000, pollMs: 30 }

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  server.server.rooms.models = createModels({ net, mediaTimeouts: TIMEOUTS })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
  await net.close()
})

type Maker = 'openai' | 'google' | 'openai-compatible' | 'demo'

const BASES: Record<Maker, string> = {
  openai: '/v1',
  google: '/v1beta',
  'openai-compatible': '/v1',
  demo: '',
}

async function personWith(maker: Maker, version: string, config: Record<string, unknown> = {}) {
  const person = await server.signUp()
  const modelId = await server.addModel(person, {
    provider: maker,
    version,
    config: {
      ...(maker !== 'demo' && { base_url: provider.url + BASES[maker], api_key: 'key-of-a-tenant' }),
      ...config,
    },
  })
  return { person, modelId }
}

const imageModel = (rest = '') => personWith('openai', `gpt-image-emu${rest}`)
const videoModel = (rest = '') => personWith('google', `veo-emu${rest}`)

const PROMPT = 'A fox in the snow'
const send = ({ person, modelId }: { person: Person; modelId: string }, content = PROMPT, query = {}) =>
  server.say(person, { model_id: modelId, ...query }, { content })

const dataOf = (events: StreamEvent[]) => events.map(({ data }) => data)
const mediaOf = (events: StreamEvent[]) =>
  dataOf(events).flatMap(({ media }) => (media ? [media as Record<string, unknown>] : []))

const bytesAt = async (url: string): Promise<Buffer> => {
  const response = await fetch(url.replace('http://parley.test', server.url))
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const storedBytes = async (person: Person): Promise<number> => {
  const { sql } = server.server.rooms.database
  const [row] = await sql`select stored_bytes from organizations where id = ${person.organizationId}`
  return Number(row?.['stored_bytes'])
}

const stop = (person: Person, chatId: string) =>
  server.call('POST', `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`, {
    token: person.token,
  })

async function setFeatures(person: Person, body: object): Promise<void> {
  const token = await administratorToken(server)
  const answer = await server.call('PUT', `/api/org/features?org_id=${person.organizationId}`, {
    token,
    body,
  })
  expect(answer.status).toBe(200)
}

/** Nothing is held, and the balance is what the ledger adds up to. */
async function expectSettled(person: Person): Promise<void> {
  const entries = await ledgerOf(server, person)
  const paid = entries.reduce((sum, { amount }) => sum + amount, 0)
  expect(await balanceOf(server, person)).toMatchObject({ held: 0, balance: 1_000_000 + paid })
}

describe('an image', () => {
  test.each([
    ['openai', 'gpt-image-emu', { input_tokens: 11, output_tokens: 1056 }],
    ['google', 'gemini-emu-image', { input_tokens: 7, output_tokens: 1290 }],
    // Of such a server the SDK hands on no usage.
    ['openai-compatible', 'flux-image-emu', { input_tokens: 5, output_tokens: 1056 }],
    ['openai', 'gpt-image-emu-nousage', { input_tokens: 5, output_tokens: 1056 }],
    ['demo', 'parley-demo-image', { input_tokens: 5, output_tokens: 1056 }],
  ] as const)('by %s %s is told, kept, and paid by its usage', async (maker, version, usage) => {
    const it = await personWith(maker, version, { input_ratio: 2, output_ratio: 0.5 })
    const { events, chatId, messageId } = await send(it)
    const [, complete] = mediaOf(events)
    expect(dataOf(events)).toEqual([
      { media: { type: 'image', status: 'generating', progress: 0 } },
      {
        media: {
          type: 'image',
          status: 'complete',
          progress: 1,
          url: complete?.['url'],
          mime_type: 'image/png',
        },
      },
      { message: 'DONE' },
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(3)
    for (const { event } of events) expect(event).toBeUndefined()

    const chat = await getChat(server, it.person, chatId)
    expect(chat.file_uploads).toEqual([])
    expect(chat.messages[1]).toMatchObject({
      id: messageId,
      content: '',
      status: 'complete',
      error: null,
      file_uploads: [],
      usage,
      media: [{ type: 'image', url: expect.any(String), mime_type: 'image/png' }],
    })
    expect(Object.keys(chat.messages[1].media[0]).sort()).toEqual(['mime_type', 'type', 'url'])
    const bytes = await bytesAt(complete?.['url'] as string)
    if (maker !== 'demo') expect(bytes).toEqual(PNG)
    expect(await bytesAt(chat.messages[1].media[0].url)).toEqual(bytes)
    expect(await storedBytes(it.person)).toBe(bytes.length)

    const entries = await ledgerOf(server, it.person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    expect(entries[1]).toMatchObject({
      usage,
      message_id: messageId,
      amount: -(usage.input_tokens * 2 + usage.output_tokens * 0.5),
    })
    await expectSettled(it.person)
  })

  test('does not count against the files of its chat', async () => {
    const it = await imageModel()
    await setFeatures(it.person, { chat_uploads: 1 })
    const { chatId } = await send(it)
    for (const again of [1, 2])
      expect(mediaOf((await send(it, `${again}`, { chat_id: chatId })).events)).toHaveLength(2)
    const upload = () =>
      sendFile(server, `/api/chat/upload_file?org_id=${it.person.organizationId}&chat_id=${chatId}`, {
        token: it.person.token,
        file: PNG,
        name: 'mine.png',
      })
    expect((await upload()).status).toBe(201)
    expect((await upload()).status).toBe(402)
    expect((await getChat(server, it.person, chatId)).file_uploads).toHaveLength(1)
  })

  test('is told nobody else: not in the chat, and not among uploads that can be sent', async () => {
    const it = await imageModel()
    const { chatId } = await send(it)
    const other = await server.signUp()
    const foreign = await server.call('GET', `/api/chat?org_id=${other.organizationId}&chat_id=${chatId}`, {
      token: other.token,
    })
    expect(foreign.status).toBe(404)
  })

  test('named events go around it, for who asks for them', async () => {
    const { events } = await send(await imageModel(), PROMPT, { events: 'all' })
    expect(events.map(({ event }) => event)).toEqual(['meta', undefined, undefined, 'usage', undefined])
    expect(new Set(events.map(({ id }) => id)).size).toBe(5)
    expect(events[3]?.data).toEqual({ input_tokens: 11, output_tokens: 1056, credits: 1067 })
  })

  test('follows what the newest message says, and is charged for no history', async () => {
    const it = await imageModel()
    const first = await send(it, 'one '.repeat(500))
    provider.requests.splice(0)
    const second = await send(it, 'A red fox', { chat_id: first.chatId, events: 'all' })
    const drawn = provider.requests.find(({ path }) => path.includes('/images/'))
    expect(drawn?.path).toBe('/v1/images/generations')
    expect(drawn?.body).toMatchObject({ prompt: 'A red fox' })
    expect(second.events[0]?.data['history']).toEqual({ sent: 0, left_out: 0 })
  })

  test('of an attached image is an edit of it', async () => {
    const it = await imageModel()
    const { body: upload } = await sendFile(
      server,
      `/api/chat/upload_file?org_id=${it.person.organizationId}`,
      { token: it.person.token, file: PNG, name: 'fox.png' },
    )
    const query = { model_id: it.modelId }
    const { events, chatId, messageId } = await server.say(it.person, query, {
      content: 'In blue',
      file_uploads: [upload.id],
    })
    expect(mediaOf(events)).toHaveLength(2)
    const edits = () => provider.requests.filter(({ path }) => path === '/v1/images/edits')
    expect(edits().at(-1)?.body).toMatchObject({
      prompt: expect.stringContaining('In blue'),
      image: { type: 'image/png', size: PNG.length },
    })
    const made = edits().length
    const again = await server.call(
      'POST',
      `/api/chat/regenerate?org_id=${it.person.organizationId}&chat_id=${chatId}&message_id=${(await getChat(server, it.person, chatId)).messages[0].id}`,
      { token: it.person.token, body: {} },
    )
    expect([again.status, again.text.includes('"complete"')]).toEqual([200, true])
    expect(edits()).toHaveLength(made + 1)
    const all = await server.call(
      'GET',
      `/api/chat?org_id=${it.person.organizationId}&chat_id=${chatId}&branches=all`,
      { token: it.person.token },
    )
    const replies = all.body.messages.filter((message: { role: string }) => message.role === 'assistant')
    expect(replies.map((reply: { media: unknown[] }) => reply.media.length)).toEqual([1, 1])
    expect(replies[0].id).toBe(messageId)
    expect(replies[0].media[0].url).not.toBe(replies[1].media[0].url)
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT', 'HOLD', 'DEBIT'])
  })

  test('is gone from the storage after its chat is', async () => {
    const it = await imageModel()
    const { chatId, events } = await send(it)
    const url = mediaOf(events)[1]?.['url'] as string
    await bytesAt(url)
    const deleted = await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, {
      token: it.person.token,
    })
    expect(deleted.status).toBe(200)
    await server.server.rooms.uploads.sweep()
    expect((await fetch(url.replace('http://parley.test', server.url))).status).toBe(404)
    expect(await storedBytes(it.person)).toBe(0)
  })

  test('that a chat is deleted under leaves neither file nor open hold', async () => {
    const it = await imageModel('-ttft60000')
    const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
    await stream.take(1)
    const { chatId } = idsOf(stream)
    await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, { token: it.person.token })
    expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
    expect(await storedBytes(it.person)).toBe(0)
    await expectSettled(it.person)
  })
})

describe('a video', () => {
  test('is told as it grows, at last as complete, and kept', async () => {
    const it = await personWith('google', 'veo-emu-poll4', { output_ratio: 0.5 })
    const { events, chatId } = await send(it)
    const told = mediaOf(events)
    const last = told.at(-1)
    expect(last).toEqual({
      type: 'video',
      status: 'complete',
      progress: 1,
      url: expect.any(String),
      mime_type: 'video/mp4',
    })
    expect(told.length).toBeGreaterThan(1)
    for (const event of told.slice(0, -1)) {
      expect(Object.keys(event)).toEqual(['type', 'status', 'progress'])
      expect(event).toMatchObject({ type: 'video', status: 'generating' })
    }
    const progress = told.map((event) => event['progress'] as number)
    expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b))
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
    expect(dataOf(events).at(-1)).toEqual({ message: 'DONE' })
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({
      status: 'complete',
      usage: { input_tokens: 5, output_tokens: 10_560 },
    })
    expect(await bytesAt(messages[1].media[0].url)).toEqual(MP4)
    expect((await ledgerOf(server, it.person))[1]?.amount).toBe(-(5 + 10_560 / 2))
  })

  test('by the built-in model has progress and a film', async () => {
    const it = await personWith('demo', 'parley-demo-video')
    const { events } = await send(it)
    const told = mediaOf(events)
    expect(told.map(({ progress }) => progress)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 0.99, 1])
    expect(told.at(-1)).toMatchObject({ status: 'complete', mime_type: 'video/webm' })
    expect((await bytesAt(told.at(-1)?.['url'] as string)).length).toBeGreaterThan(1_000)
  })
})

describe('resuming', () => {
  /** How a client sees it: what it has of progress, in order. */
  const seen = (events: StreamEvent[]) =>
    dataOf(events).map(({ media, ...rest }) => {
      const { url, ...told } = (media ?? {}) as Record<string, unknown>
      return media ? { ...told, hasUrl: url !== undefined } : rest
    })

  test('at each event, live: nothing twice, nothing lost', async () => {
    const it = await personWith('demo', 'parley-demo-video')
    const whole = (
      await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
    ).take()
    const events = await whole
    await Promise.all(
      events.slice(0, -2).map(async (_event, leaveAfter) => {
        const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
        const before = leaveAfter === 0 ? [] : await stream.take(leaveAfter)
        stream.leave()
        const rest = await resumeMessage(server.url, it.person, idsOf(stream), before.at(-1)?.id)
        expect(seen([...before, ...(await rest.take())])).toEqual(seen(events))
      }),
    )
  })

  test('at each event, from storage: the film and the end, and nothing after the last', async () => {
    const it = await personWith('demo', 'parley-demo-video')
    const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
    const events = await stream.take()
    for (const [index, event] of events.entries()) {
      const rest = await resumeMessage(server.url, it.person, idsOf(stream), event.id)
      if (index === events.length - 1) expect(rest.status).toBe(204)
      else expect(seen(await rest.take())).toEqual(seen(events.slice(Math.max(index + 1, events.length - 2))))
    }
    const whole = await (await resumeMessage(server.url, it.person, idsOf(stream))).take()
    expect(seen(whole)).toEqual(seen(events.slice(-2)))
    expect(whole.map(({ id }) => id)).toEqual(events.slice(-2).map(({ id }) => id))
  })

  test.each(['0.0.1.1001', '0.0.1.9999', '0.0.1.-1', '0.0.1.', '0.0.1.1.1'])(
    '"%s" is no id of it',
    async (id) => {
      const it = await imageModel()
      const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
      await stream.take()
      expect((await resumeMessage(server.url, it.person, idsOf(stream), id)).status).toBe(400)
    },
  )

  test('a repeat with the same Idempotency-Key has the same image and pays nothing', async () => {
    const it = await imageModel()
    const key = { 'idempotency-key': 'fox' }
    const query = { model_id: it.modelId }
    const [first, second] = await Promise.all(
      [1, 2].map(() => server.say(it.person, query, { content: PROMPT }, key)),
    )
    const third = await server.say(it.person, query, { content: PROMPT }, key)
    expect(new Set([first, second, third].map((one) => one?.messageId)).size).toBe(1)
    expect(mediaOf(third.events)).toHaveLength(1)
    expect(mediaOf(third.events)[0]).toMatchObject({ status: 'complete', progress: 1 })
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT'])
  })
})

describe('stopping', () => {
  test.each([
    ['openai', 'gpt-image-emu-ttft60000'],
    ['google', 'gemini-emu-image-ttft60000'],
    ['google', 'veo-emu-poll100000'],
    ['google', 'veo-emu-hangfile'],
  ] as const)('%s %s ends it, down to the socket, and settles its hold', async (maker, version) => {
    const it = await personWith(maker, version)
    const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
    await stream.take(1)
    const { chatId } = idsOf(stream)
    await expect
      .poll(() =>
        provider.requests.some(({ path, body }) => `${path}${JSON.stringify(body)}`.includes(version)),
      )
      .toBe(true)
    expect((await stop(it.person, chatId)).status).toBe(200)
    expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
    await expect.poll(() => provider.stats.open).toBe(0)
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({ status: 'stopped', error: null, media: [] })
    const entries = await ledgerOf(server, it.person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    expect(entries[1]?.usage).toEqual({ input_tokens: expect.any(Number), output_tokens: 0 })
    expect(await storedBytes(it.person)).toBe(0)
    await expectSettled(it.person)
    const rest = await resumeMessage(server.url, it.person, idsOf(stream), stream.events[0]?.id)
    expect(dataOf(await rest.take())).toEqual([{ message: 'DONE' }])
  })
})

describe('what goes wrong at the provider is told, stored, and costs nothing', () => {
  test.each([
    ['openai', 'gpt-image-emu-err401', 'refused the API key'],
    ['openai', 'gpt-image-emu-err429', 'too many requests'],
    ['openai', 'gpt-image-emu-err500', 'has a problem of its own'],
    ['openai', 'gpt-image-emu-html', 'not of its format'],
    ['openai', 'gpt-image-emu-badjson', 'not of its format'],
    ['openai', 'gpt-image-emu-cut', 'broke in the middle'],
    ['openai', 'gpt-image-emu-nothing', ''],
    ['openai', 'gpt-image-emu-wrongbytes', 'no image'],
    ['google', 'gemini-emu-image-blocked', 'PROHIBITED_CONTENT'],
    ['google', 'gemini-emu-image-nothing', 'IMAGE_SAFETY'],
    ['openai-compatible', 'flux-image-emu-err404', 'does not know'],
    ['google', 'veo-emu-rejected', 'No frame could be drawn'],
    ['google', 'veo-emu-nothing', 'made no video'],
    ['google', 'veo-emu-deaf', 'status 503'],
    ['google', 'veo-emu-cutfile', 'broke in the middle'],
    ['google', 'veo-emu-wrongbytes', 'no video'],
    ['openai', 'sora-emu', 'offers no video models'],
  ] as const)('%s %s', async (maker, version, sentence) => {
    const it = await personWith(maker, version)
    const { events, chatId } = await send(it)
    const error = events.at(-1)?.data['error']
    expect(error).toContain(sentence)
    expect(error).not.toContain('key-of-a-tenant')
    expect(mediaOf(events).every(({ status }) => status === 'generating')).toBe(true)
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({ status: 'error', error, media: [], usage: null })
    const entries = await ledgerOf(server, it.person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE'])
    expect(entries[1]?.reason).toBe(error)
    await expectSettled(it.person)
    const again = await resumeMessage(server.url, it.person, { chatId, messageId: messages[1].id })
    expect(dataOf(await again.take())).toEqual([{ error }])
  })

  test('what takes longer than it may', async () => {
    const { models } = server.server.rooms
    server.server.rooms.models = createModels({ net, mediaTimeouts: { ...TIMEOUTS, imageMs: 200 } })
    const it = await imageModel('-hang')
    const { events } = await send(it).finally(() => {
      server.server.rooms.models = models
    })
    expect(events.at(-1)?.data['error']).toContain('did not draw the image within 0.2 seconds')
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'RELEASE'])
  })
})

describe('what was made and can not be kept is told, and paid', () => {
  test.each(['image', 'video'])('where the quota is full: %s', async (kind) => {
    const it = kind === 'image' ? await imageModel() : await videoModel()
    await setFeatures(it.person, { file_upload: 10 })
    const { events, chatId } = await send(it)
    expect(events.at(-1)?.data['error']).toContain('10 bytes')
    expect(mediaOf(events).every(({ status }) => status === 'generating')).toBe(true)
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({ status: 'error', media: [] })
    expect(messages[1].usage.output_tokens).toBeGreaterThan(1_000)
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT'])
    expect(await storedBytes(it.person)).toBe(0)
    await expectSettled(it.person)
  })

  test.each(['incoming', 'files'])('where the disk does not take it: %s', async (folder) => {
    const it = await imageModel()
    const place = join(server.environment['DATA_DIR'] as string, folder)
    rmSync(place, { recursive: true, force: true })
    writeFileSync(place, 'in the way')
    const { events } = await send(it).finally(() => rmSync(place))
    expect(events.at(-1)?.data['error']).toMatch(/storage|stored/)
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT'])
    expect(await storedBytes(it.person)).toBe(0)
    expect(mediaOf((await send(it)).events)).toHaveLength(2)
  })
})

describe('is refused before anything begins', () => {
  const refused = async (
    { person, modelId }: { person: Person; modelId: string },
    body: Record<string, unknown> = {},
  ) => {
    const before = provider.requests.length
    const answer = await server.call(
      'POST',
      `/api/chat/send_message?org_id=${person.organizationId}&model_id=${modelId}`,
      { token: person.token, body: { content: PROMPT, ...body } },
    )
    expect(provider.requests.length).toBe(before)
    expect(await ledgerOf(server, person)).toEqual([])
    return answer
  }

  test.each([
    ['openai', 'text-embedding-emu'],
    ['openai', 'whisper-emu'],
  ] as const)('%s %s in a chat', async (maker, version) => {
    const { status, body } = await refused(await personWith(maker, version))
    expect([status, body.detail]).toEqual([400, 'This model does not write text, so it can not be used here'])
  })

  test.each(['image', 'video'])('a document or a knowledge base, by a model for an %s', async (kind) => {
    const it = kind === 'image' ? await imageModel() : await videoModel()
    const upload = async (name: string) => {
      const file = readFileSync(`tests/fixtures/${name}`)
      const path = `/api/chat/upload_file?org_id=${it.person.organizationId}`
      return (await sendFile(server, path, { token: it.person.token, file, name })).body.id as string
    }
    expect((await refused(it, { file_uploads: [await upload('note.txt')] })).status).toBe(400)
    expect((await refused(it, { file_uploads: [await upload('sound.mp3')] })).status).toBe(400)
    const picture = await upload('picture.png')
    if (kind === 'video') expect((await refused(it, { file_uploads: [picture] })).status).toBe(400)
    expect((await refused(it, { knowledge_base_ids: [crypto.randomUUID()] })).status).toBe(400)
  })

  test('in a conversation', async () => {
    const it = await imageModel()
    const { token, organizationId } = it.person
    const call = (path: string, body: object) =>
      server.call('POST', `/api/conversation/${path}`, { token, body })
    const made = await call(`create?org_id=${organizationId}`, { title: 'Pictures' })
    const session = await call(`create_session?org_id=${organizationId}`, {
      conversation_id: made.body.id,
      model_id: it.modelId,
    })
    const answer = await call(`stream_chat?org_id=${organizationId}`, {
      chat_session_id: session.body.id,
      message: PROMPT,
    })
    expect([answer.status, answer.body?.detail]).toEqual([
      400,
      'This model does not write text, so it can not be used here',
    ])
  })

  test('without credits', async () => {
    const it = await imageModel()
    const { sql } = server.server.rooms.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${it.person.organizationId}`
    expect((await refused(it)).status).toBe(402)
  })
})
