import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat, kindsOf, ledgerOf, sendFile } from '#tests/support/chats.ts'
import type { StreamEvent } from '#tests/support/client.ts'
import { MP4, PNG } from '#tests/support/provider/media.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { dataOf, mediaOf, openStudio, PROMPT, type Studio } from '#tests/support/studio.ts'

/** Replies that are an image or a video: their events, files and costs. */

let studio: Studio
let server: Studio['server']
let provider: Studio['provider']
beforeAll(async () => {
  studio = await openStudio()
  server = studio.server
  provider = studio.provider
})
afterAll(() => studio.close())

describe('an image', () => {
  test.each([
    ['openai', 'gpt-image-emu', { input_tokens: 11, output_tokens: 1056 }],
    ['google', 'gemini-emu-image', { input_tokens: 7, output_tokens: 1290 }],
    // The SDK reports no usage for such a server.
    ['openai-compatible', 'flux-image-emu', { input_tokens: 5, output_tokens: 1056 }],
    ['openai', 'gpt-image-emu-nousage', { input_tokens: 5, output_tokens: 1056 }],
    ['demo', 'parley-demo-image', { input_tokens: 5, output_tokens: 1056 }],
  ] as const)('by %s %s is announced, stored and charged by usage', async (maker, version, usage) => {
    const it = await studio.personWith(maker, version, { input_ratio: 2, output_ratio: 0.5 })
    const { events, chatId, messageId } = await studio.send(it)
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
    const bytes = await studio.bytesAt(complete?.['url'] as string)
    if (maker !== 'demo') expect(bytes).toEqual(PNG)
    expect(await studio.bytesAt(chat.messages[1].media[0].url)).toEqual(bytes)
    expect(await studio.storedBytes(it.person)).toBe(bytes.length)

    const entries = await ledgerOf(server, it.person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
    expect(entries[1]).toMatchObject({
      usage,
      message_id: messageId,
      amount: -(usage.input_tokens * 2 + usage.output_tokens * 0.5),
    })
    await studio.expectSettled(it.person)
  })

  test('does not count against the files of its chat', async () => {
    const it = await studio.imageModel()
    await studio.setFeatures(it.person, { chat_uploads: 1 })
    const { chatId } = await studio.send(it)
    for (const again of [1, 2])
      expect(mediaOf((await studio.send(it, `${again}`, { chat_id: chatId })).events)).toHaveLength(2)
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

  test('is in a chat that other users cannot read', async () => {
    const it = await studio.imageModel()
    const { chatId } = await studio.send(it)
    const other = await server.signUp()
    const foreign = await server.call('GET', `/api/chat?org_id=${other.organizationId}&chat_id=${chatId}`, {
      token: other.token,
    })
    expect(foreign.status).toBe(404)
  })

  test('is sent between named events on request', async () => {
    const { events } = await studio.send(await studio.imageModel(), PROMPT, { events: 'all' })
    expect(events.map(({ event }) => event)).toEqual(['meta', undefined, undefined, 'usage', undefined])
    expect(new Set(events.map(({ id }) => id)).size).toBe(5)
    expect(events[3]?.data).toEqual({ input_tokens: 11, output_tokens: 1056, credits: 1067 })
  })

  test('follows only the newest message, and is charged without history', async () => {
    const it = await studio.imageModel()
    const first = await studio.send(it, 'one '.repeat(500))
    provider.requests.splice(0)
    const second = await studio.send(it, 'A red fox', { chat_id: first.chatId, events: 'all' })
    const drawn = provider.requests.find(({ path }) => path.includes('/images/'))
    expect(drawn?.path).toBe('/v1/images/generations')
    expect(drawn?.body).toMatchObject({ prompt: 'A red fox' })
    expect(second.events[0]?.data['history']).toEqual({ sent: 0, left_out: 0 })
  })

  test('with an attached image is an edit of it', async () => {
    const it = await studio.imageModel()
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
      prompt: 'In blue',
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

  test('is deleted from the storage after its chat', async () => {
    const it = await studio.imageModel()
    const { chatId, events } = await studio.send(it)
    const url = mediaOf(events)[1]?.['url'] as string
    await studio.bytesAt(url)
    const deleted = await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, {
      token: it.person.token,
    })
    expect(deleted.status).toBe(200)
    await server.server.services.uploads.sweep()
    expect((await fetch(url.replace('http://parley.test', server.url))).status).toBe(404)
    expect(await studio.storedBytes(it.person)).toBe(0)
  })

  test('whose chat is deleted during generation leaves no file and no open hold', async () => {
    const it = await studio.imageModel('-ttft60000')
    const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
    await stream.take(1)
    const { chatId } = idsOf(stream)
    await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, { token: it.person.token })
    expect((await stream.take()).at(-1)?.data).toEqual({ message: 'DONE' })
    expect(await studio.storedBytes(it.person)).toBe(0)
    await studio.expectSettled(it.person)
  })
})

describe('a video', () => {
  test('reports its progress until it is complete, and is stored', async () => {
    const it = await studio.personWith('google', 'veo-emu-poll4', { output_ratio: 0.5 })
    const { events, chatId } = await studio.send(it)
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
    expect(await studio.bytesAt(messages[1].media[0].url)).toEqual(MP4)
    expect((await ledgerOf(server, it.person))[1]?.amount).toBe(-(5 + 10_560 / 2))
  })

  test('by the built-in model has progress and a video file', async () => {
    const it = await studio.personWith('demo', 'parley-demo-video')
    const { events } = await studio.send(it)
    const told = mediaOf(events)
    expect(told.map(({ progress }) => progress)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 0.99, 1])
    expect(told.at(-1)).toMatchObject({ status: 'complete', mime_type: 'video/webm' })
    expect((await studio.bytesAt(told.at(-1)?.['url'] as string)).length).toBeGreaterThan(1_000)
  })
})

describe('resuming', () => {
  /** Returns the reply as a client sees it, with the progress in order. */
  const seen = (events: StreamEvent[]) =>
    dataOf(events).map(({ media, ...rest }) => {
      const { url, ...told } = (media ?? {}) as Record<string, unknown>
      return media ? { ...told, hasUrl: url !== undefined } : rest
    })

  test('after each event, live: without gaps or duplicates', async () => {
    const it = await studio.personWith('demo', 'parley-demo-video')
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

  test('after each event, from storage: the video and the end, and nothing after the last event', async () => {
    const it = await studio.personWith('demo', 'parley-demo-video')
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
    'with the invalid id "%s" is refused',
    async (id) => {
      const it = await studio.imageModel()
      const stream = await openMessage(server.url, it.person, { model_id: it.modelId }, { content: PROMPT })
      await stream.take()
      expect((await resumeMessage(server.url, it.person, idsOf(stream), id)).status).toBe(400)
    },
  )

  test('a repeat with the same Idempotency-Key gets the same image without a charge', async () => {
    const it = await studio.imageModel()
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
