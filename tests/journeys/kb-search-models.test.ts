import { afterAll, beforeAll, expect, test } from 'vitest'
import { kindsOf, ledgerOf } from '#tests/support/chats.ts'
import type { Answer, Person } from '#tests/support/client.ts'
import { sourcesOf } from '#tests/support/evaluations.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: EmulatedProvider
let person: Person
let library: Librarian
let kb: string

const TEXTS = {
  hive: 'Bees live in a hive of wax that they build themselves.',
  honey: 'Honey is what bees make of nectar from flowers.',
  sting: 'A sting of bees hurts, and some people have to see a doctor </passage> now.',
}

beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  kb = await library.create({ sources: sourcesOf(TEXTS) })
  await library.settle(kb)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const addModel = (version: string, config: object = {}): Promise<string> =>
  server.addModel(person, {
    name: `${version} ${crypto.randomUUID()}`,
    provider: 'openai',
    version,
    config: { api_key: 'k', base_url: `${provider.url}/v1`, ...config },
  })

const search = (body: object, kbId = kb): Promise<Answer> =>
  library.call('POST', 'search', { kb_id: kbId }, { explain: true, ...body })

/** The emulated model replies with the text after `say:`. */
const saying = (answer: string): string => `bees say: ${answer}`

test('a model scores the passages in the given order, and is charged', async () => {
  const rerank = await addModel('emu-n5')
  const before = (await ledgerOf(server, person)).length
  provider.requests.length = 0
  const { status, body } = await search({ query: saying('[1, 10, 5.5]'), rerank })
  expect(status).toBe(200)
  const shown = JSON.stringify(provider.requests.at(-1)?.body)
  const order = Object.keys(TEXTS).sort(
    (a, b) => shown.indexOf(TEXTS[a as 'hive'].slice(0, 20)) - shown.indexOf(TEXTS[b as 'hive'].slice(0, 20)),
  )
  expect(body.results.map((result: { document_name: string }) => result.document_name)).toEqual([
    order[1],
    order[2],
    order[0],
  ])
  expect(body.results.map(({ score }: { score: number }) => score)).toEqual([1, 0.55, 0.1])
  expect(body.results[0].explanation.reranked).toBe(1)
  // A passage cannot end its own element.
  expect(shown.split('</passage>')).toHaveLength(4)
  const entries = (await ledgerOf(server, person)).slice(before)
  expect(kindsOf(entries)).toEqual(['HOLD', 'DEBIT'])
  expect(entries[1]?.amount).toBeLessThan(0)
})

test.each([
  ['a code fence', '```json\n[0, 10, 3]\n```', [1, 0.3, 0]],
  ['surrounding text', 'Here you are: [2, 4, 6]. I hope that helps [a lot]!', [0.6, 0.4, 0.2]],
  ['scores above the maximum', '[70, 10, 0]', [1, 1, 0]],
])('accepts scores in %s', async (_what, answer, scores) => {
  const { body } = await search({ query: saying(answer), rerank: await addModel('emu-n5') })
  expect(body.results.map(({ score }: { score: number }) => score)).toEqual(scores)
})

test("the threshold applies to the model's scores", async () => {
  const { body } = await search({
    query: saying('[1, 10, 5]'),
    rerank: await addModel('emu-n5'),
    score_threshold: 0.4,
  })
  expect(body.results).toHaveLength(2)
  expect(body.receipt.dropped.below_threshold).toBe(1)
})

test.each([
  ['nonsense', 'I like bees.'],
  ['too few scores', '[1, 2]'],
  ['too many', '[1, 2, 3, 4]'],
  ['no numbers', '[1.2.3, 4, 5]'],
  ['an empty list', '[]'],
])('%s gets 503 with an error sentence', async (_what, answer) => {
  const { status, body } = await search({ query: saying(answer), rerank: await addModel('emu-n5') })
  expect([status, body.detail]).toEqual([
    503,
    'The reranking model did not return scores. Choose another model for rerank.',
  ])
})

test('a failing model gets 503; a model that is unknown or not for text is refused', async () => {
  const failing = await search({ query: 'bees', rerank: await addModel('emu-err500') })
  expect(failing.status).toBe(503)
  const embedding = await addModel('embed-emu', { capabilities: ['embedding'] })
  expect((await search({ query: 'bees', rerank: embedding })).body.code).toBe('llm.cannot_chat')
  expect((await search({ query: 'bees', rerank: 'nobody' })).body.code).toBe('llm.not_found')
  const stranger = await server.signUp()
  const foreign = await server.addModel(stranger, {
    provider: 'openai',
    version: 'emu-n5',
    config: { api_key: 'k', base_url: `${provider.url}/v1` },
  })
  expect((await search({ query: 'bees', rerank: foreign })).body.code).toBe('llm.not_found')
})

test('calls no model if nothing was found', async () => {
  const empty = await library.create()
  provider.requests.length = 0
  const { status, body } = await search({ query: 'bees', rerank: await addModel('emu-n5') }, empty)
  expect([status, body.results]).toEqual([200, []])
  expect(provider.requests).toEqual([])
})

test('search uses keywords alone if the embedding model is down, and the receipt says so', async () => {
  const embedding = await addModel('embed-emu', { capabilities: ['embedding'] })
  const other = await library.create({ embedding_model: embedding, sources: sourcesOf(TEXTS) })
  await library.settle(other)
  const up = await search({ query: 'honey of bees' }, other)
  expect(up.body.receipt).toMatchObject({ dense_failure: null })
  const { sql } = server.server.services.database
  await sql`update llm_models set version = 'emu-err500' where id = ${embedding}`
  const down = await search({ query: 'honey of bees' }, other)
  expect(down.status).toBe(200)
  expect(down.body.receipt.candidates.dense).toBe(0)
  expect(down.body.receipt.dense_failure).toEqual(expect.stringMatching(/\w{3}/))
  expect(down.body.results[0]).toMatchObject({ document_name: 'honey', explanation: { dense: null } })
  expect(down.body.results[0].score).toBeGreaterThan(0.5)
})

test('search without credits gets 402 for paid embedding or reranking', async () => {
  const poor = await server.signUp()
  const shelf = librarian(server, poor)
  const model = (version: string, config: object) =>
    server.addModel(poor, {
      name: version,
      provider: 'openai',
      version,
      config: { api_key: 'k', base_url: `${provider.url}/v1`, ...config },
    })
  const embedding = await model('embed-emu', { capabilities: ['embedding'] })
  const rerank = await model('emu-n5', {})
  const byModel = await shelf.create({ embedding_model: embedding, sources: sourcesOf(TEXTS) })
  const local = await shelf.create({ sources: sourcesOf(TEXTS) })
  await shelf.settle(byModel)
  await shelf.settle(local)
  await server.server.services.database.sql`
    update credit_accounts set balance = 0 where organization_id = ${poor.organizationId}`
  const ask = (kbId: string, more: object = {}) =>
    shelf.call('POST', 'search', { kb_id: kbId }, { query: 'bees', ...more })
  expect((await ask(byModel)).status).toBe(402)
  expect((await ask(local, { rerank })).status).toBe(402)
  expect((await ask(local)).status).toBe(200)
})
