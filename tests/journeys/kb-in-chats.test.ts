import { afterAll, beforeAll, expect, test } from 'vitest'
import { getChat } from '#tests/support/chats.ts'
import type { Person, StreamEvent } from '#tests/support/client.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addPowerlessMember } from '#tests/support/tenants.ts'

/** Knowledge bases that jobs have filled, used in chats. */

type Provider = Awaited<ReturnType<typeof startProvider>>
interface Citation {
  document_name: string
  score: number
  snippet: string
}

let server: TestServer
let provider: Provider
let person: Person
let library: Librarian
let echo: string
let local: string
let embedder: string

const text = (name: string, content: string) => ({ type: 'text', config: { name, content } })
const HOURS = text('Hours', '# Opening hours\n\nThe shop opens at nine.')
const QUESTION = 'When does the shop open?'
/** Notes on one subject. Some contain words of questions that are not about the subject: "write", "summary", "names". */
const NOTES = [
  'Marwood lies on the river Alde, north of the old mill.',
  'The bridge of Marwood dates from the year of the flood.',
  'Marwood elects a council of nine members each spring.',
  'A summary of the accounts of Marwood hangs in the hall.',
  'The school of Marwood teaches children to read and write.',
  'Every street of Marwood bears one of the names of its founders.',
  'The bakers of Marwood sell rye bread and honey cakes.',
  'Marwood has a market on Tuesdays and a fair in August.',
  'Trains to the coast stop at Marwood twice an hour.',
  'The tower of Marwood is open to visitors in summer.',
  'Marwood keeps its archive in the cellar of the chapel.',
  'Swans nest below the weir of Marwood.',
  'The library of Marwood lends tools, seeds and tents.',
  'Marwood banned cars from its centre ten years ago.',
  'The choir of Marwood sings on the last Sunday of a month.',
]

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  echo = await modelOf('emu-echo')
  embedder = await modelOf('emu-vectors', provider, { capabilities: ['embedding'] })
  local = await filled([HOURS, text('Place', 'The shop is in Berlin.')])
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const modelOf = (version: string, at = provider, config: object = {}) =>
  server.addModel(person, {
    name: version,
    provider: 'openai-compatible',
    version,
    config: { base_url: `${at.url}/v1`, api_key: 'k', ...config },
  })
async function filled(sources: object[], more: Record<string, unknown> = {}, own = library): Promise<string> {
  const kb = await own.create({ sources, ...more })
  expect(await own.settle(kb)).toMatchObject({ status: 'ready' })
  return kb
}
const say = (knowledgeBaseIds: string[], content = QUESTION, model = echo) =>
  server.say(person, { model_id: model, events: 'all' }, { content, knowledge_base_ids: knowledgeBaseIds })
const refusalOf = (somebody: Person, modelId: string, knowledgeBaseIds: string[]) =>
  server.call(
    'POST',
    `/api/chat/send_message?${new URLSearchParams({ org_id: person.organizationId, model_id: modelId })}`,
    { token: somebody.token, body: { content: QUESTION, knowledge_base_ids: knowledgeBaseIds } },
  )
const citationsOf = (events: StreamEvent[]): Citation[] =>
  (events.find(({ event }) => event === 'citations')?.data['citations'] ?? []) as Citation[]
const namesOf = (events: StreamEvent[]): string[] =>
  citationsOf(events).map(({ document_name }) => document_name)
/** Returns the last prompt of the echoing model. */
const promptOf = (said: string): string => JSON.parse(said).messages.at(-1).content
const usable = async ({ token }: Person, query = '') =>
  (
    await server.call('GET', `/api/chat/available_knowledge_bases?org_id=${person.organizationId}${query}`, {
      token,
    })
  ).body

test('a passage is added to the prompt, and the reply cites it in the stream and in storage', async () => {
  const { text: said, events, chatId } = await say([local])
  expect(promptOf(said)).toContain(
    '<passage number="1" document="Hours" headings="Opening hours">\n# Opening hours\n\nThe shop opens at nine.\n</passage>',
  )
  const citations = citationsOf(events)
  expect(citations[0]).toEqual({
    kb_id: expect.any(String),
    document_id: expect.any(String),
    document_name: 'Hours',
    chunk_id: expect.any(String),
    score: expect.any(Number),
    snippet: '# Opening hours\n\nThe shop opens at nine.',
  })
  const { messages } = await getChat(server, person, chatId)
  expect(messages[1].citations).toEqual(citations)
  const found = await library.call('POST', 'search', { kb_id: local }, { query: QUESTION })
  const [best] = found.body.results
  expect([best.chunk_id, best.score]).toEqual([
    (citations[0] as unknown as { chunk_id: string }).chunk_id,
    expect.closeTo(citations[0]?.score ?? 0, 3),
  ])
})

test('a prompt has at most ten passages, none with a score below 0.1', async () => {
  const goods = 'apples pears plums nuts figs dates limes kiwis melons grapes berries peaches mangos'.split(
    ' ',
  )
  const kb = await filled(
    goods.map((goods, place) => text(goods, `The shop sells ${goods} for ${place} euros, ${goods} only.`)),
  )
  const { events } = await say([kb], 'What does the shop sell, and for how much?')
  const scores = citationsOf(events).map(({ score }) => score)
  expect(scores).toHaveLength(10)
  expect(Math.min(...scores)).toBeGreaterThanOrEqual(0.1)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  const { text: said, events: none } = await say([kb], 'Zebras')
  expect([citationsOf(none), promptOf(said)]).toEqual([[], 'Zebras'])
})

test('a question in a whole sentence gets the same passages as its subject alone', async () => {
  const kb = await filled(NOTES.map((content, place) => text(`Note ${place}`, content)))
  const begin = 'Please write me a detailed summary of everything that anybody ever wrote down about'
  for (const question of [
    'Marwood',
    'Tell me of Marwood',
    'Please write me a summary of everything about Marwood',
    `${begin} Marwood, for colleagues who know nothing and want figures, names and dates in nice tables`,
  ]) {
    const { events } = await say([kb], question)
    expect([question, citationsOf(events).length]).toEqual([question, 10])
  }
  for (const question of ['Zebras', 'Which zebras graze on volcanic islands near Mongolia?'])
    expect([question, citationsOf((await say([kb], question)).events)]).toEqual([question, []])
})

test('several knowledge bases with different embeddings are searched together, and duplicates are ignored', async () => {
  const hosted = await filled([text('Prices', 'When the shop opens, coffee costs two euros.')], {
    embedding_model: embedder,
  })
  const { events } = await say([local, hosted, local])
  expect(namesOf(events)).toEqual(expect.arrayContaining(['Hours', 'Prices']))
  expect(new Set(namesOf(events)).size).toBe(namesOf(events).length)
})

test('the search query is the beginning of a long message', async () => {
  const hosted = await filled([HOURS], { embedding_model: embedder })
  const { events } = await say([hosted], `${QUESTION} ${'\u{1f600}'.repeat(30_000)}`)
  expect(namesOf(events)).toEqual(['Hours'])
  const asked = provider.requests.findLast(({ path }) => path.endsWith('/embeddings'))
  const [input = ''] = (asked as { body: { input: string[] } }).body.input
  expect(input.startsWith(QUESTION)).toBe(true)
  expect(input.length).toBeLessThanOrEqual(10_000)
})

test('empty knowledge bases and unfinished ingestions return no passages and do not block the reply', async () => {
  const empty = await library.create()
  const hanging = await modelOf('emu-hang', provider, { capabilities: ['embedding'] })
  const filling = await library.create({ embedding_model: hanging, sources: [HOURS] })
  const { text: said } = await say([empty, filling])
  expect(promptOf(said)).toBe(QUESTION)
  const { events } = await say([empty, filling, local])
  expect(namesOf(events)).toContain('Hours')
  const { body } = await library.call('GET', 'ingestion_status', { kb_id: filling })
  expect(body.status).not.toBe('ready')
})

test('search uses keywords alone if the embedding provider is down or its model inactive', async () => {
  const falling = await startProvider()
  const model = await modelOf('emu-falling', falling, { capabilities: ['embedding'] })
  const kb = await filled([HOURS], { embedding_model: model })
  await falling.close()
  const { events } = await say([kb])
  expect(namesOf(events)).toEqual(['Hours'])
  const off = await server.call('PUT', `/api/llm/update?model_id=${model}`, {
    token: person.token,
    body: { is_active: false },
  })
  expect(off.status).toBe(200)
  expect(namesOf((await say([kb])).events)).toEqual(['Hours'])
})

test("another organization's knowledge base gets 404, even beside an accessible one, and nothing is stored", async () => {
  const stranger = await server.signUp()
  const foreign = await filled([HOURS], {}, librarian(server, stranger))
  const list = `/api/chat/list?org_id=${person.organizationId}&limit=100`
  const before = (await server.call('GET', list, { token: person.token })).body.data.length
  const answer = await refusalOf(person, echo, [local, foreign])
  expect([answer.status, answer.body.detail]).toEqual([
    404,
    expect.stringContaining('Knowledge base not found'),
  ])
  expect((await server.call('GET', list, { token: person.token })).body.data).toHaveLength(before)
})

test('a caller without permission to read knowledge bases cannot list or use them', async () => {
  const writer = await addPowerlessMember(server, person.organizationId, ['chats:read', 'chats:write'])
  const answer = await refusalOf(writer, echo, [local])
  expect([answer.status, answer.body.detail]).toEqual([403, 'Missing permission: kb:read'])
  expect((await usable(writer)).data).toEqual([])
  const plain = await refusalOf(writer, echo, [])
  expect(plain.status).toBe(200)
})

test('a caller without permission to write messages sees no knowledge bases', async () => {
  const reader = await addPowerlessMember(server, person.organizationId, ['chats:read', 'kb:read'])
  expect((await refusalOf(reader, echo, [local])).status).toBe(403)
  expect((await usable(reader)).data).toEqual([])
})

test("the organization's knowledge bases are listed, newest first, in pages", async () => {
  const newest = await library.create({ name: 'The newest', description: 'of all' })
  const page = await usable(person, '&limit=1')
  expect(page.data).toEqual([{ id: newest, name: 'The newest', description: 'of all' }])
  const next = await usable(person, `&limit=100&cursor=${page.pagination.next_cursor}`)
  expect(next.data.map(({ id }: { id: string }) => id)).toContain(local)
  expect(next.data.map(({ id }: { id: string }) => id)).not.toContain(newest)
})

test('a regenerated reply searches again', async () => {
  const kb = await filled([HOURS, text('Sundays', 'The shop opens at noon on Sundays.')])
  const { chatId, messageId, events } = await say([kb])
  expect(namesOf(events)).toEqual(expect.arrayContaining(['Hours', 'Sundays']))
  const listed = await library.call('GET', 'list_documents', { kb_id: kb, search: 'Hours' })
  const gone = await library.call('DELETE', 'delete_document', {
    kb_id: kb,
    document_id: listed.body.documents[0].id,
  })
  expect(gone.status).toBe(200)
  const query = new URLSearchParams({ chat_id: chatId, message_id: messageId, org_id: person.organizationId })
  const again = await server.call('POST', `/api/chat/regenerate?${query}`, {
    token: person.token,
    body: { knowledge_base_ids: [kb] },
  })
  expect(again.status).toBe(200)
  const { messages } = await getChat(server, person, chatId)
  expect(messages.at(-1).citations.map(({ document_name }: Citation) => document_name)).toEqual(['Sundays'])
})

test('passages use at most a quarter of the prompt', async () => {
  const opening = Array.from({ length: 12 }, (_, place) =>
    text(`Shop ${place}`, `Shop ${place} opens at ${place}, ${String.fromCharCode(97 + place).repeat(9)}.`),
  )
  const kb = await filled(opening)
  const small = await modelOf('emu-echo', provider, { context_window: 800 })
  const { text: said, events } = await say([kb], QUESTION, small)
  const passages = promptOf(said).match(/<passage [\s\S]*?<\/passage>/g) ?? []
  expect(passages.length).toBeGreaterThan(1)
  expect(passages.length).toBeLessThan(10)
  expect(Buffer.byteLength(passages.join(''))).toBeLessThanOrEqual((800 * 0.75 * 4) / 4)
  expect(citationsOf(events)).toHaveLength(passages.length)
})

test('the demo model quotes passages with their numbers', async () => {
  const demo = await server.addModel(person, { provider: 'demo', version: 'parley-demo' })
  const { text: said } = await say([local], QUESTION, demo)
  expect(said).toContain('You said:\n\n> When does the shop open?\n\n')
  expect(said).toContain('> The shop opens at nine.\n>\n> (Hours) [1]')
})
