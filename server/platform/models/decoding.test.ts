import { describe, expect, test } from 'vitest'
import { event, playEvents } from '#tests/support/provider/scripted.ts'
import {
  completion,
  DONE,
  delta,
  finish,
  HEL_LO,
  STOP,
  startScriptedModels,
} from '#tests/support/provider/scripted-models.ts'
import type { Provider } from './types.ts'

/** Tests unusual replies of servers: errors under status 200, and text in other fields. */

const { ask, failureOf, server } = await startScriptedModels()

/** Responds with a whole body. */
const respond = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): void => {
  server.answer = (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

describe('an error inside a stream ends the reply', () => {
  test.each([
    ['of vLLM', event({ object: 'error', message: 'too many words', code: 400 })],
    ['with a type', event({ type: 'error', error: { message: 'too many words' } })],
    ['with a string', event({ error: 'too many words' })],
    [
      'beside choices',
      event({ error: { message: 'too many words' }, choices: [{ delta: { content: '' } }] }),
    ],
    ['with code and msg', event({ code: 1302, msg: 'too many words' })],
    ['with choices that are empty', event({ code: 'E5', msg: 'too many words', choices: [] })],
    ['with a message alone', event({ message: 'too many words' })],
    ['of FastAPI', event({ detail: 'too many words' })],
    ['in a list', event({ errors: [{ message: 'too many words' }] })],
    ['with a flag', event({ error: true, message: 'too many words' })],
    ['without success', event({ success: false, msg: 'too many words' })],
    ['of MiniMax', event({ choices: null, base_resp: { status_code: 1004, status_msg: 'too many words' } })],
    ['as a named event', 'event: error\ndata: {"message":"too many words"}\n\n'],
    ['as a named event of text', 'event: error\ndata: too many words\n\n'],
    [
      'in the choice',
      delta({ content: '' }, { finish_reason: 'error', error: { message: 'too many words' } }),
    ],
    ['in the choice only', delta({ content: '' }, { error: { message: 'too many words' } })],
  ])('%s', async (_kind, error) => {
    for (const before of ['', delta({ content: 'Hel' })]) {
      server.answer = playEvents(before, error, DONE)
      expect((await failureOf()).message).toContain(
        'House model failed while it was sending the reply: too many words',
      )
    }
  })

  test.each(['error', 'ERROR', 'network_error', 'failed', 'insufficient_system_resource'])(
    'as the finish reason %s',
    async (reason) => {
      server.answer = playEvents(delta({ content: 'Hel' }), finish(reason), DONE)
      expect((await failureOf()).message).toContain('failed while it was sending')
    },
  )

  test.each([
    [400, 'request'],
    [401, 'configuration'],
    ['429', 'rate_limited'],
    [503, 'overloaded'],
    [1302, 'unavailable'],
    ['server_error', 'unavailable'],
  ])('with the code %s, which decides the kind', async (code, kind) => {
    respond(JSON.stringify({ error: { message: 'no', code } }), { 'content-type': 'application/json' })
    expect((await failureOf()).kind).toBe(kind)
  })

  test.each<[Provider, string]>([
    [
      'anthropic',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"too many words"}}\n\n',
    ],
    ['anthropic', event({ error: { message: 'too many words' } })],
    ['anthropic', event({ message: 'too many words' })],
    ['anthropic', JSON.stringify({ type: 'error', error: { message: 'too many words' } })],
    ['google', event({ error: { code: 503, message: 'too many words', status: 'UNAVAILABLE' } })],
    ['google', JSON.stringify([{ error: { code: 503, message: 'too many words' } }])],
    [
      'google',
      event({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'too many words' }] }),
    ],
    [
      'google',
      event({ candidates: [{ finishReason: 'UNEXPECTED_TOOL_CALL', finishMessage: 'too many words' }] }),
    ],
    ['openai-compatible', JSON.stringify({ error: { message: 'too many words' } })],
    ['openai-compatible', JSON.stringify({ detail: [{ loc: ['body', 'n'], msg: 'too many words' }] })],
  ])('of %s: %s', async (provider, body) => {
    respond(body)
    expect((await failureOf(provider)).message).toContain('too many words')
  })

  test.each([
    { choices: [], prompt_filter_results: [{ content_filter_results: {} }] },
    { error: null, choices: [] },
    { code: 0, msg: 'ok', choices: [] },
    { code: 200, message: 'success', choices: [] },
    { type: 'status', message: 'searching' },
    { usage: { prompt_tokens: 1, completion_tokens: 1 } },
  ])('unless the event only informs: %j', async (information) => {
    server.answer = playEvents(event(information), HEL_LO, STOP, DONE)
    expect((await ask()).text).toBe('Hello')
  })
})

describe('the words of a refusal are read from', () => {
  test.each([
    '{"detail":[{"loc":["body","temperature"],"msg":"must be below 1","type":"value_error"}]}',
    '{"detail":{"error":{"message":"must be below 1"}}}',
    '{"message":"must be below 1"}',
    '{"error":"must be below 1"}',
    '{"error":{"message":"","details":"must be below 1"}}',
    '{"errors":[{"message":"must be below 1"}]}',
    '{"errors":["must be below 1"]}',
    '{"error":{"message":{"detail":"must be below 1"}}}',
    '{"code":400,"msg":"must be below 1"}',
    '{"error_msg":"must be below 1"}',
    '{"error":"invalid","error_description":"must be below 1"}'.replace('"invalid"', 'true'),
    'data: {"error":{"message":"must be below 1"}}',
    'must be below 1',
  ])('%s', async (body) => {
    respond(body, {}, 422)
    expect((await failureOf()).message).toContain('must be below 1')
  })
})

describe('text arrives in other fields', () => {
  test.each([
    [
      'text parts',
      delta({
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'text', text: 'lo' },
        ],
      }),
    ],
    ['output parts', delta({ content: [{ type: 'output_text', text: 'Hello' }] })],
    ['strings in a list', delta({ content: ['Hel', 'lo'] })],
    ['one part', delta({ content: { type: 'text', text: 'Hello' } })],
    ['a part with a value', delta({ content: [{ type: 'text', text: { value: 'Hello' } }] })],
    [
      'messages',
      event({ choices: [{ message: { content: 'Hel' } }] }) +
        event({ choices: [{ message: { content: 'lo' } }] }),
    ],
    ['a message beside a blank delta', event({ choices: [{ delta: {}, message: { content: 'Hello' } }] })],
    [
      'a message beside a delta without text',
      event({ choices: [{ delta: { role: 'assistant', content: '' }, message: { content: 'Hello' } }] }),
    ],
    ['legacy chunks', event({ choices: [{ text: 'Hel' }] }) + event({ choices: [{ text: 'lo' }] })],
    ['a legacy chunk beside null', event({ choices: [{ delta: null, text: 'Hello' }] })],
    ['a delta whose last chunk repeats the reply', HEL_LO + event(completion({ content: 'Hello' }))],
    [
      'messages that the last one repeats',
      event({ choices: [{ message: { content: 'Hello' } }] }) + event(completion({ content: 'Hello' })),
    ],
  ])('%s', async (_kind, events) => {
    server.answer = playEvents(events, STOP, DONE)
    expect(await ask()).toMatchObject({ text: 'Hello', reasoning: '', finishReason: 'stop' })
  })

  test.each([
    ['thinking parts', delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] })],
    ['a thinking part with a string', delta({ content: [{ type: 'thinking', thinking: 'Hm' }] })],
    ['reasoning parts', delta({ content: [{ type: 'reasoning', text: 'Hm' }] })],
    ['reasoning beside an empty field', delta({ reasoning_content: '', reasoning: 'Hm' })],
    ['reasoning_content beside an empty field', delta({ reasoning_content: 'Hm', reasoning: '' })],
    ['reasoning beside null', delta({ reasoning_content: null, reasoning: 'Hm' })],
    [
      'the same reasoning twice',
      delta({ reasoning_content: 'Hm', reasoning: 'Hm', reasoning_details: [{ text: 'Hm' }] }),
    ],
    ['details', delta({ content: '', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] })],
    [
      'details beside an empty field',
      delta({ reasoning: '', reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }),
    ],
    [
      'a summary',
      delta({
        reasoning_details: [
          { type: 'reasoning.summary', summary: 'Hm' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      }),
    ],
    ['an object', delta({ reasoning: { content: 'Hm' } })],
    ['a field named thinking', delta({ thinking: 'Hm' })],
    ['a field named thinking_content', delta({ thinking_content: 'Hm' })],
    ['a field named thought', delta({ content: '', thought: 'Hm' })],
  ])('reasoning: %s', async (_kind, events) => {
    server.answer = playEvents(events, HEL_LO, STOP, DONE)
    expect(await ask()).toMatchObject({ text: 'Hello', reasoning: 'Hm' })
  })

  test('a blank reasoning field hides no filled one', async () => {
    server.answer = playEvents(delta({ reasoning_content: '\n', reasoning: 'Hm' }), HEL_LO, STOP, DONE)
    expect((await ask()).reasoning).toBe('Hm')
  })

  const block = (content_block: object, ...deltas: object[]) =>
    event({ type: 'content_block_start', index: 0, content_block }) +
    deltas.map((part) => event({ type: 'content_block_delta', index: 0, delta: part })).join('') +
    event({ type: 'content_block_stop', index: 0 })
  const end = (stop_reason: string) =>
    event({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 3 } })
  const say = block({ type: 'text', text: 'Hel' }, { type: 'text_delta', text: 'lo' })

  test('text and thinking at the start of a block of Anthropic', async () => {
    server.answer = playEvents(
      block({ type: 'thinking', thinking: 'H' }, { type: 'thinking_delta', thinking: 'm' }),
      say,
      end('end_turn'),
    )
    expect(await ask('anthropic')).toMatchObject({ text: 'Hello', reasoning: 'Hm', finishReason: 'stop' })
  })

  test.each([
    [{ city: 'Oslo' }, []],
    [{}, ['{"city":', '"Oslo"}']],
    [{ city: 'Oslo' }, ['{"city":"Oslo"}']],
  ])('a tool input at the start of a block of Anthropic: %j, %j', async (input, pieces) => {
    const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
    server.answer = playEvents(
      block({ type: 'tool_use', id: 'a', name: 'weather', input }, ...deltas),
      end('tool_use'),
    )
    expect((await ask('anthropic')).toolCalls).toMatchObject([
      { id: 'a', name: 'weather', input: { city: 'Oslo' } },
    ])
  })

  test('a message of Anthropic in place of a stream', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'text', text: 'Hello' },
    ]
    respond(
      JSON.stringify({
        type: 'message',
        content,
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 3 },
      }),
    )
    expect(await ask('anthropic')).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm',
      usage: { inputTokens: 5, outputTokens: 3 },
    })
  })

  test.each([
    ['end_turn', 'stop'],
    ['max_tokens', 'length'],
    ['refusal', 'refusal'],
  ])('a reply of Anthropic without message_stop ends with %s', async (reason, finishReason) => {
    server.answer = playEvents('event: ping\ndata:\n\n', say, end(reason))
    expect(await ask('anthropic')).toMatchObject({ text: 'Hello', finishReason })
  })
})

test.each<[Provider, string]>([
  [
    'openai-compatible',
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: ' echo\n', arguments: '{}' } }] }) + STOP,
  ],
  ['openai-compatible', delta({ function_call: { name: 'echo ', arguments: '{}' } }) + STOP],
  [
    'anthropic',
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'a', name: ' echo ', input: {} },
    }) + event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
  ],
  [
    'google',
    event({
      candidates: [
        { content: { parts: [{ functionCall: { name: '\necho ', args: {} } }] }, finishReason: 'STOP' },
      ],
    }),
  ],
])('the name of a tool call of %s has no blanks around it', async (provider, events) => {
  server.answer = playEvents(events)
  expect((await ask(provider)).toolCalls).toMatchObject([{ name: 'echo', input: {} }])
})
