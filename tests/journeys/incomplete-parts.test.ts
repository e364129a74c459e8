import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Parts of messages that lack the field of their type, at each of the compatible APIs. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  await server.addModel(person, { name: 'm', provider: 'openai-compatible', version: 'emu-n1', config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const post = (path: string, body: object): Promise<Answer> =>
  server.call('POST', path, { token: person.token, body: { model: 'm', ...body } })
const chat = (messages: object[]) => post('/openai/v1/chat/completions', { messages })
const respond = (input: object[]) => post('/openai/v1/responses', { input, store: false })
const claude = (messages: object[], more: object = {}) =>
  post('/anthropic/v1/messages', { messages, max_tokens: 9, ...more })
const count = (messages: object[]) => post('/anthropic/v1/messages/count_tokens', { messages })

const hi = { role: 'user', content: 'Hi' }
const said = (role: string, ...content: object[]) => ({ role, content })
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const called = { role: 'assistant', content: null, tool_calls: [call] }
const text = { type: 'text', text: 'Hi' }
const used = said('assistant', { type: 'tool_use', id: 'a', name: 'f', input: {} })
const item = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }

type Row = [name: string, field: string, () => Promise<Answer>]
const ROWS = (none: object): Row[] => [
  [
    'the only part of chat',
    'messages.0.content.0.text',
    () => chat([said('user', { type: 'text', ...none })]),
  ],
  [
    'a part beside another',
    'messages.0.content.1.text',
    () => chat([said('user', text, { type: 'text', ...none })]),
  ],
  [
    'an instruction',
    'messages.0.content.0.text',
    () => chat([said('system', { type: 'text', ...none }), hi]),
  ],
  [
    'an instruction of a developer',
    'messages.0.content.0.text',
    () => chat([said('developer', { type: 'text', ...none }), hi]),
  ],
  [
    'a reply',
    'messages.1.content.0.text',
    () => chat([hi, said('assistant', { type: 'text', ...none }), hi]),
  ],
  [
    'the result of a tool',
    'messages.2.content.0.text',
    () => chat([hi, called, { ...said('tool', { type: 'text', ...none }), tool_call_id: 'a' }]),
  ],
  ['an item', 'input.0.content.0.text', () => respond([said('user', { type: 'input_text', ...none })])],
  [
    'an instruction among items',
    'input.0.content.0.text',
    () => respond([said('system', { type: 'input_text', ...none }), hi]),
  ],
  [
    'a reply among items',
    'input.1.content.0.text',
    () => respond([hi, said('assistant', { type: 'output_text', ...none }), hi]),
  ],
  [
    'the output of a call',
    'input.2.output.0.text',
    () =>
      respond([
        hi,
        item,
        { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', ...none }] },
      ]),
  ],
  ['a block', 'messages.0.content.0.text', () => claude([said('user', { type: 'text', ...none })])],
  [
    'a block beside another',
    'messages.0.content.1.text',
    () => claude([said('user', text, { type: 'text', ...none })]),
  ],
  [
    'a block of a reply',
    'messages.1.content.0.text',
    () => claude([hi, said('assistant', { type: 'text', ...none }), hi]),
  ],
  [
    'a block of an instruction',
    'messages.1.content.0.text',
    () => claude([hi, said('system', { type: 'text', ...none })]),
  ],
  [
    'a block of the system prompt',
    'system.0.text',
    () => claude([hi], { system: [{ type: 'text', ...none }] }),
  ],
  [
    'a block of a result',
    'messages.2.content.0.content.0.text',
    () =>
      claude([
        hi,
        used,
        said('user', { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', ...none }] }),
      ]),
  ],
  [
    'a block that is counted',
    'messages.0.content.0.text',
    () => count([said('user', { type: 'text', ...none })]),
  ],
]

describe.each([{}, { text: null }])('a text that is %j is refused with its field', (none) => {
  test.each(ROWS(none))('in %s', async (_name, field, ask) => {
    const { status, body } = await ask()
    expect([status, body.error.type, body.error.message]).toEqual([
      400,
      'invalid_request_error',
      expect.stringContaining(field),
    ])
    expect(body.error.message).not.toContain('anyOf')
  })
})

describe('an empty text is accepted', () => {
  test.each(ROWS({ text: '' }).filter(([name]) => !/only|item$|block$|counted/.test(name)))(
    'in %s',
    async (_name, _field, ask) => {
      expect((await ask()).status).toBe(200)
    },
  )
})

test.each<[string, object]>([
  ['image_url', { type: 'image_url' }],
  ['input_audio', { type: 'input_audio' }],
])('a part without its %s is refused with its field', async (field, part) => {
  const { status, body } = await chat([said('user', text, part)])
  expect([status, body.error.param]).toEqual([400, `messages.0.content.1.${field}`])
})

test.each<[object]>([[{ type: 'input_image' }], [{ type: 'input_image', image_url: null }]])(
  'an item with %j is refused with its field',
  async (part) => {
    const { status, body } = await respond([said('user', part)])
    expect([status, body.error.param]).toEqual([400, 'input.0.content.0.image_url'])
  },
)

test('a refusal without its text is refused, and one in the field of a text is read', async () => {
  const { status, body } = await chat([hi, said('assistant', { type: 'refusal' }), hi])
  expect([status, body.error.param]).toEqual([400, 'messages.1.content.0.refusal'])
  expect((await chat([hi, said('assistant', { type: 'refusal', text: 'No.' }), hi])).status).toBe(200)
})
