import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat, kindsOf, ledgerOf } from '#tests/support/chats.ts'
import { type Person, parseEvents } from '#tests/support/client.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Replies of servers that differ from the format: what is stored, billed and returned, on each route that streams. */

interface Reply {
  status?: number
  contentType?: string
  body: string
}

const TEXT = 'text/event-stream'
const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const chunk = (delta: object, finish: string | null = null) =>
  frame({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })
const END = `${chunk({}, 'stop')}data: [DONE]\n\n`

const REPLIES: Record<string, Reply> = {
  parts: { body: chunk({ content: [{ type: 'text', text: 'Hello' }] }) + END },
  whole: {
    contentType: 'application/json',
    body: JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    }),
  },
  accepted: { status: 202, body: chunk({ content: 'Hello' }) + END },
  thinking: { body: chunk({ content: '<think>Hm' }) + chunk({ content: 'm</think>\n\nHello' }) + END },
  channels: {
    body:
      chunk({ content: '<|channel|>analysis<|message|>Hmm<|end|><|start|>assist' }) +
      chunk({ content: 'ant<|channel|>final<|message|>Hello<|return|>' }) +
      END,
  },
  declined: { body: chunk({ refusal: 'I can' }) + chunk({ refusal: 'not.' }) + END },
  failing: { body: frame({ error: { message: 'The engine broke', code: 500 } }) },
  empty: { body: END },
}

/** Answers each request with the reply that its model's name selects. */
async function startOddProvider() {
  const requests: { messages: { role: string; content: unknown }[] }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = JSON.parse(Buffer.concat(parts).toString() || '{}')
    requests.push(asked)
    const { status = 200, contentType = TEXT, body } = REPLIES[asked.model] ?? { body: END }
    response.writeHead(status, { 'content-type': contentType }).end(body)
  }
  const listener = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    close: () => new Promise((resolve) => listener.close(resolve)),
  }
}

let server: TestServer
let provider: Awaited<ReturnType<typeof startOddProvider>>
let person: Person
beforeAll(async () => {
  ;[server, provider] = await Promise.all([sharedTestServer(), startOddProvider()])
  person = await server.signUp()
  const config = { base_url: provider.url, api_key: 'k', capabilities: ['text', 'tools'] }
  const kind = 'openai-compatible'
  const names = Object.keys(REPLIES)
  await Promise.all(
    names.map((name) => server.addModel(person, { name, version: name, provider: kind, config })),
  )
})
afterAll(() => Promise.all([server.stop(), provider.close()]))

const post = (path: string, body: object) => server.call('POST', path, { token: person.token, body })

interface EventData {
  type?: string
  delta?: string
  refusal?: string
  choices?: { delta: { content?: string; refusal?: string } }[]
}
const dataOf = (text: string) =>
  parseEvents(text.replace('data: [DONE]\n\n', '')).map(({ data }) => data as EventData)

interface Row {
  name: string
  content: string
  reasoning: string | null
  finish: string | null
  ledger: string[]
}
const BILLED = ['HOLD', 'DEBIT']
const RELEASED = ['HOLD', 'RELEASE']
const hello = { content: 'Hello', reasoning: null, finish: 'stop', ledger: BILLED }

describe('a chat stores and bills', () => {
  test.each<Row>([
    { name: 'parts', ...hello },
    { name: 'whole', ...hello },
    { name: 'accepted', ...hello },
    { name: 'thinking', ...hello, reasoning: 'Hmm' },
    { name: 'channels', ...hello, reasoning: 'Hmm' },
    { name: 'declined', ...hello, content: 'I cannot.', finish: 'refusal' },
    { name: 'failing', content: '', reasoning: null, finish: null, ledger: RELEASED },
    { name: 'empty', content: '', reasoning: null, finish: null, ledger: RELEASED },
  ])('$name', async ({ name, content, reasoning, finish, ledger }) => {
    const someone = await server.signUp()
    const config = { base_url: provider.url, api_key: 'k' }
    const kind = 'openai-compatible'
    const id = await server.addModel(someone, { name, version: name, provider: kind, config })
    const { chatId } = await server.say(someone, { model_id: id }, { content: 'Hi there' })
    const { messages } = await getChat(server, someone, chatId)
    expect(messages.at(-1)).toMatchObject({
      content,
      reasoning,
      finish_reason: finish,
      status: ledger === BILLED ? 'complete' : 'error',
    })
    expect(kindsOf(await ledgerOf(server, someone))).toEqual(ledger)
  })
})

describe('a refusal of the model', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const input = 'Hi'

  test('has its own field in a completion', async () => {
    const { body } = await post('/openai/v1/chat/completions', { model: 'declined', messages })
    expect(body.choices[0]).toMatchObject({
      message: { role: 'assistant', content: null, refusal: 'I cannot.' },
      finish_reason: 'stop',
    })
    const streamed = await post('/openai/v1/chat/completions', { model: 'declined', messages, stream: true })
    const deltas = dataOf(streamed.text).flatMap(({ choices = [] }) => choices.map(({ delta }) => delta))
    expect(deltas.map(({ refusal = '' }) => refusal).join('')).toBe('I cannot.')
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('')
  })

  test('has its own part in a response', async () => {
    const { body } = await post('/openai/v1/responses', { model: 'declined', input })
    expect(body.output).toMatchObject([
      { type: 'message', content: [{ type: 'refusal', refusal: 'I cannot.' }], status: 'completed' },
    ])
    const streamed = await post('/openai/v1/responses', { model: 'declined', input, stream: true })
    const events = dataOf(streamed.text).filter(({ type }) => type?.startsWith('response.refusal.'))
    expect(events.map(({ delta, refusal }) => delta ?? refusal)).toEqual(['I can', 'not.', 'I cannot.'])
  })

  test('is sent to the model when a client sends it back, in each of its forms', async () => {
    const refused = { role: 'assistant', content: null, refusal: 'I cannot.' }
    const part = { type: 'refusal', refusal: 'I cannot.' }
    const next = { role: 'user', content: 'Why?' }
    for (const first of [refused, { role: 'assistant', content: [part] }])
      await post('/openai/v1/chat/completions', { model: 'parts', messages: [...messages, first, next] })
    const first = await post('/openai/v1/responses', { model: 'declined', input })
    const chain = [{ role: 'user', content: input }, ...first.body.output, next]
    await post('/openai/v1/responses', { model: 'parts', input: chain })
    await post('/openai/v1/responses', {
      model: 'parts',
      input: 'Why?',
      previous_response_id: first.body.id,
    })
    const sent = provider.requests.filter((request) => request.messages.length === 3)
    expect(sent.map((request) => request.messages[1])).toEqual(
      sent.map(() => ({ role: 'assistant', content: 'I cannot.' })),
    )
    expect(sent).toHaveLength(4)
  })
})

test.each(['chat/completions', 'responses'])('a reply without text is an error of /%s', async (path) => {
  const question = { messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' }
  const { status, body } = await post(`/openai/v1/${path}`, { model: 'empty', ...question })
  expect([status, body.error.message]).toEqual([503, expect.stringContaining('no text')])
})
