import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { event, playEvents } from '#tests/support/provider/scripted.ts'
import {
  completion,
  DONE,
  delta,
  finish,
  HEL_LO,
  HELLO,
  STOP,
  startScriptedModels,
} from '#tests/support/provider/scripted-models.ts'
import type { ModelRequest, Provider } from './types.ts'

/** Tests how replies are framed, and replies without text. */

const { ask, failureOf, server } = await startScriptedModels()
const USAGE = event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } })

/** Responds with a whole body. */
const respond = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): void => {
  server.answer = (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

describe('framing', () => {
  const ALL = HEL_LO + STOP + USAGE
  test.each<[string, string | Buffer, Record<string, string>]>([
    ['no end marker', ALL, {}],
    ['an end marker without line breaks', `${ALL}data: [DONE]`, {}],
    ['an end marker with spaces', `${ALL}data:   [DONE]  \n\n`, {}],
    ['an end marker that is a JSON string', `${ALL}data: "[DONE]"\n\n`, {}],
    ['an end marker that is a JSON string without line breaks', `${ALL}data:"[DONE]"`, {}],
    ['an end marker in other quotation marks', `${ALL}data: '[DONE]' \n\n`, {}],
    ['an end marker in lower case', `${ALL}data: [done]\n\n`, {}],
    ['an end marker with its field name twice', `${ALL}data: data: [DONE]\n\n`, {}],
    ['the last event without line breaks', ALL.trimEnd(), {}],
    ['a cut event after the reply', `${ALL}data: {"cho`, {}],
    ['blank events', `data:\n\ndata: \n\n${ALL}data:\n\n${DONE}`, {}],
    ['comments and pings', `: hi\n\nevent: ping\ndata:\n\n${ALL}: hi\n\n${DONE}`, {}],
    ['blank lines at the beginning', `\n\n\r\n${ALL}${DONE}`, {}],
    ['a byte order mark', `\ufeff${ALL}${DONE}`, {}],
    ['CRLF', (ALL + DONE).replaceAll('\n', '\r\n'), {}],
    ['CR', (ALL + DONE).replaceAll('\n', '\r'), {}],
    ['no space after the colon', (ALL + DONE).replaceAll('data: ', 'data:'), {}],
    ['text/plain', ALL + DONE, { 'content-type': 'text/plain; charset=utf-8' }],
    ['application/json', ALL + DONE, { 'content-type': 'application/json' }],
    ['octet-stream', ALL + DONE, { 'content-type': 'application/octet-stream' }],
    ['html', ALL + DONE, { 'content-type': 'text/html' }],
    ['an odd case', ALL + DONE, { 'content-type': 'Text/Event-Stream; Charset=UTF-8' }],
    ['gzip', gzipSync(ALL + DONE), { 'content-encoding': 'gzip' }],
    ['deflate', deflateSync(ALL + DONE), { 'content-encoding': 'Deflate' }],
    ['brotli', brotliCompressSync(ALL + DONE), { 'content-encoding': 'br' }],
    [
      'a JSON completion',
      JSON.stringify(completion({ content: 'Hello' })),
      { 'content-type': 'application/json' },
    ],
    [
      'a JSON completion as a stream',
      JSON.stringify(completion({ content: 'Hello' }), null, 2),
      { 'content-type': 'text/event-stream' },
    ],
    [
      'a JSON completion of parts',
      `\n${JSON.stringify(completion({ content: [{ type: 'text', text: 'Hello' }] }))}`,
      {},
    ],
    [
      'a JSON completion without a finish reason',
      JSON.stringify(completion({ content: 'Hello' }, { finish_reason: null })),
      {},
    ],
    [
      'a JSON completion in gzip',
      gzipSync(JSON.stringify(completion({ content: 'Hello' }))),
      { 'content-encoding': 'gzip' },
    ],
  ])('%s', async (_kind, body, headers) => {
    respond(body, headers)
    expect(await ask()).toMatchObject({ text: 'Hello', usage: { inputTokens: 5, outputTokens: 3 } })
  })

  test('a body arrives byte by byte', async () => {
    server.answer = playEvents(...(HEL_LO + STOP + USAGE).split(''))
    expect(await ask()).toMatchObject({ text: 'Hello', usage: { inputTokens: 5, outputTokens: 3 } })
  })

  test.each([
    ['Hello', STOP, true],
    ['Hello and usage', STOP + USAGE, true],
    ['nothing more', '', false],
  ])('a connection that is reset after %s', async (_kind, more, isComplete) => {
    server.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(HEL_LO + more, () => response.destroy())
    }
    if (isComplete) expect((await ask()).text).toBe('Hello')
    else expect((await failureOf()).message).toContain('lost during the reply')
  })

  test.each([
    ['text that is no event', 'Bad gateway', 'text/plain', 'instead of an event stream'],
    ['a page', '<!doctype html><p>Hello</p>', 'text/html', 'instead of an event stream'],
    ['a cut reply', HEL_LO, 'text/event-stream', 'before it was complete'],
    ['a cut JSON', '{"choices":[', 'application/json', 'unexpected format'],
    ['nothing', '', 'text/event-stream', 'before it was complete'],
  ])('%s is an error', async (_kind, body, type, sentence) => {
    respond(body, { 'content-type': type })
    expect((await failureOf()).message).toContain(sentence)
  })

  test('a JSON array of Gemini', async () => {
    respond(
      JSON.stringify([
        { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] },
        { candidates: [{ content: { parts: [{ text: 'lo' }] }, finishReason: 'STOP' }] },
      ]),
      { 'content-type': 'application/json' },
    )
    expect(await ask('google')).toMatchObject({ text: 'Hello', finishReason: 'stop' })
  })
})

describe('a reply without text', () => {
  const gemini = (candidate: object) => event({ candidates: [candidate] })
  test.each<[Provider, string]>([
    ['openai-compatible', STOP],
    ['openai-compatible', delta({ content: '' }) + STOP],
    ['openai-compatible', delta({ content: ' \n' }) + STOP],
    ['openai-compatible', delta({ reasoning_content: 'Hm' }) + STOP],
    ['openai-compatible', delta({ content: '<think>Hm</think>' }) + STOP],
    ['openai-compatible', DONE],
    ['google', gemini({ content: { parts: [{ text: '' }] }, finishReason: 'STOP' })],
    ['google', gemini({ finishReason: 'OTHER' })],
    ['anthropic', event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } })],
  ])('of %s is an error: %s', async (provider, events) => {
    server.answer = playEvents(events)
    expect((await failureOf(provider)).code).toBe('model.no_text')
  })

  test.each<[Provider, string, string]>([
    ['openai-compatible', finish('length'), 'length'],
    ['openai-compatible', finish('MAX_TOKENS'), 'length'],
    ['openai-compatible', finish('content_filter'), 'content_filter'],
    ['openai-compatible', finish('SAFETY'), 'content_filter'],
    ['openai-compatible', finish('refusal'), 'refusal'],
    ['anthropic', event({ type: 'message_delta', delta: { stop_reason: 'refusal' } }), 'refusal'],
    ['anthropic', event({ type: 'message_delta', delta: { stop_reason: 'max_tokens' } }), 'length'],
    ...['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'SPII', 'IMAGE_SAFETY', 'LANGUAGE'].map(
      (finishReason): [Provider, string, string] => ['google', gemini({ finishReason }), 'content_filter'],
    ),
    ['google', event({ promptFeedback: { blockReason: 'SAFETY' } }), 'content_filter'],
    [
      'google',
      gemini({ content: { parts: [{ text: 'Hm', thought: true }] }, finishReason: 'MAX_TOKENS' }),
      'length',
    ],
  ])('of %s is explained: %s', async (provider, events, finishReason) => {
    server.answer = playEvents(events)
    expect(await ask(provider)).toMatchObject({ text: '', finishReason })
  })

  test('may follow the result of a tool', async () => {
    server.answer = playEvents(STOP, DONE)
    const call = { id: 'a', name: 'weather', input: {} }
    const messages: ModelRequest['messages'] = [
      ...HELLO.messages,
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'a', toolName: 'weather', output: 'rain' },
    ]
    expect((await ask('openai-compatible', { messages })).text).toBe('')
    const next: ModelRequest = { messages: [...messages, ...HELLO.messages] }
    expect((await failureOf('openai-compatible', next)).code).toBe('model.no_text')
  })
})

test.each([
  [
    'a field',
    delta({ content: null, refusal: '' }) + delta({ refusal: 'I ' }) + delta({ refusal: 'refuse' }) + STOP,
  ],
  ['a part', delta({ content: [{ type: 'refusal', refusal: 'I refuse' }] }) + STOP],
  ['a message', event(completion({ content: null, refusal: 'I refuse' }))],
])('a refusal in %s is text with a finish reason of its own', async (_kind, events) => {
  server.answer = playEvents(events, DONE)
  expect(await ask()).toMatchObject({ text: 'I refuse', finishReason: 'refusal' })
})
