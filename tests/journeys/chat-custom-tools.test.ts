import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The tools of /openai/v1/chat/completions that are no functions. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'tools'] }
  await server.addModel(person, { name: 'gpt', provider: 'openai', version: 'gpt-5-emu-n2', config })
  await server.addModel(person, {
    ...{ name: 'claude', provider: 'anthropic', version: 'claude-opus-4-6-emu-n2' },
    config,
  })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const SHELL = {
  type: 'function',
  function: { name: 'shell', parameters: { type: 'object', properties: {} } },
}
const GRAMMAR = { syntax: 'lark', definition: 'start: /.+/s' }
const PATCH = {
  type: 'custom',
  custom: {
    name: 'apply_patch',
    description: 'Edits files',
    format: { type: 'grammar', grammar: GRAMMAR },
  },
}
const TEXT = '*** Begin Patch\n+"hello" {} \\d\n*** End Patch'
const CALL = `TOOL:apply_patch=${JSON.stringify({ input: TEXT })}`

const complete = (body: object): Promise<Answer> =>
  server.call('POST', '/openai/v1/chat/completions', {
    token: person.token,
    body: { model: 'gpt', messages: [{ role: 'user', content: CALL }], tools: [SHELL, PATCH], ...body },
  })
const sent = () =>
  provider.requests.at(-1)?.body as {
    messages: object[]
    tools?: { function: { name: string } }[]
    tool_choice?: unknown
  }

describe('a custom tool', () => {
  test.each(['gpt', 'claude'])('is called with raw text (%s)', async (model) => {
    const { status, body } = await complete({ model })
    expect(status).toBe(200)
    expect(body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: expect.any(String), type: 'custom', custom: { name: 'apply_patch', input: TEXT } },
        ],
      },
    })
    expect(Object.keys(body.choices[0].message.tool_calls[0]).sort()).toEqual(['custom', 'id', 'type'])
  })

  test('is a function with one text for the provider', async () => {
    await complete({})
    expect(sent().tools?.map((tool) => tool.function)).toMatchObject([
      { name: 'shell' },
      {
        name: 'apply_patch',
        description: expect.stringContaining(GRAMMAR.definition),
        parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
      },
    ])
  })

  test('is streamed', async () => {
    const { text } = await complete({ stream: true })
    const deltas = parseEvents(text.replace(/data: \[DONE\]\n/, '')).flatMap(
      ({ data }) =>
        (data as { choices: { delta: { tool_calls?: object[] } }[] }).choices[0]?.delta.tool_calls ?? [],
    )
    expect(deltas).toEqual([
      { index: 0, id: expect.any(String), type: 'custom', custom: { name: 'apply_patch', input: TEXT } },
    ])
    expect(text).toContain('"finish_reason":"tool_calls"')
  })

  test.each<[what: string, format: object | null | undefined]>([
    ['no format', undefined],
    ['null', null],
    ['plain text', { type: 'text' }],
    ['a regular expression', { type: 'grammar', grammar: { syntax: 'regex', definition: '.+' } }],
  ])('may have %s as its format', async (_, format) => {
    const tool = { type: 'custom', custom: { name: 'apply_patch', ...(format !== undefined && { format }) } }
    const { status, body } = await complete({ tools: [tool] })
    expect([status, body.choices[0].message.tool_calls[0].custom.input]).toEqual([200, TEXT])
  })

  test.each([
    ['another field', JSON.stringify({ patch: TEXT }), TEXT],
    ['several fields', '{"a":"1","b":2}', '{"a":"1","b":2}'],
    ['no field', '{}', ''],
  ])('is called although the model writes %s', async (_, written, input) => {
    const messages = [{ role: 'user', content: `TOOL:apply_patch=${written}` }]
    const { body } = await complete({ messages })
    expect(body.choices[0].message.tool_calls[0].custom).toEqual({ name: 'apply_patch', input })
  })

  test('has a function beside it, and each keeps its form', async () => {
    const messages = [{ role: 'user', content: `${CALL} TOOL:shell={"a":1}` }]
    const { body } = await complete({ messages })
    expect(body.choices[0].message.tool_calls).toMatchObject([
      { type: 'custom', custom: { name: 'apply_patch' } },
      { type: 'function', function: { name: 'shell', arguments: '{"a":1}' } },
    ])
  })

  test('is sent back with its result', async () => {
    const tool_calls = [
      { id: 'c', type: 'custom', custom: { name: 'apply_patch', input: TEXT } },
      { id: 'd', type: 'function', function: { name: 'shell', arguments: '{}' } },
    ]
    const { status } = await complete({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'c', content: 'Done' },
        { role: 'tool', tool_call_id: 'd', content: [{ type: 'text', text: 'Ran' }] },
      ],
    })
    expect(status).toBe(200)
    const custom = { name: 'apply_patch', arguments: JSON.stringify({ input: TEXT }) }
    expect(sent().messages).toMatchObject([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'c', type: 'function', function: custom },
          { id: 'd', type: 'function', function: { name: 'shell' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'Done' },
      { role: 'tool', tool_call_id: 'd', content: 'Ran' },
    ])
  })
})

const CUSTOM = { type: 'custom', custom: { name: 'apply_patch' } }
const FUNCTION = { type: 'function', function: { name: 'shell' } }
const allowed = (...tools: object[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode: 'required', tools },
})

test.each<[what: string, tool_choice: unknown, choice: unknown, offered: string[], ignored: string | null]>([
  [
    'a custom tool',
    CUSTOM,
    { type: 'function', function: { name: 'apply_patch' } },
    ['shell', 'apply_patch'],
    null,
  ],
  ['a function', FUNCTION, FUNCTION, ['shell', 'apply_patch'], null],
  ['any', 'required', 'required', ['shell', 'apply_patch'], null],
  ['some tools', allowed(CUSTOM), 'required', ['apply_patch'], null],
  ['both tools', allowed(CUSTOM, FUNCTION), 'required', ['shell', 'apply_patch'], null],
  ['a hosted tool', { type: 'web_search' }, undefined, ['shell', 'apply_patch'], 'tool_choice'],
])('tool_choice demands %s', async (_, tool_choice, choice, offered, ignored) => {
  const { status, text, headers } = await complete({ tool_choice })
  expect([status, text]).toEqual([200, expect.any(String)])
  const { tool_choice: demanded, tools } = sent()
  expect([demanded, tools?.map((tool) => tool.function.name)]).toEqual([choice, offered])
  expect(headers.get('x-ignored-parameters')).toBe(ignored)
})

test.each([false, true])('tools that OpenAI runs are ignored and listed (streamed: %s)', async (stream) => {
  const hosted = ['web_search', 'web_search_preview', 'file_search', 'code_interpreter', 'image_generation']
  const more = ['mcp', 'local_shell', 'shell', 'apply_patch', 'computer_use_preview', 'namespace', 'made_up']
  const tools = [...hosted, ...more].map((type) => ({ type, server_label: 'x' }))
  const { status, headers } = await complete({ tools: [...tools, SHELL], stream })
  expect([status, headers.get('x-ignored-parameters')]).toEqual([
    200,
    [...hosted, ...more].map((type) => `tools.${type}`).join(', '),
  ])
  expect(sent().tools).toHaveLength(1)
})

const history = (...tool_calls: object[]) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls },
  ],
})

test.each<[what: string, body: object, message: RegExp]>([
  ['a custom tool without its definition', { tools: [{ type: 'custom' }] }, /tools\.0\.custom is required/],
  ['a custom tool without a name', { tools: [{ type: 'custom', custom: {} }] }, /tools\.0\.custom\.name/],
  ['a function without its definition', { tools: [{ type: 'function' }] }, /tools\.0\.function is required/],
  ['a tool without a type', { tools: [{ custom: { name: 'a' } }] }, /tools\.0\.type/],
  ['a choice of an unknown tool', { tool_choice: { ...CUSTOM, custom: { name: 'x' } } }, /tool_choice/],
  ['a choice without a name', { tool_choice: { type: 'custom' } }, /tool_choice\.custom is required/],
  [
    'an allowed tool that is not listed',
    { tool_choice: allowed({ ...CUSTOM, custom: { name: 'x' } }) },
    /tool_choice/,
  ],
  [
    'a call without its tool',
    history({ id: 'c', type: 'custom' }),
    /messages\.1\.tool_calls\.0\.custom is required/,
  ],
  ['a call without its function', history({ id: 'c' }), /messages\.1\.tool_calls\.0\.function is required/],
  ['a call of another type', history({ id: 'c', type: 'other' }), /messages\.1\.tool_calls\.0\.type/],
])('%s is refused', async (_, more, message) => {
  const { status, body } = await complete(more)
  expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)])
})
