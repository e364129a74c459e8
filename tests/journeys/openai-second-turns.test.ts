import { createOpenAI } from '@ai-sdk/openai'
import { generateText, type ModelMessage, streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '#tests/clients/agents.ts'
import type { Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Clients that continue stored responses: the AI SDK with its defaults, which refers to earlier items, and OpenAI's
 * Agents SDK.
 */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  for (const [name, version] of [
    ['talker', 'emu-n5'],
    ['thinker', 'emu-n3-r4'],
  ])
    await server.addModel(person, { name, provider: 'openai-compatible', version, config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const sent = () =>
  (provider.requests.at(-1) as { body: { messages: { role: string; content: unknown }[] } }).body.messages

describe('@ai-sdk/openai with its defaults', () => {
  const modelOf = (name: string) =>
    createOpenAI({ apiKey: person.token, baseURL: `${server.url}/openai/v1` })(name)

  test.each(['talker', 'thinker'])('has a second turn with the %s', async (name) => {
    const model = modelOf(name)
    const messages: ModelMessage[] = [{ role: 'user', content: 'say: One' }]
    const first = await generateText({ model, messages })
    messages.push(...first.response.messages, { role: 'user', content: 'say: Two' })
    const second = streamText({ model, messages })
    expect(await second.text).toBe('Two')
    const text = (value: string) => [{ type: 'text', text: value }]
    expect(sent().map(({ content }) => content)).toEqual([text('say: One'), 'One', text('say: Two')])
  })
})

describe('@openai/agents', () => {
  const newRunner = () =>
    new Runner({
      modelProvider: new OpenAIProvider({ apiKey: person.token, baseURL: `${server.url}/openai/v1` }),
      tracingDisabled: true,
    })
  const agent = new Agent({ name: 'Clerk', instructions: 'Be brief.', model: 'talker' })

  test('continues with previousResponseId', async () => {
    const runner = newRunner()
    const first = await runner.run(agent, 'say: One')
    expect(first.finalOutput).toBe('One')
    const previousResponseId = first.lastResponseId as string
    const second = await runner.run(agent, 'say: Two', { previousResponseId, stream: true })
    await second.completed
    expect(second.finalOutput).toBe('Two')
    expect(sent().map(({ content }) => content)).toEqual(['Be brief.', 'say: One', 'One', 'say: Two'])
  })

  test('continues a conversation, and calls tools', async () => {
    const { body } = await server.call('POST', '/openai/v1/conversations', { token: person.token, body: {} })
    const conversationId = body.id
    const weather = agentTool({
      name: 'weather',
      description: 'The weather in a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      execute: async (input) => `rain in ${(input as { city: string }).city}`,
    })
    const asking = 'TOOL:weather={"city":"Oslo"} THEN say: It rains.'
    const first = await newRunner().run(agent.clone({ tools: [weather] }), asking, { conversationId })
    expect(first.finalOutput).toBe('It rains.')
    await newRunner().run(agent, 'say: Two', { conversationId })
    expect(sent().map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })
})
