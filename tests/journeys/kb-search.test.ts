import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourcesOf } from '#tests/support/evaluations.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let library: Librarian
let languages: string

interface Result {
  document_id: string
  document_name: string
  chunk_id: string
  content: string
  score: number
  explanation: {
    lexical: { rank: number; score: number } | null
    dense: { rank: number } | null
    fused_rank: number
  }
}

const LANGUAGES: Record<string, string> = {
  'english hours': 'The library opens at nine in the morning and closes in the evening at eight.',
  'english bees': 'Beekeepers feed their colonies with sugar water when the autumn is cold.',
  'english configuration': 'Configuring the server is done by variables of the environment.',
  'german hours': 'Die Bibliothek öffnet um neun Uhr und schließt abends um acht Uhr.',
  'german bees': 'Die Imker füttern ihre Bienenvölker mit Zuckerwasser, wenn der Herbst kalt ist.',
  'french hours': 'La bibliothèque ouvre à neuf heures et ferme ses portes à vingt heures.',
  'french bees': 'Les apiculteurs nourrissent leurs abeilles avec du sirop quand il fait froid.',
  'chinese hours': '图书馆早上九点开门,晚上八点关门。周末不开放。',
  'chinese bees': '养蜂人在寒冷的秋天用糖水喂养蜜蜂。',
  'japanese hours': '図書館は朝九時に開き、夜八時に閉まります。',
  'japanese bees': '養蜂家は寒い秋に砂糖水でミツバチを育てます。',
  'thai hours': 'ห้องสมุดเปิดเก้าโมงเช้าและปิดสองทุ่ม',
  'thai bees': 'คนเลี้ยงผึ้งให้อาหารผึ้งด้วยน้ำเชื่อมเมื่ออากาศหนาว',
  'russian bees': 'Пчеловоды кормят пчёл сахарным сиропом, когда осень холодная.',
}

beforeAll(async () => {
  server = await sharedTestServer()
  library = librarian(server, await server.signUp())
  languages = await library.create({ sources: sourcesOf(LANGUAGES) })
  await library.settle(languages)
})
afterAll(() => server.stop())

const search = (kb: string, query: string, more: object = {}) =>
  library.call('POST', 'search', { kb_id: kb }, { query, ...more })

const find = async (kb: string, query: string, more: object = {}): Promise<Result[]> => {
  const { status, body, text } = await search(kb, query, more)
  if (status !== 200) throw new Error(text)
  return body.results
}
const namesOf = (results: Result[]): string[] => results.map(({ document_name: name }) => name)

describe('a knowledge base of many languages', () => {
  test.each([
    ['When is the library open?', 'english hours'],
    ['feeding bees in autumn', 'english bees'],
    ['Wann schließen die Bibliotheken?', 'german hours'],
    ['WANN SCHLIESSEN DIE BIBLIOTHEKEN', 'german hours'],
    ['Womit füttert ein Imker im Herbst?', 'german bees'],
    ['À quelle heure ouvrent les bibliothèques ?', 'french hours'],
    ["nourrir l'abeille", 'french bees'],
    ['图书馆几点开门?', 'chinese hours'],
    ['蜜蜂', 'chinese bees'],
    ['図書館は何時に開きますか', 'japanese hours'],
    ['ミツバチ', 'japanese bees'],
    ['ห้องสมุดเปิดกี่โมง', 'thai hours'],
    ['เลี้ยงผึ้ง', 'thai bees'],
    ['чем кормить пчёл осенью', 'russian bees'],
    ['ｌｉｂｒａｒｙ', 'english hours'],
    ['librery morning', 'english hours'],
    ['beekeeprs colonys', 'english bees'],
    ['Bibliotek öfnet', 'german hours'],
    ['configura*', 'english configuration'],
    ['bee*', 'english bees'],
  ])('%s', async (query, name) => {
    expect(namesOf(await find(languages, query))[0]).toBe(name)
  })
})

test('a quoted phrase scores higher than its words in other places', async () => {
  const kb = await library.create({
    sources: sourcesOf({
      apart: 'A red house stands by the river; the door of the old mill is green, red and blue.',
      together: 'The mill by the river had a red door, and a house behind it, green and old and blue.',
    }),
  })
  await library.settle(kb)
  const [best, other] = await find(kb, '"red door"', { explain: true })
  expect([best?.document_name, other?.document_name]).toEqual(['together', 'apart'])
  expect(best?.explanation.lexical?.score).toBeGreaterThan(other?.explanation.lexical?.score ?? 2)
  const { body } = await search(kb, '"red door" mil*', { explain: true })
  expect(body.receipt).toMatchObject({ words: ['red', 'door'], phrases: ['red door'], prefixes: ['mil'] })
})

test('near-duplicates are returned once, and the receipt adds up', async () => {
  const text = Array.from({ length: 40 }, (_, at) => `word${at} meadow`).join(' ')
  const kb = await library.create({
    sources: sourcesOf({
      one: text,
      same: text,
      almost: `${text} indeed`,
      other: 'A meadow with cows and a fence.',
    }),
  })
  await library.settle(kb)
  const { body } = await search(kb, 'meadow', { explain: true, limit: 10 })
  expect(body.results).toHaveLength(2)
  expect(namesOf(body.results)).toContain('other')
  const { receipt } = body
  expect(receipt).toMatchObject({
    knowledge_bases: [{ id: kb, embedding_model: 'local', chunks: 4 }],
    candidates: { lexical: 4 },
    dense_failure: null,
    dropped: { duplicates: 2, below_threshold: 0 },
  })
  expect(receipt.candidates.fused).toBe(
    body.results.length + receipt.dropped.duplicates + receipt.dropped.below_threshold,
  )
  expect(receipt.milliseconds.all).toBeGreaterThanOrEqual(receipt.milliseconds.lexical)
  expect(body.results[0].explanation).toMatchObject({ lexical: { rank: expect.any(Number) }, reranked: null })
  const plain = await search(kb, 'meadow')
  expect(plain.body).not.toHaveProperty('receipt')
  expect(plain.body.results[0]).not.toHaveProperty('explanation')
})

test('stop words of a sentence do not find a text in another language that contains them', async () => {
  const kb = await library.create({
    sources: sourcesOf({
      river: 'Two herons live by the mill, and the river there is called the Alde.',
      book: 'Il libro "Songs of the Mountains" non è in italiano, ma è della nonna di Anna.',
    }),
  })
  await library.settle(kb)
  const found = await find(kb, 'What is the name of the river?', { explain: true })
  const byWords = found.filter(({ explanation }) => explanation.lexical)
  expect(namesOf(byWords)).toEqual(['river'])
  expect(namesOf(await find(kb, 'the songs'))[0]).toBe('book')
})

test('results come only from the requested knowledge base', async () => {
  const secret = { secret: 'The quixotic password of the vault is xylophone.' }
  const [own, twin] = [
    await library.create({ sources: sourcesOf({ own: 'Nothing about that here.' }) }),
    await library.create({ sources: sourcesOf(secret) }),
  ]
  const stranger = librarian(server, await server.signUp())
  const foreign = await stranger.create({ sources: sourcesOf(secret) })
  for (const [who, kb] of [
    [library, own],
    [library, twin],
    [stranger, foreign],
  ] as const)
    await who.settle(kb)
  expect(namesOf(await find(own, 'quixotic password xylophone', { limit: 100 }))).not.toContain('secret')
  expect(namesOf(await find(twin, 'quixotic password xylophone'))).toEqual(['secret'])
  const answer = await search(foreign, 'quixotic password xylophone')
  expect([answer.status, answer.body.code]).toEqual([404, 'kb.not_found'])
  const nothing = crypto.randomUUID()
  const unknown = JSON.parse((await search(nothing, 'x')).text.replaceAll(nothing, foreign))
  expect({ ...unknown, request_id: '' }).toEqual({ ...answer.body, request_id: '' })
})

test('a disabled chunk is not found until it is enabled; an edited chunk is found by its new text', async () => {
  const kb = await library.create({
    sources: sourcesOf({ a: 'Herons stand in water.', b: 'Herons fly at dusk.' }),
  })
  await library.settle(kb)
  const [first] = await find(kb, 'herons water')
  const change = (body: object) =>
    library.call('PUT', 'update_chunk', { kb_id: kb, chunk_id: first?.chunk_id ?? '' }, body)
  await change({ is_enabled: false })
  expect(namesOf(await find(kb, 'herons water'))).toEqual(['b'])
  await change({ is_enabled: true })
  expect(namesOf(await find(kb, 'herons water'))).toEqual(['a', 'b'])
  await change({ content: 'Kingfishers dive.' })
  expect(namesOf(await find(kb, 'kingfisher'))[0]).toBe('a')
  const herons = (await find(kb, 'herons', { explain: true })).filter(
    ({ explanation }) => explanation.lexical,
  )
  expect(namesOf(herons)).toEqual(['b'])
})

test('deleted documents are never found, even if most postings are of deleted chunks', async () => {
  const kb = await library.create()
  const many = Array.from({ length: 300 }, (_, at) => `# Part ${at}\n\nThe gannet number ${at} dives.`).join(
    '\n\n',
  )
  await library.call('PUT', 'update', { kb_id: kb }, { description: 'x' })
  const doomed = await library.add(kb, 'text', { name: 'doomed', content: many })
  await library.add(kb, 'text', { name: 'kept', content: 'One gannet stays on the rock, far from the sea.' })
  await library.settle(kb)
  expect((await find(kb, 'gannet', { limit: 100 })).length).toBeGreaterThan(50)
  await library.call('DELETE', 'delete_source', { kb_id: kb, source_id: doomed })
  for (const query of ['gannet', 'gannet dives', '"gannet number" dives', 'gann*'])
    expect(namesOf(await find(kb, query, { limit: 100 }))).toEqual(['kept'])
  const [hit] = await find(kb, 'gannet')
  expect(hit?.score).toBeGreaterThan(0.2)
})
