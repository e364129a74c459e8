import { afterAll, beforeAll, expect, test } from 'vitest'
import { NAMES } from '#platform/telemetry/names.ts'
import { agentKeeper } from '#tests/support/agents.ts'
import { type Collector, type ReceivedSpan, startCollector } from '#tests/support/collector.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** The trace of a message contains every step and none of its text. */

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER_SPAN = '00f067aa0ba902b7'
const CANARY = 'canarybird'
const ADD = `export function add({ text }) { return { sum: "${CANARY}-tool " + text } }`

let collector: Collector
let provider: EmulatedProvider
let server: TestServer

beforeAll(async () => {
  collector = await startCollector()
  provider = await startProvider()
  server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
  await collector.close()
})

const named = (name: string | RegExp, spans: ReceivedSpan[]): ReceivedSpan[] =>
  spans.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)))

test('a message with a knowledge base and a tool is one trace, from caller to provider, without its text', async () => {
  const keeper = await agentKeeper(server)
  const { person } = keeper
  const library = librarian(server, person)
  const embedder = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-vectors',
    config: { base_url: `${provider.url}/v1`, api_key: `${CANARY}-key`, capabilities: ['embedding'] },
  })
  const kbId = await library.create({
    embedding_model: embedder,
    sources: [textSource('Sums', `# Sums\n\n${CANARY}-passage: one and two are three.`)],
  })
  expect(await library.settle(kbId)).toMatchObject({ status: 'ready' })
  const modelId = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-traced',
    config: {
      base_url: `${provider.url}/v1`,
      api_key: `${CANARY}-key`,
      capabilities: ['text', 'tools'],
    },
  })
  const agentId = await keeper.make({
    model_id: modelId,
    params: { system_prompt: `${CANARY}-prompt` },
    tools: [{ tool_id: await toolsmith(server, person).make({ function: 'add', code: ADD }) }],
  })
  const { messageId } = await server.say(
    person,
    { agent_id: agentId },
    {
      content: `TOOL:add={"text":"${CANARY}-input"} THEN say: ${CANARY}-answer.`,
      knowledge_base_ids: [kbId],
    },
    { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01`, tracestate: 'vendor=1' },
  )
  await server.call('GET', `/v1/chat/list?org_id=${person.organizationId}&${CANARY}=query`, {
    token: person.token,
  })
  await server.call('GET', `/${CANARY}-path`)
  // The last model call: the chat's title is written after the reply.
  await expect.poll(() => named('chat emu-traced', collector.spans)).toHaveLength(3)
  await expect.poll(() => named('POST /api/chat/send_message', collector.spans)).toHaveLength(1)

  const trace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID)
  const [request] = named('POST /api/chat/send_message', trace)
  expect(request).toMatchObject({
    parentSpanId: CALLER_SPAN,
    kind: 2,
    hasFailed: false,
    attributes: {
      [NAMES.method]: 'POST',
      [NAMES.route]: '/api/chat/send_message',
      [NAMES.path]: '/api/chat/send_message',
      [NAMES.statusCode]: 200,
      [NAMES.requestId]: expect.stringMatching(/^[\da-f-]{36}$/),
    },
  })
  const [handler] = named('/api/chat/send_message', trace)
  expect(handler).toMatchObject({
    parentSpanId: request?.spanId,
    kind: 1,
    attributes: { [NAMES.part]: 'chat' },
  })

  const calls = named('chat emu-traced', trace).sort((one, other) => one.startedAt - other.startedAt)
  for (const call of calls) {
    expect(call).toMatchObject({ parentSpanId: handler?.spanId, kind: 3, hasFailed: false })
    expect(call.attributes).toMatchObject({
      [NAMES.operation]: 'chat',
      [NAMES.provider]: 'openai-compatible',
      [NAMES.requestModel]: 'emu-traced',
      [NAMES.serverAddress]: '127.0.0.1',
      [NAMES.serverPort]: provider.port,
      [NAMES.inputTokens]: expect.any(Number),
      [NAMES.outputTokens]: expect.any(Number),
      [NAMES.firstToken]: expect.any(Number),
    })
  }
  const reasons = calls.map(({ attributes }) => attributes[NAMES.finishReasons])
  expect(reasons).toEqual([['tool_calls'], ['stop'], ['stop']])

  expect(named('execute_tool add', trace)).toMatchObject([
    {
      parentSpanId: handler?.spanId,
      attributes: { [NAMES.operation]: 'execute_tool', [NAMES.toolName]: 'add' },
    },
  ])
  const [retrieval] = named('retrieval', trace)
  expect(retrieval).toMatchObject({
    parentSpanId: handler?.spanId,
    attributes: { [NAMES.operation]: 'retrieval', [NAMES.knowledgeBases]: [kbId], [NAMES.passages]: 1 },
  })
  expect(named('embeddings emu-vectors', trace)).toMatchObject([
    { parentSpanId: retrieval?.spanId, kind: 3, attributes: { [NAMES.operation]: 'embeddings' } },
  ])

  const statements = trace.filter(({ attributes }) => attributes[NAMES.databaseSystem] === 'postgresql')
  const under = (parent: ReceivedSpan | undefined) =>
    statements.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name)
  expect(under(request)).not.toEqual([]) // authentication and authorization
  expect(under(handler)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^SELECT (?!json)\w+$/), 'UPDATE credit_accounts']),
  )
  expect(under(retrieval).length).toBeGreaterThan(2)
  // The statements that store the end of the reply, long after its handler has returned.
  const stored = statements.filter(
    ({ startedAt }) => startedAt > (calls[1]?.endedAt ?? Number.POSITIVE_INFINITY),
  )
  expect(stored.map(({ parentSpanId }) => parentSpanId)).toContain(handler?.spanId)
  for (const { attributes } of statements)
    expect(String(attributes[NAMES.statement]).length).toBeLessThanOrEqual(500)

  const everySpan = new Set(trace.map(({ spanId }) => spanId).concat(CALLER_SPAN))
  expect(trace.filter(({ parentSpanId }) => !everySpan.has(String(parentSpanId)))).toEqual([])
  expect(named(/^job /, collector.spans)).not.toEqual([])
  expect(named('GET /api/chat/list', collector.spans)).toMatchObject([
    { attributes: { [NAMES.path]: '/v1/chat/list' } },
  ])

  expect(collector.text()).not.toContain(CANARY)
  for (const secret of [
    person.token,
    person.refreshToken,
    person.email,
    person.password,
    messageId,
    'administrator',
  ])
    expect(collector.text()).not.toContain(secret)
})

test('a statement shared by several requests is in each of their traces', async () => {
  const person = await server.signUp()
  const ids = Array.from({ length: 12 }, (_, index) => `${index + 1}`.padStart(32, '0'))
  await Promise.all(
    ids.map((traceId) =>
      server.call('GET', `/api/chat/list?org_id=${person.organizationId}`, {
        token: person.token,
        headers: { traceparent: `00-${traceId}-${CALLER_SPAN}-01` },
      }),
    ),
  )
  const requests = () => collector.spans.filter(({ kind, traceId }) => kind === 2 && ids.includes(traceId))
  await expect.poll(requests).toHaveLength(ids.length)
  const shared = collector.spans.filter(({ attributes }) => Number(attributes[NAMES.batchSize]) > 1)
  expect(shared.length).toBeGreaterThan(1)
  for (const traceId of ids) {
    const trace = collector.spans.filter((span) => span.traceId === traceId)
    const request = trace.find(({ kind }) => kind === 2)
    const access = trace.filter(({ parentSpanId, kind }) => parentSpanId === request?.spanId && kind === 3)
    expect(access).toHaveLength(1)
  }
})

test('an unsampled traceparent records nothing, and an invalid one starts a new trace', async () => {
  const unsampled = 'f'.repeat(32)
  await server.call('GET', '/openapi.json', { headers: { traceparent: `00-${unsampled}-${CALLER_SPAN}-00` } })
  const before = collector.spans.length
  await server.call('GET', '/openapi.json', { headers: { traceparent: `00-${CANARY}-${CALLER_SPAN}-01` } })
  await expect.poll(() => named('GET /openapi.json', collector.spans)).toHaveLength(1)
  expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([])
  expect(named('GET /openapi.json', collector.spans.slice(before))).toMatchObject([
    { parentSpanId: undefined },
  ])
  expect(collector.text()).not.toContain(CANARY)
})

test('an unavailable collector does not affect requests', async () => {
  const alone = await startTestServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await findFreePort()}`,
  })
  const person = await alone.signUp()
  const modelId = await alone.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu',
    config: { base_url: `${provider.url}/v1` },
  })
  const { text } = await alone.say(person, { model_id: modelId }, { content: 'say: Still here.' })
  expect(text).not.toBe('')
  await alone.stop()
})
