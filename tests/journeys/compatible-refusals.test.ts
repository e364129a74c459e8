import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { event, type ScriptedServer, startScripted } from '#tests/support/provider/scripted.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Refusals of providers, as clients of OpenAI and Anthropic see them. */

let server: TestServer
let provider: ScriptedServer
let person: Person
beforeAll(async () => {
  provider = await startScripted()
  server = await sharedTestServer()
  person = await server.signUp()
  for (const name of ['compatible', 'claude'])
    await server.addModel(person, {
      name,
      provider: name === 'claude' ? 'anthropic' : 'openai-compatible',
      version: 'm',
      config: { base_url: `${provider.url}/v1`, api_key: 'k' },
    })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const messages = [{ role: 'user', content: 'hi' }]
const WIRES = {
  chat: ['/openai/v1/chat/completions', { messages }],
  completions: ['/openai/v1/completions', { prompt: 'hi' }],
  responses: ['/openai/v1/responses', { input: 'hi' }],
  anthropic: ['/anthropic/v1/messages', { messages, max_tokens: 9 }],
} as const
type Wire = keyof typeof WIRES

const ask = (wire: Wire, more: object = {}): Promise<Answer> =>
  server.call('POST', WIRES[wire][0], {
    token: person.token,
    body: { model: 'compatible', ...WIRES[wire][1], ...more },
  })

const refuse = (status: number, error: object, headers: Record<string, string> = {}): void => {
  provider.answer = (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ error }))
  }
}

const openHolds = async (): Promise<number> => {
  const { sql } = server.server.services.database
  const [row] = await sql<{ held: number }[]>`
    select held::int from credit_accounts where organization_id = ${person.organizationId}`
  return row?.held ?? -1
}

const REFUSALS: [
  status: number,
  headers: Record<string, string>,
  expected: number,
  retryAfter: string | null,
][] = [
  [429, { 'retry-after': '77' }, 429, '77'],
  [429, { 'retry-after': '0' }, 429, '0'],
  [429, {}, 429, null],
  [401, {}, 400, null],
  [403, {}, 400, null],
  [400, {}, 400, null],
  [422, {}, 400, null],
  [500, {}, 503, '2'],
  [503, { 'retry-after': '30' }, 503, '30'],
  [529, {}, 503, '2'],
  [529, { 'retry-after': '40' }, 503, '40'],
]

describe.each(Object.keys(WIRES) as Wire[])('a stream of %s', (wire) => {
  test.each(REFUSALS)(
    'has the status of the refusal %i with %j',
    async (status, headers, expected, retryAfter) => {
      refuse(status, { message: 'No.' }, headers)
      const answer = await ask(wire, { stream: true })
      expect(answer.status).toBe(expected)
      expect(answer.headers.get('content-type')).toMatch('application/json')
      if (retryAfter !== null) expect(answer.headers.get('retry-after')).toBe(retryAfter)
      await expect.poll(openHolds).toBe(0)
    },
  )

  test.each([true, false])("keeps the provider's code with stream: %s", async (stream) => {
    refuse(400, {
      message: "This model's maximum context length is 8192 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages',
    })
    const { status, body } = await ask(wire, { stream })
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        param: 'messages',
      }),
    ])
    if (wire === 'anthropic') expect(body.error.message).toMatch(/^prompt is too long/)
  })

  test('keeps the code of an error that arrives in the stream', async () => {
    provider.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event({ id: 'c', choices: [{ index: 0, delta: { content: 'Hel' } }] }))
      response.end(event({ error: { message: 'maximum context length is 9 tokens', code: 400 } }))
    }
    const { status, text } = await ask(wire, { stream: true })
    expect([status, text]).toEqual([200, expect.stringContaining('"code":"context_length_exceeded"')])
  })
})

test("Claude's refusal of a long prompt has OpenAI's code", async () => {
  refuse(400, { type: 'invalid_request_error', message: 'prompt is too long: 210 tokens > 200 maximum' })
  const { status, body } = await ask('chat', { model: 'claude', stream: true })
  expect([status, body.error.code]).toEqual([400, 'context_length_exceeded'])
})

test('a refusal after the waits for a busy provider has its status', async () => {
  refuse(429, { message: 'Slow down.' }, { 'retry-after': '6' })
  const { status, headers } = await ask('chat', { stream: true })
  expect([status, headers.get('retry-after')]).toEqual([429, '6'])
})
