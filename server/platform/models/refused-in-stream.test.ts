import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { collectReply } from '#tests/support/provider/collect-reply.ts'
import { event } from '#tests/support/provider/scripted.ts'
import { createNet } from '../net/index.ts'
import { createModels } from './index.ts'
import { ModelError } from './types.ts'

/** Tests servers that answer 200 and then refuse a field of the request in the stream. */

const net = createNet({ allowPrivateNetwork: ['127.0.0.0/8'] })
const models = createModels({ net })
const bodies: Record<string, unknown>[] = []
/** The server sends this answer as long as a request has the field. */
let refused = { field: 'stream_options', answer: '' }
const server = createServer(async (request, response) => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const body = JSON.parse(Buffer.concat(parts).toString())
  bodies.push(body)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(body[refused.field] === undefined ? HELLO : refused.answer)
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => void bodies.splice(0))
afterAll(async () => {
  await net.close()
  await new Promise((resolve) => server.close(resolve))
})

const delta = (value: object, finish_reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: value, finish_reason }] })
const HELLO = `${delta({ content: 'Hello' })}${delta({}, 'stop')}data: [DONE]\n\n`
const WORDS = 'Unsupported parameter: stream_options'

const ask = (more: object = {}) => {
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}/v1`
  return collectReply(
    models,
    { provider: 'openai-compatible', model: 'm', baseUrl, apiKey: 'k', guarded: true },
    { messages: [{ role: 'user', content: 'Hi' }], ...more },
  )
}

describe('a field that the stream refuses before its first text is left out', () => {
  test.each([
    ['an error', event({ error: { message: WORDS } })],
    ['an error with a code', event({ error: { message: WORDS, code: 400 } })],
    ['a named event', `event: error\ndata: {"message":"${WORDS}"}\n\n`],
    ['a named event of text', `event: error\ndata: ${WORDS}\n\n`],
    ['an error of vLLM', event({ object: 'error', message: 'bad', param: 'stream_options' })],
    ['an error of FastAPI', event({ detail: [{ loc: ['body', 'stream_options'], msg: 'extra fields' }] })],
    [
      'an error in a choice',
      delta({ content: '' }).replace('null', '"error"').replace('}]', `,"error":"${WORDS}"}]`),
    ],
    [
      'an error after the role',
      delta({ role: 'assistant', content: '' }) + event({ error: { message: WORDS } }),
    ],
    ['an error after a heartbeat', `: ping\n\ndata:\n\n${event({ error: { message: WORDS } })}`],
    ['JSON in place of a stream', JSON.stringify({ error: { message: WORDS } })],
    ['an error after a part of a tag', delta({ content: '<thi' }) + event({ error: { message: WORDS } })],
    ['an error of a server', event({ error: { message: 'unknown field include_usage', code: 500 } })],
  ])('%s', async (_kind, answer) => {
    refused = { field: 'stream_options', answer }
    expect(await ask()).toMatchObject({ text: 'Hello', finishReason: 'stop' })
    expect(bodies.map(({ stream_options }) => stream_options)).toEqual([{ include_usage: true }, undefined])
  })

  test('of another name', async () => {
    refused = { field: 'parallel_tool_calls', answer: event({ error: 'parallel_tool_calls is unknown' }) }
    const tools = [{ name: 'f', description: '', parameters: { type: 'object' } }]
    expect((await ask({ parallelToolCalls: false, tools })).text).toBe('Hello')
    expect(bodies).toHaveLength(2)
  })
})

test.each([
  ['after text', delta({ content: 'Hel' }) + event({ error: { message: WORDS } }), 1],
  ['after thoughts', delta({ reasoning: 'Hm' }) + event({ error: { message: WORDS } }), 1],
  ['without the name of a field', event({ error: { message: 'The engine broke' } }), 1],
  ['about the key', event({ error: { message: WORDS, code: 401 } }), 1],
  ['about the rate', event({ error: { message: WORDS, code: '429' } }), 1],
])('an error is final %s', async (_kind, answer, requests) => {
  refused = { field: 'stream_options', answer }
  const failure = await ask().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ModelError)
  expect((failure as ModelError).message).toContain('failed while it was sending the reply: ')
  expect(bodies).toHaveLength(requests)
})

test('a server that refuses the field for ever is asked a limited number of times', async () => {
  refused = { field: 'model', answer: event({ error: { message: WORDS } }) }
  await expect(ask()).rejects.toThrow(WORDS)
  expect(bodies).toHaveLength(2)
})
