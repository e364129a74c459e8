import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Person, parseEvents } from '#tests/support/client.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** The parts of /anthropic/v1 that anthropic-clients.test.ts doesn't test: requests to providers, and errors. */

let server: TestServer
let provider: Awaited<ReturnType<typeof startProvider>>
let person: Person
beforeAll(async () => {
  provider = await startProvider()
  server = await sharedTestServer()
  person = await server.signUp()
  const config = { base_url: `${provider.url}/v1`, api_key: 'k', capabilities: ['text', 'vision', 'tools'] }
  for (const [name, providerName, version] of [
    ['claude', 'anthropic', 'claude-opus-4-6-emu-n2'],
    ['older', 'anthropic', 'claude-sonnet-4-emu-n2'],
    ['gpt', 'openai', 'gpt-5-emu-n2'],
    ['compatible', 'openai-compatible', 'emu-n2'],
    ['gemini', 'google', 'gemini-2.5-emu-n2'],
    ['deepseek', 'deepseek', 'deepseek-emu-n2'],
  ] as const)
    await server.addModel(person, { name, provider: providerName, version, config })
})
afterAll(async () => {
  await server.stop()
  await provider.close()
})

const ask = (body: object, path = '/anthropic/v1/messages', token = person.token): Promise<Answer> =>
  server.call('POST', path, {
    token,
    body: { model: 'claude', max_tokens: 4_000, messages: [{ role: 'user', content: 'Hi' }], ...body },
  })
const sent = () => provider.requests.at(-1)?.body as Record<string, unknown>

const WEATHER = { name: 'weather', input_schema: { type: 'object' } }
const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')
const EPHEMERAL = { type: 'ephemeral' }

describe('a request', () => {
  test.each<[string, object, object, string | null]>([
    [
      'claude',
      {
        system: [
          { type: 'text', text: ' ' },
          { type: 'text', text: 'A', cache_control: { ...EPHEMERAL, ttl: '1h' } },
          { type: 'text', text: 'B' },
          { type: 'text', text: '\n' },
        ],
      },
      {
        max_tokens: 4_000,
        system: [{ type: 'text', text: 'A\n\nB', cache_control: { ...EPHEMERAL, ttl: '1h' } }],
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'Hi', cache_control: { ...EPHEMERAL, ttl: '1h' } }],
          },
        ],
      },
      null,
    ],
    [
      'claude',
      {
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
        metadata: { user_id: 'u' },
        service_tier: 'standard_only',
        stop_sequences: ['END'],
      },
      {
        max_tokens: 4_000,
        thinking: { type: 'adaptive' },
        output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
        metadata: { user_id: 'u' },
        service_tier: 'standard_only',
        stop_sequences: ['END'],
      },
      null,
    ],
    [
      'older',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      null,
    ],
    [
      'older',
      { tools: [WEATHER], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      {
        tools: [{ ...WEATHER, cache_control: EPHEMERAL }],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
      },
      null,
    ],
    [
      'gpt',
      {
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        metadata: { user_id: 'u' },
        service_tier: 'auto',
        tools: [{ ...WEATHER, cache_control: EPHEMERAL }],
        tool_choice: { type: 'tool', name: 'weather' },
      },
      {
        max_completion_tokens: 4_000,
        reasoning_effort: 'medium',
        user: 'u',
        service_tier: 'auto',
        tool_choice: { type: 'function', function: { name: 'weather' } },
      },
      'cache_control',
    ],
    [
      'compatible',
      { top_k: 5, output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      { top_k: 5, response_format: { type: 'json_schema', json_schema: { strict: true } } },
      null,
    ],
    [
      'gemini',
      {
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        metadata: { user_id: 'u' },
        service_tier: 'auto',
      },
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_000 } } },
      'metadata.user_id, service_tier',
    ],
    ['deepseek', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }, null],
  ])('to %s with %j is passed on', async (model, change, expected, ignored) => {
    const answer = await ask({ model, ...change })
    expect([answer.status, answer.headers.get('x-ignored-parameters')]).toEqual([200, ignored])
    expect(sent()).toMatchObject(expected)
  })

  test('marks the end of the prompt and of the conversation for the cache', async () => {
    await ask({
      system: 'Be brief',
      tools: [WEATHER],
      messages: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Two' },
        { role: 'user', content: 'Three' },
      ],
    })
    const { tools, system, messages } = sent() as { tools: object[]; system: object[]; messages: object[] }
    expect(tools[0]).not.toHaveProperty('cache_control')
    expect(system).toEqual([{ type: 'text', text: 'Be brief', cache_control: EPHEMERAL }])
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'One' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
      { role: 'user', content: [{ type: 'text', text: 'Three', cache_control: EPHEMERAL }] },
    ])
  })

  test('has images and the text of documents', async () => {
    const pdf = readFileSync('tests/fixtures/report.pdf').toString('base64')
    const { status } = await ask({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
            {
              type: 'document',
              title: 'Note',
              source: { type: 'text', media_type: 'text/plain', data: 'Hi!' },
            },
          ],
        },
      ],
    })
    expect(status).toBe(200)
    expect(sent()['messages']).toMatchObject([
      {
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'text', text: expect.stringMatching(/^<attachment name="document">\n[\s\S]{20,}/) },
          { type: 'text', text: '<attachment name="Note">\nHi!\n</attachment>' },
        ],
      },
    ])
  })

  test('has the images of a tool result after the result', async () => {
    await ask({
      model: 'compatible',
      messages: [
        { role: 'user', content: 'Look' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'text', text: 'A picture' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
              ],
            },
          ],
        },
      ],
    })
    expect((sent()['messages'] as object[]).slice(2)).toMatchObject([
      { role: 'tool', tool_call_id: 'a', content: 'A picture\n\n(The images of this result follow.)' },
      { role: 'user', content: [{ type: 'image_url' }] },
    ])
  })

  test('thinking that another provider signed is left out', async () => {
    const assistant = (content: object[]) => ({ role: 'assistant', content })
    const call = { type: 'tool_use', id: 'a', name: 'weather', input: {} }
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'rain' }] }
    await ask({
      model: 'older',
      tools: [WEATHER],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      messages: [
        { role: 'user', content: 'Hi' },
        assistant([
          { type: 'thinking', thinking: 'Hm', signature: 'unsigned' },
          { type: 'redacted_thinking', data: 'google c2ln' },
          call,
        ]),
        result,
      ],
    })
    expect((sent()['messages'] as object[])[1]).toEqual({ role: 'assistant', content: [call] })
    expect(sent()).not.toHaveProperty('thinking')
  })
})

const imageFrom = (source: object) => ({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] })

describe('an error', () => {
  test.each<[object, RegExp]>([
    [{ messages: [] }, /messages/],
    [
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'system', content: [{ type: 'image' }] },
        ],
      },
      /blocks of type image/,
    ],
    [{ max_tokens: undefined }, /max_tokens/],
    [{ messages: [{ role: 'user', content: [{ type: 'search_result' }] }] }, /blocks of type search_result/],
    [{ messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] }, /tool_use_id/],
    [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, /source is required/],
    [imageFrom({ type: 'base64', media_type: 'image/png' }), /content\.0\.source\.data is required/],
    [imageFrom({ type: 'base64', data: PNG }), /content\.0\.source\.media_type is required/],
    [imageFrom({ type: 'url' }), /content\.0\.source\.url is required/],
    [imageFrom({ type: 'base64', media_type: 'text/plain', data: PNG }), /source must have a media_type/],
    [imageFrom({ type: 'base64', media_type: 'image/png', data: '%' }), /source must have .* base64/],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, /web_search_20250305/],
    [{ tool_choice: { type: 'any' } }, /tool_choice/],
    [{ mcp_servers: [{ type: 'url' }] }, /mcp_servers is not supported/],
    [{ model: 'gpt', temperature: 0.5 }, /temperature is not accepted by gpt/],
    [{ model: 'compatible-x' }, /no model or agent named compatible-x/],
  ])('for %j names the field', async (change, message) => {
    const { status, body, headers } = await ask(change)
    expect(status).toBe('model' in change && change.model === 'compatible-x' ? 404 : 400)
    expect(body).toEqual({
      type: 'error',
      error: {
        type: status === 404 ? 'not_found_error' : 'invalid_request_error',
        message: expect.stringMatching(message),
      },
      request_id: headers.get('x-request-id'),
    })
  })

  test('has the same form for unknown addresses, methods and credentials', async () => {
    const answers = await Promise.all([
      server.call('GET', '/anthropic/v1/nothing'),
      server.call('DELETE', '/anthropic/v1/messages'),
      server.call('POST', '/anthropic/v1/messages', { body: {} }),
    ])
    expect(answers.map(({ status, body }) => [status, body.type, body.error.type])).toEqual([
      [404, 'error', 'not_found_error'],
      [405, 'error', 'invalid_request_error'],
      [401, 'error', 'authentication_error'],
    ])
  })

  test('after the first token is an event', async () => {
    const config = { base_url: `${provider.url}/v1`, api_key: 'k' }
    await server.addModel(person, {
      name: 'breaker',
      provider: 'anthropic',
      version: 'emu-n8-errmid',
      config,
    })
    const { text } = await ask({ model: 'breaker', stream: true })
    const events = parseEvents(text)
    expect(events.at(-1)).toMatchObject({ event: 'error' })
    expect(events.at(-1)?.data).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
  })

  test('unknown fields and query parameters are none', async () => {
    const { status } = await ask({ vendor_field: [1], betas: ['x'] }, '/anthropic/v1/messages?beta=true')
    expect(status).toBe(200)
  })
})

test('an agent calls its own tools, and its calls are hidden', async () => {
  const { body: models } = await server.call('GET', `/api/llm/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  const model_id = models.data.find(({ name }: { name: string }) => name === 'claude').id
  const { body: agent } = await server.call('POST', `/api/agents?org_id=${person.organizationId}`, {
    token: person.token,
    body: {
      name: 'Clerk',
      description: '',
      agent_type: 'chat',
      model_id,
      params: { system_prompt: 'Be a clerk.' },
    },
  })
  const { body } = await ask({ model: agent.id, messages: [{ role: 'user', content: 'say: Good day' }] })
  expect(body).toMatchObject({ content: [{ type: 'text', text: 'Good day' }], stop_reason: 'end_turn' })
  expect(sent()['system']).toMatchObject([{ text: 'Be a clerk.' }])
})
