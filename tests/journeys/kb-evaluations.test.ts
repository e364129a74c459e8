import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Evaluator, evaluator, idsOf, sourcesOf } from '#tests/support/evaluations.ts'
import { type Librarian, librarian } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

let server: TestServer
let library: Librarian
let kb: string
let exam: Evaluator
/** Ids of documents by name. */
let ids: Record<string, string>

const TEXTS: Record<string, string> = {
  Hours: 'The shop opens at nine in the morning and closes at six.',
  Parking: 'Cars may be left behind the shop, bicycles in front of it.',
  Refunds: 'Money is given back within thirty days when the receipt is shown.',
  Long: Array.from({ length: 30 }, (_, at) => `# Part ${at}\n\nZebra number ${at} ate grass at dawn.`).join(
    '\n\n',
  ),
}

beforeAll(async () => {
  server = await sharedTestServer()
  library = librarian(server, await server.signUp())
  kb = await library.create({ sources: sourcesOf(TEXTS), chunking: { max_tokens: 32, overlap_tokens: 0 } })
  await library.settle(kb)
  exam = evaluator(library, kb)
  ids = await idsOf(library, kb)
})
afterAll(() => server.stop())

test('a run searches each question and measures the results', async () => {
  const made = await exam.create([
    { question: 'When does the shop open?', document_names: ['Hours'] },
    { question: 'How do I get my money back?', document_ids: [ids['Refunds']] },
    { question: 'Where are bicycles left?', document_names: ['Parking', 'Was never there'] },
    { question: 'receipt', document_names: ['Hours'] },
  ])
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ kb_id: kb, name: 'What is asked', question_count: 4 })
  const started = await exam.run(made.body.id, { limit: 1 })
  expect(started.status).toBe(201)
  expect(started.body).toMatchObject({ status: 'pending', metrics: null, evaluation_id: made.body.id })
  const { body } = await exam.ended(started.body.id)
  expect(body).toMatchObject({
    status: 'complete',
    error: null,
    settings: {
      limit: 1,
      score_threshold: 0,
      filter: null,
      rerank: null,
      embedding_model: 'local',
      chunking: { max_tokens: 32, overlap_tokens: 0 },
    },
    total: 4,
  })
  expect(body.settings.chunks).toBeGreaterThan(30)
  expect(body.results.map((result: { first_rank: number }) => result.first_rank)).toEqual([1, 1, 1, null])
  expect(body.results.map((result: { recall_at_k: number }) => result.recall_at_k)).toEqual([1, 1, 0.5, 0])
  expect(body.results[2]).toMatchObject({
    question: 'Where are bicycles left?',
    missing: ['Was never there'],
    found: [{ document_id: ids['Parking'], document_name: 'Parking' }],
    error: null,
  })
  // The nDCG of a question with two relevant documents of which only the first is found: 1 / (1 + 1 / log2 3).
  const half = 1 / (1 + 1 / Math.log2(3))
  expect(body.metrics).toMatchObject({ questions: 4, failed_questions: 0, questions_without_vectors: 0 })
  expect(body.metrics.recall_at_k).toBeCloseTo((1 + 1 + 0.5) / 4, 10)
  expect(body.metrics.ndcg_at_10).toBeCloseTo((1 + 1 + half) / 4, 10)
  expect(body.metrics.mrr).toBeCloseTo(0.75, 10)
  expect(body.metrics.milliseconds_p95).toBeGreaterThanOrEqual(body.metrics.milliseconds_p50)
})

test('a document counts once, at its best chunk, and limit counts documents', async () => {
  const made = await exam.create([
    { question: 'grass zebra shop receipt', document_names: Object.keys(TEXTS) },
  ])
  const body = await exam.measure(made.body.id, { limit: 4 })
  const [{ found, recall_at_k: recall }] = body.results
  expect(recall).toBe(1)
  expect(found.map((one: { document_name: string }) => one.document_name).sort()).toEqual(
    Object.keys(TEXTS).sort(),
  )
  const search = await library.call(
    'POST',
    'search',
    { kb_id: kb },
    { query: 'grass zebra shop receipt', limit: 100 },
  )
  const best = Math.max(
    ...search.body.results
      .filter((one: { document_name: string }) => one.document_name === 'Long')
      .map((one: { score: number }) => one.score),
  )
  const long = found.find((one: { document_name: string }) => one.document_name === 'Long')
  expect(long.score).toBeCloseTo(best, 3)
})

test('settings affect the metrics, and runs are listed for comparison', async () => {
  const { body: evaluation } = await exam.create([
    { question: 'When does the shop open?', document_names: ['Hours'] },
  ])
  const all = { body: await exam.measure(evaluation.id) }
  const filtered = { body: await exam.measure(evaluation.id, { filter: { name: 'Parking' } }) }
  const strict = { body: await exam.measure(evaluation.id, { score_threshold: 1 }) }
  expect([all, filtered, strict].map(({ body }) => body.metrics.mrr)).toEqual([1, 0, 0])
  expect(strict.body.results[0].found).toEqual([])
  const first = await library.call('GET', 'evaluations/list_runs', {
    kb_id: kb,
    evaluation_id: evaluation.id,
    limit: '2',
  })
  expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual([strict.body.id, filtered.body.id])
  expect(first.body.data[1]).toMatchObject({
    settings: { filter: { name: 'Parking' }, limit: 10 },
    metrics: { mrr: 0 },
  })
  expect(first.body.data[0]).not.toHaveProperty('results')
  const second = await library.call('GET', 'evaluations/list_runs', {
    kb_id: kb,
    evaluation_id: evaluation.id,
    cursor: first.body.pagination.next_cursor,
  })
  expect(second.body).toMatchObject({ data: [{ id: all.body.id }], pagination: { has_more: false } })
})

test('evaluations are listed, returned with their questions, and deleted with their runs', async () => {
  const questions = [{ question: 'Q?', document_ids: [ids['Hours']], document_names: ['Parking'] }]
  const { body: evaluation } = await exam.create(questions)
  const { body: started } = await exam.run(evaluation.id)
  const listed = await library.call('GET', 'evaluations/list', { kb_id: kb, limit: '1' })
  expect(listed.body).toMatchObject({
    data: [{ id: evaluation.id, question_count: 1 }],
    pagination: { has_more: true },
  })
  const of = { kb_id: kb, evaluation_id: evaluation.id }
  const shown = await library.call('GET', 'evaluations/get', of)
  expect(shown.body).toMatchObject({ ...evaluation, questions })
  const deleted = await library.call('DELETE', 'evaluations/delete', of)
  expect(deleted.body).toEqual({ message: 'Evaluation deleted' })
  expect((await library.call('GET', 'evaluations/get', of)).body.code).toBe('kb.evaluation_not_found')
  expect((await library.call('GET', 'evaluations/list_runs', of)).status).toBe(404)
  expect((await library.call('DELETE', 'evaluations/delete', of)).status).toBe(404)
  expect((await exam.run(evaluation.id)).body.code).toBe('kb.evaluation_not_found')
  expect((await exam.ended(started.id)).body.code).toBe('kb.run_not_found')
})

test('document names still match after the documents are ingested again', async () => {
  const other = await library.create({ sources: sourcesOf({ Hours: TEXTS['Hours'] as string }) })
  await library.settle(other)
  const { body: evaluation } = await evaluator(library, other).create([
    { question: 'open', document_names: ['Hours'] },
  ])
  const before = await evaluator(library, other).measure(evaluation.id)
  expect(before.metrics.mrr).toBe(1)
  const [document] = Object.values(await idsOf(library, other))
  await library.call('DELETE', 'delete_document', { kb_id: other, document_id: document ?? '' })
  const gone = await evaluator(library, other).measure(evaluation.id)
  expect(gone).toMatchObject({ metrics: { mrr: 0, recall_at_k: 0 }, results: [{ missing: ['Hours'] }] })
  await library.add(other, 'text', { name: 'Hours', content: TEXTS['Hours'] })
  await library.settle(other)
  const again = await evaluator(library, other).measure(evaluation.id)
  expect(again).toMatchObject({ metrics: { mrr: 1 }, results: [{ missing: [] }] })
  expect(again.settings.index_version).toBeGreaterThan(before.settings.index_version)
})

test.each([
  ['no questions', [], /^questions must have at least 1 item/],
  ['an empty question', [{ question: ' ', document_names: ['a'] }], /^questions\.0\.question /],
  [
    'no answer',
    [{ question: 'a', document_names: ['b'] }, { question: 'c' }],
    /^questions\.1 must have document_ids or document_names\.$/,
  ],
  ['an empty list of answers', [{ question: 'a', document_ids: [] }], /^questions\.0\.document_ids /],
  [
    'an invalid id',
    [{ question: 'a', document_ids: ['b'] }],
    /^questions\.0\.document_ids\.0 must be a UUID/,
  ],
  [
    'too many questions',
    Array.from({ length: 1_001 }, () => ({ question: 'a', document_names: ['b'] })),
    /^questions must have at most 1000 items/,
  ],
  ['a long question', [{ question: 'a'.repeat(2_001), document_names: ['b'] }], /2000 characters/],
])('%s gets 400', async (_what, questions, detail) => {
  const answer = await exam.create(questions)
  expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(detail)])
})

test('unknown documents and those of other knowledge bases are named in the error', async () => {
  const other = await library.create({ sources: sourcesOf({ Other: 'Something else' }) })
  await library.settle(other)
  const [foreign = ''] = Object.values(await idsOf(library, other))
  const unknown = crypto.randomUUID()
  const answer = await exam.create([
    { question: 'a', document_ids: [ids['Hours'], foreign] },
    { question: 'b', document_ids: [unknown] },
  ])
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    `These documents are not in this knowledge base: ${foreign}, ${unknown}. Check their IDs.`,
  ])
  const many = Array.from({ length: 12 }, () => crypto.randomUUID())
  expect((await exam.create([{ question: 'a', document_ids: many }])).body.detail).toMatch(
    /, and 2 more\. Check their IDs\.$/,
  )
})

test('evaluations and runs are accessible only through their own knowledge base', async () => {
  const other = await library.create()
  const { body: evaluation } = await exam.create([{ question: 'a', document_names: ['b'] }])
  const { body: started } = await exam.run(evaluation.id)
  const of = { kb_id: other, evaluation_id: evaluation.id }
  for (const [method, path] of [
    ['GET', 'evaluations/get'],
    ['GET', 'evaluations/list_runs'],
    ['DELETE', 'evaluations/delete'],
  ] as const)
    expect((await library.call(method, path, of)).body.code).toBe('kb.evaluation_not_found')
  expect((await evaluator(library, other).run(evaluation.id)).body.code).toBe('kb.evaluation_not_found')
  const shown = await library.call('GET', 'evaluations/get_run', { kb_id: other, run_id: started.id })
  expect(shown.body.code).toBe('kb.run_not_found')
})

test('invalid search settings are refused before a run is created', async () => {
  const { body: evaluation } = await exam.create([{ question: 'a', document_names: ['b'] }])
  expect((await exam.run(evaluation.id, { filter: { a: {} } })).body.detail).toBe(
    'filter.a has no condition. Use in, gt, gte, lt, lte or exists.',
  )
  expect((await exam.run(evaluation.id, { rerank: 'nobody' })).status).toBe(404)
  expect((await exam.run(evaluation.id, { limit: 101 })).status).toBe(400)
  expect((await exam.run(evaluation.id, { limt: 10 })).status).toBe(400)
})
