import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { createMessageIndex } from '#parts/chat/index-messages-system.ts'
import { WORDS_VERSION } from '#platform/retrieval/word-variants.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'

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

interface Hit {
  chat_id: string
  title: string
  message_id: string | null
  role: string | null
  snippet: string
  highlights: { start: number; end: number }[]
  created_at: string
}

const database = () => server.server.services.database.sql

async function newChat(title: string, somebody = person): Promise<string> {
  const { body } = await server.call('POST', `/api/chat?org_id=${somebody.organizationId}`, {
    token: somebody.token,
    body: { title },
  })
  return body.id
}

interface NewText {
  id?: string
  role?: 'user' | 'assistant'
  status?: string
}

/** Stores a message with any timestamp, as a process with a different clock would. */
async function addMessage(chatId: string, content: string, more: NewText = {}, somebody = person) {
  const { id = newId(), role = 'user', status = 'complete' } = more
  await database()`
    insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status)
    values (${id}, ${somebody.organizationId}, ${somebody.userId}, ${chatId}, ${role}, ${content}, ${status})`
  return id
}

/** Waits until everything is indexed. The server's own sweep may run concurrently. */
async function indexed(): Promise<void> {
  const index = createMessageIndex(server.server.services)
  for (;;) {
    await index.sweep()
    const [left] = await database()`
      select from (select id, title, false as streaming from chats
        union all select id, null, status = 'streaming' from chat_messages) s
      left join chat_words w on w.id = s.id and w.words is not null and w.title is not distinct from s.title
      where w.id is null and not streaming limit 1`
    if (!left) return
    await sleep(20)
  }
}

/** Sweeps until the walk pauses. */
async function rested(): Promise<void> {
  const index = createMessageIndex(server.server.services)
  for (let rests = false; !rests; ) {
    await index.sweep()
    const [walk] = await database()`select below is null and rest_until > now() as rests from chat_words_walk`
    rests = walk?.['rests']
  }
}

const ask = (q: string, more: Record<string, string> = {}, somebody = person) =>
  server.call(
    'GET',
    `/api/chat/search?${new URLSearchParams({ org_id: somebody.organizationId, q, ...more })}`,
    { token: somebody.token },
  )
const search = async (q: string, somebody = person): Promise<Hit[]> =>
  (await ask(q, { limit: '100' }, somebody)).body.data
const idsOf = (hits: Hit[]) => hits.map(({ message_id, chat_id }) => message_id ?? chat_id)
const highlighted = ({ snippet, highlights }: Hit) =>
  highlights.map(({ start, end }) => snippet.slice(start, end))

describe('a search finds', () => {
  test('titles and messages, newest first, with the matches highlighted in a snippet', async () => {
    const chatId = await newChat('Zebra crossings')
    const asked = await addMessage(
      chatId,
      `${'before '.repeat(60)}the ZEBRA's stripes ${'after '.repeat(60)}`,
    )
    const answered = await addMessage(chatId, 'Two zebras, 😀 one Zebra', { role: 'assistant' })
    await indexed()
    const hits = await search('zebra')
    expect(idsOf(hits)).toEqual([answered, asked, chatId])
    expect(hits.map(({ role }) => role)).toEqual(['assistant', 'user', null])
    expect(hits.map(highlighted)).toEqual([['zebras', 'Zebra'], ['ZEBRA'], ['Zebra']])
    expect(hits[1]?.snippet).toMatch(/^…before .* before the ZEBRA's stripes after .* after…$/)
    expect(hits[1]?.snippet.length).toBeLessThan(210)
    expect(hits[2]).toEqual({
      chat_id: chatId,
      title: 'Zebra crossings',
      message_id: null,
      role: null,
      snippet: 'Zebra crossings',
      highlights: [{ start: 0, end: 5 }],
      created_at: expect.stringMatching(/Z$/),
    })
  })

  test('all terms as prefixes, exact phrases, and nothing with excluded terms', async () => {
    const chatId = await newChat('Queries')
    const first = await addMessage(chatId, 'We are planning the summer holiday')
    const second = await addMessage(chatId, 'The holiday planner: next summer, or next-year?')
    await addMessage(chatId, 'An airplane in winter')
    await indexed()
    expect(idsOf(await search('plan'))).toEqual([second, first])
    expect(idsOf(await search('SUMMER plan'))).toEqual([second, first])
    expect(idsOf(await search('plan spring'))).toEqual([])
    expect(idsOf(await search('"summer holiday"'))).toEqual([first])
    expect(idsOf(await search('"holiday summer"'))).toEqual([])
    expect(idsOf(await search('"summer holi"'))).toEqual([])
    expect(idsOf(await search('plan -planner'))).toEqual([first])
    expect(idsOf(await search('plan -"summer holiday"'))).toEqual([second])
    expect(idsOf(await search('next-y'))).toEqual([second])
    expect((await search('"summer holiday" plan')).map(highlighted)).toEqual([['planning', 'summer holiday']])
  })

  test.each([
    ['German, also in upper case', 'Die ÜBUNG in „Größe“', ['übung', 'größ', 'ÜB']],
    ['a combining accent', 'cafe\u0301 au lait', ['café']],
    ['Chinese, anywhere in a text', '今天天气很好，我们去公园。', ['天气', '公园', '今天天气很好']],
    ['Japanese', '東京でコーヒーを飲む', ['コーヒー', '京で']],
    ['Thai', 'สวัสดีครับ', ['ครับ']],
    ['Russian', 'Съешь ещё этих мягких булок', ['мягк ещё']],
    ['Arabic', 'مرحبا بالعالم', ['مرحبا']],
    ['Korean, from the beginning of a word', '안녕하세요 세계', ['안녕', '세계']],
  ])('%s', async (_language, text, queries) => {
    const id = await addMessage(await newChat('Languages'), text)
    await indexed()
    for (const query of queries) {
      const hit = (await search(query)).find(({ message_id }) => message_id === id)
      expect(hit?.highlights.length, query).toBeGreaterThan(0)
    }
    expect(idsOf(await search('天好'))).not.toContain(id)
  })

  test('archived chats and inactive branches, but no deleted chats, conversations or streaming replies', async () => {
    const archived = await newChat('Quokka archived')
    const gone = await newChat('Quokka gone')
    const lost = await newChat('Quokka in the bin')
    const messages = [await addMessage(archived, 'quokka one'), await addMessage(archived, 'quokka two')]
    await addMessage(gone, 'quokka')
    await addMessage(lost, 'quokka')
    const streaming = await addMessage(archived, 'quokka th', { role: 'assistant', status: 'streaming' })
    const conversation = await server.call(
      'POST',
      `/api/conversation/create?org_id=${person.organizationId}`,
      { token: person.token, body: { title: 'Quokka talk' } },
    )
    await addMessage(conversation.body.id, 'quokka')
    await indexed()
    const own = { token: person.token }
    const put = (chatId: string, body: object) =>
      server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, { ...own, body })
    await put(archived, { status: 'ARCHIVED' })
    await put(lost, { status: 'DELETED' })
    await server.call('DELETE', `/api/chat/delete_session?session_id=${gone}`, own)
    expect(idsOf(await search('quokka'))).toEqual([...messages.toReversed(), archived])
    await database()`update chat_messages set status = 'stopped', content = 'quokka third' where id = ${streaming}`
    await indexed()
    expect(idsOf(await search('third quokka'))).toEqual([streaming])
  })

  test('a chat by its current title, and never by an earlier one', async () => {
    const chatId = await newChat('Aardvark')
    await indexed()
    expect(idsOf(await search('aardvark'))).toEqual([chatId])
    await server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
      body: { title: 'Bandicoot' },
    })
    expect(await search('aardvark')).toEqual([])
    await indexed()
    expect(idsOf(await search('bandicoot'))).toEqual([chatId])
    // Simulates a change while the index is being written.
    await database()`update chats set title = 'Capybara' where id = ${chatId}`
    await indexed()
    expect(idsOf(await search('capybara'))).toEqual([chatId])
  })

  test("messages sent through the API, once the server's own sweep has indexed them", async () => {
    const modelId = await server.addModel(person, {
      provider: 'openai-compatible',
      version: 'emu-n3',
      config: { base_url: `${provider.url}/v1`, api_key: 'k' },
    })
    const { chatId, messageId } = await server.say(person, { model_id: modelId }, { content: 'a narwhal' })
    let hits: Hit[] = []
    while (hits.length < 2) {
      await sleep(100)
      hits = (await search('narwhal')).concat(await search('quick')).filter((hit) => hit.chat_id === chatId)
    }
    expect(idsOf(hits)).toContain(messageId)
  })
})

describe('access', () => {
  test('users cannot find messages of other members or organizations', async () => {
    const other = await server.signUp()
    await addMemberWithRole(database(), person.organizationId, other.userId, 'owner')
    const chatId = await newChat('Okapi')
    await addMessage(chatId, 'okapi')
    const elsewhere = await newChat('Okapi of the other', other)
    await indexed()
    expect(idsOf(await search('okapi'))).toHaveLength(2)
    expect(idsOf(await search('okapi', other))).toEqual([elsewhere])
    const visiting = { ...other, organizationId: person.organizationId }
    expect(await search('okapi', visiting)).toEqual([])
    const [{ mark } = { mark: '' }] = await database()<{ mark: string }[]>`
      select left(lexeme, 6) as mark from chat_words, unnest(words) where id = ${chatId}`
    // A search term may begin with a minus sign; a search that only excludes terms is refused.
    for (const q of [`${mark}okapi`, `"${mark}okapi"`, mark, `'${mark}okapi'`])
      expect((await ask(q, {}, visiting)).body.data ?? [], q).toEqual([])
  })
})

describe('the pages of results', () => {
  test('cover 250 hits without gaps or duplicates', async () => {
    const somebody = await server.signUp()
    const chatId = await newChat('Pages', somebody)
    const wanted: string[] = []
    const row = (content: string) => ({
      ...{ id: newId(), organization_id: somebody.organizationId, user_id: somebody.userId },
      ...{ chat_id: chatId, role: 'user', status: 'complete', content },
    })
    const rows = Array.from({ length: 1_000 }, (_, n) => row(n % 4 === 0 ? `pangolin ${n}` : `other ${n}`))
    await database()`insert into chat_messages ${database()(rows)}`
    for (const { id, content } of rows) if (content.startsWith('pangolin')) wanted.unshift(id)
    await indexed()
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await ask('pangolin', { limit: '30', ...(cursor && { cursor }) }, somebody)
      seen.push(...idsOf(body.data))
      expect(body.pagination.has_more).toBe(body.pagination.next_cursor !== null)
      cursor = body.pagination.next_cursor
    }
    expect(seen).toEqual(wanted)
    expect(idsOf((await ask('"other 1"', {}, somebody)).body.data)).toEqual([rows[1]?.id])
  })
})

describe('hostile queries', () => {
  test.each([...["'", '\\', '&|!():*<->', '"'.repeat(200), '-', '-word', '""', '?!', '-"a b"']])(
    '%s contains no search term: 400',
    async (q) => {
      const answer = await ask(q)
      expect([answer.status, answer.body.detail]).toEqual([
        400,
        'q contains no word to search for. Add at least one word without a minus sign.',
      ])
    },
  )

  test.each([
    ...["it's", "a' | 'b", 'a:*', 'a & b | !c', '\\a', "'a' <-> 'b'", '(((a', 'a -a', '"a', 'a"b"c', ':A a'],
    ...[
      'a '.repeat(100),
      `a${'"'.repeat(199)}`,
      `${'-a '.repeat(60)}b`,
      'ﷺ',
      'a\u0301'.repeat(100),
      '%00a',
      '½',
    ],
  ])('%s gets 200', async (q) => {
    expect((await ask(q)).status).toBe(200)
  })

  test('a missing or too long query and an invalid cursor get 400', async () => {
    expect((await ask('a'.repeat(201))).status).toBe(400)
    expect((await ask('')).status).toBe(400)
    expect((await ask('a', { cursor: 'x' })).status).toBe(400)
  })
})

describe('the index', () => {
  test('accepts any message: 1 MB of distinct words, a word of 5,000 characters, only punctuation', async () => {
    const chatId = await newChat('Large')
    const words = Array.from({ length: 150_000 }, (_, n) => n.toString(36).padStart(6, 'w')).join(' ')
    const large = await addMessage(chatId, words.slice(0, 1_000_000))
    const han = String.fromCodePoint(...Array.from({ length: 40_000 }, (_, n) => 0x20000 + n))
    const rare = await addMessage(chatId, han)
    const long = await addMessage(chatId, `wombat ${'x'.repeat(5_000)} ${"\\'".repeat(500)}`)
    await addMessage(chatId, `${'\u0301'.repeat(500)}\u200d`)
    await addMessage(chatId, '')
    await indexed()
    expect(idsOf(await search('wwww7p'))).toEqual([large])
    expect(idsOf(await search('x'.repeat(150)))).toEqual([long])
    expect(idsOf(await search(String.fromCodePoint(0x20005, 0x20006)))).toEqual([rare])
  })

  test('includes messages stored late, with ids older than those already indexed', async () => {
    const chatId = await newChat('Late')
    await indexed()
    const old = await addMessage(chatId, 'dugong', { id: '01000000-0000-7000-8000-000000000001' })
    const ahead = await addMessage(chatId, 'dugong', { id: '02ffffff-0000-7000-8000-000000000001' })
    await database()`update chat_words_walk set below = null, rest_until = now(), covered_at = null`
    await indexed()
    expect(idsOf(await search('dugong'))).toEqual([ahead, old])
    await rested()
  })

  test('indexes a long history in bounded steps', async () => {
    const somebody = await server.signUp()
    const chatId = await newChat('Past', somebody)
    await database()`
      insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status)
      select ('01100000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${somebody.organizationId},
        ${somebody.userId}, ${chatId}, 'user', 'message ' || n || ' of the past', 'complete'
      from generate_series(1, 1500) n`
    await database()`update chat_words_walk set below = null, rest_until = now(), covered_at = null`
    await indexed()
    const [count] = await database()`select count(*)::int from chat_words where chat_id = ${chatId}`
    expect(count).toEqual({ count: 1_501 })
    expect(await search('"message 471"', somebody)).toHaveLength(1)
    await server.call('DELETE', `/api/chat/delete_session?session_id=${chatId}`, { token: somebody.token })
    const [left] = await database()`select count(*)::int from chat_words where chat_id = ${chatId}`
    expect(left).toEqual({ count: 0 })
  })

  test('a later walk ends where the last complete walk has checked everything', async () => {
    const somebody = await server.signUp()
    const { organizationId, userId } = somebody
    const chatId = await newChat('Covered', somebody)
    await indexed()
    await database()`
      with added as (
        insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status)
        select ('01210000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${organizationId}, ${userId}, ${chatId},
          'user', 'quagga', 'complete' from generate_series(1, 2500) n returning *)
      insert into chat_words (id, organization_id, user_id, chat_id, words, version)
      select id, organization_id, user_id, chat_id, '', ${WORDS_VERSION} from added where id > '01210000-0000-7000-8000-000000000001'`
    await database()`
      update chat_words_walk set below = null, rest_until = now(), covered_at = now() - interval '1 minute'`
    const index = createMessageIndex(server.server.services)
    await index.sweep()
    expect(await search('quagga', somebody)).toEqual([])
    await database()`update chat_words_walk set below = null, rest_until = now(), covered_at = null`
    await indexed()
    expect(await search('quagga', somebody)).toHaveLength(1)
  })

  test('a step that another process has taken since writes nothing and does not move the walk', async () => {
    const chatId = await newChat('Twice')
    const id = await addMessage(chatId, 'okapi')
    const late = createMessageIndex(server.server.services)
    await late.find()
    await indexed()
    await rested()
    const state = async () => ({
      walk: await database()`select below, rest_until, begun_at, covered_at from chat_words_walk`,
      words: await database()`select xmin::text from chat_words where id = ${id}`,
    })
    const before = await state()
    expect(before.words).toHaveLength(1)
    await late.sweep([{ hasMoreNewest: false, missing: [], below: id, checked: 1 }])
    await late.sweep([{ hasMoreNewest: false, missing: [{ id, bytes: 5 }], below: null, checked: 1 }])
    expect(await state()).toEqual(before)
  })

  test('is updated by concurrent sweeps without duplicates', async () => {
    const chatId = await newChat('Together')
    const ids = await Promise.all(Array.from({ length: 20 }, () => addMessage(chatId, 'tapir')))
    await Promise.all([indexed(), indexed(), indexed()])
    expect(idsOf(await search('tapir')).toSorted()).toEqual(ids.toSorted())
  })
})
