import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '#platform/models/index.ts'
import { getChat, kindsOf, ledgerOf, sendFile } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { idsOf, openMessage, resumeMessage } from '#tests/support/reader.ts'
import { dataOf, MEDIA_TIMEOUTS, mediaOf, openStudio, PROMPT, type Studio } from '#tests/support/studio.ts'

/** The cost of images and videos that are stopped, fail, cannot be stored, or are refused. */

let studio: Studio
let server: Studio['server']
let provider: Studio['provider']
beforeAll(async () => {
  studio = await openStudio()
  server = studio.server
  provider = studio.provider
})
afterAll(() => studio.close())

const stop = (person: Person, chatId: string) =>
  server.call('POST', `/api/chat/stop?org_id=${person.organizationId}&chat_id=${chatId}`, {
    token: person.token,
  })

describe('stopping a reply', () => {
  test.each([
    ['openai', 'gpt-image-emu-ttft60000'],
    ['google', 'gemini-emu-image-ttft60000'],
    ['google', 'veo-emu-poll100000'],
    ['google', 'veo-emu-hangfile'],
  ] as const)(
    'of %s %s closes the connection to the provider and settles the hold',
    async (maker, version) => {
      const it = await studio.personWith(maker, version)
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
      expect(await studio.storedBytes(it.person)).toBe(0)
      await studio.expectSettled(it.person)
      const rest = await resumeMessage(server.url, it.person, idsOf(stream), stream.events[0]?.id)
      expect(dataOf(await rest.take())).toEqual([{ message: 'DONE' }])
    },
  )
})

describe('an error at the provider is reported, stored and not charged', () => {
  test.each([
    ['openai', 'gpt-image-emu-err401', 'rejected the API key'],
    ['openai', 'gpt-image-emu-err429', 'rate limit or quota'],
    ['openai', 'gpt-image-emu-err500', 'had an internal error'],
    ['openai', 'gpt-image-emu-html', 'in an unexpected format'],
    ['openai', 'gpt-image-emu-badjson', 'in an unexpected format'],
    ['openai', 'gpt-image-emu-cut', 'lost during the reply'],
    ['openai', 'gpt-image-emu-nothing', ''],
    ['openai', 'gpt-image-emu-wrongbytes', 'not a supported image'],
    ['google', 'gemini-emu-image-blocked', 'PROHIBITED_CONTENT'],
    ['google', 'gemini-emu-image-nothing', 'IMAGE_SAFETY'],
    ['openai-compatible', 'flux-image-emu-err404', 'There is no model'],
    ['google', 'veo-emu-rejected', 'No frame could be drawn'],
    ['google', 'veo-emu-nothing', 'returned no video'],
    ['google', 'veo-emu-deaf', 'status 503'],
    ['google', 'veo-emu-cutfile', 'lost during the reply'],
    ['google', 'veo-emu-wrongbytes', 'not a supported video'],
    ['openai', 'sora-emu', 'supports no video models from openai'],
  ] as const)('%s %s', async (maker, version, sentence) => {
    const it = await studio.personWith(maker, version)
    const { events, chatId } = await studio.send(it)
    const error = events.at(-1)?.data['error']
    expect(error).toContain(sentence)
    expect(error).not.toContain('key-of-a-tenant')
    expect(mediaOf(events).every(({ status }) => status === 'generating')).toBe(true)
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({ status: 'error', error, media: [], usage: null })
    const entries = await ledgerOf(server, it.person)
    expect(kindsOf(entries)).toEqual(['HOLD', 'RELEASE'])
    expect(entries[1]?.reason).toBe(error)
    await studio.expectSettled(it.person)
    const again = await resumeMessage(server.url, it.person, { chatId, messageId: messages[1].id })
    expect(dataOf(await again.take())).toMatchObject([{ error }])
  })

  test('a timeout', async () => {
    const { models } = server.server.services
    server.server.services.models = createModels({
      net: studio.net,
      mediaTimeouts: { ...MEDIA_TIMEOUTS, imageMs: 200 },
    })
    const it = await studio.imageModel('-hang')
    const { events } = await studio.send(it).finally(() => {
      server.server.services.models = models
    })
    expect(events.at(-1)?.data['error']).toContain('did not generate the image within 0.2 seconds')
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'RELEASE'])
  })
})

describe('a result that cannot be stored is reported and charged', () => {
  test.each(['image', 'video'])('if the quota is full: %s', async (kind) => {
    const it = kind === 'image' ? await studio.imageModel() : await studio.videoModel()
    await studio.setFeatures(it.person, { file_upload: 10 })
    const { events, chatId } = await studio.send(it)
    expect(events.at(-1)?.data['error']).toContain('10 bytes')
    expect(mediaOf(events).every(({ status }) => status === 'generating')).toBe(true)
    const { messages } = await getChat(server, it.person, chatId)
    expect(messages[1]).toMatchObject({ status: 'error', media: [] })
    expect(messages[1].usage.output_tokens).toBeGreaterThan(1_000)
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT'])
    expect(await studio.storedBytes(it.person)).toBe(0)
    await studio.expectSettled(it.person)
  })

  test.each(['incoming', 'files'])('if the disk fails: %s', async (folder) => {
    const it = await studio.imageModel()
    const place = join(server.environment['DATA_DIR'] as string, folder)
    rmSync(place, { recursive: true, force: true })
    writeFileSync(place, 'in the way')
    const { events } = await studio.send(it).finally(() => rmSync(place))
    expect(events.at(-1)?.data['error']).toMatch(/storage|stored/)
    expect(kindsOf(await ledgerOf(server, it.person))).toEqual(['HOLD', 'DEBIT'])
    expect(await studio.storedBytes(it.person)).toBe(0)
    expect(mediaOf((await studio.send(it)).events)).toHaveLength(2)
  })
})

describe('a request is refused before it starts', () => {
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
    const { status, body } = await refused(await studio.personWith(maker, version))
    expect([status, body.detail]).toEqual([400, 'This model does not generate text. Choose one that does.'])
  })

  test.each(['image', 'video'])('a document or a knowledge base, by a model for an %s', async (kind) => {
    const it = kind === 'image' ? await studio.imageModel() : await studio.videoModel()
    const upload = async (name: string) => {
      const file = readFileSync(`tests/fixtures/${name}`)
      const path = `/api/chat/upload_file?org_id=${it.person.organizationId}`
      const { status, body } = await sendFile(server, path, { token: it.person.token, file, name })
      expect(status).toBe(201)
      return body.id as string
    }
    expect((await refused(it, { file_uploads: [await upload('note.txt')] })).status).toBe(400)
    expect((await refused(it, { file_uploads: [await upload('sound.mp3')] })).status).toBe(400)
    const picture = await upload('picture.png')
    if (kind === 'video') expect((await refused(it, { file_uploads: [picture] })).status).toBe(400)
    expect((await refused(it, { knowledge_base_ids: [crypto.randomUUID()] })).status).toBe(400)
  })

  test('in a conversation', async () => {
    const it = await studio.imageModel()
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
      'This model does not generate text. Choose one that does.',
    ])
  })

  test('without credits', async () => {
    const it = await studio.imageModel()
    const { sql } = server.server.services.database
    await sql`update credit_accounts set balance = 0 where organization_id = ${it.person.organizationId}`
    expect((await refused(it)).status).toBe(402)
  })
})
