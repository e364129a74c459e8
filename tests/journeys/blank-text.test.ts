import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { deploy, makeAgent, visit } from '#tests/support/deployments.ts'
import { type EmulatedProvider, startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Text without a visible character, and questions that got no reply: prompts stay valid for strict providers. */

let server: TestServer
let provider: EmulatedProvider
let person: Person
const modelIds: Record<string, string> = {}
beforeAll(async () => {
  ;[server, provider] = await Promise.all([sharedTestServer(), startProvider()])
  person = await server.signUp()
  for (const [name, providerName, version] of [
    ['failing', 'openai-compatible', 'emu-err500'],
    ['working', 'openai-compatible', 'emu-n2'],
    ['claude', 'anthropic', 'claude-opus-4-6-emu-n2'],
  ] as const)
    modelIds[name] = await server.addModel(person, {
      name,
      provider: providerName,
      version,
      config: { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'tools'] },
    })
})
afterAll(() => Promise.all([server.stop(), provider.close()]))

const BLANKS = [
  '',
  ' ',
  ' \n\t',
  '\u00a0\u3000',
  '\u200b\u200d',
  '\ufeff',
  '\u200e\u202a\u202c',
  '\u2066\u2069',
  '\u2060\u00ad',
  '\u{e0020}\u{e0001}',
  '\u{e0101}\u{1d173}\u{1bca0}',
]

interface Turn {
  role: string
  content: unknown
}
const sent = () => (provider.requests.at(-1) as { body: { messages: Turn[] } }).body.messages
const post = (path: string, body: object) =>
  server.call('POST', `${path}${path.includes('?') ? '&' : '?'}org_id=${person.organizationId}`, {
    token: person.token,
    body,
  })

const messagesOf = async (conversationId: string) =>
  (
    await server.call(
      'GET',
      `/api/conversation/messages?conversation_id=${conversationId}&org_id=${person.organizationId}`,
      { token: person.token },
    )
  ).body

describe('a question after questions without a reply', () => {
  const JOINED = [{ role: 'user', content: 'One\n\nTwo\n\nThree' }]

  test('is sent with them as one turn of a chat', async () => {
    const { chatId } = await server.say(person, { model_id: modelIds['failing'] ?? '' }, { content: 'One' })
    const query = { chat_id: chatId }
    await server.say(person, { ...query, model_id: modelIds['failing'] ?? '' }, { content: 'Two' })
    await server.say(person, { ...query, model_id: modelIds['working'] ?? '' }, { content: 'Three' })
    expect(sent()).toEqual(JOINED)
    await server.say(person, { ...query, model_id: modelIds['working'] ?? '' }, { content: 'Four' })
    expect(sent().map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })

  test('is sent with them as one turn of a conversation', async () => {
    const conversation = await post('/api/conversation/create', { title: 'Engines' })
    for (const [model, message] of [
      ['failing', 'One'],
      ['failing', 'Two'],
      ['working', 'Three'],
    ] as const) {
      const session = await post('/api/conversation/create_session', {
        conversation_id: conversation.body.id,
        model_id: modelIds[model],
      })
      await post('/api/conversation/stream_chat', { chat_session_id: session.body.id, message })
    }
    expect(sent()).toEqual(JOINED)
  })
})

describe.each(BLANKS)('a message of %j', (blank) => {
  test('is refused where a person writes, and nothing is stored', async () => {
    const { chatId } = await server.say(person, { model_id: modelIds['working'] ?? '' }, { content: 'Hi' })
    const conversation = await post('/api/conversation/create', { title: 'Engines' })
    const session = await post('/api/conversation/create_session', {
      conversation_id: conversation.body.id,
      model_id: modelIds['working'],
    })
    // The title is written meanwhile.
    const { messages: before } = await getChat(server, person, chatId)
    const none = await messagesOf(conversation.body.id)
    const edit = { content: blank, parent_message_id: null }
    for (const [path, body] of [
      [`/api/chat/send_message?model_id=${modelIds['working']}`, { content: blank }],
      [`/api/chat/send_message?chat_id=${chatId}`, { content: blank }],
      [`/api/chat/send_message?chat_id=${chatId}`, edit],
      ['/api/conversation/stream_chat', { chat_session_id: session.body.id, message: blank }],
      ['/api/chat/prompt', { text: blank }],
      ['/api/mcp_playground/chat', { content: blank }],
    ] as const) {
      const answer = await post(path, body)
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'request.invalid'])
    }
    expect((await getChat(server, person, chatId)).messages).toEqual(before)
    expect(await messagesOf(conversation.body.id)).toEqual(none)
  })
})

test('visitors and keys of a deployment cannot send a blank message', async () => {
  const deployment = await deploy(server, provider, { deployment_type: 'widget' })
  for (const token of [await visit(server, deployment), deployment.key])
    for (const content of BLANKS) {
      const { status } = await server.call('POST', '/api/agent_deploy/chat', { token, body: { content } })
      expect([content, status]).toEqual([content, 400])
    }
})

describe.each(['/openai/v1/chat/completions', '/openai/v1/responses', '/anthropic/v1/messages'])(
  '%s',
  (path) => {
    const ask = (model: string, messages: object[]) =>
      server.call('POST', path, {
        token: person.token,
        body: {
          model,
          ...(path.endsWith('/responses') ? { input: messages } : { messages }),
          ...(path.startsWith('/anthropic') && { max_tokens: 50 }),
        },
      })
    const partOf = (text: string) => ({ type: path.endsWith('/responses') ? 'input_text' : 'text', text })

    test.each(BLANKS)('accepts blank text of clients, and sends none: %j', async (blank) => {
      for (const messages of [
        [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: blank },
          { role: 'user', content: 'b' },
        ],
        [{ role: 'user', content: [partOf('a'), partOf(blank)] }],
        [
          { role: 'user', content: [partOf(blank), partOf('a')] },
          { role: 'user', content: blank },
        ],
        [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
          { role: 'user', content: blank },
        ],
        [{ role: 'user', content: blank }],
      ])
        for (const model of ['working', 'claude']) {
          const { status, text } = await ask(model, messages)
          expect([messages, status, text]).toEqual([messages, 200, text])
          const turns = sent()
          expect(turns.map(({ role }) => role)).toEqual(
            turns.map((_, index) => (index % 2 ? 'assistant' : 'user')),
          )
          for (const { content } of turns)
            for (const part of typeof content === 'string'
              ? [{ text: content }]
              : (content as { text: string }[]))
              expect(part.text).toMatch(/[a-z]/)
        }
    })
  },
)

test('an agent leaves out blank instructions and blank replies', async () => {
  const agentId = await makeAgent(server, person, provider, 'emu-n2', { params: { system_prompt: ' \n' } })
  await server.say(person, { agent_id: agentId }, { content: 'Hi' })
  expect(sent()).toEqual([{ role: 'user', content: 'Hi' }])
})
