import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Fields of the compatible APIs that Parley does not know or that only some providers know, and several choices. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  for (const [name, providerName, version] of [
    ['gpt', 'openai', 'gpt-5-emu-n2'],
    ['claude', 'anthropic', 'claude-opus-4-6-emu-n2'],
    ['vllm', 'openai-compatible', 'emu-n2'],
    ['failing', 'openai-compatible', 'emu-n8-err429'],
    ['breaking', 'openai-compatible', 'emu-n8-errmid'],
  ] as const)
    await server.addModel(person, { name, provider: providerName, version, config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const messages = [{ role: 'user', content: 'Hi' }]
const WIRES: Record<string, [path: string, body: object]> = {
  chat: ['/openai/v1/chat/completions', { messages }],
  completions: ['/openai/v1/completions', { prompt: 'Hi' }],
  responses: ['/openai/v1/responses', { input: 'Hi', store: false }],
  anthropic: ['/anthropic/v1/messages', { messages, max_tokens: 9 }],
}
const ask = (wire: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const [path, usual] = WIRES[wire] as [string, object]
  return server.call('POST', path, { token: person.token, body: { ...usual, ...body }, headers })
}
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown>

const LOCAL = { chat_template_kwargs: { enable_thinking: false }, repetition_penalty: 1.1 }
const HINTS = { user: 'u', safety_identifier: 's', prompt_cache_key: 'p', service_tier: 'flex' }

describe.each(['chat', 'completions', 'responses', 'anthropic'])('unknown fields of %s', (wire) => {
  test.each([true, false])(
    'reach servers that know them, and are listed otherwise, with stream: %s',
    async (stream) => {
      const known = await ask(wire, { model: 'vllm', stream, ...LOCAL, vendor_field: [1], models: ['dear'] })
      expect([known.status, known.headers.get('x-ignored-parameters')]).toEqual([200, 'vendor_field, models'])
      expect(sent()).toMatchObject(LOCAL)
      expect(sent()).not.toHaveProperty('vendor_field')
      expect(sent()).not.toHaveProperty('models')

      const unknown = await ask(wire, { model: 'claude', stream, ...LOCAL, empty: null })
      expect([unknown.status, unknown.headers.get('x-ignored-parameters')]).toEqual([
        200,
        'chat_template_kwargs, repetition_penalty',
      ])
      expect(sent()).not.toHaveProperty('chat_template_kwargs')
    },
  )

  test('have names that a header can list', async () => {
    const odd = { 'a\r\nb': 1, é: 1, ['x'.repeat(65)]: 1, 'a.b': 1 }
    const { status, headers } = await ask(wire, { model: 'vllm', ...odd })
    expect([status, headers.get('x-ignored-parameters')]).toEqual([200, 'a.b'])
  })
})

test('hints reach OpenAI, and are listed otherwise', async () => {
  const known = await ask('chat', { model: 'gpt', ...HINTS, verbosity: 'low', reasoning_effort: 'high' })
  expect([known.status, known.headers.get('x-ignored-parameters')]).toEqual([200, null])
  expect(sent()).toMatchObject({ ...HINTS, verbosity: 'low', reasoning_effort: 'high' })
  const unknown = await ask('chat', { model: 'vllm', ...HINTS, metadata: { team: 'a' } })
  expect(unknown.headers.get('x-ignored-parameters')).toBe(
    'safety_identifier, prompt_cache_key, service_tier, metadata',
  )
})

describe('several choices', () => {
  const debits = async (): Promise<number> => {
    const { sql } = server.server.services.database
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ledger_entries
      where organization_id = ${person.organizationId} and kind = 'DEBIT'`
    return row?.count ?? 0
  }

  test('are one call each, and their usage is summed', async () => {
    const one = await ask('chat', { model: 'vllm' })
    const before = await debits()
    const { status, body } = await ask(
      'chat',
      { model: 'vllm', n: 3 },
      { 'idempotency-key': 'three-choices' },
    )
    expect(status).toBe(200)
    const { message } = one.body.choices[0]
    expect(body.choices).toMatchObject([0, 1, 2].map((index) => ({ index, message, finish_reason: 'stop' })))
    for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
      expect(body.usage[field]).toBe(one.body.usage[field] * 3)
    expect(await debits()).toBe(before + 3)
  })

  test('are streamed with their index, one usage and one end', async () => {
    const one = await ask('chat', { model: 'vllm' })
    const { text } = await ask('chat', {
      model: 'vllm',
      n: 2,
      stream: true,
      stream_options: { include_usage: true },
    })
    const lines = text.split('\n').filter((line) => line.startsWith('data: '))
    expect(lines.filter((line) => line === 'data: [DONE]')).toHaveLength(1)
    expect(lines.at(-1)).toBe('data: [DONE]')
    type Chunk = {
      id: string
      choices: { index: number; delta: { content?: string }; finish_reason: string | null }[]
      usage: { total_tokens: number } | null
    }
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as Chunk)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    for (const index of [0, 1]) {
      const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
      const content = own.map(({ delta }) => delta.content ?? '').join('')
      expect(content).toBe(one.body.choices[0].message.content)
      expect(own.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1)
    }
    expect(chunks.at(-1)?.usage?.total_tokens).toBe(one.body.usage.total_tokens * 2)
  })

  test.each([true, false])('have the status of a refusal, with stream: %s', async (stream) => {
    const { status, body } = await ask('chat', { model: 'failing', n: 4, stream })
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded'])
  })

  test('end with one error if one of them breaks', async () => {
    const { text } = await ask('chat', { model: 'breaking', n: 2, stream: true })
    const events = parseEvents(text)
    expect(events.filter(({ data }) => 'error' in (data as object))).toHaveLength(1)
    expect(events.at(-1)?.data).toHaveProperty('error')
    expect((await ask('chat', { model: 'breaking', n: 2 })).status).toBe(503)
  })

  test.each([0, 9, 1.5, '2'])('are at most 8: %j', async (n) => {
    const { status, body } = await ask('chat', { model: 'vllm', n })
    expect([status, body.error.param]).toEqual([400, 'n'])
  })

  test.each(['completions', 'responses'])('are refused by %s', async (wire) => {
    const { status, body } = await ask(wire, { model: 'vllm', n: 2 })
    expect([status, body.error.param]).toEqual([400, 'n'])
  })
})

test.each([
  [
    '/openai/v1/chat/completions',
    { messages, stop: ['a', 'b', 'c', 'd', 'e'] },
    'stop',
    /stop must have at most 4/,
  ],
  ['/openai/v1/embeddings', { input: ['a', ''] }, 'input.1', /input\.1 must not be empty/],
  ['/openai/v1/embeddings', { input: '' }, 'input', /input must not be empty/],
  [
    '/openai/v1/responses',
    { input: [{ role: 'user', content: 5 }] },
    'input.0.content',
    /a string or an array/,
  ],
  [
    '/anthropic/v1/messages',
    { max_tokens: 1, messages: [{ role: 'user', content: [{ type: 5 }] }] },
    null,
    /type/,
  ],
])('%s with %j speaks of the shape that was sent', async (path, body, param, message) => {
  const answer = await server.call('POST', path, { token: person.token, body: { model: 'vllm', ...body } })
  expect(answer.status).toBe(400)
  if (param !== null) expect(answer.body.error.param).toBe(param)
  expect(answer.body.error.message).toMatch(message)
})
