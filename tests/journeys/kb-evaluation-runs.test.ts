import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { type Evaluator, evaluator, sourcesOf } from '#tests/support/evaluations.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let provider: EmulatedProvider
let person: Person
let library: Librarian
let kb: string
let exam: Evaluator

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  const texts = { Hours: 'The shop opens at nine.', Refunds: 'Money is given back for a receipt.' }
  kb = await library.create({ sources: sourcesOf(texts) })
  await library.settle(kb)
  exam = evaluator(library, kb)
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

test("a run with a provider's embedding model is charged like searches, and fails without credits", async () => {
  const payer = await server.signUp()
  const shelf = librarian(server, payer)
  const model = (version: string) =>
    server.addModel(payer, {
      name: version,
      provider: 'openai',
      version,
      config: { api_key: 'k', base_url: `${provider.url}/v1`, capabilities: ['embedding'] },
    })
  const embedding = await model('embed-emu')
  const kbId = await shelf.create({
    embedding_model: embedding,
    sources: sourcesOf({ Hours: 'We open at nine' }),
  })
  await shelf.settle(kbId)
  const payersExam = evaluator(shelf, kbId)
  const { body: evaluation } = await payersExam.create([
    { question: 'open', document_names: ['Hours'] },
    { question: 'nine', document_names: ['Hours'] },
  ])
  const entries = async (): Promise<number> =>
    (
      await server.call('GET', `/api/billing/ledger?org_id=${payer.organizationId}&limit=100`, {
        token: payer.token,
      })
    ).body.data.filter((entry: { kind: string }) => entry.kind === 'DEBIT').length
  const before = await entries()
  const paid = await payersExam.measure(evaluation.id)
  expect(paid).toMatchObject({ status: 'complete', metrics: { mrr: 1 } })
  expect((await entries()) - before).toBe(2)
  const { sql } = server.server.services.database
  await sql`update credit_accounts set balance = 0 where organization_id = ${payer.organizationId}`
  const poor = await payersExam.measure(evaluation.id)
  expect(poor).toMatchObject({
    status: 'failed',
    error: 'Insufficient credits to use this model.',
    metrics: null,
  })
  expect(poor.finished_at).not.toBeNull()
})

test('a run whose embedding model fails uses keywords alone, and its metrics say so', async () => {
  const { sql } = server.server.services.database
  const model = await server.addModel(person, {
    name: 'to break',
    provider: 'openai',
    version: 'embed-emu',
    config: { api_key: 'k', base_url: `${provider.url}/v1`, capabilities: ['embedding'] },
  })
  const broken = await library.create({
    embedding_model: model,
    sources: sourcesOf({ Hours: 'We open at nine' }),
  })
  await library.settle(broken)
  await sql`update llm_models set version = 'emu-err500' where id = ${model}`
  const { body: evaluation } = await evaluator(library, broken).create([
    { question: 'open', document_names: ['Hours'] },
  ])
  const body = await evaluator(library, broken).measure(evaluation.id)
  expect(body).toMatchObject({ status: 'complete', metrics: { mrr: 1, questions_without_vectors: 1 } })
  expect(body.results[0].dense_failure).toEqual(expect.stringMatching(/./))
})

test('a question fails if the rerank model returns no scores; a run fails if all its questions fail', async () => {
  const model = await server.addModel(person, {
    name: 'reranker',
    provider: 'openai',
    version: 'emu-n5',
    config: { api_key: 'k', base_url: `${provider.url}/v1` },
  })
  const { body: evaluation } = await exam.create(
    Array.from({ length: 3 }, () => ({ question: 'shop', document_names: ['Hours'] })),
  )
  const body = await exam.measure(evaluation.id, { rerank: model })
  const reason = 'The reranking model did not return scores. Choose another model for rerank.'
  expect(body).toMatchObject({ status: 'failed', error: reason, settings: { rerank: model } })
  expect(body.results.map(({ error }: { error: string }) => error)).toEqual([reason, reason, reason])
})

test('another process continues the work of a dead one where it stopped', async () => {
  const { sql } = server.server.services.database
  const { body: evaluation } = await exam.create([
    { question: 'When does the shop open?', document_names: ['Hours'] },
    { question: 'receipt', document_names: ['Refunds'] },
  ])
  const left = await exam.measure(evaluation.id)
  // The state after a process has died in its second turn. The knowledge base has changed since the run started.
  const mark = 'as it was found before'
  await sql`
    update kb_evaluation_runs set status = 'processing', claimed_by = ${crypto.randomUUID()}, metrics = null,
      settings = jsonb_set(settings, '{index_version}', '0'),
      results = jsonb_build_array(jsonb_set(results -> 0, '{question}', ${JSON.stringify(mark)}::text::jsonb))
    where id = ${left.id}`
  const { body } = await exam.ended(left.id)
  expect(body).toMatchObject({
    status: 'complete',
    settings: { index_version: 0 },
    metrics: { mrr: left.metrics.mrr, questions: 2, index_version_at_end: left.settings.index_version },
  })
  expect(body.results.map(({ question }: { question: string }) => question)).toEqual([mark, 'receipt'])
})

test('another process continues the work of a stopped one without repeating a question', async () => {
  const database = await createDatabase()
  // The embedded database supports only one process.
  if (database === null) return
  const environment = { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }
  const first = await startTestServer(environment)
  const owner = await first.signUp()
  const shelf = librarian(first, owner)
  const kbId = await shelf.create({ sources: sourcesOf({ a: 'A shop.', b: 'A shop of bread.' }) })
  await shelf.settle(kbId)
  const rerank = await first.addModel(owner, {
    provider: 'openai',
    version: 'emu-n5-ttft200',
    config: { api_key: 'k', base_url: `${provider.url}/v1` },
  })
  const { body: evaluation } = await evaluator(shelf, kbId).create(
    Array.from({ length: 12 }, () => ({ question: 'shop say: [1, 2]', document_names: ['a'] })),
  )
  provider.requests.length = 0
  const { body: started } = await evaluator(shelf, kbId).run(evaluation.id, { rerank })
  await expect.poll(() => provider.requests.length).toBeGreaterThan(2)
  const [second] = await Promise.all([startTestServer(environment), first.stop()])
  expect(provider.requests.length).toBeLessThan(12)
  const goneOn = evaluator(librarian(second, owner), kbId)
  expect((await goneOn.ended(started.id)).body).toMatchObject({
    status: 'complete',
    metrics: { questions: 12 },
  })
  expect(provider.requests).toHaveLength(12)
  await second.stop()
  await database.drop()
})

test('a run ends with its evaluation, and the number of pending runs is limited', async () => {
  const model = await server.addModel(person, {
    name: 'slow',
    provider: 'openai',
    version: 'emu-n5-ttft400',
    config: { api_key: 'k', base_url: `${provider.url}/v1` },
  })
  const { body: evaluation } = await exam.create(
    Array.from({ length: 1_000 }, () => ({ question: 'shop', document_names: ['Hours'] })),
  )
  const runs = []
  for (let at = 0; at < 5; at++) runs.push((await exam.run(evaluation.id, { rerank: model })).body.id)
  const refused = await exam.run(evaluation.id)
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    'An evaluation can have at most 5 runs in progress. Wait until one is complete.',
  ])
  await library.call('DELETE', 'evaluations/delete', { kb_id: kb, evaluation_id: evaluation.id })
  // The next run, of another evaluation, gets the slot.
  const { body: other } = await exam.create([{ question: 'shop', document_names: ['Hours'] }])
  expect((await exam.ended((await exam.run(other.id)).body.id)).body.status).toBe('complete')
})

test('deleting a knowledge base deletes its evaluations', async () => {
  const other = await library.create()
  const { body: evaluation } = await evaluator(library, other).create([
    { question: 'a', document_names: ['b'] },
  ])
  const { body: started } = await evaluator(library, other).run(evaluation.id)
  await library.call('DELETE', 'delete', { kb_id: other })
  const { status } = await library.call('GET', 'evaluations/get_run', { kb_id: other, run_id: started.id })
  expect(status).toBe(404)
  const rows = await server.server.services.database
    .sql`select from kb_evaluation_runs where id = ${started.id}`
  expect(rows).toEqual([])
})
