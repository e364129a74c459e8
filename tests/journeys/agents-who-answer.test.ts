import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fail } from '#errors'
import { getChat } from '#tests/support/chats.ts'
import type { Person } from '#tests/support/client.ts'
import { endlessTool, PlayedAgents, succeeded, tool } from '#tests/support/played-agents.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Selects the model or agent that replies in a chat, its prompt, and what readers may see. The test plays the
 * agents.
 */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
let plainModel: string
const agents = new PlayedAgents(() => provider.url)
const weather = tool('weather', async ({ city }) => succeeded({ city, degrees: 7 }))

beforeAll(async () => {
  provider = await startProvider()
  server = await startTestServer({}, { agents })
  person = await server.signUp()
  plainModel = await server.addModel(person, {
    provider: 'openai-compatible',
    version: 'emu-echo',
    config: { base_url: `${provider.url}/v1` },
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const say = (agentId: string, content: string, query: Record<string, string> = {}) =>
  server.say(person, { agent_id: agentId, events: 'all', ...query }, { content })
const replyIn = async (chatId: string) => (await getChat(server, person, chatId)).messages.at(-1)
const refusalOf = async (query: Record<string, string>, token = person.token) => {
  const parameters = new URLSearchParams({ org_id: person.organizationId, ...query })
  const { status, body } = await server.call('POST', `/api/chat/send_message?${parameters}`, {
    token,
    body: { content: 'Hi' },
  })
  return [status, body.detail]
}

describe('the responder', () => {
  test('cannot be an unknown or inactive agent', async () => {
    expect(await refusalOf({ agent_id: randomUUID() })).toEqual([
      404,
      expect.stringContaining('Agent not found'),
    ])
    const inactive = new PlayedAgents(() => provider.url)
    inactive.find = async () => {
      throw fail('agent.inactive')
    }
    const other = await startTestServer({}, { agents: inactive })
    const somebody = await other.signUp()
    const path = `/api/chat/send_message?org_id=${somebody.organizationId}&agent_id=${randomUUID()}`
    const answer = await other.call('POST', path, { token: somebody.token, body: { content: 'Hi' } })
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      'This agent is not active. Activate it, or choose another agent.',
    ])
    await other.stop()
  })

  test('cannot be both an agent and a model', async () => {
    const [status] = await refusalOf({ agent_id: agents.add('emu'), model_id: plainModel })
    expect(status).toBe(400)
  })

  test('requires agent:execute if it is an agent', async () => {
    const key = await server.call('POST', `/api/api_keys/create?org_id=${person.organizationId}`, {
      token: person.token,
      body: { name: 'Chats only', permissions: ['chats:write', 'chats:read'] },
    })
    const query = `org_id=${person.organizationId}&agent_id=${agents.add('emu')}`
    const answer = await server.call('POST', `/api/chat/send_message?${query}`, {
      token: key.body.key,
      body: { content: 'Hi' },
    })
    expect([answer.status, answer.body.detail]).toEqual([403, 'Missing permission: agent:execute'])
  })

  test('does not reply or run tools without credits', async () => {
    const poor = await startTestServer({ STARTING_CREDITS: '0' }, { agents })
    const somebody = await poor.signUp()
    const endless = endlessTool('endless')
    const path = `/api/chat/send_message?org_id=${somebody.organizationId}&agent_id=${agents.add('emu', [endless.tool])}`
    const answer = await poor.call('POST', path, {
      token: somebody.token,
      body: { content: 'TOOL:endless={}' },
    })
    expect(answer.status).toBe(402)
    expect(endless.runs.begun).toBe(0)
    await poor.stop()
  })

  test('can change to a model, which sees the earlier text; a regeneration uses the last responder', async () => {
    const agentId = agents.add('emu', [weather])
    const first = await say(agentId, 'TOOL:weather={"city":"Rome"} THEN say: Sunny.')
    const second = await server.say(
      person,
      { model_id: plainModel, chat_id: first.chatId, events: 'all' },
      { content: 'And tomorrow?' },
    )
    const { messages, tools } = JSON.parse(second.text)
    expect(tools).toBeUndefined()
    expect(messages).toEqual([
      { role: 'user', content: 'TOOL:weather={"city":"Rome"} THEN say: Sunny.' },
      { role: 'assistant', content: 'Sunny.' },
      { role: 'user', content: 'And tomorrow?' },
    ])
    expect(await getChat(server, person, first.chatId)).toMatchObject({
      agent_id: null,
      model_id: plainModel,
    })
    const anew = async (messageId: string, query = {}) => {
      const parameters = new URLSearchParams({
        org_id: person.organizationId,
        chat_id: first.chatId,
        message_id: messageId,
        ...query,
      })
      const answer = await server.call('POST', `/api/chat/regenerate?${parameters}`, {
        token: person.token,
        body: {},
      })
      expect(answer.status).toBe(200)
      return (await replyIn(first.chatId)) as Record<string, unknown>
    }
    expect(await anew(second.messageId)).toMatchObject({ agent_id: null, model_id: plainModel })
    expect(await anew(first.messageId, { agent_id: agentId })).toMatchObject({ agent_id: agentId })
    expect(await anew(first.messageId)).toMatchObject({
      agent_id: agentId,
      content: 'Sunny.',
      tool_calls: [{}],
    })
  })

  test("gets the agent's prompt, then the instruction; the message's parameters override the agent's", async () => {
    const agentId = agents.add('emu-echo', [], { system: 'You are terse.', temperature: 0.2, maxTokens: 300 })
    const instruction = await server.call(
      'POST',
      `/api/instructions/create?org_id=${person.organizationId}`,
      {
        token: person.token,
        body: { name: 'French', content: 'Answer in French.' },
      },
    )
    const { chatId, text } = await say(agentId, 'Hi', { instruction_id: instruction.body.id })
    const asked = JSON.parse(text)
    expect(asked.messages[0]).toEqual({ role: 'system', content: 'You are terse.\n\nAnswer in French.' })
    expect(asked).toMatchObject({ temperature: 0.2, max_tokens: 300 })
    await server.call('PUT', `/api/chat?org_id=${person.organizationId}&chat_id=${chatId}`, {
      token: person.token,
      body: { settings: { temperature: 0.5 } },
    })
    expect(JSON.parse((await say(agentId, 'Hi', { chat_id: chatId })).text)).toMatchObject({
      temperature: 0.5,
    })
    const query = { chat_id: chatId, temperature: '0.9', max_tokens: '50' }
    expect(JSON.parse((await say(agentId, 'Hi', query)).text)).toMatchObject({
      temperature: 0.9,
      max_tokens: 50,
    })
  })
})

describe('the knowledge of an agent', () => {
  const passage = (content: string, score: number) => ({
    document_id: randomUUID(),
    document_name: 'guide.md',
    chunk_id: randomUUID(),
    score,
    snippet: '',
    headings: [],
    content,
  })
  const passagesIn = (text: string): string[] =>
    [
      ...JSON.parse(text)
        .messages.at(-1)
        .content.matchAll(/<passage number="\d+"[^>]*>\n(.*?)\n<\/passage>/g),
    ].map(([, content]) => content)

  test('is added to the prompt, cited, and searched for on behalf of the payer', async () => {
    const agentId = agents.add('emu-echo', [], { knowledgeBaseIds: [randomUUID()] })
    agents.passages.set(agentId, [passage('Foxes sleep.', 0.4), passage('Bears too.', 0.9)])
    const { chatId, text } = await say(agentId, 'What do foxes do?')
    expect(passagesIn(text)).toEqual(['Bears too.', 'Foxes sleep.'])
    expect((await replyIn(chatId)).citations).toMatchObject([{ score: 0.9 }, { score: 0.4 }])
    const { organizationId, userId } = person
    expect(agents.asked).toMatchObject([
      { agentId, query: 'What do foxes do?', payer: { organizationId, userId, agentId } },
    ])
  })

  test("stays hidden, with the agent's model, from users of another organization", async () => {
    const agentId = agents.add('emu-echo', [], { isForeign: true, knowledgeBaseIds: [randomUUID()] })
    agents.passages.set(agentId, [passage('Secret foxes.', 0.9)])
    const { chatId, text, events, messageId } = await say(agentId, 'Foxes?')
    expect(passagesIn(text)).toEqual(['Secret foxes.'])
    expect(events.some(({ event }) => event === 'citations')).toBe(false)
    const chat = await getChat(server, person, chatId)
    expect(chat).toMatchObject({ agent_id: agentId, model_id: null })
    expect(chat.messages.at(-1)).toMatchObject({ agent_id: agentId, model_id: null, citations: [] })
    const { sql } = server.server.services.database
    const [row] = await sql`select citations from chat_messages where id = ${messageId}`
    expect(row?.['citations']).toBeNull()
    const entries = await sql`select model_id, agent_id from ledger_entries where message_id = ${messageId}`
    for (const entry of entries) expect(entry).toEqual({ model_id: null, agent_id: agentId })

    const failing = agents.add('emu-err401', [], { isForeign: true })
    const { events: failed } = await say(failing, 'Hi')
    expect(failed.at(-1)?.data).toEqual({
      error: 'This agent could not reply. Try again, or contact its publisher.',
    })
  })
})
