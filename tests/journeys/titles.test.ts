import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { type LiveSocket, openReady } from '#tests/support/live-socket.ts'
import { isInstalled } from '#tests/support/programs.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { idsOf, openMessage } from '#tests/support/reader.ts'
import { startRedis } from '#tests/support/redis.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole, createOrganization } from '#tests/support/tenants.ts'

/** Titles of chats after the first reply: their model, form, events and costs. */

let server: TestServer
let provider: EmulatedProvider
let redis: Awaited<ReturnType<typeof startRedis>> | undefined
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  redis = isInstalled('Redis') ? await startRedis() : undefined
  server = await startTestServer(redis ? { REDIS_URL: redis.url } : {})
  person = await server.signUp()
})
afterAll(async () => {
  await server.stop()
  await redis?.stop()
  await provider.close()
})

const addModel = (version: string, of: Person = person, on = server) =>
  on.addModel(of, {
    provider: /image/.test(version) ? 'openai' : 'openai-compatible',
    version,
    config: { base_url: `${provider.url}/v1`, api_key: 'k' },
  })

const titleOf = async (chatId: string, of: Person = person): Promise<string> =>
  (await getChat(server, of, chatId)).title

/** Waits for a chat's title and returns it. */
async function givenTitle(chatId: string, of: Person = person): Promise<string> {
  await expect.poll(() => titleOf(chatId, of)).not.toBe('New Chat')
  return titleOf(chatId, of)
}

async function titleAfter(content: string, version = 'emu-n3', of: Person = person): Promise<string> {
  const { chatId } = await server.say(of, { model_id: await addModel(version, of) }, { content })
  return givenTitle(chatId, of)
}

const LONG = `${'wordy '.repeat(60)}end`

describe('a title', () => {
  test('is written after the reply, in a separate call', async () => {
    const somebody = await server.signUp()
    const modelId = await addModel('emu-n3', somebody)
    const asked = provider.titleRequests.length
    const release = provider.holdTitles()
    const stream = await openMessage(server.url, somebody, { model_id: modelId }, { content: 'say: Foxes' })
    const { chatId } = idsOf(stream)
    expect(await titleOf(chatId, somebody)).toBe('New Chat')
    await stream.take()
    expect(await titleOf(chatId, somebody)).toBe('New Chat')
    release()
    expect(await givenTitle(chatId, somebody)).toBe('Foxes')
    expect(provider.titleRequests).toHaveLength(asked + 1)
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT'])
    await server.say(somebody, { model_id: modelId, chat_id: chatId }, { content: 'say: Bears' })
    await expect.poll(() => provider.stats.open).toBe(0)
    expect(await titleOf(chatId, somebody)).toBe('Foxes')
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT', 'HOLD', 'DEBIT'])
  })

  test.each([
    ['say: "Foxes in winter"', 'Foxes in winter'],
    ['say: Title: Foxes', 'Foxes'],
    ['say: **Title:** “Foxes”', 'Foxes'],
    ['say: ## Foxes in *winter*', 'Foxes in winter'],
    ['say: \n\n  \n\t# Foxes.\nAnd this is why', 'Foxes'],
    ['say: `Foxes`\r\nmore', 'Foxes'],
    ['say: «Füchse im Schnee»', 'Füchse im Schnee'],
    ['say: 冬のキツネ', '冬のキツネ'],
    ['say: <think>Money?</think>Here is a title: **"Refund policy"** 🎉', 'Refund policy'],
    ['say: ```json\n{"title": "Refund policy"}\n```', 'Refund policy'],
    ['say: \u0007 Foxes \u00a0 and\tbears', 'Foxes and bears'],
  ])('has no surrounding markup: %j', async (content, title) => {
    expect(await titleAfter(content)).toBe(title)
  })

  test('of 300 characters is cut between words, or within a single long word', async () => {
    const cut = await titleAfter(`say: ${LONG}`)
    expect(cut).toMatch(/^(wordy )+…$/)
    expect(cut.length).toBeLessThanOrEqual(82)
    expect(await titleAfter(`say: ${'x'.repeat(300)}`)).toBe(`${'x'.repeat(80)} …`)
    const pairs = await titleAfter(`say: y${'🦊'.repeat(150)}z`)
    expect(pairs).toBe(`y${'🦊'.repeat(39)} …`)
  })

  test.each(['say: ***', 'say: "."', 'say: Title:'])(
    'is the beginning of the message if the model returns only markup: %s',
    async (content) => {
      expect(await titleAfter(content)).toBe(content)
    },
  )

  test('is cut from the message like any other', async () => {
    expect(await titleAfter('say: ***\n\n   "."')).toBe('say: *** "."')
    expect(await titleAfter(`${LONG} say: ***`)).toMatch(/^(wordy )+…$/)
  })

  test('ends at a very long run of spaces', async () => {
    expect(await titleAfter('Hm', 'emu-blanks')).toBe('a')
  })

  test("of an image chat is written by the organization's text model", async () => {
    const somebody = await server.signUp()
    const imageId = await addModel('gpt-image-emu', somebody)
    await addModel('emu-n3', somebody)
    const { chatId } = await server.say(somebody, { model_id: imageId }, { content: 'say: Red foxes' })
    expect(await givenTitle(chatId, somebody)).toBe('Red foxes')
    expect(kindsOf(await ledgerOf(server, somebody))).toEqual(['HOLD', 'DEBIT'])
  })

  test('of an image chat is the beginning of the message if that model fails', async () => {
    const somebody = await server.signUp()
    const imageId = await addModel('gpt-image-emu', somebody)
    await addModel('emu-err500', somebody)
    const { chatId } = await server.say(somebody, { model_id: imageId }, { content: 'say: Red foxes' })
    expect(await givenTitle(chatId, somebody)).toBe('say: Red foxes')
  })
})

describe('a chat', () => {
  const create = async (body: object): Promise<string> =>
    (await server.call('POST', `/api/chat?org_id=${person.organizationId}`, { token: person.token, body }))
      .body.id
  const rename = (chatId: string, title: string) =>
    server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
      body: { title },
    })

  test('created without a title gets one, and created with one keeps it', async () => {
    const modelId = await addModel('emu-n3')
    const [untitled, titled] = [await create({}), await create({ title: 'Mine' })]
    for (const chatId of [titled, untitled])
      await server.say(person, { model_id: modelId, chat_id: chatId }, { content: 'say: Foxes' })
    expect(await givenTitle(untitled)).toBe('Foxes')
    await expect.poll(() => provider.stats.open).toBe(0)
    expect(await titleOf(titled)).toBe('Mine')
  })

  test('that is renamed while its title is generated keeps its name, and no other title is announced', async () => {
    const socket = await openReady(server.url, person.token)
    const modelId = await addModel('emu-n3')
    const asked = provider.titleRequests.length
    const release = provider.holdTitles()
    const { chatId } = await server.say(person, { model_id: modelId }, { content: 'say: Foxes' })
    await expect.poll(() => provider.titleRequests.length).toBe(asked + 1)
    expect((await rename(chatId, 'Mine')).status).toBe(200)
    release()
    await titleAfter('say: Sentinel')
    await socket.until('chat.title_updated')
    expect(socket.received.filter(({ data }) => data?.chat_id === chatId)).toEqual([])
    expect(await titleOf(chatId)).toBe('Mine')
    socket.socket.close()
  })

  test('that is deleted while its title is generated stays deleted', async () => {
    const modelId = await addModel('emu-n3')
    const asked = provider.titleRequests.length
    const release = provider.holdTitles()
    const { chatId } = await server.say(person, { model_id: modelId }, { content: 'say: Foxes' })
    await expect.poll(() => provider.titleRequests.length).toBe(asked + 1)
    await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, { token: person.token })
    release()
    await titleAfter('say: Sentinel')
    await expect.poll(() => provider.stats.open).toBe(0)
    const { sql } = server.server.services.database
    expect((await sql`select from chats where id = ${chatId}`).count).toBe(0)
  })

  test('of a conversation gets no title', async () => {
    const call = (path: string, body: object) =>
      server.call('POST', `/api/conversation/${path}?org_id=${person.organizationId}`, {
        token: person.token,
        body,
      })
    const made = await call('create', { title: 'Engines' })
    const session = await call('create_session', {
      conversation_id: made.body.id,
      model_id: await addModel('emu-n3'),
    })
    const before = provider.stats.streams
    expect(
      (await call('stream_chat', { chat_session_id: session.body.id, message: 'say: Foxes' })).status,
    ).toBe(200)
    await titleAfter('say: Sentinel')
    expect(provider.stats.streams).toBe(before + 3)
  })

  test('is found by its new title', async () => {
    await titleAfter('say: Zyzzyva')
    await expect
      .poll(
        async () =>
          (
            await server.call('GET', `/api/chat/search?org_id=${person.organizationId}&q=zyzzyva`, {
              token: person.token,
            })
          ).body.data.length,
      )
      .toBeGreaterThan(0)
  })
})

test("only the user's sockets, in any organization, get the event of a new title", async () => {
  const owner = await server.signUp()
  const inTeam = await createOrganization(server, owner, { credits: 10_000 })
  const colleague = await server.signUp()
  const { sql } = server.server.services.database
  await addMemberWithRole(sql, inTeam.organizationId, colleague.userId, 'admin')
  const sockets = await Promise.all(
    [owner, owner, colleague, await server.signUp()].map(({ token }) => openReady(server.url, token)),
  )
  const [first, second, ...others] = sockets as [LiveSocket, LiveSocket, LiveSocket, LiveSocket]
  const { chatId } = await server.say(
    inTeam,
    { model_id: await addModel('emu-n3', inTeam) },
    { content: 'say: Foxes' },
  )
  for (const socket of [first, second]) {
    const told = (await socket.until('chat.title_updated')).at(-1)
    expect(told).toEqual({
      type: 'chat.title_updated',
      organization_id: inTeam.organizationId,
      data: { chat_id: chatId, title: 'Foxes' },
      created_at: expect.any(String),
    })
  }
  for (const { received } of others) expect(received.map(({ type }) => type)).toEqual(['ready'])
  for (const { socket } of sockets) socket.close()

  if (!redis) return
  const client = createClient({ url: redis.url })
  await client.connect()
  const store = `parley:realtime:${inTeam.organizationId}`
  await expect.poll(() => client.xLen(store)).toBe(1)
  const [entry] = (await client.xRange(store, '-', '+')) ?? []
  expect(entry?.message).toMatchObject({
    type: 'chat.title_updated',
    user_id: owner.userId,
    data: JSON.stringify({ chat_id: chatId, title: 'Foxes' }),
  })
  await client.close()
})

test('an unfinished title at shutdown is the beginning of the message, and does not delay the shutdown', async () => {
  const database = await createDatabase()
  const environment: Record<string, string> = database
    ? { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }
    : {}
  const doomed = await startTestServer(environment)
  const somebody = await doomed.signUp()
  const modelId = await addModel('gpt-image-emu', somebody, doomed)
  await addModel('emu-n3-ttft60000', somebody, doomed)
  const chats = await Promise.all(
    Array.from({ length: 20 }, () => doomed.say(somebody, { model_id: modelId }, { content: 'About foxes' })),
  )
  await expect.poll(() => provider.stats.open).toBe(8)
  if (!database) return doomed.stop()
  await doomed.stop()
  await expect.poll(() => provider.stats.open).toBe(0)
  const heir = await startTestServer(environment)
  for (const { chatId } of chats) expect((await getChat(heir, somebody, chatId)).title).toBe('About foxes')
  await heir.stop()
  await database.drop()
})
