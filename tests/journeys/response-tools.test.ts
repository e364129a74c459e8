import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The tools of /openai/v1/responses that are no functions, as Codex sends them. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
  await server.addModel(person, { name: 'gpt', provider: 'openai', version: 'gpt-5-emu-n2', config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const SHELL = { type: 'function', name: 'shell', parameters: { type: 'object', properties: {} } }
const PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/s' },
}
const DOCS = { type: 'namespace', name: 'docs', tools: [{ ...SHELL, name: 'find' }] }
const CODEX = [
  SHELL,
  PATCH,
  { type: 'web_search' },
  DOCS,
  { type: 'local_shell' },
  { type: 'image_generation' },
]
const TEXT = '*** Begin Patch\n*** Add File: a.txt\n+"hello"\n*** End Patch'
const CALL = `TOOL:apply_patch=${JSON.stringify({ input: TEXT })}`

const respond = (body: object): Promise<Answer> =>
  server.call('POST', '/openai/v1/responses', {
    token: person.token,
    body: { model: 'gpt', tools: CODEX, ...body },
  })
const sent = () => provider.requests.at(-1)?.body as { messages: object[]; tools: { function: object }[] }

describe('a custom tool', () => {
  test('is a function with one text for the provider, and raw text for the client', async () => {
    const { status, body, headers } = await respond({ input: CALL, store: false })
    expect([status, headers.get('x-ignored-parameters')]).toEqual([
      200,
      'tools.web_search, tools.local_shell, tools.image_generation',
    ])
    expect(sent().tools.map((tool) => tool.function)).toMatchObject([
      { name: 'shell' },
      { name: 'apply_patch', parameters: { properties: { input: { type: 'string' } }, required: ['input'] } },
      { name: 'find' },
    ])
    expect(body.output).toEqual([
      {
        type: 'custom_tool_call',
        id: expect.stringMatching(/^ctc_/),
        call_id: expect.any(String),
        name: 'apply_patch',
        input: TEXT,
        status: 'completed',
      },
    ])
    expect(body.tools).toMatchObject(CODEX)
  })

  test('is streamed', async () => {
    const { text } = await respond({ input: CALL, stream: true })
    const events = parseEvents(text).map(({ data }) => data as Record<string, unknown> & { type: string })
    const custom = events.filter(({ type }) => /custom_tool_call_input|output_item/.test(type))
    expect(custom).toMatchObject([
      {
        type: 'response.output_item.added',
        item: { type: 'custom_tool_call', input: '', name: 'apply_patch' },
      },
      { type: 'response.custom_tool_call_input.delta', delta: TEXT, item_id: expect.stringMatching(/^ctc_/) },
      { type: 'response.custom_tool_call_input.done', input: TEXT },
      { type: 'response.output_item.done', item: { type: 'custom_tool_call', input: TEXT } },
    ])
  })

  const HISTORY = [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c',
          type: 'function',
          function: { name: 'apply_patch', arguments: JSON.stringify({ input: TEXT }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: 'Done' },
  ]
  test.each([
    ['text', 'Done'],
    ['parts', [{ type: 'input_text', text: 'Done' }]],
  ])('is sent back with its output as %s', async (_, output) => {
    const { status } = await respond({
      input: [
        { role: 'user', content: 'Hi' },
        {
          type: 'custom_tool_call',
          id: 'ctc_1',
          call_id: 'c',
          name: 'apply_patch',
          input: TEXT,
          status: 'completed',
        },
        { type: 'custom_tool_call_output', call_id: 'c', output },
      ],
    })
    expect(status).toBe(200)
    expect(sent().messages).toEqual([{ role: 'user', content: 'Hi' }, ...HISTORY])
  })

  test('is continued from a stored response', async () => {
    const first = await respond({ input: CALL })
    const { call_id } = first.body.output[0]
    const { status } = await respond({
      previous_response_id: first.body.id,
      input: [{ type: 'custom_tool_call_output', call_id, output: 'Done' }],
    })
    expect(status).toBe(200)
    expect(sent().messages.at(-1)).toEqual({ role: 'tool', tool_call_id: call_id, content: 'Done' })
  })

  test.each([
    [{ type: 'custom_tool_call', name: 'apply_patch', input: 'x' }, /call_id/],
    [{ type: 'custom_tool_call_output', call_id: 'unknown', output: 'x' }, /call_id/],
  ])('is refused without its call: %j', async (item, message) => {
    const { status, body } = await respond({ input: [{ role: 'user', content: 'Hi' }, item] })
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)])
  })
})

test('a member of a namespace is called with its namespace, and sent back', async () => {
  const tools = [{ ...SHELL, name: 'find' }, DOCS]
  const { body } = await respond({ input: 'TOOL:docs__find={}', tools })
  const [call] = body.output
  expect(call).toMatchObject({ type: 'function_call', namespace: 'docs', name: 'find', arguments: '{}' })
  const output = { type: 'function_call_output', call_id: call.call_id, output: 'found' }
  expect((await respond({ input: [{ role: 'user', content: 'Hi' }, call, output], tools })).status).toBe(200)
  expect(sent().messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'docs__find' } }] })
})

test.each(['auto', 'disabled'])('truncation %s is accepted', async (truncation) => {
  const { status, body } = await respond({ input: 'Hi', truncation })
  expect([status, body.truncation]).toEqual([200, truncation])
})
