import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPlayground, type PlaygroundStage } from '#tests/support/playground.ts'

let stage: PlaygroundStage
beforeAll(async () => {
  stage = await openPlayground({
    PLAYGROUND_DISCOVERY_MODEL: 'deepseek-emu',
    PLAYGROUND_DIRECT_MODEL: 'gemini-emu',
  })
})
afterAll(() => stage.close())

const modelOf = (): string => stage.request().model

test('a model must be in one of five families', async () => {
  const person = await stage.person('llama-emu')
  const { status, body } = await stage.ask(person, 'Hi', { model: 'llama-emu' })
  expect([status, body.detail]).toEqual([400, 'model must start with gpt, o1, claude, deepseek or gemini.'])
  for (const model of ['gpt-x', 'o1', 'claude-x', 'deepseek-x', 'gemini-x'])
    expect((await stage.ask(person, 'Hi', { model })).status).toBe(404)
})

test('a model is found by its display name, its version, or its version without the date, newest first', async () => {
  const person = await stage.person('gpt-emu-2024-05-13', 'gpt-emu-2024-11-20', 'gpt-emu-mini')
  await stage.ask(person, 'Hi', { model: 'gpt-emu' })
  expect(modelOf()).toBe('gpt-emu-2024-11-20')
  await stage.ask(person, 'Hi', { model: 'gpt-emu-2024-05-13' })
  expect(modelOf()).toBe('gpt-emu-2024-05-13')
  await stage.addModel(person, 'gpt-emu')
  await stage.ask(person, 'Hi', { model: 'gpt-emu' })
  expect(modelOf()).toBe('gpt-emu')
  await stage.server.addModel(person, {
    name: 'gpt of ours',
    provider: 'openai-compatible',
    version: 'v1',
    config: { base_url: `${stage.provider.url}/v1`, model: 'emu-named' },
  })
  await stage.ask(person, 'Hi', { model: 'gpt of ours' })
  expect(modelOf()).toBe('emu-named')
})

test('a foreign model is not found', async () => {
  await stage.person('gpt-emu-foreign')
  const person = await stage.person()
  expect((await stage.ask(person, 'Hi', { model: 'gpt-emu-foreign' })).status).toBe(404)
})

test('the default is the model of the mode, or the first suitable one', async () => {
  const person = await stage.person('emu-first')
  const { id } = await stage.connectTo(person, 'Any', {})
  await stage.ask(person, 'Hi')
  expect(modelOf()).toBe('emu-first')
  await stage.addModel(person, 'deepseek-emu')
  await stage.addModel(person, 'gemini-emu')
  await stage.ask(person, 'Hi')
  expect(modelOf()).toBe('deepseek-emu')
  await stage.ask(person, 'Hi', { ids: [id] })
  expect(modelOf()).toBe('gemini-emu')
})

test('direct mode requires a model that calls tools', async () => {
  const person = await stage.person()
  await stage.addModel(person, 'gemini-emu', { capabilities: ['text'] })
  await stage.addModel(person, 'emu-tools')
  const { id } = await stage.connectTo(person, 'Any', {})
  await stage.ask(person, 'Hi', { ids: [id] })
  expect(modelOf()).toBe('emu-tools')
  expect((await stage.ask(person, 'Hi', { ids: [id], model: 'gemini-emu' })).status).toBe(400)
})

test('the demo model replies if the user has no model', async () => {
  const person = await stage.person()
  const { status, text } = await stage.ask(person, 'Hello there')
  expect(status).toBe(200)
  expect(text).toContain('Parley demo')
})

test.each([
  [{}, 'content'],
  [{ content: '' }, 'content'],
  [{ content: 'a', mcp_instance_ids: ['x'] }, 'mcp_instance_ids'],
  [
    { content: 'a', mcp_instance_ids: Array.from({ length: 21 }, () => crypto.randomUUID()) },
    'mcp_instance_ids',
  ],
  [
    { content: 'a', mcp_instance_ids: Array(2).fill('0d9b35ad-6d6f-4b43-a4b2-5a3b90cf7a4e') },
    'mcp_instance_ids',
  ],
  [{ content: 'a', model: '' }, 'model'],
  [{ content: 'a', other: 1 }, 'other'],
])('%j is refused', async (body, field) => {
  const person = await stage.person()
  const answer = await stage.server.call('POST', '/api/mcp_playground/chat', { token: person.token, body })
  expect(answer.status).toBe(400)
  expect(answer.body.detail).toContain(field)
})

test('an empty list of connections selects discovery mode', async () => {
  const person = await stage.person('gpt-emu')
  const body = { content: 'say: Hi', mcp_instance_ids: [], model: 'gpt-emu' }
  const answer = await stage.server.call('POST', '/api/mcp_playground/chat', { token: person.token, body })
  expect(answer.status).toBe(200)
})
