import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Answer, Person } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Items of tools that OpenAI runs, which clients send back to /openai/v1/responses. */

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

const call = (path: string, body: object): Promise<Answer> =>
  server.call('POST', `/openai/v1/${path}`, { token: person.token, body })
const between = (...items: object[]) => [
  { role: 'user', content: 'Question' },
  ...items,
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Answer', annotations: [] }] },
  { role: 'user', content: 'And now?' },
]
const respond = (...items: object[]): Promise<Answer> =>
  call('responses', { model: 'gpt', input: between(...items) })
const sent = () =>
  (provider.requests.at(-1) as { body: { messages: { role: string; content: string }[] } }).body.messages
const PLAIN = [
  { role: 'user', content: 'Question' },
  { role: 'assistant', content: 'Answer' },
  { role: 'user', content: 'And now?' },
]

const WITHOUT_TEXT: (Record<string, unknown> & { type: string })[] = [
  {
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
    action: { type: 'search', query: 'a', sources: [] },
  },
  { type: 'web_search_call', id: null },
  { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['a'], results: null },
  {
    type: 'code_interpreter_call',
    id: 'ci_1',
    status: 'failed',
    code: null,
    container_id: 'c',
    outputs: null,
  },
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=', revised_prompt: 'a' },
  {
    ...{ type: 'computer_call', id: 'cu_1', call_id: 'c', status: 'completed' },
    ...{ action: { type: 'click', x: 1, y: 2, button: 'left' }, pending_safety_checks: [] },
  },
  {
    ...{ type: 'computer_call_output', call_id: 'c' },
    output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,aGk=' },
  },
  {
    type: 'mcp_list_tools',
    id: 'mcpl_1',
    server_label: 'docs',
    tools: [{ name: 'a', input_schema: {} }],
    error: null,
  },
  { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs', name: 'ask.me', arguments: '{}' },
  { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true, reason: null },
  {
    type: 'mcp_call',
    id: 'mcp_1',
    server_label: 'docs',
    name: 'ask/it',
    arguments: '{}',
    output: null,
    error: null,
  },
  { type: 'tool_search_call', call_id: null, arguments: { query: 'a' }, execution: 'server' },
  { type: 'tool_search_output', call_id: null, tools: [] },
  { type: 'additional_tools', role: 'developer', tools: [] },
  { type: 'shell_call_output', call_id: 'c', output: [] },
]

describe('an item without text', () => {
  test.each(WITHOUT_TEXT.map((item) => [item.type, item]))(
    'is ignored and listed: %s',
    async (type, item) => {
      const { status, text, headers } = await respond(item)
      expect([status, text]).toEqual([200, expect.any(String)])
      expect(headers.get('x-ignored-parameters')).toBe(`input.${type}`)
      expect(sent()).toEqual(PLAIN)
    },
  )

  test('is listed once, and in a stream too', async () => {
    const [search = {}, , file = {}] = WITHOUT_TEXT
    const input = between(search, file, search)
    const { headers } = await call('responses', { model: 'gpt', input, stream: true })
    expect(headers.get('x-ignored-parameters')).toBe('input.web_search_call, input.file_search_call')
  })
})

const exec = { type: 'exec', command: ['ls', '-l'], env: {} }
const WITH_TEXT: [item: Record<string, unknown> & { type: string }, texts: string[]][] = [
  [
    {
      ...{ type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'ask.it' },
      ...{ arguments: '{"q":"roll"}', output: 'You rolled 4', error: null, status: 'completed' },
    },
    ['ask.it', '{"q":"roll"}', 'You rolled 4'],
  ],
  [
    {
      type: 'mcp_call',
      server_label: 'docs',
      name: 'ask',
      arguments: '{}',
      error: { type: 'x', message: 'No such page' },
    },
    ['No such page'],
  ],
  [
    {
      ...{ type: 'code_interpreter_call', id: 'ci_1', code: 'print(1 + 1)', container_id: 'c' },
      outputs: [
        { type: 'logs', logs: '2\n' },
        { type: 'image', url: 'https://a.example/' },
      ],
    },
    ['print(1 + 1)', '2'],
  ],
  [
    {
      ...{ type: 'file_search_call', id: 'fs_1', queries: ['refund'] },
      results: [{ file_id: 'f', filename: 'policy.md', score: 0.9, text: 'Thirty days', attributes: {} }],
    },
    ['policy.md', 'Thirty days'],
  ],
  [{ type: 'local_shell_call', id: 'l', call_id: 'c', status: 'completed', action: exec }, ['ls -l']],
  [{ type: 'local_shell_call_output', id: 'c', output: '{"stdout":"a.txt"}' }, ['a.txt']],
  [
    { type: 'shell_call', call_id: 'c', action: { commands: ['pwd', 'ls'], timeout_ms: null } },
    ['pwd', 'ls'],
  ],
  [
    {
      ...{ type: 'shell_call_output', call_id: 'c', max_output_length: 10 },
      output: [{ stdout: '/home', stderr: 'a warning', outcome: { type: 'exit', exit_code: 3 } }],
    },
    ['/home', 'a warning', 'exit code 3'],
  ],
  [
    {
      ...{ type: 'apply_patch_call', call_id: 'c', status: 'completed' },
      operation: { type: 'update_file', path: 'a.ts', diff: '-a\n+b' },
    },
    ['update_file', 'a.ts', '+b'],
  ],
  [{ type: 'apply_patch_call_output', call_id: 'c', status: 'failed', output: null }, ['failed']],
  [{ type: 'program_output', id: 'p', call_id: 'c', result: '42', status: 'completed' }, ['42']],
]

describe('an item with text', () => {
  test.each(WITH_TEXT.map(([item, texts]) => [item.type, item, texts] as const))(
    'reaches the model at its place: %s',
    async (_, item, texts) => {
      const { status, headers } = await respond(item)
      expect([status, headers.get('x-ignored-parameters')]).toEqual([200, null])
      const [question, ...rest] = sent()
      expect(rest.slice(-2)).toEqual(PLAIN.slice(-2))
      const before = JSON.stringify([question, ...rest.slice(0, -2)])
      for (const text of texts) expect(before).toContain(JSON.stringify(text).slice(1, -1))
    },
  )

  test('is part of the conversation that a later response continues', async () => {
    const [[item] = [{}]] = WITH_TEXT
    const { body } = await respond(item)
    const next = { model: 'gpt', previous_response_id: body.id, input: 'More' }
    expect((await call('responses', next)).status).toBe(200)
    expect(JSON.stringify(sent())).toContain('You rolled 4')
  })

  test('is added to a conversation, and one without text is not', async () => {
    const [[item] = [{}]] = WITH_TEXT
    const made = await call('conversations', { items: between(item, ...WITHOUT_TEXT) })
    expect([made.status, made.text]).toEqual([200, expect.any(String)])
    const input = 'More'
    expect((await call('responses', { model: 'gpt', conversation: made.body.id, input })).status).toBe(200)
    expect(JSON.stringify(sent())).toContain('You rolled 4')
    const added = await call(`conversations/${made.body.id}/items`, { items: WITHOUT_TEXT.slice(0, 2) })
    expect([added.status, added.body.data]).toEqual([200, []])
  })
})

test.each<[what: string, items: object[], message: RegExp]>([
  ['an unknown type', [{ type: 'made_up_call', id: 'x' }], /input\.1: items of type made_up_call/],
  ['another unknown type', [{ type: 'web_search', id: 'x' }], /web_search/],
  ['a type of another case', [{ type: 'MCP_CALL' }], /MCP_CALL/],
  ['a property of every object', [{ type: 'constructor' }], /constructor/],
  ['a type that is no text', [{ type: 7 }], /input\.1\.type/],
  ['a message with an unknown role', [{ role: 'robot', content: 'x' }], /input\.1\.role/],
  [
    'a call with arguments that are no text',
    [{ type: 'function_call', call_id: 'c', name: 'a', arguments: {} }],
    /arguments/,
  ],
])('%s is refused', async (_, items, message) => {
  const { status, body } = await respond(...items)
  expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)])
})

test('a request with ignored items only has no message of a user', async () => {
  const { status, body } = await call('responses', { model: 'gpt', input: WITHOUT_TEXT })
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('user message')])
})
